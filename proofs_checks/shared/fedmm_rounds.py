"""One round of FedMM (Algorithm 2) in exact fractions, and what Section 3.2 says of it.

Identities are shown for one client and one coordinate, with symbols: the round is linear in each client's part, so
they hold for any number of clients and any dimension. Refutations are exact rounds with two clients on 𝒮 ⊂ ℝ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, verify
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness, conjunction, proved, undecided
from proofs_checks.shared.oracles import stays_inside
from proofs_checks.shared.tools import APART, agreed, settle

HALF = F(1, 2)
MU = (F(1, 3), F(2, 3))
CLIENTS = range(len(MU))
BOTH, FIRST, SECOND, NONE = frozenset({0, 1}), frozenset({0}), frozenset({1}), frozenset()
p, mu, alpha, gamma, omega = sp.symbols("p mu_i alpha gamma omega", positive=True)
V, S, s, m = sp.symbols("V_i S_i Shat m_i", real=True)


@dataclass(frozen=True)
class State:
    """Ŝ_t, V_t and the clients' V_{t,i}, for q = 1."""

    s: F
    server: F
    clients: tuple[F, ...]

    @staticmethod
    def start(s: F, clients: tuple[F, ...]) -> State:
        return State(s, sum((w * v for w, v in zip(MU, clients, strict=True)), F(0)), clients)


@dataclass(frozen=True)
class Setting:
    """The constants of Algorithm 2; `lost` is a client whose own commit never happens."""

    p: F = F(1)
    alpha: F = F(1)
    gamma: F = F(1)
    weights: tuple[F, ...] = MU
    lost: int | None = None


def sent(state: State, oracles: Sequence[F], factors: Sequence[F]) -> list[F]:
    """Quant_{t+1,i}(Δ_{t+1,i}) of each client; a compressor's outcome on ℝ is a factor."""
    return [c * (o - state.s - v) for c, o, v in zip(factors, oracles, state.clients, strict=True)]


def direction(state: State, active: Iterable[int], messages: Sequence[F], setting: Setting) -> F:
    """H_{t+1} of Algorithm 2 (L 595)."""
    return state.server + sum(setting.weights[i] * messages[i] for i in active) / setting.p


def play(state: State, active: Iterable[int], oracles: Sequence[F], factors: Sequence[F], setting: Setting) -> State:
    """One round on 𝒮 = [0, 1], where the projection is the same in every norm."""
    active, messages = list(active), sent(state, oracles, factors)
    step = setting.alpha / setting.p
    clients = tuple(v + step * messages[i] * (i in active and i != setting.lost) for i, v in enumerate(state.clients))
    half = state.s + setting.gamma * direction(state, active, messages, setting)
    server = state.server + step * sum(setting.weights[i] * messages[i] for i in active)
    return State(min(max(half, F(0)), F(1)), server, clients)


# ----------------------------------------------------------------------------------------- what the round conserves


def conserves(client: str = "alpha/p", server: str = "mu_i*alpha/p", lost: bool = False) -> Verdict:
    """V_{t+1} − Σ μ_i V_{t+1,i} = V_t − Σ μ_i V_{t,i}, whoever is active and whatever is sent."""
    names = {"alpha": alpha, "p": p, "mu_i": mu, "n": sp.Symbol("n", positive=True)}
    ours, theirs = (sp.sympify(text, names) for text in (server, client))
    at = {alpha: 1, p: sp.S.Half, names["n"]: 2}
    rates = tuple(F(str(ours.subs({**at, mu: sp.Rational(str(w))}))) / 2 for w in MU)  # `play` divides by p = 1/2
    setting = Setting(p=HALF, weights=rates, lost=0 if lost else None)
    state = State.start(F(1, 2), (F(1), F(-1)))
    after = play(state, BOTH, (F(1), F(0)), (F(1), F(2)), setting)
    gap = after.server - sum(w * v for w, v in zip(MU, after.clients, strict=True))
    found = (
        None
        if gap == 0
        else Witness(
            {"mu": "1/3, 2/3", "p": "1/2", "alpha": "1", "V_i": "1, -1", "S_i": "1, 0", "Shat": "1/2"},
            f"before: $V - \\sum_i \\mu_i V_i = 0$; after: ${gap}$",
        )
    )
    verdict = settle(
        "identity",
        {"client $i$ adds as much to $V$ as to $\\mu_i V_i$": ours - mu * (0 if lost else theirs)},
        "the coefficient of the message of an active client; an inactive one adds nothing to either; termwise",
        found,
    )
    played = f"an exact round with both active: $V = {after.server}$, $\\sum_i \\mu_i V_i = {after.server - gap}$"
    return agreed(verdict, Step(played, APART))


# ----------------------------------------------------------------------------- full participation without compression

ORACLES = ((F(1), F(1, 4)), (F(0), F(1)), (F(3, 4), F(1, 2)))
DRAWS = ((FIRST, (F(0), F(2))), (SECOND, (F(2), F(0))), (FIRST, (F(2), F(2))))


def _runs(share: str, compressor: str, offset: F, size: F) -> Iterator[tuple[Setting, list[F]]]:
    """Iterates of Algorithm 2 for several α: exact, in the same three rounds of oracles."""
    everyone, one = share == "1", F(1)
    for rate in (F(0), HALF, F(1), F(3)):
        setting = Setting(p=F(1) if everyone else HALF, alpha=rate, gamma=size)
        state = State.start(F(1, 2), (F(1), F(-1)))
        state, iterates = replace(state, server=state.server + offset), []
        for oracles, (active, factors) in zip(ORACLES, DRAWS, strict=True):
            chosen = BOTH if everyone else active
            state = play(state, chosen, oracles, (one, one) if compressor == "identity" else factors, setting)
            iterates.append(state.s)
        yield setting, iterates


def reduces(
    share: str = "1",
    compressor: Literal["identity", "random factor"] = "identity",
    start: Literal["free", "sum"] = "sum",
    gamma_max: str = "1",
    oracle_inside: bool = True,
) -> Verdict:
    """Algorithm 2 is SA-SSMM with the oracle Σ μ_i S_{t+1,i}, for every α and V_{0,i}; no projection is needed."""
    offset = sp.S.Zero if start == "sum" else sp.Symbol("e")
    # p = 1 selects everybody; else whether client i is active is a random 0 or 1, as its compressor is a random factor
    selected = sp.S.One if share == "1" else sp.Symbol("U_i") / sp.Rational(share)
    factor = sp.S.One if compressor == "identity" else sp.Symbol("c_i")
    residual = offset + V + selected * factor * (S - s - V) - (S - s)
    inside = stays_inside(gamma_max=gamma_max, oracle_inside=oracle_inside)
    if inside.status != "proved":
        return inside
    identities = settle(
        "induction on t",
        {
            "client $i$'s part of $H_{t+1}$ is $\\mu_i (S_{t+1,i} - \\hat S_t)$": residual,
        },
        "exact, termwise in i; $V_t$ and $V_{t,i}$ cancel whatever they are, so neither α nor $V_{0,i}$ is left",
        _different_run(share, compressor, F(0 if start == "sum" else 1), F(gamma_max)),
    )
    mean = Step("$\\sum_i \\mu_i S_{t+1,i} \\in \\mathcal{S}$", "μ is a probability distribution, 𝒮 is convex")
    parts = {"same direction": identities, "V_t is kept": conserves(), "mean oracle": proved("convexity", mean)}
    runs = "four exact runs of Algorithm 2, α = 0, 1/2, 1, 3, have the iterates of SA-SSMM over three rounds"
    return agreed(conjunction({**parts, "no projection needed": inside}), Step(runs, APART))


def _different_run(share: str, compressor: str, offset: F, size: F) -> Witness | None:
    """The first α and round in which Algorithm 2 and SA-SSMM differ; both start at 1/2 in 𝒮 = [0, 1]."""
    central, expected = F(1, 2), []
    for oracles in ORACLES:
        oracle = sum(w * o for w, o in zip(MU, oracles, strict=True))
        central += size * (oracle - central)
        expected.append(central)
    for setting, iterates in _runs(share, compressor, offset, size):
        if iterates != expected:
            t = next(k for k, (a, b) in enumerate(zip(iterates, expected, strict=True)) if a != b)
            point = {"mu": "1/3, 2/3", "S": "[0, 1]", "Shat_0": "1/2", "V_0i": "1, -1", "alpha": str(setting.alpha)}
            point |= {"gamma": str(size), "p": str(setting.p), "V_0 - sum mu_i V_0i": str(offset)}
            says = f"$\\hat S_{{{t + 1}}} = {iterates[t]}$ for Algorithm 2 and ${expected[t]}$ for SA-SSMM"
            return Witness(point, says)
    return None


def omega_p_vanishes(relation: Literal["and", "or"] = "and") -> Verdict:
    """ω_p = ω + (1 + ω)(1 − p)/p is zero if and only if ω = 0 `relation` p = 1, for ω ≥ 0 and 0 < p ≤ 1."""
    total = omega + (1 + omega) * (1 - p) / p
    given = {"share": Hypothesis(1 - p, "$p \\leq 1$")}

    def prove() -> Sequence[Step]:
        first = verify(total - omega, given, {"share": (1 + omega) / p}, says="$\\omega \\leq \\omega_p$")
        second = verify(
            total - (1 - p) / p,
            given,
            {"share": omega / p},
            [(1, sp.sqrt(omega))],
            says="$(1-p)/p \\leq \\omega_p$",
        )
        zero = {"and": [{omega: 0, p: 1}], "or": [{omega: 0}, {p: 1}]}[relation]  # where the statement says ω_p = 0
        back = [verify(total.subs(case), {}, {}, equality=True, says="there $\\omega_p = 0$") for case in zero]
        return (*first, *second, *(step for steps in back for step in steps))

    def both_needed() -> Witness | None:
        for w, share in ((F(0), HALF), (F(1), F(1))):
            value = w + (1 + w) * (1 - share) / share
            claimed = (w == 0 and share == 1) if relation == "and" else (w == 0 or share == 1)
            if claimed != (value == 0):
                return Witness({"omega": str(w), "p": str(share)}, f"$\\omega_p = {value}$")
        return None

    grid = [(F(w, 2), F(share, 4)) for w in range(4) for share in range(1, 5)]
    zeros = [(w, share) for w, share in grid if w + (1 + w) * (1 - share) / share == 0]
    where = ", ".join(f"({w}, {share})" for w, share in zeros)
    seen = Step(f"on a grid of {len(grid)} pairs $(\\omega, p)$ it is 0 at {where} only", APART)
    return agreed(decide("certificate", prove, [both_needed]), seen)


def alpha_plays_no_role(given: Literal["omega = 0", "omega_p = 0", "p = 1"]) -> Verdict:
    """Under `given` ("omega_p = 0", "omega = 0" or "p = 1") the iterates are the same for every α ≥ 0."""
    cases: dict[str, tuple[str, Literal["identity", "random factor"]]] = {
        "omega_p = 0": ("1", "identity"), "omega = 0": ("1/2", "identity"), "p = 1": ("1", "random factor"),
    }  # fmt: skip
    share, compressor = cases[given]

    def prove() -> Sequence[Step]:
        parts = {"no compression, everybody active": omega_p_vanishes(), "SA-SSMM": reduces(share, compressor)}
        if (verdict := conjunction(parts)).status != "proved":
            raise CertificateFails(f"the iterates are not those of SA-SSMM, in which there is no α: {_reason(verdict)}")
        return verdict.evidence

    def fails() -> Witness | None:
        found = list(_runs(share, compressor, F(0), HALF))
        setting, first = found[0]
        for other, iterates in found[1:]:
            if iterates != first:
                point = {"alpha": f"{setting.alpha} or {other.alpha}", "p": share, "compressor": compressor}
                says = f"$\\hat S_1, \\hat S_2, \\hat S_3$ are {_read(first)} or {_read(iterates)}"
                return Witness({**point, "gamma": "1/2"}, says)
        return None

    return decide("derivation", prove, [fails])


def _reason(verdict: Verdict) -> str:
    """The line of the evidence that says what fails."""
    return next((f"{step.claim}: {step.why}" for step in verdict.evidence if "fails" in step.claim), verdict.status)


def _read(values: Iterable[F]) -> str:
    return ", ".join(map(str, values))


# ------------------------------------------------------------------------------- what control variates are for


def stationary(variates: str, additive_noise: bool = False) -> Verdict:
    """With exact oracles at a root of h and V_i = `variates`, no round moves Ŝ, whoever is active; at such a root
    h_i ≠ 0 for some instance."""
    field = {"h_i": m - s, "0": sp.S.Zero, "2*h_i": 2 * (m - s)}[variates]
    means, root = (F(1), F(1, 4)), F(1, 2)
    held = {"h_i": 1, "0": 0, "2*h_i": 2}[variates]
    state, found = State.start(root, tuple(held * (x - root) for x in means)), None
    for active in (FIRST, SECOND, BOTH, NONE):
        messages = [x + additive_noise for x in sent(state, means, (F(2), F(2)))]
        move = direction(state, active, messages, Setting(p=HALF))
        if move and found is None:
            names = ", ".join(str(i + 1) for i in sorted(active)) or "nobody"
            point = {"mu": "1/3, 2/3", "p": "1/2", "E_i S_bar": "1, 1/4", "Shat": "1/2", "V_i": variates}
            point["active"] = names
            found = Witness(point, f"$h(\\hat S) = 0$, but $H_{{t+1}} = {move}$")
    residuals = {
        "$\\Delta_{t+1,i} = h_i(s_\\star) - V_{t,i} = 0$": (m - s) - field,
        "client $i$'s part of $V_t - h(s_\\star)$": field - (m - s),
        "$E\\|Q(0)\\|^2 = 0$": sp.Symbol("E Q(0)^2") if additive_noise else omega * 0,
    }
    why = "A4 at 0: $E\\|Q(0)\\|^2 \\leq \\omega \\cdot 0$; so $H_{t+1} = V_t = \\sum_i \\mu_i h_i(s_\\star) = 0$"
    rounds = "an exact round from a root of h with each of the four sets of active clients: $H_{t+1} = 0$"
    kept = agreed(settle("identity", residuals, why, found), Step(rounds, APART))
    drift = [x - root for x in means]
    if not (all(drift) and sum(w * x for w, x in zip(MU, drift, strict=True)) == 0):
        return undecided("exact instance")
    says = f"$h(s_\\star) = 0$ while $h_1(s_\\star) = {drift[0]}$, $h_2(s_\\star) = {drift[1]}$"
    drifts = proved("exact instance", Step(says, f"μ = (1/3, 2/3), means 1 and 1/4 of $\\bar S$, $s_\\star = {root}$"))
    return conjunction({"drift": drifts, "corrected": kept})
