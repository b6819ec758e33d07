from numpy import float64
from numpy.typing import ArrayLike, NDArray

def solve_triangular(a: ArrayLike, b: ArrayLike, *, lower: bool = False) -> NDArray[float64]: ...
