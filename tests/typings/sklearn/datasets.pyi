"""The data sets of scikit-learn that this project uses, called without `return_X_y`."""

from numpy import float64, int64, uint8
from numpy.typing import NDArray

class _Table:
    data: NDArray[float64]
    target: NDArray[int64]
    feature_names: list[str]

class _Diabetes:
    data: NDArray[float64]
    target: NDArray[float64]
    feature_names: list[str]

class _Images:
    images: list[NDArray[uint8]]
    filenames: list[str]

def load_digits(*, n_class: int = 10) -> _Table: ...
def load_diabetes(*, scaled: bool = True) -> _Diabetes: ...
def load_sample_images() -> _Images: ...
