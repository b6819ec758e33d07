"""`fedmm theorem`: what Theorem 1 promises for given constants, an example, or a person's own model with data."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fedmm_edu.commands.theorem_missing import as_cells, as_lacking
from fedmm_edu.commands.theorem_own import OWN_NUMBERS, PL, Sent, apply_theorems, as_rows, draw
from fedmm_edu.commands.theorem_privacy import PRIVACY, Privacy
from fedmm_edu.commands.theorem_problem import COMPRESSORS, biased_bits, compression, contraction, problem_of
from fedmm_edu.commands.theorem_regression import NAME, rates_beside_runs
from fedmm_edu.commands.theorem_text import as_tables, as_text, without_infinity
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.federation import omega_p
from fedmm_edu.text.tables import table, terminal_width
from fedmm_edu.theory import best_gamma, bound, factors, full_price, largest_gamma, price, rounds_for
from fedmm_edu.theory.hypotheses import NUMBERS, Problem, federation
from fedmm_edu.theory.theorem1 import admitted_alpha

DESCRIPTION = """\
What Theorem 1 (`theo:main`) promises: which of its assumptions hold as far as known, the largest step sizes, the bound
with its three terms, the rounds for an accuracy, and what compression and partial participation cost.
The constants come from flags, or from an example or your own model with data: exact or enclosed where that is possible.
`regression` stands for sparse regression in any dimension (--data: features, then y; --set l1=0.1; without data, the
rows of the README): there several --compress, with commas between, are put side by side, certified and measured.
The exit status is 0 when there is a bound and all it rests on is proved or given, else 1.
"""
EXAMPLES = """\
examples:
  fedmm theorem regression --compress uniform:8,topk:1 --p 0.5
  fedmm theorem toy --S=1/10:5 --batch 4 --p 0.5
  fedmm theorem "quadratic:least squares, ridge" --set rho=1/2 --set lambda=1 --p 0.5 --figure bound.png
  fedmm theorem --v-min 1 --v-max 2 --C-star 0 --C-star-star 2 --L 1 --sigma 0.1 --gap 1 --omega 1 --p 0.5
  fedmm theorem --v-min 1 --v-max 1 --C-star 0 --C-star-star 1 --L 1 --sigma 0 --gap 1 \\
    --epsilon 1 --delta 1e-5 --sensitivity 0.004 -T 100
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm theorem`."""
    add = parser.add_argument
    add(
        "what",
        nargs="?",
        metavar="EXAMPLE[:MODEL] | FILE.py | regression",
        help="a model; without one, give the constants",
    )
    add("--S", action="append", default=[], metavar="LOW:HIGH", help="𝒮, once per coordinate (write --S=-1:0)")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant of the model")
    add("--data", type=Path, metavar="FILE.csv", help="samples: a column per symbol of z, and perhaps one named client")
    add("--samples", type=int, default=20, help="samples of each client, where an example draws them (default 20)")
    add("--seed", type=int, default=0, help="seed of these samples (default 0)")
    add("--batch", type=int, help="samples of a mini-batch (default: all, so that σ = 0)")
    add("--stream", action="store_true", help="draw mini-batches with replacement")
    add("--start", help="Ŝ_0, comma-separated (default: the middle of 𝒮, or 0)")
    add("--V0", choices=("mean_field", "zero"), help="V_{0,i}: h_i(Ŝ_0) (default), or zero (with --epsilon)")
    add("--n", type=int, help="number of clients (default 10)")
    for name in NUMBERS:
        add(
            f"--{name.replace('_', '-')}", dest=name, type=float, help=f"the constant {name}, in place of a derived one"
        )
    add("--gap", type=float, help="Δ = W(T(Ŝ_0)) − min W")
    add("--variates", type=float, help="G_0 = Σ μ_i²‖V_{0,i} − h_i(Ŝ_0)‖²")
    add("--q", type=int, default=1, help="numbers of a message, where no model says so (default 1)")
    add("--compress", default="none", help=f"{COMPRESSORS} (default none)")
    add("--omega", type=float, help="ω of another compressor, with --bits")
    add("--bits", type=float, help="bits of one message, with --omega")
    add("--p", type=float, default=1.0, help="probability with which a client takes part (default 1)")
    add("--alpha", type=float, help="α (default: the largest)")
    add("--gamma", type=float, help="γ (default: the one with the least bound after T rounds)")
    add("--rounds", "-T", type=int, default=1000, help="T (default 1000)")
    add("--target", type=float, help="the accuracy wanted (default: twice the noise term, or a tenth of the bound)")
    add(
        "--constants", choices=("sharper", "printed", "own"), default="sharper",
        help="constants of part (B), or the ledger's own theorems beside Theorem 1 (default sharper)",
    )  # fmt: skip
    for name, says in OWN_NUMBERS.items():
        add(f"--{name.replace('_', '-')}", dest=name, type=float, help=f"{says}, with --constants own")
    add("--pl", type=float, metavar="M", help=f"{PL}, with --constants own")
    add("--local-steps", type=int, metavar="K", help="K of SCAFFOLD's local steps, with --constants own")
    add(
        "--contraction", type=float, metavar="A",
        help="the messages are biased: E‖C(x) − x‖² ≤ (1 − A)‖x‖², as Top-k with A = k/q; with --constants own",
    )  # fmt: skip
    for name, says in PRIVACY.items():
        add(f"--{name}", type=float, help=says)
    add("--json", action="store_true", help="print JSON instead of text")
    add("--figure", type=Path, metavar="FILE.png", help="also draw the bound and its terms over T")


def run(args: argparse.Namespace) -> int:
    """The exit status: 0 if there is a bound and all that it rests on is proved or given, else 1."""
    if args.what == NAME:
        return rates_beside_runs(args)
    privacy = Privacy.of(args)
    problem = problem_of(args, privacy)
    a = contraction(args, problem.q)
    omega, bits, size = None, 0.0, None
    if a is None:
        omega, bits, how = compression(args, problem.q)
        size = bits
    else:
        size, how = biased_bits(args, problem.q), f"biased messages, E‖C(x) − x‖² ≤ (1 − {a:.6g})‖x‖²"
    rows = (*problem.hypotheses, *federation(omega, how, args.p))
    found: dict[str, Any] = {"problem": problem.title, "hypotheses": [asdict(row) for row in rows]}
    found["numbers"] = {name: asdict(number) for name, number in problem.numbers.items()}
    found |= {"gap": asdict(problem.gap), "variates": asdict(problem.variates), "notes": list(problem.notes)}
    if privacy is not None:
        found["privacy"] = privacy.as_dict()
    if args.constants == "own" or omega is None:
        return _own(args, problem, found, Sent.of(omega, a, args.p, size), omega)
    answers = not problem.failing() and not problem.missing()
    found["rests_on"] = problem.unproved() if answers else {}
    if answers:
        found |= _answers(args, problem, omega, bits, privacy)
    else:
        found["why_not"] = _why_not(problem)
    if args.figure is not None:
        if not answers:
            raise InvalidInput(f"there is no bound to draw: {found['why_not']}")
        _draw(args, problem, found)
    print(json.dumps(without_infinity(found), ensure_ascii=False, indent=1) if args.json else as_text(found))
    return 0 if answers and not found["rests_on"] else 1


def _own(args: argparse.Namespace, problem: Problem, found: dict[str, Any], sent: Sent, omega: float | None) -> int:
    """The same problem by the ledger's own theorems; the exit status is 0 if one applies and rests on no guess."""
    columns = terminal_width()
    found |= {"omega": omega, "p": args.p, "omega_p": sent.omega_p, "contraction": sent.channel.a}
    found["numbers"] |= {name: asdict(number) for name, number in problem.own.items()}
    found |= {"theorems": apply_theorems(args, problem, sent)}
    lacking = as_lacking(
        problem, (name for entry in found["theorems"] for name in (*entry["lacks"], *entry["rests_on"]))
    )
    found["missing"] = lacking
    if args.figure is not None:
        from fedmm_edu.figures import panels, save_png

        figure, (ax,) = panels(1, width=6.0, height=4.2)
        draw(ax, args, problem, sent)
        save_png(figure, args.figure)
    if args.json:
        print(json.dumps(without_infinity(found), ensure_ascii=False, indent=1))
    else:
        heads = ("theorem", "bounds the mean of", "γ", f"after T = {args.rounds}", "T for the target")
        cells = table(heads, as_rows(found["theorems"]), columns=columns, shares=(18, 18, 12, 30, 22))
        asks = [f"{entry['theorem']} asks: {entry['hypotheses']}" for entry in found["theorems"]]
        heads, shares = ("missing", "it says that", "here", "without it: a counterexample"), (12, 28, 38, 22)
        lacks = [table(heads, as_cells(lacking), columns=columns, shares=shares), ""] if lacking else []
        print("\n".join([*as_tables(found, columns), cells, "", *lacks, *asks]))
    return 0 if any(not entry["why_not"] and not entry["rests_on"] for entry in found["theorems"]) else 1


def _why_not(problem: Problem) -> str:
    if problem.failing():
        return f"Theorem 1 does not apply: {', '.join(problem.failing())} fails."
    flags = ", ".join(f"--{name.replace('_', '-')}" for name in problem.missing())
    return f"no bound: {', '.join(problem.missing())} not known; give {flags}."


def _answers(
    args: argparse.Namespace, problem: Problem, omega: float, bits: float, privacy: Privacy | None
) -> dict[str, Any]:
    """Step sizes, the bound, the rounds for the target, and the price of compression, participation and privacy."""
    constants, version = problem.constants(), args.constants
    together = omega_p(omega, args.p)
    alpha = None if together == 0.0 else admitted_alpha(together, args.alpha)
    at: dict[str, Any] = {"initial_gap": float(problem.gap.value or 0.0), "omega_p": together, "alpha": alpha}
    at |= {"initial_variates": float(problem.variates.value or 0.0), "version": version}
    gamma = best_gamma(constants, rounds=args.rounds, **at) if args.gamma is None else args.gamma
    now = bound(constants, gamma=gamma, rounds=args.rounds, **at)
    default = 2.0 * now.noise if now.noise > 0.0 else now.total / 10.0
    target = (
        default if args.target is None else in_interval("target", args.target, low=0.0, high=math.inf, open_low=True)
    )
    costs = {}
    if target > 0.0:
        start = {name: at[name] for name in ("initial_gap", "initial_variates", "version")}
        ours = price(target, constants, omega=omega, p=args.p, bits_per_message=bits, alpha=args.alpha, **start)
        costs = {"chosen": asdict(ours), "none": asdict(full_price(target, constants, q=problem.q, **start))}
        if privacy is not None:
            costs = {name: {**cost, "epsilon": privacy.spent(cost["rounds"])} for name, cost in costs.items()}
    return {
        "version": version,
        "factors": None if alpha is None else factors(together, alpha, version)._asdict(),
        "omega": omega, "p": args.p, "omega_p": together, "n": problem.n, "q": problem.q,
        "C_bar": constants.C_bar,
        "largest_alpha": None if alpha is None else admitted_alpha(together),
        "alpha": alpha,
        "largest_gamma": largest_gamma(constants, together, alpha, version=version),
        "gamma": gamma, "rounds": args.rounds, "bits": args.rounds * problem.n * args.p * bits,
        "bound": {**asdict(now), "total": now.total},
        "target": target,
        "rounds_for_target": rounds_for(target, constants, gamma=gamma, **at) if target > 0.0 else 1,
        "price": costs,
    }  # fmt: skip


def _draw(args: argparse.Namespace, problem: Problem, found: dict[str, Any]) -> None:
    from fedmm_edu.figures import panels, save_png
    from fedmm_edu.figures.theorem import draw_bound

    figure, (ax,) = panels(1, width=6.0, height=4.2)
    draw_bound(
        ax, problem.constants(), most_rounds=max(100 * args.rounds, 10 * (found["rounds_for_target"] or 1)),
        target=found["target"], gamma=found["gamma"], omega_p=found["omega_p"], alpha=found["alpha"],
        initial_gap=problem.gap.value, initial_variates=problem.variates.value, version=args.constants,
    )  # fmt: skip
    save_png(figure, args.figure)
