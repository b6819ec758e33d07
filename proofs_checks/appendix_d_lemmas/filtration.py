"""The filtration of Appendix D.3, and the control variate that the server and the agents agree on (D.6).

What is measurable is derived from what each line of the algorithm computes from what; refutations look at all outcomes
of one exact round of two agents and find two that a field cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction as F
from itertools import pairwise, product
from typing import Literal

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import CertificateFails, decide, same_vector
from fedmm_edu.proofs.expectation import Expectation, Mean
from fedmm_edu.proofs.gram import Vector, atoms
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.appendix_d_lemmas.agents import BIASED_COMPRESSOR, COMPRESSED, ONE_LEFT_OUT, Draws
from proofs_checks.shared.fedmm_rounds import MU, Setting, State, play
from proofs_checks.shared.tools import APART, instance, tried

alpha, mu = sp.symbols("alpha mu_i", positive=True)
ZERO = Vector({})
UNBIASED = ("A4", "A5")
"""Of these the conditional mean needs the means."""

GENERATED: dict[str, set[str]] = {
    "F_t": {"past"},
    "F_{t+1/3,i}": {"past", "S_i"},
    "F_{t+2/3,i}": {"past", "S_i", "Qt_i"},
    "F_{t+1}": {"past", "S_i", "Qt_i", "S_j", "Qt_j"},
}
ARGUMENTS = {
    "S_i": ("S_i",),
    "Delta_i": ("past", "S_i"),
    "Qt_i": ("Qt_i",),
    "V_i": ("past", "Qt_i"),
    "H": ("past", "Qt_i", "Qt_j"),
    "Shat": ("past", "H"),
    "V": ("past", "Qt_i", "Qt_j"),
}
"""What each quantity of round t + 1 is computed from, line by line; Ŝ_t, V_t, V_{t,i}, B_t are past."""
PLACES = {
    "S_i": "F_{t+1/3,i}", "Delta_i": "F_{t+1/3,i}", "Qt_i": "F_{t+2/3,i}", "V_i": "F_{t+2/3,i}",
    "H": "F_{t+1}", "Shat": "F_{t+1}", "V": "F_{t+1}",
}  # fmt: skip


def sources(name: str) -> set[str]:
    """The generators that a quantity is computed from in the end."""
    direct = set(ARGUMENTS.get(name, (name,)))
    return {name} if direct <= {name} else set().union(*(sources(x) for x in direct))


def filtration(
    places: Mapping[str, str] = PLACES,
    given: Literal["F_t", "F_{t+1/3,i}", "F_{t+2/3,i}"] = "F_{t+1/3,i}",
    hypotheses: Sequence[str] = UNBIASED,
    sign: int = 1,
) -> Verdict:
    """Each quantity is measurable for its field in `places`, and E[Q̃(Δ_{t+1,i}) | given] = sign·Δ_{t+1,i}."""
    noise, shift, sent = atoms(r"S_{t+1,i} - E S_{t+1,i}", r"E S_{t+1,i} - \hat S_t - V_{t,i}", "Qt")

    def prove() -> Sequence[Step]:
        fields = list(GENERATED.values())
        if not all(small <= large for small, large in pairwise(fields)):
            raise InvalidInput("the fields do not increase: correct their generators.")
        steps = [Step(r"$F_t \subseteq F_{t+1/3,i} \subseteq F_{t+2/3,i} \subseteq F_{t+1}$", "by their generators")]
        for name, place in places.items():
            if not sources(name) <= GENERATED[place]:
                raise CertificateFails(f"{name} is computed from {sorted(sources(name))}, not all in {place}.")
            steps.append(Step(f"{name} is {place}-measurable", f"a function of {', '.join(sorted(sources(name)))}"))
        (n,), (q,) = noise.coefficients, sent.coefficients
        laws = {"S_i": (n, Mean(ZERO))}  # A3
        if set(UNBIASED) <= set(hypotheses):
            laws["Qt_i"] = (q, Mean(shift + noise, {n}))  # Lemma 1, the map independent of Δ
        seen = {name for source, (name, _) in laws.items() if source in GENERATED[given]}
        means = {name: rule for name, rule in laws.values() if name not in seen}
        mean = Expectation({*shift.coefficients, *seen}, means).mean(sent)
        says = rf"$E[\tilde Q(\Delta_{{t+1,i}}) \mid {given}] = \Delta_{{t+1,i}}$"
        why = r"Lemma 1 at the point $\Delta_{t+1,i}$, of which the map $\tilde Q_{t+1,i}$ is independent"
        count = len(_table())
        words = (
            f"in an exact round, no two of its {count} outcomes that a field cannot tell apart tell against any line"
        )
        return (*steps, same_vector(mean, sign * (noise + shift), why, says), Step(words, APART))

    def fails() -> Witness | None:
        return _not_measurable(places) or _wrong_mean(given, hypotheses, sign)

    return decide("derivation", prove, [fails])


def _table(draws: Draws = COMPRESSED) -> list[tuple[F, dict[str, F]]]:
    """All outcomes of one round of two agents from Ŝ = 0, V_i = (1, −1), h_i = 0, μ = (1/2, 1/2), γ = α = 1/2."""
    table = []
    for chance, noise, selected, factors in draws.outcomes():
        row: dict[str, F] = {"past": F(0), "S_i": noise[0], "S_j": noise[1]}
        deltas = (noise[0] - 1, noise[1] + 1)
        row["Delta_i"] = deltas[0]
        row["Qt_i"], row["Qt_j"] = (u / draws.p * c[0] * d for u, c, d in zip(selected, factors, deltas, strict=True))
        row["V_i"] = 1 + row["Qt_i"] / 2
        row["H"] = (row["Qt_i"] + row["Qt_j"]) / 2
        row["Shat"], row["V"] = row["H"] / 2, row["H"] / 2
        table.append((chance, row))
    return table


def _not_measurable(places: Mapping[str, str]) -> Witness | None:
    """Two outcomes that the field cannot tell apart, but the quantity can."""
    for (name, place), (_, one), (_, two) in product(places.items(), _table(), _table()):
        if all(one[x] == two[x] for x in GENERATED[place]) and one[name] != two[name]:
            seen = {x: str(one[x]) for x in sorted(GENERATED[place])}
            return Witness(seen, f"{name} is not {place}-measurable: it may be ${one[name]}$ or ${two[name]}$ here")
    return None


def _wrong_mean(given: str, hypotheses: Sequence[str], sign: int) -> Witness | None:
    """An atom of the field on which the mean of Q̃(Δ) is not sign·Δ, for draws that satisfy the hypotheses."""
    for draws in (COMPRESSED, BIASED_COMPRESSOR, ONE_LEFT_OUT):
        table = _table(draws) if set(hypotheses) <= draws.facts else []
        for _, at in table:
            same = [(w, row) for w, row in table if all(row[x] == at[x] for x in GENERATED[given])]
            mean = sum(w * row["Qt_i"] for w, row in same) / sum(w for w, _ in same)
            if mean != sign * at["Delta_i"]:
                seen = {"draws": draws.name, **{x: str(at[x]) for x in sorted(GENERATED[given])}}
                says = f"$E[\\tilde Q(\\Delta) \\mid {given}] = {mean}$, but $\\Delta$ may be ${at['Delta_i']}$"
                return Witness(seen, says)
    return None


# ------------------------------------------------------------------------------------------ V_t = Σ μ_i V_{t,i}


MESSAGES = ((F(2), F(0)), (F(-3), F(1, 2)), (F(0), F(0)))


def parse(text: str) -> sp.Expr:
    return sp.sympify(text, {"alpha": alpha, "mu_i": mu})


def conserved(server: str = "alpha*mu_i", client: str = "alpha", start: Literal["free", "sum"] = "sum") -> Verdict:
    """V_t = Σ_i μ_i V_{t,i} for all t, in the full-participation form; V_0 is "sum" = Σ μ_i V_{0,i}, or "free"."""
    up, down = map(parse, (server, client))
    own, message, excess = atoms("V_{t,i}", r"\tilde Q_{t+1,i}(\Delta_{t+1,i})", "e")
    first = {"sum": mu * own, "free": mu * own + excess}[start]  # client i's part of V_0

    def prove() -> Sequence[Step]:
        base = same_vector(first, mu * own, "first line of the algorithm", r"$V_0 = \sum_i \mu_i V_{0,i}$")
        says = r"$\mu_i V_{t,i} + \alpha \mu_i \tilde Q_{t+1,i} = \mu_i V_{t+1,i}$; sum over $i$"
        why = "induction: client $i$'s part, whatever was sent; termwise, so for every n"
        step = same_vector(mu * own + up * message, mu * (own + down * message), why, says)
        return (base, step, *tried("exact rounds of two agents", (played(sent) for sent in MESSAGES)))

    def played(sent: tuple[F, F]) -> tuple[F, F]:
        """V_1 and Σ μ_i V_{1,i} for μ = (1/2, 1/2), α = 1/2 and V_{0,i} = (1, −1)."""
        values = {alpha: sp.Rational(1, 2), mu: sp.Rational(1, 2)}
        a, b = (F(str(x.subs(values))) for x in (up, down))
        V = (F(1), F(-1))
        total = sum(V, F(0)) / 2 + {"sum": 0, "free": 1}[start] + sum((a * m for m in sent), F(0))
        return total, sum((v + b * m for v, m in zip(V, sent, strict=True)), F(0)) / 2

    def fails() -> Witness | None:
        for sent in MESSAGES:
            total, mean = played(sent)
            if total != mean:
                point = {"mu": "1/2, 1/2", "alpha": "1/2", "V_0i": "1, -1", "messages": f"{sent[0]}, {sent[1]}"}
                return Witness(point, f"$V_1 = {total}$, $\\sum_i \\mu_i V_{{1,i}} = {mean}$")
        return None

    return decide("derivation", prove, [fails])


def conserved_instance() -> Witness:
    """One exact round of Algorithm 2, one of two agents selected: V_t and the mean of the V_{t,i} move together."""
    start, setting = State.start(F(1, 2), (F(1), F(-1))), Setting(p=F(1, 2))
    after = play(start, {0}, (F(1), F(0)), (F(1), F(1)), setting)
    mean = sum(w * v for w, v in zip(MU, after.clients, strict=True))
    return instance(
        {"mu": "1/3, 2/3", "p": "1/2", "alpha": 1, "V_0i": "1, -1", "selected": "agent 1", "V_1": after.server},
        "a round that moves the control variates",
        {"V_1 = sum mu_i V_1i": after.server == mean, "V_1 differs from V_0": after.server != start.server},
    )
