"""Lemma `lem:monotony`, the function Ξ and eq. `coro:lipschitz`: what MM-1 and MM-2 give at two points s, s' of 𝒮.

Proofs hold for every dimension: scalars f, g, ψ at T(s) and T(s'), vectors s, s', φ(T(s)), φ(T(s')), h(s). Refutations
are exact, on the instances of Proposition 1 and one with a decreasing T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import Vector, atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.mm_instances import INSTANCES, Instance, grid, s1, x
from proofs_checks.shared.tools import tried

f, f_, g, g_, psi, psi_ = scalars("f", "f'", "g", "g'", r"\psi", r"\psi'")
"""f, g and ψ at T(s), and (with a prime) at T(s')."""
S, PHI, FIELD, MOVE, D = atoms("s", r"\phi", "h", r"\Delta s", r"\Delta \phi")
S_, PHI_ = S + MOVE, PHI + D
"""s, φ(T(s)), h(s), s' − s and φ(T(s')) − φ(T(s)); hence s' and φ(T(s'))."""
MM = ("MM-1", "MM-2")


def surrogate(at: str, s: Vector) -> sp.Expr:
    """g + ψ − ⟨s, φ⟩ at T(s) ("own") or at T(s') ("other")."""
    return g + psi - inner(s, PHI) if at == "own" else g_ + psi_ - inner(s, PHI_)


def mm_lines(hypotheses: Sequence[str]) -> dict[str, Hypothesis]:
    """MM-1 at τ = T(s), θ = T(s'), with E_π S̄(Z, T(s)) = h(s) + s; MM-2 at s' and at s."""
    lines = {
        "MM-1": Hypothesis(f + psi_ - psi - inner(FIELD + S, D) - f_, r"MM-1 at $\tau = T(s)$, $\theta = T(s')$"),
        "MM-2": Hypothesis(surrogate("own", S_) - surrogate("other", S_), r"MM-2: $T(s')$ minimises at $s'$"),
        "MM-2 back": Hypothesis(surrogate("other", S) - surrogate("own", S), r"MM-2: $T(s)$ minimises at $s$"),
    }
    return {name: line for name, line in lines.items() if name.split()[0] in hypotheses}


REVERSED = Instance(
    "f = theta^2/2, rho = 1, T(s) = -s instead of s",
    f=x**2 / 2, psi=x**2 / 2, phi=(x,), s_bar=(sp.S.Zero,), T=(-s1,), thetas=grid(0, 1, 2), mirrors=grid(-1, 0, 1),
)  # fmt: skip
TRIED = (*INSTANCES, REVERSED)


def on_instances(hypotheses: Sequence[str], gap: Callable[[Instance, dict], sp.Expr], says: str):
    """The search for an instance that satisfies the hypotheses and two points of its 𝒮 where `gap` is negative."""

    def fails() -> Witness | None:
        for i, s, other in placed(hypotheses):
            value = gap(i, values_at(i, s, other))
            if value < 0:
                return i.witness(f"{says} fails by ${-value}$", {"s": s, "s'": other})
        return None

    return [fails]


def placed(hypotheses: Sequence[str]) -> Iterator[tuple[Instance, tuple, tuple]]:
    """Every instance that satisfies the hypotheses, with each pair of its points of 𝒮."""
    for i in TRIED:
        if set(MM) & set(hypotheses) <= i.facts:
            yield from ((i, s, other) for s, other in product(map(i.to_s, i.mirrors), repeat=2))


@cache
def values_at(i: Instance, s: tuple, other: tuple) -> dict[sp.Expr, sp.Expr]:
    """The numbers that the formal scalars and Gram symbols stand for, at two points of 𝒮."""
    own, far = i.T_of(s), i.T_of(other)
    phi, phi_ = ([i.at(entry, theta) for entry in i.phi] for theta in (own, far))
    field = [a - b for a, b in zip(i.mean_S_bar(own), s, strict=True)]
    move = [b - a for a, b in zip(s, other, strict=True)]
    change = [b - a for a, b in zip(phi, phi_, strict=True)]
    vectors = {"s": s, r"\phi": phi, "h": field, r"\Delta s": move, r"\Delta \phi": change}
    numbers = {f: i.at(i.f, own), f_: i.at(i.f, far), psi: i.at(i.psi, own), psi_: i.at(i.psi, far)}
    numbers |= {g: i.penalty(own), g_: i.penalty(far)}
    pairs = {inner(*atoms(a, b)): sp.Matrix(vectors[a]).dot(sp.Matrix(vectors[b])) for a in vectors for b in vectors}
    return numbers | pairs


def inequality(
    target: sp.Expr, multipliers: dict, hypotheses: Sequence[str], says: str, *, equality: bool = False
) -> Verdict:
    """`target` ≥ 0 (= 0) from MM-1 and MM-2 with these multipliers, and tried on the instances; refuted on one."""

    def gap(_: Instance, numbers: dict) -> sp.Expr:
        value = sp.sympify(target).xreplace(numbers)
        return -abs(value) if equality else value

    def prove() -> Sequence[Step]:
        steps = verify(target, mm_lines(hypotheses), multipliers, equality=equality, says=says)
        pairs = [(-gap(i, values_at(i, s, other)), 0) for i, s, other in placed(hypotheses)]
        return (*steps, *tried("pairs of points of 𝒮 of the instances that satisfy the hypotheses", pairs))

    return decide("certificate", prove, on_instances(hypotheses, gap, says))


# -------------------------------------------------------------------------------- Lemma `lem:monotony` and eq. (46)


def monotony_first(hypotheses: Sequence[str] = MM, sign: int = -1, at: Literal["other", "own"] = "own") -> Verdict:
    """ℒ(s', s') ≤ ℒ(s, s) + sign·⟨s' − s, φ(T(s))⟩ (at = "other": φ(T(s')))."""
    phi = PHI if at == "own" else PHI_
    target = surrogate("own", S) + sign * inner(MOVE, phi) - surrogate("other", S_)
    says = r"$\mathcal{L}(s',s') \leq \mathcal{L}(s,s) - \langle s'-s, \phi(T(s)) \rangle$"
    return inequality(target, {"MM-2": 1}, hypotheses, says)


def monotony_second(hypotheses: Sequence[str] = MM, sign: int = 1, modulus: sp.Rational = sp.S.Zero) -> Verdict:
    """sign·⟨s' − s, φ(T(s')) − φ(T(s))⟩ ≥ modulus·‖s' − s‖²."""
    says = r"$\langle s'-s, \phi(T(s')) - \phi(T(s)) \rangle \geq 0$"
    target = sign * inner(MOVE, D) - modulus * square(MOVE)
    return inequality(target, {"MM-2": 1, "MM-2 back": 1}, hypotheses, says)


XI = g_ - g + psi_ - psi - inner(S, D)


def xi_equality(sign: int = 1) -> Verdict:
    """Ξ(s, s') = ℒ(s', s') + sign·⟨s' − s, φ(T(s'))⟩ − ℒ(s, s)."""
    target = XI - surrogate("other", S_) - sign * inner(MOVE, PHI_) + surrogate("own", S)
    return inequality(target, {}, (), r"$\Xi = \mathcal{L}(s',s') + \ldots - \mathcal{L}(s,s)$", equality=True)


def xi_bound(hypotheses: Sequence[str] = MM, scale: sp.Rational = sp.S.One) -> Verdict:
    """Ξ(s, s') ≤ scale·⟨s' − s, φ(T(s')) − φ(T(s))⟩."""
    says = r"$\Xi(s,s') \leq \langle s'-s, \phi(T(s')) - \phi(T(s)) \rangle$"
    return inequality(scale * inner(MOVE, D) - XI, {"MM-2": 1}, hypotheses, says)


def smoothness(hypotheses: Sequence[str] = MM, field: int = -1, scale: sp.Rational = sp.S.One) -> Verdict:
    """W(T(s')) ≤ W(T(s)) + field·⟨h(s), φ' − φ⟩ + scale·⟨s' − s, φ' − φ⟩, with φ' = φ(T(s')), W = f + g."""
    target = f + g - f_ - g_ + field * inner(FIELD, D) + scale * inner(MOVE, D)
    says = r"$W(T(s')) \leq W(T(s)) - \langle h(s), \phi'-\phi \rangle + \langle s'-s, \phi'-\phi \rangle$"
    return inequality(target, {"MM-1": 1, "MM-2": 1}, hypotheses, says)
