"""Partial participation as compression (Appendix D.2): Lemma 1 and the full-participation form of Algorithm 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction as F
from functools import cache
from itertools import product
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, same_vector, verify
from fedmm_edu.proofs.expectation import Expectation, Mean, mix
from fedmm_edu.proofs.gram import Vector, atoms, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.agents import ALL_DRAWS, ALL_OR_NONE, COMPRESSED, SOUND, Law, factorises
from proofs_checks.shared.fedmm_rounds import Setting, State, play
from proofs_checks.shared.tools import APART, instance, tried

omega = sp.Symbol("omega", nonnegative=True)
p, alpha, mu = sp.symbols("p alpha mu_i", positive=True)
AT_MOST = r"\leq"
PRINTED = "w + (1-p)/p*(w+1)"
"""ω_p as the paper has it."""
Q, POINT = atoms("Q(s)", "s")
UNBIASED = Expectation({"s"}, {"Q(s)": Mean(POINT)})
ANY = Expectation({"s"}, free={"Q(s)"})
PRODUCT = r"$U$ is independent of $Q(s)$: average over $U$ first, the value $U = 1$ having probability $p$"


@cache
def parse(text: str) -> sp.Expr:
    return sp.sympify(text, {"w": omega, "p": p})


# -------------------------------------------------------------------------------------------------------- Lemma 1


def _sent(scale: str) -> Vector:
    return parse(scale) * Q


def lemma1_mean(
    scale: str = "1/p",
    compressor: Literal["shrinking", "unbiased"] = "unbiased",
    law: Literal["independent", "tied"] = "independent",
) -> Verdict:
    """E[U·scale·Q(s)] = s for U Bernoulli(p); the `law` of U and Q may be "independent" or "tied" (U = 0 iff Q = 0).

    compressor: E[Q(s)] = s ("unbiased") or s/2 ("shrinking").
    """

    def prove() -> Sequence[Step]:
        mean = Expectation({"s"}, {"Q(s)": Mean({"unbiased": POINT, "shrinking": POINT / 2}[compressor])})
        chance = {"independent": p, "tied": 1}[law]  # E[U Q(s)] = p E[Q(s)]; or UQ(s) = Q(s), as U = 1 where Q(s) ≠ 0
        says = r"$E[\tilde Q(s)] = p \cdot \frac{1}{p} E[Q(s)] = s$"
        step = same_vector(chance * mean.mean(_sent(scale)), POINT, PRODUCT, says)
        return (step, *tried("finite law of $U$ and $Q(1)$, summed over its outcomes", [(enumerated(), 1)]))

    factors = {"unbiased": (F(0), F(2)), "shrinking": (F(0), F(1))}[compressor]

    def enumerated() -> F:
        size = F(str(parse(scale).subs(p, sp.Rational(1, 2))))
        chances = [F(c != 0) if law == "tied" else F(1, 2) for c in factors]  # P(U = 1 | Q(1) = c)
        return sum((F(1, 2) * u * size * c for u, c in zip(chances, factors, strict=True)), F(0))

    def fails() -> Witness | None:
        mean = enumerated()
        if mean == 1:
            return None
        point = {"s": "1", "Q(1)": f"{factors[0]} or {factors[1]}, each with probability 1/2", "p": "1/2", "U": law}
        return Witness(point, f"$E[\\tilde Q(1)] = {mean}$")

    return decide("certificate", prove, [fails])


A4 = ("unbiased", "variance at most ω")
LINE: dict[str, tuple[tuple[F, F], ...]] = {
    "identity": ((F(1), F(1)),),
    "0 or 2": ((F(1, 2), F(0)), (F(1, 2), F(2))),
    "always 2": ((F(1), F(2)),),
}
"""Laws of Q(1) on the line, as pairs (probability, value)."""


def _facts(law: Sequence[tuple[F, F]], w: F) -> set[str]:
    """What a law of Q(1) satisfies with ω = w."""
    mean, error = sum(c * x for c, x in law), sum(c * (x - 1) ** 2 for c, x in law)
    tests = {"unbiased": mean == 1, "variance at most ω": error <= w, "variance exactly ω": error == w}
    return {name for name, holds in tests.items() if holds}


_Moment = Literal["unbiased", "variance at most ω", "variance exactly ω"]


def lemma1_variance(
    factor: str = PRINTED,
    relation: Literal["<=", "=="] = "<=",
    hypotheses: Sequence[_Moment] = A4,
) -> Verdict:
    """E‖Q̃(s) − s‖² `relation` factor·‖s‖², given of E[Q(s)] and E‖Q(s) − s‖² what the hypotheses say."""
    bound = parse(factor)
    equality = relation == "=="
    E = UNBIASED if "unbiased" in hypotheses else ANY

    def prove() -> Sequence[Step]:
        slack = omega * square(POINT) - E.of(square(Q - POINT))
        lines = {
            "variance at most ω": Hypothesis(slack, r"A4($\omega$)"),
            "variance exactly ω": Hypothesis(slack, r"equality in A4($\omega$) at this $s$", equality=True),
        }
        named = [line for name, line in lines.items() if name in hypotheses]
        given = {"A4": named[0]} if named else {}
        error = mix([(p, E.of(square(Q / p - POINT))), (1 - p, square(POINT))])
        says = rf"$E\|\tilde Q(s) - s\|^2 {'=' if equality else AT_MOST} \omega_p \|s\|^2$"
        average = Step(r"$E\|\tilde Q(s) - s\|^2 = p E\|p^{-1}Q(s) - s\|^2 + (1-p)\|s\|^2$", PRODUCT)
        steps = verify(bound * square(POINT) - error, given, {"A4": 1 / p}, equality=equality, says=says)
        return (average, *steps, *tried("pairs of a law of $Q(1)$ and a $p$", ((x, y) for _, x, y in instances())))

    def instances() -> Iterator[tuple[dict[str, str], F, F]]:
        for (name, law), w, share in product(LINE.items(), (F(0), F(1)), (F(1, 2), F(1))):
            if set(hypotheses) <= _facts(law, w):
                error = sum((c * (share * (x / share - 1) ** 2 + 1 - share) for c, x in law), F(0))
                limit = F(str(bound.subs({omega: sp.Rational(str(w)), p: sp.Rational(str(share))})))
                yield {"s": "1", "Q(1)": name, "omega": str(w), "p": str(share)}, error, limit

    def fails() -> Witness | None:
        for point, error, limit in instances():
            if error > limit or (equality and error != limit):
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
    size = parse(scale)
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

    def prove() -> Sequence[Step]:
        ours, theirs = selection_law(hypotheses), selection_law(("A5",))
        same = [
            verify(ours[u] - theirs[u], {}, {}, equality=True, says=f"$P(U_{{t+1}} = {u}) = {sp.latex(theirs[u])}$")
            for u in theirs
        ]
        rest = Step(
            "the two runs have the same law",
            "the same law of the $U_{t+1,i}$ (two clients written out; for n, one factor each) and, for given "
            "$U_{t+1,i}$, the same $H_{t+1}$, hence the same $\\hat S_{t+1}$; induction on t",
        )
        both = [_law(_new_variates(SOUND.selection, x)) for x in (None, F(str(size.subs(p, sp.Rational(1, 2)))))]
        second = [Step(f"$(V_{{1,1}}, V_{{1,2}})$ has law {both[0]} under both", APART)] if both[0] == both[1] else []
        return (*(step for steps in same for step in steps), *rounds(), rest, *second)

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

    return decide("derivation", prove, [fails])


def selection_law(hypotheses: Sequence[str]) -> dict[tuple[int, int], sp.Expr]:
    """P(U_1 = u_1, U_2 = u_2): products of p and 1 − p with A5, else any four numbers."""
    pairs = list(product((0, 1), (0, 1)))
    if "A5" not in hypotheses:
        return {u: sp.Symbol(f"P_{u[0]}{u[1]}", nonnegative=True) for u in pairs}
    return {u: sp.Mul(*(p if x else 1 - p for x in u)) for u in pairs}


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
    factor: str = PRINTED,
    points: Literal["any points", "one point"] = "one point",
    hypotheses: Sequence[Literal["A4", "A5", "independent compressors"]] = ("A4", "A5"),
) -> Verdict:
    """The Q̃_{t+1,i}(s_i), over t and i, are independent, of one law if all s_i are one point s, and satisfy A4(factor).

    points: "one point" s for all, as A4 says it, or "any points" s_i, as the proof of Proposition 3 needs it.
    """

    def prove() -> Sequence[Step]:
        moments = A4 if "A4" in hypotheses else ()
        return (
            *_independent_messages(hypotheses, points),
            *lemma1_mean().evidence,
            *_variance_lines(factor, moments),
            *tried("agents, laws and points, summed over all outcomes", pairs()),
        )

    def pairs() -> list[tuple[F, F]]:
        return [(error, bound) for _, law, bound in instances() for *_, error in _moments(law)]

    def instances() -> Iterator[tuple[dict[str, str], Law, F]]:
        for draws in ALL_DRAWS:
            if not set(hypotheses) <= draws.facts:
                continue
            numbers = {"w": draws.omega, "p": draws.p}
            bound = F(str(sp.sympify(factor, {name: sp.Rational(str(value)) for name, value in numbers.items()})))
            pieces = range(len(draws.points))
            places = [(k,) * draws.n for k in pieces] if points == "one point" else product(pieces, repeat=draws.n)
            for at in places:
                law = tuple(
                    (a * b, tuple(u / draws.p * c[k] for u, c, k in zip(selected, factors, at, strict=True)))
                    for (a, selected), (b, factors) in product(draws.selection, draws.factors)
                )
                where = {"draws": draws.name, "s_i": ", ".join(str(draws.points[k]) for k in at), "p": str(draws.p)}
                yield where, law, bound

    def fails() -> Witness | None:
        for where, law, bound in instances():
            if not factorises(law):
                return Witness(where, "the messages are not independent")
            for i, mean, error in _moments(law):
                if mean != 1 or error > bound:
                    says = f"$\\tilde Q(s) = c s$ with $E c = {mean}$, $E(c-1)^2 = {error}$; claimed ${bound}$"
                    return Witness(where | {"agent": str(i + 1)}, says)
        return None

    return decide("derivation", prove, [fails])


def _moments(law: Law) -> Iterator[tuple[int, F, F]]:
    """Each agent's mean of c and of (c − 1)², for messages Q̃(s) = cs."""
    for i in range(len(law[0][1])):
        yield i, sum((w * x[i] for w, x in law), F(0)), sum((w * (x[i] - 1) ** 2 for w, x in law), F(0))


def _independent_messages(hypotheses: Sequence[str], points: str) -> Sequence[Step]:
    """P(m_1, m_2) = P(m_1) P(m_2) for the messages m_i = U_i Q_i(s_i)/p of two agents, whose Q_i(s_i) has two values.

    Q_i(s_i) is a or b: with probabilities r_i, 1 − r_i and independently where that is assumed (A4 says it at one point
    s only, where also r_1 = r_2), else with any joint law. U and Q are drawn independently of each other.
    """
    r = sp.symbols("r_1 r_2", nonnegative=True)
    if points == "one point":
        r = (r[0], r[0])
    known = {"one point": "A4", "any points": "independent compressors"}[points] in hypotheses
    joint = {
        c: sp.Mul(*(x if k == "a" else 1 - x for k, x in zip(c, r, strict=True))) if known else sp.Symbol(f"R_{c}")
        for c in ("aa", "ab", "ba", "bb")
    }
    both: dict[tuple[str, ...], sp.Expr] = {}
    for (u, chance), (c, weight) in product(selection_law(hypotheses).items(), joint.items()):
        message = tuple(k if x else "0" for x, k in zip(u, c, strict=True))
        both[message] = both.get(message, sp.S.Zero) + chance * weight
    alone = [{k: sum((w for m, w in both.items() if m[i] == k), sp.S.Zero) for k in "0ab"} for i in (0, 1)]
    steps: list[Step] = []
    for (one, two), chance in both.items():
        says = f"$P(m_1 = {one}, m_2 = {two}) = P(m_1 = {one}) \\, P(m_2 = {two})$"
        steps += verify(chance - alone[0][one] * alone[1][two], {}, {}, equality=True, says=says)
    if points == "one point":
        for k in "0ab":
            steps += verify(alone[0][k] - alone[1][k], {}, {}, equality=True, says=f"$P(m_1 = {k}) = P(m_2 = {k})$")
    words = "one factor for each value and each agent: the same for any number of them, and over t"
    return (*steps, Step("the messages are independent" + ", of one law" * (points == "one point"), words))


def _variance_lines(factor: str, hypotheses: Sequence[_Moment]) -> Sequence[Step]:
    verdict = lemma1_variance(factor, hypotheses=hypotheses)
    if verdict.status != "proved":
        raise CertificateFails(f"Lemma 1 does not give the constant {factor}: {verdict.evidence[-1].why}")
    return verdict.evidence


def draws_instance() -> Witness:
    draws = COMPRESSED
    return instance(
        {"n": draws.n, "noise": "1 or -1", "Q(x)": "0 or 2x", "p": draws.p, "omega": draws.omega},
        "independent agents, each with a fair sign as noise and a compressor that doubles or sends nothing",
        {name: name in draws.facts for name in ("A3", "A4", "A5", "independent oracles", "independent compressors")},
    )
