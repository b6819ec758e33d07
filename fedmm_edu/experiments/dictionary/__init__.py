"""The dictionary-learning experiments of Section 6: data, runs, the two figures, and what the paper says about them."""

from fedmm_edu.experiments.dictionary.ablation import ablation
from fedmm_edu.experiments.dictionary.criteria import Curves
from fedmm_edu.experiments.dictionary.data import Data, Source, load
from fedmm_edu.experiments.dictionary.effects import Effect, effects, recovery
from fedmm_edu.experiments.dictionary.pool import Pool
from fedmm_edu.experiments.dictionary.reproduce import FIGURES, Plan, Reproduction, reproduce
from fedmm_edu.experiments.dictionary.runs import Meter, Run, Task, execute, steps, stored
from fedmm_edu.experiments.dictionary.statements import STATEMENTS, Judged, Statement, judge

__all__ = [
    "FIGURES",
    "STATEMENTS",
    "Curves",
    "Data",
    "Effect",
    "Judged",
    "Meter",
    "Plan",
    "Pool",
    "Reproduction",
    "Run",
    "Source",
    "Statement",
    "Task",
    "ablation",
    "effects",
    "execute",
    "judge",
    "load",
    "recovery",
    "reproduce",
    "steps",
    "stored",
]
