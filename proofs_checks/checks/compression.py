"""Partial participation as compression (Appendix D.2): Lemma 1 and the full-participation form of Algorithm 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction as F
from itertools import product

import sympy as sp

from fedmm_edu.symbolic.certificate import CertificateFails, Hypothesis, decide, derive, same_vector, verify
from fedmm_edu.symbolic.expectation import Expectation, Mean, mix
from fedmm_edu.symbolic.gram import Vector, atoms, square
from fedmm_edu.symbolic.verdict import Step, Verdict, Witness
from proofs_checks.checks.agents import (
    ALL_DRAWS,
    ALL_OR_NONE,
    COMPRESSED,
    SOUND,
    Law,
    factorises,
)
from proofs_checks.checks.fedmm_rounds import Setting, State, play
from proofs_checks.checks.tools import instance

omega = sp.Symbol("omega", nonnegative=True)
p, alpha, mu = sp.symbols("p alpha mu_i", positive=True)
AT_MOST = r"\leq"
OMEGA_P = omega + (1 - p) / p * (omega + 1)
Q, POINT = atoms("Q(s)", "s")
UNBIASED = Expectation({"s"}, {"Q(s)": Mean(POINT)})
PRODUCT = r"$U$ is independent of $Q(s)$: average over $U$ first, the value $U = 1$ having probability $p$"


# -------------------------------------------------------------------------------------------------------- Lemma 1


def _sent(scale: str) -> Vector:
    return sp.sympify(scale, {"p": p}) * Q


def lemma1_mean(scale: str = "1/p", compressor: str = "unbiased", law: str = "independent") -> Verdict:
    """E[U·scale·Q(s)] = s for U Bernoulli(p); the `law` of U and Q may be "independent" or "tied" (U = 0 iff Q = 0)."""

    def prove() -> Sequence[Step]:
        if law != "independent" or compressor != "unbiased":
            raise CertificateFails("the mean of the product is not the product of the means $p$ and $s$.")
        mean = p * UNBIASED.mean(_sent(scale))
        return (same_vector(mean, POINT, PRODUCT, r"$E[\tilde Q(s)] = p \cdot \frac{1}{p} E[Q(s)] = s$"),)

    def fails() -> Witness | None:
        share, factors = F(1, 2), {"unbiased": (F(0), F(2)), "shrinking": (F(0), F(1))}[compressor]
        size = F(str(sp.sympify(scale, {"p": p}).subs(p, sp.Rational(1, 2))))
        if law == "tied":
            mean = sum(F(1, 2) * (c != 0) * size * c for c in factors)
        else:
            mean = sum(share * F(1, 2) * size * c for c in factors)
        if mean == 1:
            return None
        point = {"s": "1", "Q(1)": f"{factors[0]} or {factors[1]}, each with probability 1/2", "p": "1/2", "U": law}
        return Witness(point, f"$E[\\tilde Q(1)] = {mean}$")

    return decide("certificate", prove, [fails])


def lemma1_variance(factor: str = "w_p", relation: str = "<=", given: str = "A4") -> Verdict:
    """E‖Q̃(s) − s‖² `relation` factor·‖s‖²; given: "A4", "A4 with equality", "second moment" (no unbiasedness)."""
    bound = sp.sympify(factor, {"w_p": OMEGA_P, "w": omega, "p": p})
    equality = relation == "=="
    hypothesis = {
        "A4": Hypothesis(omega * square(POINT) - UNBIASED.of(square(Q - POINT)), r"A4($\omega$)"),
        "A4 with equality": Hypothesis(
            omega * square(POINT) - UNBIASED.of(square(Q - POINT)),
            r"equality in A4($\omega$) at this $s$",
            equality=True,
        ),
    }

    def prove() -> Sequence[Step]:
        if given not in hypothesis:
            raise CertificateFails("A4's unbiasedness is needed: $E\\langle Q(s), s \\rangle$ is not known.")
        error = mix([(p, UNBIASED.of(square(Q / p - POINT))), (1 - p, square(POINT))])
        says = rf"$E\|\tilde Q(s) - s\|^2 {'=' if equality else AT_MOST} \omega_p \|s\|^2$"
        average = Step(r"$E\|\tilde Q(s) - s\|^2 = p E\|p^{-1}Q(s) - s\|^2 + (1-p)\|s\|^2$", PRODUCT)
        target = bound * square(POINT) - error
        return (average, *verify(target, {"A4": hypothesis[given]}, {"A4": 1 / p}, equality=equality, says=says))

    def fails() -> Witness | None:
        # Q(1) on the line: (probability, value) pairs and its ω
        laws = [("identity", ((F(1), F(1)),), F(0)), ("0 or 2", ((F(1, 2), F(0)), (F(1, 2), F(2))), F(1))]
        if given == "A4":  # ω larger than it need be
            laws.append(("identity", ((F(1), F(1)),), F(1)))
        if given == "second moment":  # E(Q(1) − 1)² ≤ ω, biased
            laws.append(("always 2", ((F(1), F(2)),), F(1)))
        for (name, law, w), share in product(laws, (F(1, 2), F(1))):
            error = sum(weight * (share * (x / share - 1) ** 2 + 1 - share) for weight, x in law)
            limit = F(str(bound.subs({omega: sp.Rational(str(w)), p: sp.Rational(str(share))})))
            if error > limit or (equality and error != limit):
                point = {"s": "1", "Q(1)": name, "omega": str(w), "p": str(share)}
                return Witness(point, f"$E(\\tilde Q(1) - 1)^2 = {error}$, compared with ${limit}$")
        return None

    return decide("certificate", prove, [fails])


def lemma1_instance() -> Witness:
    """Q(1) ∈ {0, 2} and p = 1/2: ω = 1, ω_p = 3, with equality."""
    outcomes = [(F(1, 8) * 2, u, c) for u, c in product((0, 1), (0, 2))]
    mean = sum(w * 2 * u * c for w, u, c in outcomes)
    error = sum(w * (2 * u * c - 1) ** 2 for w, u, c in outcomes)
    return instance(
        {"s": 1, "Q(1)": "0 or 2, each with probability 1/2", "omega": 1, "p": "1/2", "omega_p": 3},
        r"four outcomes: $\tilde Q(1) = 4$ with probability $1/4$, else 0",
        {"unbiased": mean == 1, "E(Qt(1) - 1)^2 = omega_p": error == 3},
    )


# ---------------------------------------------------------------------- Algorithm 2 and its full-participation form


def equivalence(scale: str = "1/p", hypotheses: Sequence[str] = ("A5",)) -> Verdict:
    """Algorithm 2 and Algorithm `fullP` with Q̃ = scale·U Q, U independent Bernoulli(p), have the same law."""
    size = sp.sympify(scale, {"p": p})
    V, message, server = atoms("V_{t,i}", r"Q_{t+1,i}(\Delta_{t+1,i})", "V_t")

    def rounds() -> Sequence[Step]:
        steps: list[Step] = []
        for selected in (0, 1):
            two, full = selected * message / p, selected * size * message  # what reaches the server from client i
            case = rf"for $U_{{t+1,i}} = {selected}$"
            for name, old, rate in (("V_{t,i}", V, alpha), ("V_t", server, alpha * mu), ("H_{t+1}", server, mu)):
                says = rf"client $i$'s part of the new ${name}$ is the same {case}"
                steps.append(same_vector(old + rate * two, old + rate * full, "both updates, termwise in i", says))
        return steps

    selection = Step(
        r"$U_{t+1,i} = 1_{i \in \mathcal{A}_{t+1}}$ are independent Bernoulli($p$)",
        "this is A5: each client with probability p, independently of the others and of the past",
    )
    rest = Step("the two runs have the same law", "same $H_{t+1}$, hence same $\\hat S_{t+1}$; induction on t")

    def fails() -> Witness | None:
        factor = F(str(size.subs(p, sp.Rational(1, 2))))
        for draws in (SOUND, ALL_OR_NONE):
            if not set(hypotheses) <= draws.facts:
                continue
            ours, theirs = _new_variates(draws.selection, None), _new_variates(SOUND.selection, factor)
            if ours != theirs:
                point = {"p": "1/2", "selection": draws.name, "V_0i": "1, -1", "S_i": "0, 1", "alpha": "1"}
                says = (
                    f"$(V_{{1,1}}, V_{{1,2}})$ has law {_law(ours)} under Algorithm 2, {_law(theirs)} under the other"
                )
                return Witness(point, says)
        return None

    lines = (("A5", selection), ("", rounds), ("", rest))
    return decide("derivation", lambda: derive(hypotheses, *lines), [fails])


def _new_variates(selection: Law, factor: F | None) -> dict[tuple[F, ...], F]:
    """The law of (V_{1,1}, V_{1,2}): by Algorithm 2 (factor None), or by the other with Q̃(x) = factor·U·x."""
    start, oracles = State.start(F(1, 2), (F(1), F(-1))), (F(0), F(1))
    found: dict[tuple[F, ...], F] = {}
    for chance, selected in selection:
        if factor is None:
            active = [i for i, u in enumerate(selected) if u]
            new = play(start, active, oracles, (F(1), F(1)), Setting(p=F(1, 2))).clients
        else:
            deltas = [o - start.s - v for o, v in zip(oracles, start.clients, strict=True)]
            new = tuple(v + factor * u * d for v, u, d in zip(start.clients, selected, deltas, strict=True))
        found[new] = found.get(new, F(0)) + chance
    return found


def _law(law: Mapping[tuple[F, ...], F]) -> str:
    entries = sorted(law.items())
    return "; ".join(f"({', '.join(map(str, values))}): {chance}" for values, chance in entries)


def compressors_again(
    factor: str = "w_p", points: str = "one point", hypotheses: Sequence[str] = ("A4", "A5")
) -> Verdict:
    """The Q̃_{t+1,i}(s_i), over t and i, are independent, of one law if all s_i are one point s, and satisfy A4(factor).

    points: "one point" s for all, as A4 says it, or "any points" s_i, as the proof of Proposition 3 needs it.
    """

    def prove() -> Sequence[Step]:
        independence = "A4" if points == "one point" else "independent compressors"
        pairs = r"the pairs $(U_{t+1,i}, Q_{t+1,i}(s_i))$ are independent over $t$ and $i$"
        function = (
            r"$\tilde Q_{t+1,i}(s_i) = p^{-1} U_{t+1,i} Q_{t+1,i}(s_i)$ are independent, of one law where $s_i = s$"
        )
        lines = (
            ("A5", Step(r"the $U_{t+1,i}$ are independent Bernoulli($p$), and independent of what they select", "A5")),
            (independence, Step(pairs, "A5 and " + independence + ", $U$ and $Q$ being drawn independently")),
            ("", Step(function, "one function of each pair")),
        )
        moments = (*lemma1_mean().evidence, *_variance_lines(factor))
        return (*derive(hypotheses, *lines), *moments)

    def fails() -> Witness | None:
        for draws in ALL_DRAWS:
            if not set(hypotheses) <= draws.facts:
                continue
            bound = {"w_p": draws.omega_p, "w": draws.omega, "w/p": draws.omega / draws.p}[factor]
            signs = ((0,) * draws.n, (1,) * draws.n) if points == "one point" else product((0, 1), repeat=draws.n)
            for at in signs:
                law = tuple(
                    (a * b, tuple(u / draws.p * c[k] for u, c, k in zip(selected, factors, at, strict=True)))
                    for (a, selected), (b, factors) in product(draws.selection, draws.factors)
                )
                where = {"draws": draws.name, "s_i": ", ".join("1" if k == 0 else "-1" for k in at), "p": str(draws.p)}
                if not factorises(law):
                    return Witness(where, "the messages are not independent")
                for i in range(draws.n):
                    mean = sum(w * x[i] for w, x in law)
                    error = sum(w * (x[i] - 1) ** 2 for w, x in law)
                    if mean != 1 or error > bound:
                        says = f"$\\tilde Q(s) = c s$ with $E c = {mean}$, $E(c-1)^2 = {error}$; claimed ${bound}$"
                        return Witness(where | {"agent": str(i + 1)}, says)
        return None

    return decide("derivation", prove, [fails])


def _variance_lines(factor: str) -> Sequence[Step]:
    verdict = lemma1_variance(factor)
    if verdict.status != "proved":
        raise CertificateFails(f"Lemma 1 does not give the constant {factor}.")
    return verdict.evidence


def draws_instance() -> Witness:
    draws = COMPRESSED
    return instance(
        {"n": draws.n, "noise": "1 or -1", "Q(x)": "0 or 2x", "p": draws.p, "omega": draws.omega},
        "independent agents, each with a fair sign as noise and a compressor that doubles or sends nothing",
        {name: name in draws.facts for name in ("A3", "A4", "A5", "independent oracles", "independent compressors")},
    )
