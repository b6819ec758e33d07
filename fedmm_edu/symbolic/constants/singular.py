"""Where B(s) = Dφ(T(s))·DT(s) is singular, so that A7(ii) (`hyp:DL2`) has no v_min > 0: an exact point and a reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.verdict import Witness
from fedmm_edu.symbolic.constants.region import OnRegion
from fedmm_edu.symbolic.decide.algebra import vanishes
from fedmm_edu.symbolic.decide.domain import Domain
from fedmm_edu.symbolic.decide.inequality import domain_point


def singular_point(B: sp.Matrix, T: Sequence[sp.Expr], place: OnRegion) -> Witness | None:
    """A point of 𝒮 at which det B(s) = 0; for q > d every point is one, and the witness gives a kernel vector."""
    q, d = B.rows, len(T)
    if q > d:
        found = _kernel(B, sp.Matrix(T).jacobian(list(place.region)), place.domain)
        if found is not None:
            return found
    for factor in _factors(B, T, place):
        everywhere = vanishes(factor, place.domain)
        wanted = [] if everywhere else [sp.Eq(sp.numer(sp.together(factor)), 0)]
        try:
            point = domain_point([*place.domain.relations, *wanted], place.domain.variables)
        except InvalidInput:  # no point of 𝒮 satisfies it
            continue
        if point is not None:
            where = "B(s) is singular at every s" if everywhere else "B(s) is singular"
            says = f"{where}: v_min > 0 is impossible."
            return Witness({name: str(value) for name, value in point.items()}, says, {"det B(s)": "0"})
    return None


def _kernel(B: sp.Matrix, DT: sp.Matrix, domain: Domain) -> Witness | None:
    """u ≠ 0 with DT(s)u = 0 at a point of the domain: there is one at each, as DT(s) has more columns than rows."""
    point = domain_point(domain)
    if point is None:
        return None
    at = {x: sp.Rational(point[x.name]) for x in domain.variables if x.name in point}
    kernel = DT.xreplace(at).nullspace(simplify=sp.simplify)
    for u in kernel:
        if all(vanishes(entry) for entry in (*(DT.xreplace(at) * u), *(B.xreplace(at) * u))):
            shown = ", ".join(map(str, u))
            says = (
                f"B(s)u = 0 with u = ({shown}): s has {B.rows} coordinates and theta only {DT.rows}, so some u has "
                "DT(s)u = 0 at every s, and no v_min > 0 exists."
            )
            values = {"u": f"({shown})", "DT(s)u": "0", "B(s)u": "0"}
            return Witness({name: str(value) for name, value in point.items()}, says, values)
    return None


def _factors(B: sp.Matrix, T: Sequence[sp.Expr], place: OnRegion) -> Iterable[sp.Expr]:
    """Expressions in s whose zeros are those of det B(s), the simplest first.

    For q = d the determinant is det Dφ(T(s))·det DT(s), and each is factored by itself.
    """
    if B.rows != len(T):
        yield from _split(B.det(method="berkowitz"))
        return
    slope, s = place.slope_of_phi.det(method="berkowitz"), list(place.region)
    inner = dict(zip(place.theta, T, strict=True))
    parts = [factor.xreplace(inner) for factor in _split(slope)] + _split(sp.Matrix(T).jacobian(s).det())
    yield from sorted(parts, key=sp.count_ops)


def _split(det: sp.Expr) -> list[sp.Expr]:
    top = sp.numer(sp.together(det))
    if top == 0:
        return [sp.S.Zero]
    return sorted((base for base, _ in sp.factor_list(sp.expand(top))[1]), key=sp.count_ops)
