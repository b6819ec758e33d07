"""`fedmm theorem`: what Theorem 1 promises for given constants, an example, or a person's own model with data."""

from __future__ import annotations

import argparse
import csv
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.commands.constants import chosen, interval, setting
from fedmm_edu.commands.terminal import table, terminal_width
from fedmm_edu.commands.theorem_own import OWN_NUMBERS, as_rows, compare, draw
from fedmm_edu.errors import InvalidInput, as_count, in_interval
from fedmm_edu.federation import (
    BlockQuantization,
    Clients,
    Compressor,
    FullBatch,
    Identity,
    MiniBatch,
    RandK,
    Stream,
    UniformQuantization,
    omega_p,
)
from fedmm_edu.theory import best_gamma, bound, factors, full_price, largest_gamma, price, rounds_for
from fedmm_edu.theory.hypotheses import NUMBERS, Problem, federation, given_problem
from fedmm_edu.theory.theorem1 import admitted_alpha

DESCRIPTION = """\
What Theorem 1 (`theo:main`) promises: which of its assumptions hold as far as known, the largest step sizes, the bound
with its three terms, the rounds for an accuracy, and what compression and partial participation cost.
The constants come from flags, or from an example or your own model with data: exact or enclosed where that is possible.
The exit status is 0 when there is a bound and all it rests on is proved or given, else 1.
"""
EXAMPLES = """\
examples:
  fedmm theorem toy --S=1/10:5 --batch 4 --p 0.5
  fedmm theorem "quadratic:least squares, ridge" --set rho=1/2 --set lambda=1 --p 0.5 --figure bound.png
  fedmm theorem --v-min 1 --v-max 2 --C-star 0 --C-star-star 2 --L 1 --sigma 0.1 --gap 1 --omega 1 --p 0.5
"""
MARKS = {"proved": "✓", "given": "·", "fails": "✗", "unknown": "?"}
WHY = {
    "sharper": "the smaller numbers of row thm1-B-best in the ledger, which the paper's own propositions give",
    "printed": "the numbers that the paper prints",
}
READY = {
    "quadratic": 'fedmm theorem "quadratic:least squares, ridge" --set rho=1/2 --set lambda=1',
    "poisson": 'fedmm theorem "poisson:printed, strategy 2" --S=-1:0 '
    + " ".join(f"--set {name}=1" for name in ("h1", "lambda", "m", "m1", "m2"))
    + " --set h2=2",
}
"""A command line that works as it stands, for examples that need more than their name."""
COMPRESSORS = "none, randk:K, uniform:BITS or block:SIZE"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm theorem`."""
    add = parser.add_argument
    add("what", nargs="?", metavar="EXAMPLE[:MODEL] | FILE.py", help="a model; without one, give the constants")
    add("--S", action="append", default=[], metavar="LOW:HIGH", help="𝒮, once per coordinate (write --S=-1:0)")
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant of the model")
    add("--data", type=Path, metavar="FILE.csv", help="samples: a column per symbol of z, and perhaps one named client")
    add("--samples", type=int, default=20, help="samples of each client, where an example draws them (default 20)")
    add("--seed", type=int, default=0, help="seed of these samples (default 0)")
    add("--batch", type=int, help="samples of a mini-batch (default: all, so that σ = 0)")
    add("--stream", action="store_true", help="draw mini-batches with replacement")
    add("--start", help="Ŝ_0, comma-separated (default: the middle of 𝒮, or 0)")
    add("--V0", choices=("mean_field", "zero"), default="mean_field", help="V_{0,i}: h_i(Ŝ_0) (default) or zero")
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
    add("--json", action="store_true", help="print JSON instead of text")
    add("--figure", type=Path, metavar="FILE.png", help="also draw the bound and its terms over T")


def run(args: argparse.Namespace) -> int:
    """The exit status: 0 if there is a bound and all that it rests on is proved or given, else 1."""
    problem = _problem(args)
    omega, bits, how = _compression(args, problem.q)
    rows = (*problem.hypotheses, *federation(omega, how, args.p))
    found: dict[str, Any] = {"problem": problem.title, "hypotheses": [asdict(row) for row in rows]}
    found["numbers"] = {name: asdict(number) for name, number in problem.numbers.items()}
    found |= {"gap": asdict(problem.gap), "variates": asdict(problem.variates), "notes": list(problem.notes)}
    if args.constants == "own":
        return _own(args, problem, found, omega)
    answers = not problem.failing() and not problem.missing()
    found["rests_on"] = problem.unproved() if answers else {}
    if answers:
        found |= _answers(args, problem, omega, bits)
    else:
        found["why_not"] = _why_not(problem)
    if args.figure is not None:
        if not answers:
            raise InvalidInput(f"there is no bound to draw: {found['why_not']}")
        _draw(args, problem, found)
    print(json.dumps(as_json(found), ensure_ascii=False, indent=1) if args.json else as_text(found))
    return 0 if answers and not found["rests_on"] else 1


def _own(args: argparse.Namespace, problem: Problem, found: dict[str, Any], omega: float) -> int:
    """The same problem by the ledger's own theorems; the exit status is 0 if one applies and rests on no guess."""
    together, columns = omega_p(omega, args.p), terminal_width()
    found |= {"omega": omega, "p": args.p, "omega_p": together, "theorems": compare(args, problem, together)}
    if args.figure is not None:
        from fedmm_edu.figures import panels, save_png

        figure, (ax,) = panels(1, width=6.0, height=4.2)
        draw(ax, args, problem, together)
        save_png(figure, args.figure)
    if args.json:
        print(json.dumps(as_json(found), ensure_ascii=False, indent=1))
    else:
        heads = ("theorem", "bounds the mean of", "γ", f"after T = {args.rounds}", "T for the target")
        cells = table(heads, as_rows(found["theorems"]), columns=columns, shares=(16, 18, 12, 38, 16))
        asks = [f"{entry['theorem']} asks: {entry['hypotheses']}" for entry in found["theorems"]]
        print("\n".join([*as_tables(found, columns), cells, "", *asks]))
    return 0 if any(not entry["why_not"] and not entry["rests_on"] for entry in found["theorems"]) else 1


def _why_not(problem: Problem) -> str:
    if problem.failing():
        return f"Theorem 1 does not apply: {', '.join(problem.failing())} fails."
    flags = ", ".join(f"--{name.replace('_', '-')}" for name in problem.missing())
    return f"no bound: {', '.join(problem.missing())} not known; give {flags}."


def _problem(args: argparse.Namespace) -> Problem:
    told = {name: getattr(args, name) for name in NUMBERS}
    if args.what is None:
        n = as_count("n", 10 if args.n is None else args.n)
        return given_problem(n, as_count("q", args.q), told, args.gap, args.variates or 0.0)
    from dataclasses import replace

    from fedmm_edu.theory.from_model import describe
    from fedmm_edu.theory.hypotheses import Number, with_constants

    models = chosen(args.what)
    if len(models) > 1:
        ready = READY.get(args.what, f'fedmm theorem "{args.what}:NAME"')
        names = "; ".join(models)
        raise InvalidInput(f"{args.what} has several models: choose one of {names}. For instance: {ready}")
    ((name, model),) = models.items()
    clients, note = _clients(args, name, [str(x) for x in model.z])
    oracle = FullBatch() if args.batch is None else (Stream if args.stream else MiniBatch)(args.batch)
    start = None if args.start is None else [_number("start", part) for part in args.start.split(",")]
    S = [interval(text) for text in args.S] or None
    values = dict(setting(text) for text in args.set)
    problem = describe(model, clients, oracle, S=S, values=values, start=start, variates=args.V0)
    given = {key: Number(value, "given", "given") for key, value in told.items() if value is not None}
    numbers = {**problem.numbers, **given}
    A8 = next(row for row in problem.hypotheses if row.name == "A8")
    rows = (*(row for row in problem.hypotheses if row.name[:2] in ("MM", "A1", "A2")), *with_constants(numbers, A8))
    gap = problem.gap if args.gap is None else Number(args.gap, "given", "given")
    variates = problem.variates if args.variates is None else Number(args.variates, "given", "given")
    notes = (note, f"oracle: {oracle}", *problem.notes)
    return replace(problem, hypotheses=rows, numbers=numbers, gap=gap, variates=variates, notes=notes)


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInput(f"{name} = {text!r} is no number: write one such as 0.5.") from error


def _clients(args: argparse.Namespace, model: str, columns: list[str]) -> tuple[Clients, str]:
    if args.data is not None:
        return _read(args.data, columns, args.n), f"samples: {args.data}"
    if args.what.endswith(".py"):
        raise InvalidInput(f"no samples for {args.what}: give --data FILE.csv with the columns {', '.join(columns)}.")
    from fedmm_edu.examples import examples

    example = next(e for e in examples() if e.name == args.what.partition(":")[0])
    case = next(
        (name for name in example.cases if name.split(",")[0] == model.split(",")[0]), next(iter(example.cases))
    )
    rng, n = np.random.default_rng(args.seed), as_count("n", 10 if args.n is None else args.n)
    drawn = [np.round(example.cases[case].draw_z(rng, as_count("samples", args.samples)), 4) for _ in range(n)]
    text = f"samples: {args.samples} for each of {n} clients, drawn as in the case {case!r}, seed {args.seed}"
    return Clients.of([z[:, -len(columns) :] for z in drawn]), text


def _read(path: Path, columns: list[str], n: int | None) -> Clients:
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}; give a CSV file with a header.") from error
    if not rows or any(name not in rows[0] for name in columns):
        raise InvalidInput(
            f"{path} lacks rows, or one of the columns {', '.join(columns)}: write them in its first line."
        )
    z = np.array([[_number(name, row[name] or "") for name in columns] for row in rows])
    if "client" in rows[0]:
        owners = [row["client"] for row in rows]
        return Clients.of([z[[o == owner for o in owners]] for owner in dict.fromkeys(owners)])
    count = as_count("n", 10 if n is None else n, high=len(z))
    return Clients.of(np.array_split(z, count))


def _compression(args: argparse.Namespace, q: int) -> tuple[float, float, str]:
    """ω, bits of a message, and how we know."""
    if args.omega is not None:
        if not 0.0 <= args.omega < math.inf:
            raise InvalidInput(f"omega = {args.omega}: A4 asks for a finite number >= 0.")
        return args.omega, 64.0 * q if args.bits is None else args.bits, "given"
    compressor = _compressor(args.compress)
    return compressor.omega(q), float(compressor.bits(q)), f"the smallest of {compressor}"


def _compressor(text: str) -> Compressor:
    kind, _, size = text.partition(":")
    made = {"randk": RandK, "uniform": UniformQuantization, "block": BlockQuantization}
    if kind == "none" and not size:
        return Identity()
    if kind not in made or not size.isdigit():
        raise InvalidInput(f"--compress {text}: choose {COMPRESSORS}.")
    return made[kind](int(size))


def _answers(args: argparse.Namespace, problem: Problem, omega: float, bits: float) -> dict[str, Any]:
    """Step sizes, the bound, the rounds for the target, and the price of compression and participation."""
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
    return {
        "version": version,
        "factors": None if alpha is None else factors(together, alpha, version)._asdict(),
        "omega": omega, "p": args.p, "omega_p": together, "n": problem.n, "q": problem.q,
        "C_bar": constants.C_bar,
        "largest_alpha": None if alpha is None else admitted_alpha(together),
        "alpha": alpha,
        "largest_gamma": largest_gamma(constants, together, alpha, version=version),
        "gamma": gamma, "rounds": args.rounds,
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


def as_json(value: Any) -> Any:
    """JSON has no infinity: it is written as text."""
    if isinstance(value, dict):
        return {key: as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(entry) for entry in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def as_text(found: dict[str, Any]) -> str:
    """What a person reads: hypotheses, constants, and what follows."""
    columns = terminal_width()
    parts = as_tables(found, columns)
    if "why_not" in found:
        return "\n".join([*parts, found["why_not"]])
    return "\n".join([*parts, *_conclusions(found)])


def as_tables(found: dict[str, Any], columns: int) -> list[str]:
    """The hypotheses and the constants, as tables."""
    rows = [(r["name"], f"{MARKS[r['status']]} {r['status']}", r["why"]) for r in found["hypotheses"]]
    parts = [f"Theorem 1 for {found['problem']}"]
    parts += list(found["notes"])
    parts += ["", table(("assumption", "status", "why"), rows, columns=columns, shares=(12, 12, 76)), ""]
    numbers = {**found["numbers"], "Δ": found["gap"], "G_0": found["variates"]}
    cells = [(n, "not known" if v["value"] is None else f"{v['value']:.6g}", v["how"]) for n, v in numbers.items()]
    return [*parts, table(("constant", "value", "how"), cells, columns=columns, shares=(14, 16, 70)), ""]


def _conclusions(found: dict[str, Any]) -> list[str]:
    B = found["bound"]
    lines = [
        f"case {'A: no compression, everyone takes part' if found['omega_p'] == 0 else 'B'}: ω = {found['omega']:.6g}, "
        f"p = {found['p']:.6g}, ω_p = {found['omega_p']:.6g}; constants: {found['version']}, {WHY[found['version']]}",
        *([] if found["alpha"] is None else [f"α = {found['alpha']:.6g}, at most {found['largest_alpha']:.6g}"]),
        f"γ = {found['gamma']:.6g}, must be below {found['largest_gamma']:.6g}",
        f"after T = {found['rounds']} rounds the mean of E[Ē_t] is at most {B['total']:.6g}",
        f"    = {B['initial']:.6g} (initial gap) + {B['control_variates']:.6g} (control variates) + "
        f"{B['noise']:.6g} (noise)",
    ]
    if found["rests_on"]:
        words = "; ".join(f"{name} ({how})" for name, how in found["rests_on"].items())
        lines.insert(0, f"NOT PROVED: the bound below rests on what is not proved: {words}")
    reach = found["rounds_for_target"]
    lines.append(f"target {found['target']:.6g}: " + (f"T = {reach} rounds with this γ" if reach else
                 "never with this γ, as the noise term is above it"))  # fmt: skip
    for name, says in (("chosen", "with these messages"), ("none", "uncompressed, everyone")):
        cost = found["price"].get(name)
        if cost is not None:
            what = "not reached" if cost["rounds"] is None else f"{cost['rounds']} rounds, {cost['bits']:.4g} bits up"
            lines.append(f"    {says}: {what}" + ("" if cost["gamma"] is None else f" (γ = {cost['gamma']:.4g})"))
    prices = found["price"]
    if prices and all(prices[name]["rounds"] for name in prices):
        rounds, bits = (prices["chosen"][key] / prices["none"][key] for key in ("rounds", "bits"))
        lines.append(f"    that is {rounds:.3g} times the rounds and {bits:.3g} times the bits, by the bound")
    return lines
