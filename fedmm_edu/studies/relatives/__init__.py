"""The relatives of FedMM compared on one problem: the runs, what they cost, and the page on it."""

from fedmm_edu.studies.relatives.compare import BY, OUT, ComparePlan, Comparison, compare_relatives
from fedmm_edu.studies.relatives.problems import PROBLEMS, Contest, Source

__all__ = ["BY", "OUT", "PROBLEMS", "ComparePlan", "Comparison", "Contest", "Source", "compare_relatives"]
