"""The relatives of FedMM compared on one problem: the runs, what they cost, and the page on it."""

from fedmm_edu.studies.relatives.compare import BY, OUT, ComparePlan, Comparison, compare_relatives
from fedmm_edu.studies.relatives.problems import CONTESTS, Contest, Given

__all__ = ["BY", "CONTESTS", "OUT", "ComparePlan", "Comparison", "Contest", "Given", "compare_relatives"]
