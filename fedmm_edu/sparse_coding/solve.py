"""`codes`: one call for a batch, compiled where numba is installed, NumPy otherwise."""

from __future__ import annotations

import importlib.util
import sys
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.arrays import Array, Samples, as_array
from fedmm_edu.errors import InvalidInput, MissingExtra, as_count, in_interval
from fedmm_edu.sparse_coding.problem import CodePenalty, Codes, check_samples, check_unique

Method = Literal["auto", "compiled", "reference"]


def codes(
    z: Samples,
    theta: ArrayLike,
    penalty: CodePenalty,
    *,
    start: ArrayLike | None = None,
    tol: float = 1e-10,
    max_iterations: int = 10_000,
    method: Method = "auto",
    threads: int | None = None,
    uncertified: Literal["raise", "return"] = "raise",
) -> Codes:
    """argmin_h ½‖z − θh‖² + λ‖h‖₁ + (ridge/2)‖h‖² (h ≥ 0 if asked) for every row of `z`: the loss of `eq:dictlearn`.

    The loss ‖z − θh‖² + λ'‖h‖₁ of L 487 and `eq:MF:tool1`, without the ½, has the same codes with λ = λ'/2 (and a
    ridge term r‖h‖² beside it is ridge = r).

    `z` (N, p) dense or CSR, `theta` (p, K). `start` (N, K) makes a warm start, best from the codes of a near θ.
    Every code is certified: its `violation` is at most `tol`, in absolute terms, else `InvalidInput` names the samples
    (`uncertified="return"` gives them back as they are). Where z is large, rounding of order 1e-16·‖θᵀz‖ is the limit.

    A code is recomputed from its sign pattern alone. With the compiled method it therefore depends on its own row,
    θ, the penalty and this pattern: not on the start, the number of threads, the other rows, or dense or CSR.
    Where codes are not unique (dependent atoms, λ > 0) one minimiser is returned, a function of the same input; with
    method 'reference' it may depend on `start`. λ = ridge = 0 with dependent atoms is refused.

    A start that is far costs little: it is given up, and the batch stops trying (`iterations` counts what was done).

    `threads`: of the compiled method, at most the available processors (default: all, for batches that are worth it).

    >>> codes([[3.0, 0.5]], [[1.0, 0.0], [0.0, 1.0]], CodePenalty(1.0)).h
    array([[2., 0.]])
    """
    found = sys.modules.get("numba") is not None or importlib.util.find_spec("numba") is not None
    products = penalty.lam == 0 and penalty.ridge == 0  # of θ are looked at here: it has to be finite
    later = found and method != "reference" and not products
    samples, dictionary = check_samples(z, theta, later=later)
    tol = in_interval("tol", tol, low=0.0, high=np.inf, open_low=True)
    limit = as_count("max_iterations", max_iterations)
    shape = samples.shape[0], dictionary.shape[1]
    first = None if start is None else np.ascontiguousarray(as_array("start", start, shape=shape, finite=later))
    if method not in ("auto", "compiled", "reference"):
        raise InvalidInput(f"method = {method!r}: choose 'auto', 'compiled' or 'reference'.")
    if uncertified not in ("raise", "return"):
        raise InvalidInput(f"uncertified = {uncertified!r}: choose 'raise' or 'return'.")
    threads = None if threads is None else as_count("threads", threads)
    if products:
        check_unique(dictionary.T @ dictionary, penalty)
    if method == "compiled" and not found:
        raise MissingExtra("method 'compiled' needs numba: pip install 'fedmm-edu[fast]', or choose 'reference'.")
    if method == "reference" or not found:
        from fedmm_edu.sparse_coding.reference import solve

        result = solve(samples, dictionary, penalty, first, tol, limit)
    else:
        from fedmm_edu.sparse_coding.compiled import solve

        result = solve(samples, dictionary, penalty, first, tol, limit, threads)
    if uncertified == "raise":
        _refuse(result, samples, dictionary, tol)
    return result


def _refuse(result: Codes, samples, dictionary: Array, tol: float) -> None:
    """Name the samples whose codes are not certified."""
    certified = result.violation <= tol
    if certified.all():
        return
    bad = np.flatnonzero(~certified)
    worst = int(bad[np.argmax(result.violation[bad])])
    row = samples[[worst]].toarray() if hasattr(samples, "toarray") else samples[[worst]]
    with np.errstate(over="ignore", invalid="ignore"):
        scale = float(np.abs(row @ dictionary).max())
    if not np.isfinite(scale):
        reason = "thetaᵀz overflows there: rescale z or theta"
    elif scale * 1e-14 >= tol:
        rounding = f"rounding alone is about {scale * 1e-15:.0e} there (|thetaᵀz| reaches {scale:.1e})"
        reason = f"{rounding}: rescale z, or raise tol"
    else:
        reason = "raise max_iterations or tol"
    raise InvalidInput(
        f"{bad.size} of {len(result.violation)} codes are not optimal to tol = {tol:.1e} (samples {bad[:5].tolist()}"
        f"{' …' if bad.size > 5 else ''}; worst: sample {worst} with violation {result.violation[worst]:.1e}): "
        f"{reason}, or take them with uncertified='return'."
    )
