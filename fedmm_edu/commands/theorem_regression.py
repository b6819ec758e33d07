"""`fedmm theorem regression`: certified and measured linear rates of several kinds of messages, side by side."""

from __future__ import annotations

import argparse
import csv
import json
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from fedmm_edu.commands.constants import setting
from fedmm_edu.commands.theorem_problem import compressor_of
from fedmm_edu.datasets.samples import read_samples
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.text.tables import table, terminal_width

if TYPE_CHECKING:
    from fedmm_edu.federation import Clients
    from fedmm_edu.studies.regression import Beside

NAME = "regression"
IGNORED = (
    "S",
    "batch",
    "stream",
    "start",
    "contraction",
    "omega",
    "bits",
    "alpha",
    "gamma",
    "pl",
    "figure",
    "variates",
    "epsilon",
    "delta",
    "sensitivity",
)


def rates_beside_runs(args: argparse.Namespace) -> int:
    """Print the table; the exit status is 0, as all that a rate rests on is computed from the rows."""
    from threadpoolctl import threadpool_limits

    from fedmm_edu.studies.regression import side_by_side, sparse_regression

    if told := [f"--{name}" for name in IGNORED if getattr(args, name)]:
        raise InvalidInput(
            f"{', '.join(told)}: not of {NAME}, where oracles are exact and each theorem chooses its step."
        )
    values = dict(setting(text) for text in args.set)
    if odd := values.keys() - {"l1"}:
        raise InvalidInput(f"--set {min(odd)}: {NAME} has one constant, l1, the weight of the penalty.")
    l1 = _number(values.get("l1", "0.1"))
    clients, where = _clients(args)
    compressors = [compressor_of(text) for text in args.compress.split(",")]
    with threadpool_limits(1):
        known = sparse_regression(clients, l1)
        apart = known.distance(known.start)
        share = (
            1e-3
            if args.target is None
            else in_interval("target", args.target, low=0.0, high=apart, open_low=True) / apart
        )
        found = side_by_side(known, compressors, args.p, share)
    if args.json:
        print(json.dumps({"start": apart, "share": share, "rates": [asdict(one) for one in found]}, indent=1))
        return 0
    m = known.monotone
    print(f"{where}; least squares, ℓ1 penalty {l1:g}, exact oracles, p = {args.p:g}")
    print(f"m = {m.m:.4g}, ℓ = {m.ell:.4g}, λ = {m.lam:.4g}; ‖Ŝ_0 − s_⋆‖² = {apart:.4g}, wanted {share * apart:.4g}\n")
    heads = ("messages", "theorem", "γ", "factor a round", "measured", "rounds", "measured", "bits up")
    print(table(heads, [_row(one) for one in found], columns=terminal_width(), shares=(20, 20, 8, 10, 10, 8, 10, 14)))
    print("\nA factor is that of E‖Ŝ_t − s_⋆‖² in one round: certified, and measured as the mean of 8 runs at that γ.")
    return 0


def _row(one: Beside) -> tuple[str, ...]:
    factors = (f"{one.gamma:.3g}", f"{one.factor:.4f}", f"{one.measured_factor:.4f}")
    return (one.messages, one.theorem, *factors, str(one.rounds), str(one.measured_rounds), f"{one.bits:.3g}")


def _number(text: str) -> float:
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError) as error:
        raise InvalidInput(f"--set l1={text:.100} is no number: write one such as 0.1 or 1/10.") from error


def _clients(args: argparse.Namespace) -> tuple[Clients, str]:
    from fedmm_edu.federation import Clients
    from fedmm_edu.studies.regression import drawn_clients

    data: Path | None = args.data
    if data is None:
        return drawn_clients(args.seed), f"ten clients with 50 rows of 3 features, drawn with seed {args.seed}"
    try:
        with data.open(encoding="utf-8", newline="") as file:
            names = [name for name in next(csv.reader(file), []) if name != "client"]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{data}: not read ({error}); give a CSV file whose last column is y.") from error
    if len(names) < 2:
        raise InvalidInput(f"{data}: a regression needs columns of features and a last one, y, besides client.")
    return Clients.of(
        read_samples(data, names, "client", 10 if args.n is None else args.n)
    ), f"rows of {data}, y = {names[-1]}"
