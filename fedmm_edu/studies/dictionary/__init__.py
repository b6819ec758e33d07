"""The dictionary-learning experiments of Section 6: data, runs, the two figures, and what the paper says about them.

What goes beyond the two figures is in the modules `ablation`, `effects`, `central`, `ratings` and `metric`.
"""

from fedmm_edu.studies.dictionary.criteria import Curves
from fedmm_edu.studies.dictionary.data import Data, Source, load_source
from fedmm_edu.studies.dictionary.runs import DictionaryRun, DictionaryTask, Meter, steps
from fedmm_edu.studies.dictionary.statements import SECTION_6, judge_figure

__all__ = [
    "SECTION_6",
    "Curves",
    "Data",
    "DictionaryRun",
    "DictionaryTask",
    "Meter",
    "Source",
    "judge_figure",
    "load_source",
    "steps",
]
