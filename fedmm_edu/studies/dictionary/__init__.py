"""The dictionary-learning experiments of Section 6: data, runs, the two figures, and what the paper says about them.

What goes beyond the two figures is in the modules `ablation`, `effects`, `central`, `ratings` and `metric`.
"""

from fedmm_edu.studies.dictionary.criteria import Curves
from fedmm_edu.studies.dictionary.data import Data, Source, load
from fedmm_edu.studies.dictionary.pool import Pool
from fedmm_edu.studies.dictionary.record import Recorded, read_record, record
from fedmm_edu.studies.dictionary.reproduce import FIGURES, Plan, Reproduction
from fedmm_edu.studies.dictionary.runs import Meter, Run, Task, execute, steps, stored
from fedmm_edu.studies.dictionary.section import Section
from fedmm_edu.studies.dictionary.statements import STATEMENTS, Judged, Statement, judge

__all__ = [
    "FIGURES",
    "STATEMENTS",
    "Curves",
    "Data",
    "Judged",
    "Meter",
    "Plan",
    "Pool",
    "Recorded",
    "Reproduction",
    "Run",
    "Section",
    "Source",
    "Statement",
    "Task",
    "execute",
    "judge",
    "load",
    "read_record",
    "record",
    "steps",
    "stored",
]
