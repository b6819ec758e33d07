"""The solvers of SciPy that this project uses: inferred from their code, their types are looser, and take seconds."""

from collections.abc import Callable, Sequence
from typing import Any

from numpy import float64, intp
from numpy.typing import ArrayLike, NDArray

_Bounds = Sequence[tuple[float | None, float | None]]

class _Found:
    x: NDArray[float64]
    fun: float
    status: int
    success: bool
    message: str

class _FoundNumber:
    x: float
    fun: float
    success: bool

class _LeastSquares:
    x: NDArray[float64]
    fun: NDArray[float64]
    cost: float
    success: bool

class _Root:
    root: float
    converged: bool

def minimize(
    fun: Callable[..., Any],
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Callable[..., Any] | bool | None = None,
    bounds: _Bounds | None = None,
    constraints: Any = (),
    tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> _Found: ...
def minimize_scalar(
    fun: Callable[[float], Any],
    *,
    bounds: tuple[float, float] | None = None,
    method: str | None = None,
    options: dict[str, Any] | None = None,
) -> _FoundNumber: ...
def root_scalar(
    f: Callable[[float], Any],
    *,
    method: str | None = None,
    bracket: Sequence[float] | None = None,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: int | None = None,
) -> _Root: ...
def brentq(
    f: Callable[[float], Any], a: float, b: float, *, xtol: float = 2e-12, rtol: float = ..., maxiter: int = 100
) -> float: ...
def least_squares(
    fun: Callable[[NDArray[float64]], Any],
    x0: ArrayLike,
    *,
    method: str = "trf",
    ftol: float | None = 1e-8,
    xtol: float | None = 1e-8,
    gtol: float | None = 1e-8,
    max_nfev: int | None = None,
) -> _LeastSquares: ...
def lsq_linear(
    A: ArrayLike, b: ArrayLike, *, bounds: tuple[ArrayLike, ArrayLike], method: str = "trf", tol: float = 1e-10
) -> _LeastSquares: ...
def linprog(
    c: ArrayLike,
    *,
    A_ub: Any = None,
    b_ub: ArrayLike | None = None,
    A_eq: Any = None,
    b_eq: ArrayLike | None = None,
    bounds: _Bounds | tuple[float | None, float | None] = ...,
    method: str = "highs",
    options: dict[str, Any] | None = None,
) -> _Found: ...
def linear_sum_assignment(cost_matrix: ArrayLike, maximize: bool = False) -> tuple[NDArray[intp], NDArray[intp]]: ...
def nnls(A: ArrayLike, b: ArrayLike, *, maxiter: int | None = None) -> tuple[NDArray[float64], float]: ...
