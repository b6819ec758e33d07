"""`fedmm theorem --constants own`: Theorem 1 beside the ledger's own theorems, on one problem.

For each theorem: whether its hypotheses hold as far as known, the step size with the least bound after T rounds, that
bound, and the rounds for a target.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.federation import omega_p
from fedmm_edu.theory import (
    Contraction,
    Flat,
    LocalRounds,
    Monotone,
    Rate,
    Seminorm,
    any_projection,
    best_gamma,
    best_own,
    biased,
    biased_linear,
    biased_monotone,
    bound,
    diana,
    fastest_gamma,
    fastest_own,
    fastest_restarts,
    per_client,
    pl,
    projected,
    restarted,
    rounds_for,
    scaffold,
    without_A7,
    without_v_min,
)
from fedmm_edu.theory.hypotheses import Number, Problem
from fedmm_edu.theory.own import Terms
from fedmm_edu.theory.theorem1 import Constants

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OWN_NUMBERS = {
    "L_T": "the Lipschitz constant of φ∘T",
    "ell": "ℓ: ‖ΔE S̄‖² ≤ L_T ℓ²⟨Δs, Δφ⟩, as where the mean oracle is ℓ-Lipschitz in φ(T(s))",
    "lam": "λ: ‖ΔE S̄‖ ≤ λ‖Δs‖_{B(s)}, the mean oracle in the seminorm of B(s), which may be singular",
    "h0": "‖h(Ŝ_0)‖",
    "monotone": "m: −⟨h(s), s − s_⋆⟩ ≥ m‖s − s_⋆‖²",
    "cocoercive": "ℓ: −⟨h_i(s) − h_i(s_⋆), s − s_⋆⟩ ≥ ‖h_i(s) − h_i(s_⋆)‖²/ℓ for each client",
    "condition": "κ = L/μ of the quadratic surrogate with ρ = 1/L: f convex, W(θ) − min W ≥ (μ/2)‖θ − θ_⋆‖²",
}
PL = "m: ‖h(s)‖²_B ≥ 2m(W(T(s)) − min W) on 𝒮"
DEMANDS = {
    "printed": "A1 to A8 as amended; the projection in the norm of B_t",
    "sharper": "the same",
    "own-any": "the same, but neither A1 nor A2, and any projection that comes no farther from the points of 𝒮, such "
    "as the Euclidean one",
    "own-projected": "those of Theorem 1 but A1 and A2, and γ ≤ 1/2",
    "own-lip": "MM-1, MM-2, A3 to A5, A6(i), 𝒮 closed and convex; φ∘T Lipschitz (L_T) and the mean oracle in it (ell), "
    "or growth of J_s about T(s) (own-lip-growth)",
    "own-seminorm": "those of Theorem 1 but v_min, as B(s) may be singular; the mean oracle Lipschitz in its seminorm "
    "(lam), and no projection active: 𝒮 the whole space, or messages in full from everyone; else φ∘T affine and the "
    "projection in the norm of B_t + 2κγ(1 − γ)I (own-seminorm-projected)",
}
DEMANDS |= {
    "own-pl": "those of own-any, and ‖h(s)‖²_B ≥ 2m(W(T(s)) − min W) on 𝒮 (--pl)",
    "own-pl-projected": "those of own-projected, and the same (--pl)",
    "own-diana-rate": "no A7, and of MM-1 that a root s_⋆ lies in 𝒮; A3 to A5, the Euclidean projection, −h strongly "
    "monotone (--monotone) and each "
    "−h_i cocoercive (--cocoercive) about s_⋆; α < 1/(1 + ω_p); ‖Ŝ_0 − s_⋆‖ is at most ‖h(Ŝ_0)‖/m (--h0)",
    "own-biased": "those of own-any but A4: messages may be biased, E‖C(x) − x‖² ≤ (1 − a)‖x‖² "
    "(a = 1/(1 + ω) for unbiased ones divided by 1 + ω); the step is along V_{t+1}, and V_i follow at full pace",
    "own-biased-linear": "the same, and ‖h(s)‖²_B ≥ 2m(W(T(s)) − min W) on 𝒮 (--pl)",
    "own-biased-monotone": "those of own-diana-rate but A4: messages may be biased as in own-biased",
    "own-scaffold-rate": "SCAFFOLD for the quadratic surrogate without penalty, f_i convex (--condition), K local "
    "steps (--local-steps), each with an oracle as in A3, nothing compressed, p n of the n clients; ‖θ_0 − θ_⋆‖ is at "
    "most 2κ‖h(Ŝ_0)‖ (--h0)",
    "own-accelerated-restart": "Nesterov's acceleration for the quadratic surrogate, f and g convex (--condition), "
    "begun anew after each block of rounds; exact gradients of all clients, nothing compressed",
}
MEASURE = {"own-any": "E‖h‖²_B (= Ē)", "own-lip": "E‖h‖², Euclidean", "own-biased": "E‖h‖²_B (= Ē)"}
MEASURE |= {"own-seminorm": "E‖h‖²_B, a seminorm"}
MEASURE |= dict.fromkeys(("own-pl", "own-pl-projected", "own-biased-linear"), "E[W_T] − min W, the last")
MEASURE |= dict.fromkeys(("own-diana-rate", "own-biased-monotone"), "E‖Ŝ_T − s_⋆‖², the last")
MEASURE |= {"own-scaffold-rate": "E‖θ_T − θ_⋆‖², the last", "own-accelerated-restart": "W_T − min W, the last"}
FASTER = ("own-scaffold-rate", "own-accelerated-restart")
LINEAR = ("own-pl", "own-pl-projected", "own-diana-rate", "own-biased-linear", "own-biased-monotone", *FASTER)
CONTRACTIONS = ("own-biased", "own-biased-linear", "own-biased-monotone")
UNDER_PL = ("own-pl", "own-pl-projected", "own-biased-linear")
FEWER: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "own-lip": (("MM-1", "MM-2", "A3", "A6(i)", "A8"), ("L", "sigma"), ("L_T", "ell", "h0")),
    "own-seminorm": (
        ("MM-1", "MM-2", "A3", "A6(i)", "A6(ii)", "A8"),
        ("v_max", "C_star", "C_star_star", "sup_h", "L", "sigma"),
        ("lam", "h0"),
    ),
    **dict.fromkeys(
        ("own-diana-rate", "own-biased-monotone"), (("MM-1", "A3", "A8"), ("sigma",), ("monotone", "cocoercive", "h0"))
    ),
    "own-scaffold-rate": ((), ("sigma",), ("condition", "h0")),
    "own-accelerated-restart": ((), ("sigma",), ("condition",)),
}
"""Theorems that ask for less than Theorem 1: their hypotheses, their numbers of its, and their own."""


@dataclass(frozen=True)
class Sent:
    """The messages: ω_p, or None where they are biased, the contraction with which EF21-MM sends them, and their bits.

    `bits` are those of one message; None where they are not known.
    """

    omega_p: float | None
    channel: Contraction
    bits: float | None = None

    @classmethod
    def of(cls, omega: float | None, contraction: float | None, p: float, bits: float | None) -> Sent:
        """Unbiased messages of factor ω, which EF21-MM divides by 1 + ω, or (ω = None) biased ones."""
        if omega is None:
            return cls(None, Contraction(1.0 if contraction is None else contraction, p), bits)
        return cls(omega_p(omega, p), Contraction(1.0 / (1.0 + omega), p), bits)

    def cost(self, rounds: int | None, n: int) -> float | None:
        """Bits that all clients send in so many rounds, n p messages in a mean one; None where not known."""
        return None if rounds is None or self.bits is None else rounds * n * self.channel.p * self.bits

    def why_not(self, name: str) -> str:
        """Why the theorem says nothing of these messages; "" where it does."""
        if self.omega_p is None and name not in CONTRACTIONS:
            return "A4 fails: the messages are biased"
        if name in FASTER and self.channel.a < 1.0:
            return "messages are compressed"
        return "some clients are absent" if name == "own-accelerated-restart" and self.channel.p < 1.0 else ""


def apply_theorems(args: argparse.Namespace, problem: Problem, sent: Sent) -> list[dict[str, Any]]:
    """One entry per theorem: its hypotheses, why it does not apply ("" if it does), γ, bound, and T for the target."""
    target = None if args.target is None else in_interval("target", args.target, low=0.0, high=1e300, open_low=True)
    entries = []
    for name, demands in DEMANDS.items():
        entry: dict[str, Any] = {"theorem": name, "hypotheses": demands, "measure": MEASURE.get(name, "E[Ē]")}
        part = asked_of(args, name, problem)
        entry |= {"why_not": _why_not(args, name, part, sent), "rests_on": part.unproved()}
        entry["lacks"] = _lacks(args, name, part)
        if not entry["why_not"]:
            entry |= answer(args, name, part, sent, args.rounds, target)
            entry["bits"] = sent.cost(entry["T"], problem.n)
        entries.append(entry)
    return entries


def asked_of(args: argparse.Namespace, name: str, problem: Problem) -> Problem:
    """The problem with what this theorem asks: for some fewer hypotheses, and other numbers."""
    if name in ("printed", "sharper"):
        return problem
    if name not in FEWER:
        return replace(problem, hypotheses=tuple(r for r in problem.hypotheses if r.name not in ("A1", "A2")))
    rows, kept, own = FEWER[name]
    numbers = {key: problem.numbers[key] for key in kept}
    numbers |= {key: _told(getattr(args, key), problem.own.get(key)) for key in own}
    found = replace(problem, hypotheses=tuple(r for r in problem.hypotheses if r.name in rows), numbers=numbers)
    return (
        found
        if name in ("own-lip", "own-seminorm", "own-accelerated-restart")
        else replace(found, gap=Number(0.0, "given", "its measure needs none"))
    )


def _told(value: float | None, derived: Number | None) -> Number:
    """What a person gives, else what was derived."""
    return derived if value is None and derived is not None else Number(value, "given", "given")


def _lacks(args: argparse.Namespace, name: str, problem: Problem) -> list[str]:
    """The hypotheses that fail or, where none does, the constants that are not known."""
    lacking = problem.failing() or problem.missing()
    if problem.failing():
        return lacking
    lacking += ["pl"] if name in UNDER_PL and args.pl is None else []
    return lacking + (["local_steps"] if name == "own-scaffold-rate" and args.local_steps is None else [])


def _why_not(args: argparse.Namespace, name: str, problem: Problem, sent: Sent) -> str:
    if why := sent.why_not(name):
        return why
    if lacking := _lacks(args, name, problem):
        if problem.failing():
            return f"{', '.join(lacking)} fail{'s' * (len(lacking) == 1)}"
        return f"not known: {', '.join('--' + part.replace('_', '-') for part in lacking)}"
    if name == "own-seminorm" and may_project(problem, sent) and problem.numbers["C_star"].value:
        return (
            "projections may be active, as messages lose something and 𝒮 is not the whole space, and φ∘T is not affine "
            "(own-seminorm-remainder is open)"
        )
    if name == "own-accelerated-restart" and problem.numbers["sigma"].value:
        return "oracles are not exact: σ > 0"
    whole = abs(sent.channel.p * problem.n - round(sent.channel.p * problem.n)) < 1e-9
    return (
        ""
        if whole or name != "own-scaffold-rate"
        else f"p n = {sent.channel.p * problem.n:.3g} is no number of clients"
    )


def may_project(problem: Problem, sent: Sent) -> bool:
    """Whether Algorithm 2 may leave 𝒮 before the projection: messages in full from everyone never do."""
    return bool(sent.omega_p) and not problem.whole


def answer(
    args: argparse.Namespace, name: str, problem: Problem, sent: Sent, rounds: int, target: float | None
) -> dict[str, Any]:
    """γ and bound after T rounds, γ and T for the target, by the theorem `name`; κ where its projection has one."""
    together, norm = 0.0 if sent.omega_p is None else sent.omega_p, dict[str, float | None]()
    at = {"initial_gap": float(problem.gap.value or 0.0), "initial_variates": float(problem.variates.value or 0.0)}
    alpha = None if together == 0.0 else args.alpha
    if name in ("printed", "sharper"):
        settings = {**at, "omega_p": together, "alpha": alpha, "version": name}
        constants = problem.constants()
        gamma = best_gamma(constants, rounds=rounds, **settings)
        found = bound(constants, gamma=gamma, rounds=rounds, **settings)
        step = None if target is None else fastest_gamma(target, constants, **settings)
        T = None if step is None or target is None else rounds_for(target, constants, gamma=step, **settings)
        return {"gamma": gamma, "bound": found.total, "target": target, "gamma_for_target": step, "T": T}
    if name == "own-accelerated-restart":
        return with_restarts(float(problem.numbers["condition"].value or 0.0), at["initial_gap"], rounds, target)
    if name in LINEAR:
        rate, at = linear_rate(args, name, problem, sent, at)
        gamma, found = rate.best(rounds=rounds, **at)
        reached = None if target is None else rate.fastest(target, **at)
    else:
        several, constants, at = sum_terms(name, problem, sent, alpha, at)
        bounds = [(*best_own(terms, constants, rounds=rounds, **at), terms.kappa) for terms in several]
        gamma, found, kappa = min(bounds, key=lambda one: one[1].total)
        fast = [] if target is None else [
            (*one, terms.kappa) for terms in several
            if (one := fastest_own(target, terms, constants, **at)) is not None
        ]  # fmt: skip
        *reached, theirs = min(fast, key=lambda one: one[1], default=(None, None, None))
        if several[0].row == "own-seminorm-projected":
            norm = {"kappa": kappa, "kappa_for_target": theirs}
    step, T = (None, None) if reached is None else reached
    return {"gamma": gamma, "bound": found.total, "target": target, "gamma_for_target": step, "T": T, **norm}


def with_restarts(condition: float, gap: float, rounds: int, target: float | None) -> dict[str, Any]:
    """As `answer`, with the length of a block for T rounds ("restart")."""
    ours = restarted(condition, rounds=rounds, initial_gap=gap)
    found = None if target is None else fastest_restarts(target, condition, initial_gap=gap)
    T = None if found is None else max(1, found.rounds)
    return {"gamma": 1.0, "bound": ours.bound, "target": target, "gamma_for_target": 1.0, "T": T, "restart": ours.block}


Start = dict[str, float]
"""Δ and G_0 as keyword arguments of the bounds."""


def sum_terms(
    name: str, problem: Problem, sent: Sent, alpha: float | None, at: Start
) -> tuple[list[Terms], Constants | Flat | Seminorm, Start]:
    """The terms of a theorem on the mean over rounds, the least of which holds; its constants, what it starts from."""
    together = sent.omega_p or 0.0
    if name == "own-lip":
        known = {key: float(problem.numbers[key].value or 0.0) for key in ("L_T", "ell", "L", "sigma")}
        flat = Flat(**known, n=problem.n)
        start = in_interval("h0", float(problem.numbers["h0"].value or 0.0), low=0.0, high=1e150)
        return [without_A7(flat, together, alpha)], flat, {**at, "initial_gap": at["initial_gap"] + flat.a * start**2}
    if name == "own-seminorm":
        known = {key: float(problem.numbers[key].value or 0.0) for key in ("v_max", "lam", "h0", "L", "sigma")}
        bend, slope, far = (float(problem.numbers[key].value or 0.0) for key in ("C_star", "C_star_star", "sup_h"))
        semi = Seminorm.under_A7(slope / 2.0 + (bend * far if bend > 0.0 else 0.0), bend, **known, n=problem.n)
        return without_v_min(semi, together, alpha, projected=may_project(problem, sent)), semi, at
    if name == "own-biased":
        held = per_client(problem.constants(), problem.mu_min)
        return [biased(held, sent.channel)], held, {**at, "initial_variates": at["initial_variates"] / problem.mu_min}
    constants = problem.constants()
    terms = {"own-any": any_projection, "own-projected": projected}[name](constants, together, alpha)
    return [terms], constants, at


def linear_rate(args: argparse.Namespace, name: str, problem: Problem, sent: Sent, at: Start) -> tuple[Rate, Start]:
    """A linear rate and what it starts from."""
    together, across = sent.omega_p or 0.0, {**at, "initial_variates": at["initial_variates"] / problem.mu_min}
    alpha = None if together == 0.0 else args.alpha
    if name == "own-biased-linear":
        return biased_linear(per_client(problem.constants(), problem.mu_min), sent.channel, args.pl), across
    if name in UNDER_PL:
        projection = "any" if name == "own-pl" else "projected"
        return pl(problem.constants(), together, args.pl, alpha, projection), at
    if name == "own-scaffold-rate":
        condition, h0 = (float(problem.numbers[key].value or 0.0) for key in ("condition", "h0"))
        apart = (2.0 * condition * in_interval("h0", h0, low=0.0, high=1e150)) ** 2
        noise = float(problem.numbers["sigma"].value or 0.0)
        local = LocalRounds(condition, args.local_steps, round(sent.channel.p * problem.n), problem.n, noise)
        return scaffold(local), {"initial_gap": apart, "initial_variates": apart}
    m, ell, h0, sigma = (float(problem.numbers[key].value or 0.0) for key in ("monotone", "cocoercive", "h0", "sigma"))
    c = Monotone(m, ell, ell * problem.mu_max, sigma, problem.n, ell)
    distance = (in_interval("h0", h0, low=0.0, high=1e150) / m) ** 2
    if name == "own-diana-rate":  # G_0 is about h_i(s_⋆): ‖V_{0,i} − h_i(s_⋆)‖² ≤ 2‖V_{0,i} − h_i(Ŝ_0)‖² + 2‖…‖²
        apart = at["initial_variates"]
        G = c.start * distance if apart == 0.0 else 2.0 * (apart + c.start * distance)
        return diana(c, together, alpha), {"initial_gap": distance, "initial_variates": G}
    return biased_monotone(c, sent.channel, problem.mu_min), {**across, "initial_gap": distance}


def as_rows(entries: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str, str]]:
    """Theorem, what it bounds, γ, bound and T for the target (or why not), as cells of a table."""
    rows = []
    for entry in entries:
        if entry["why_not"]:
            rows.append((entry["theorem"], entry["measure"], "—", f"does not apply: {entry['why_not']}", "—"))
            continue
        proved = " (NOT PROVED: rests on " + ", ".join(entry["rests_on"]) + ")" if entry["rests_on"] else ""
        T = "—" if entry["target"] is None else "never" if entry["T"] is None else str(entry["T"])
        T += "" if entry["bits"] is None else f" ({entry['bits']:.3g} bits)"
        shown = f"{entry['bound']:.4g}{proved}"
        step = f"{entry['gamma']:.4g}" + (f", anew every {entry['restart']}" if entry.get("restart") else "")
        step += f", κ = {entry['kappa']:.3g}" if "kappa" in entry else ""
        rows.append((entry["theorem"], entry["measure"], step, shown, T))
    return rows


def draw(ax: Axes, args: argparse.Namespace, problem: Problem, sent: Sent) -> Axes:
    """The bound on ‖h‖² of each theorem that applies, at its best γ for every T, on logarithmic axes."""
    from fedmm_edu.figures.theorem import draw_comparison

    parts = {name: asked_of(args, name, problem) for name in DEMANDS if name not in LINEAR}
    parts = {name: part for name, part in parts.items() if not _why_not(args, name, part, sent)}
    if not parts:
        raise InvalidInput("no theorem applies, so that there is nothing to draw: see the table for what is missing.")
    T = np.unique(np.round(np.logspace(1, 7, 25)).astype(int))
    curves = {name: [answer(args, name, part, sent, int(t), None)["bound"] for t in T] for name, part in parts.items()}
    return draw_comparison(ax, T, curves)
