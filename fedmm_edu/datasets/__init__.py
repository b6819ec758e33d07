"""Real data that a dependency ships, ready for the kernels.

>>> load_diabetes().x.shape, load_diabetes().features[:3]
((442, 10), ('age', 'sex', 'bmi'))
"""

from fedmm_edu.datasets.diabetes import Diabetes, load_diabetes

__all__ = ["Diabetes", "load_diabetes"]
