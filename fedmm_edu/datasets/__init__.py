"""Real data that a dependency ships, ready for the kernels."""

from fedmm_edu.datasets.diabetes import Diabetes, load_diabetes

__all__ = ["Diabetes", "load_diabetes"]
