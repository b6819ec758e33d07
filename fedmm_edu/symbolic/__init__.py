"""The checkers: a SymPy model → MM-1, MM-2, aggregation → verdicts with evidence; and a numeric kernel from it."""

from fedmm_edu.proofs.verdict import Status, Step, Verdict, Witness, conjunction, proved, refuted, supported, undecided
from fedmm_edu.symbolic.decide.convexity import decide_convex, decide_convex_set
from fedmm_edu.symbolic.decide.domain import Domain, Relation
from fedmm_edu.symbolic.decide.inequality import decide_defined, decide_nonnegative, domain_point, holds_everywhere
from fedmm_edu.symbolic.hypotheses.aggregation import aggregate_in_S, aggregate_in_Theta, two_client_difference
from fedmm_edu.symbolic.hypotheses.check import ROWS, check_model, load_model
from fedmm_edu.symbolic.hypotheses.mm1 import derive_S_bar, gap
from fedmm_edu.symbolic.hypotheses.mm2 import derive_T
from fedmm_edu.symbolic.model import Model
from fedmm_edu.symbolic.numeric import kernel

__all__ = [
    "ROWS",
    "Domain",
    "Model",
    "Relation",
    "Status",
    "Step",
    "Verdict",
    "Witness",
    "aggregate_in_S",
    "aggregate_in_Theta",
    "check_model",
    "conjunction",
    "decide_convex",
    "decide_convex_set",
    "decide_defined",
    "decide_nonnegative",
    "derive_S_bar",
    "derive_T",
    "domain_point",
    "gap",
    "holds_everywhere",
    "kernel",
    "load_model",
    "proved",
    "refuted",
    "supported",
    "two_client_difference",
    "undecided",
]
