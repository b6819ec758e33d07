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
    any_projection,
    best_gamma,
    best_own,
    biased,
    bound,
    fastest_gamma,
    fastest_own,
    linear_bound,
    linear_most,
    linear_rounds,
    per_client,
    projected,
    rounds_for,
    without_A7,
)
from fedmm_edu.theory.hypotheses import Number, Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OWN_NUMBERS = {
    "L_T": "the Lipschitz constant of φ∘T",
    "ell": "ℓ: the mean oracle is ℓ-Lipschitz in φ(T(s))",
    "h0": "‖h(Ŝ_0)‖",
}
PL = "m: ‖h(s)‖²_B ≥ 2m(W(T(s)) − min W) on 𝒮"
DEMANDS = {
    "printed": "A1 to A8 as amended; the projection in the norm of B_t",
    "sharper": "the same",
    "own-any": "the same, but any projection that comes no farther from the points of 𝒮, such as the Euclidean one",
    "own-projected": "those of Theorem 1, and γ ≤ 1/2",
    "own-lip": "MM-1, MM-2, A3 to A5, A6(i), 𝒮 closed and convex; φ∘T Lipschitz (L_T) and the mean oracle in it (ell)",
}
DEMANDS |= {
    "own-biased": "those of own-any but A4: messages may be biased, E‖C(x) − x‖² ≤ (1 − a)‖x‖² "
    "(a = 1/(1 + ω) for unbiased ones divided by 1 + ω); the step is along V_{t+1}, and V_i follow at full pace",
    "own-biased-linear": "the same, and ‖h(s)‖²_B ≥ 2m(W(T(s)) − min W) on 𝒮 (--pl)",
}
MEASURE = {"own-any": "E‖h‖²_B (= Ē)", "own-lip": "E‖h‖², Euclidean", "own-biased": "E‖h‖²_B (= Ē)"}
MEASURE["own-biased-linear"] = "E[W_T] − min W, the last"
FLAT_NEEDS = ("MM-1", "MM-2", "A3", "A6(i)", "A8")
FLAT_NUMBERS = ("L", "sigma")


@dataclass(frozen=True)
class Sent:
    """The messages: ω_p, or None where they are biased, and the contraction with which EF21-MM sends them."""

    omega_p: float | None
    channel: Contraction

    @classmethod
    def of(cls, omega: float | None, contraction: float | None, p: float) -> Sent:
        """Unbiased messages of factor ω, which EF21-MM divides by 1 + ω, or (ω = None) biased ones."""
        if omega is None:
            return cls(None, Contraction(1.0 if contraction is None else contraction, p))
        return cls(omega_p(omega, p), Contraction(1.0 / (1.0 + omega), p))

    def why_not(self, name: str) -> str:
        """Why the theorem says nothing of these messages; "" where it does."""
        return "A4 fails: the messages are biased" if self.omega_p is None and name not in CONTRACTIONS else ""


CONTRACTIONS = ("own-biased", "own-biased-linear")


def apply_theorems(args: argparse.Namespace, problem: Problem, sent: Sent) -> list[dict[str, Any]]:
    """One entry per theorem: its hypotheses, why it does not apply ("" if it does), γ, bound, and T for the target."""
    target = None if args.target is None else in_interval("target", args.target, low=0.0, high=1e300, open_low=True)
    entries = []
    for name, demands in DEMANDS.items():
        entry = {"theorem": name, "hypotheses": demands, "measure": MEASURE.get(name, "E[Ē]")}
        part = flat_part(args, problem) if name == "own-lip" else problem
        entry |= {"why_not": _why_not(args, name, part, sent), "rests_on": part.unproved()}
        if not entry["why_not"]:
            entry |= answer(args, name, part, sent, args.rounds, target)
        entries.append(entry)
    return entries


def flat_part(args: argparse.Namespace, problem: Problem) -> Problem:
    """The problem with what "own-lip" asks: fewer hypotheses, other numbers, and a‖h(Ŝ_0)‖² in Δ where it is known."""
    numbers = {name: problem.numbers[name] for name in FLAT_NUMBERS}
    numbers |= {name: Number(getattr(args, name), "given", "given") for name in OWN_NUMBERS}
    rows = tuple(row for row in problem.hypotheses if row.name in FLAT_NEEDS)
    return replace(problem, hypotheses=rows, numbers=numbers)


def _why_not(args: argparse.Namespace, name: str, problem: Problem, sent: Sent) -> str:
    if why := sent.why_not(name):
        return why
    if problem.failing():
        return f"{', '.join(problem.failing())} fails"
    missing = [f"--{name.replace('_', '-')}" for name in problem.missing()]
    missing += ["--pl"] if name == "own-biased-linear" and args.pl is None else []
    return f"not known: {', '.join(missing)}" if missing else ""


def answer(
    args: argparse.Namespace, name: str, problem: Problem, sent: Sent, rounds: int, target: float | None
) -> dict[str, Any]:
    """γ and bound after T rounds, and γ and T for the target, by the theorem `name`."""
    together = 0.0 if sent.omega_p is None else sent.omega_p
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
    if name == "own-lip":
        known = {key: float(problem.numbers[key].value or 0.0) for key in ("L_T", "ell", "L", "sigma")}
        constants = Flat(**known, n=problem.n)
        start = in_interval("h0", float(problem.numbers["h0"].value or 0.0), low=0.0, high=1e150)
        at["initial_gap"] += constants.a * start**2
        terms = without_A7(constants, together, alpha)
    elif name in CONTRACTIONS:
        constants = per_client(problem.constants(), problem.mu_min)
        at["initial_variates"] /= problem.mu_min
        if name == "own-biased-linear":
            gamma = linear_most(constants, sent.channel, args.pl)
            found = linear_bound(constants, sent.channel, args.pl, gamma=gamma, rounds=rounds, **at)
            reached = None if target is None else linear_rounds(target, constants, sent.channel, args.pl, **at)
            step, T = (None, None) if reached is None else reached
            return {"gamma": gamma, "bound": found.total, "target": target, "gamma_for_target": step, "T": T}
        terms = biased(constants, sent.channel)
    else:
        constants = problem.constants()
        terms = {"own-any": any_projection, "own-projected": projected}[name](constants, together, alpha)
    gamma, found = best_own(terms, constants, rounds=rounds, **at)
    reached = None if target is None else fastest_own(target, terms, constants, **at)
    step, T = (None, None) if reached is None else reached
    return {"gamma": gamma, "bound": found.total, "target": target, "gamma_for_target": step, "T": T}


def as_rows(entries: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str, str]]:
    """Theorem, what it bounds, γ, bound and T for the target (or why not), as cells of a table."""
    rows = []
    for entry in entries:
        if entry["why_not"]:
            rows.append((entry["theorem"], entry["measure"], "—", f"does not apply: {entry['why_not']}", "—"))
            continue
        proved = " (NOT PROVED: rests on " + ", ".join(entry["rests_on"]) + ")" if entry["rests_on"] else ""
        T = "—" if entry["target"] is None else "never" if entry["T"] is None else str(entry["T"])
        shown = f"{entry['bound']:.4g}{proved}"
        rows.append((entry["theorem"], entry["measure"], f"{entry['gamma']:.4g}", shown, T))
    return rows


def draw(ax: Axes, args: argparse.Namespace, problem: Problem, sent: Sent) -> Axes:
    """The bound on ‖h‖² of each theorem that applies, at its best γ for every T, on logarithmic axes."""
    from fedmm_edu.figures.theorem import draw_comparison

    parts = {
        name: flat_part(args, problem) if name == "own-lip" else problem
        for name in DEMANDS
        if name != "own-biased-linear"
    }
    parts = {name: part for name, part in parts.items() if not _why_not(args, name, part, sent)}
    if not parts:
        raise InvalidInput("no theorem applies, so that there is nothing to draw: see the table for what is missing.")
    T = np.unique(np.round(np.logspace(1, 7, 25)).astype(int))
    curves = {name: [answer(args, name, part, sent, int(t), None)["bound"] for t in T] for name, part in parts.items()}
    return draw_comparison(ax, T, curves)
