"""What the certificate kernel accepted, kept for a reader or for a second kernel.

Inside `recording()` every certificate that `certificate.verify` accepts is appended to a list; outside nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import sympy as sp

from fedmm_edu.proofs.gram import Vector


@dataclass(frozen=True)
class Hypothesis:
    """`expr ≥ 0`, or `expr = 0` with `equality`; `why` says where it comes from."""

    expr: sp.Expr
    why: str
    equality: bool = False


@dataclass(frozen=True)
class Used:
    """One hypothesis E_i of a certificate under its name, with the multiplier m_i."""

    name: str
    hypothesis: Hypothesis
    multiplier: sp.Expr


@dataclass(frozen=True)
class Certificate:
    """target = Σ_i m_i E_i + Σ_j c_j b_j² as it was accepted; `squares` are the pairs (c_j, b_j), blocks included.

    It proves `target ≥ 0`, or `target = 0` with `equality`; `says` words the conclusion ("": the formula does).
    `given` are all hypotheses that were at hand, `used` those with a multiplier.
    """

    target: sp.Expr
    given: Mapping[str, Hypothesis]
    used: tuple[Used, ...]
    squares: tuple[tuple[sp.Expr, Vector | sp.Expr], ...]
    equality: bool = False
    says: str = ""


_ACCEPTED: ContextVar[list[Certificate] | None] = ContextVar("accepted", default=None)


@contextmanager
def recording() -> Iterator[list[Certificate]]:
    """The list to which every certificate accepted inside the block is appended, in order."""
    found: list[Certificate] = []
    token = _ACCEPTED.set(found)
    try:
        yield found
    finally:
        _ACCEPTED.reset(token)


def record(
    target: sp.Expr | int,
    given: Mapping[str, Hypothesis],
    multipliers: Mapping[str, sp.Expr | int],
    squares: Iterable[tuple[sp.Expr | int, Vector | sp.Expr | int]],
    *,
    equality: bool,
    says: str,
) -> None:
    """Append an accepted certificate to the list of the innermost `recording()`, if there is one."""
    found = _ACCEPTED.get()
    if found is None:
        return
    used = tuple(Used(name, given[name], sp.sympify(m)) for name, m in multipliers.items())
    parts = tuple(
        (sp.sympify(weight), base if isinstance(base, Vector) else sp.sympify(base)) for weight, base in squares
    )
    found.append(Certificate(sp.sympify(target), dict(given), used, parts, equality, says))
