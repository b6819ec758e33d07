from numpy import float64
from numpy.typing import ArrayLike, NDArray

def cdist(XA: ArrayLike, XB: ArrayLike) -> NDArray[float64]: ...
