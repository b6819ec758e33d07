"""‖½ D²F(s)[u, u]‖² ≤ C²‖u‖⁴ from a quadratic form, as a proof for the kernel.

For t_kij = ∂²F_k/∂s_i∂s_j, v_k = ½ Σ_ij t_kij u_i u_j, M_kl = Σ_ij t_kij t_lij, z_ij = C u_i u_j − Σ_k t_kij v_k/(2C)

    C²‖u‖⁴ − ‖v‖² = Σ_ij z_ij² + (C²‖v‖² − ¼ vᵀMv)/C²

whatever t is: all these are variables here, so that nothing of F is multiplied out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from fedmm_edu.proofs.kernel import Fact
from fedmm_edu.proofs.stored import Proven
from fedmm_edu.proofs.terms import ONE, Term, minus, substitute
from fedmm_edu.symbolic.decide.at_hand import Known, accepted, prepared, wrapped

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def below_norms(
    form: Proven,
    t: Mapping[tuple[int, ...], Term],
    M: Sequence[Sequence[Term]],
    C: Fraction,
    u: Sequence[str],
    v: Sequence[str],
) -> Proven | None:
    """‖v‖² ≤ C²‖u‖⁴ where v_k = ½ Σ_ij t_kij u_i u_j, from `form`: C²‖u‖² − ¼ uᵀMu ≥ 0 for all u. C > 0."""
    q = range(len(u))
    names = {place: f"t_{'_'.join(map(str, place))}" for place in t}
    square = {(k, m): f"M_{k}_{m}" for k, m in product(q, repeat=2)}
    conditions, goal, proof = _lemma(C, u, v, names, square)
    put: dict[str, Term] = {names[place]: term for place, term in t.items()}
    put |= {square[k, m]: M[k][m] for k, m in square}
    said = tuple(Fact(fact.op, substitute(fact.term, put)) for fact in conditions)
    given: Known = (*form.given, *said[: len(v)])
    _, haves = prepared(given, tuple(fact.term for fact in said))
    ends, known = tuple(zip(u, v, strict=True)), tuple(("by", ONE, fact.term) for fact in form.given)
    at_v = substitute(form.goal.term, dict(ends))
    proofs = (*(("by", ONE, fact.term) for fact in said[: len(v)]),
              *(("by", ONE, Fraction(0)) for _ in square), ("by", ONE, at_v))  # fmt: skip
    step = ("instance", tuple(map(tuple, conditions)), tuple(goal), proof, tuple(put.items()), proofs,
            ("by", ONE, goal.term))  # fmt: skip
    whole = wrapped(haves, ("instance", tuple(map(tuple, form.given)), tuple(form.goal), form.proof, ends, known, step))
    return Proven(given, goal, whole) if accepted(given, goal, whole) else None


def _lemma(
    C: Fraction, u: Sequence[str], v: Sequence[str], t: Mapping[tuple[int, ...], str], M: Mapping[tuple[int, int], str]
) -> tuple[Known, Fact, Any]:
    """The conditions, the goal, and the identity."""
    q = range(len(u))
    bent = [minus(v[k], *(("*", HALF, t[k, i, j], u[i], u[j]) for i in q for j in q)) for k in q]
    products = [minus(M[k, m], *(("*", t[k, i, j], t[m, i, j]) for i in q for j in q)) for k, m in M]
    lengths = [("+", *(("pow", x, 2) for x in names)) for names in (u, v)]
    inner = ("*", QUARTER, ("+", *(("*", M[k, m], v[k], v[m]) for k, m in M)))
    form = minus(("*", C**2, lengths[1]), inner)
    goal = Fact(">=", minus(("*", C**2, ("pow", lengths[0], 2)), lengths[1]))
    squares = [("pow", minus(("*", C, u[i], u[j]), *(("*", HALF / C, t[k, i, j], v[k]) for k in q)), 2)
               for i in q for j in q]  # fmt: skip
    zeros = [("*", Fraction(-2), v[k], bent[k]) for k in q]
    zeros += [("*", QUARTER / C**2, v[k], v[m], e) for (k, m), e in zip(M, products, strict=True)]
    conditions = (*(Fact("=", e) for e in (*bent, *products)), Fact(">=", form))
    return conditions, goal, ("by", ONE, ("+", *squares, ("*", C**-2, form), *zeros))
