from typing import Any

from numpy.typing import ArrayLike

class KDTree:
    def __init__(self, data: ArrayLike) -> None: ...
    def query(self, x: ArrayLike, k: int = 1) -> tuple[Any, Any]: ...
