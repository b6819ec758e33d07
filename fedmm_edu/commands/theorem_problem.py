"""What `fedmm theorem` is asked about: constants given as flags, or a model with its samples; and the compression."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fedmm_edu.arrays import Array, Mask
from fedmm_edu.commands.constants import chosen, interval, setting
from fedmm_edu.datasets.samples import read_samples
from fedmm_edu.errors import InvalidInput, as_count, read_count
from fedmm_edu.federation import (
    BlockQuantization,
    Clients,
    Compressor,
    FullBatch,
    Identity,
    MiniBatch,
    RandK,
    Stream,
    TopK,
    UniformQuantization,
)
from fedmm_edu.theory.hypotheses import NUMBERS, Problem, given_problem

if TYPE_CHECKING:
    from fedmm_edu.commands.theorem_privacy import Privacy
    from fedmm_edu.symbolic.model import Model

READY = {
    "quadratic": 'fedmm theorem "quadratic:least squares, ridge" --set rho=1/2 --set lambda=1',
    "poisson": 'fedmm theorem "poisson:printed, strategy 2" --S=-1:0 '
    + " ".join(f"--set {name}=1" for name in ("lambda", "m", "m1", "m2"))
    + " --set h1=-1 --set h2=0",
}
"""A command line that works as it stands, for examples that need more than their name."""
TRIES = 100
"""Batches of samples that an example draws for a client, until enough of them lie where MM-1 asks."""
OF_MODELS = "S", "set", "data", "batch", "stream", "start", "V0"
"""Options that say something of a model and its samples."""
COMPRESSORS = "none, randk:K, uniform:BITS, block:SIZE or (biased) topk:K"


def problem_of(args: argparse.Namespace, privacy: Privacy | None = None) -> Problem:
    """The problem that the flags describe, alone or with a model and its samples; they add the noise of privacy."""
    told = {name: getattr(args, name) for name in NUMBERS}
    if args.what is None:
        if ignored := [f"--{name}" for name in OF_MODELS if getattr(args, name)]:
            raise InvalidInput(f"{', '.join(ignored)} belong to a model: name an example or a file, or leave them out.")
        n = as_count("n", 10 if args.n is None else args.n)
        if privacy is not None and args.variates is None and not _plain(args):
            raise InvalidInput(
                "G_0 = 0 says that clients send h_i(Ŝ_0) first, without noise: give --variates for V_0 = 0."
            )
        problem = given_problem(n, as_count("q", args.q), told, args.gap, args.variates or 0.0)
        return problem if privacy is None else privacy.added(problem)
    from dataclasses import replace

    from fedmm_edu.theory.from_model import describe
    from fedmm_edu.theory.hypotheses import with_constants

    models = chosen(args.what)
    if len(models) > 1:
        ready = READY.get(args.what, f'fedmm theorem "{args.what}:NAME"')
        names = "; ".join(models)
        raise InvalidInput(f"{args.what} has several models: choose one of {names}. For instance: {ready}")
    ((name, model),) = models.items()
    S = [interval(text) for text in args.S] or None
    values = dict(setting(text) for text in args.set)
    clients, note = _clients(args, name, model, S, values)
    _require_samples(model, clients)
    if args.stream and args.batch is None:
        raise InvalidInput("--stream says how mini-batches are drawn: give their size with --batch, or leave it out.")
    oracle = FullBatch() if args.batch is None else (Stream if args.stream else MiniBatch)(args.batch)
    start = None if args.start is None else [_number("start", part) for part in args.start.split(",")]
    V0 = args.V0 or "mean_field" if privacy is None else privacy.start_of_variates(args.V0)
    problem = describe(model, clients, oracle, S=S, values=values, start=start, variates=V0)
    given = {key: problem.numbers[key].allow(key, value) for key, value in told.items() if value is not None}
    numbers = {**problem.numbers, **given}
    A8 = next(row for row in problem.hypotheses if row.name == "A8")
    rows = (*(row for row in problem.hypotheses if row.name[:2] in ("MM", "A1", "A2")), *with_constants(numbers, A8))
    gap = problem.gap if args.gap is None else problem.gap.allow("gap", args.gap)
    variates = problem.variates if args.variates is None else problem.variates.allow("variates", args.variates)
    notes = (note, f"oracle: {oracle}", *problem.notes)
    problem = replace(problem, hypotheses=rows, numbers=numbers, gap=gap, variates=variates, notes=notes)
    return problem if privacy is None else privacy.added(problem, len(clients) * float(clients.mu @ clients.mu))


def _plain(args: argparse.Namespace) -> bool:
    """Whether messages travel as they are, from everyone: then there are no control variates."""
    return args.compress == "none" and not args.omega and args.contraction is None and args.p == 1.0


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidInput(f"{name} = {text!r:.100} is no finite number: write one such as 0.5.")
    return number


def _clients(
    args: argparse.Namespace, name: str, model: Model, S: Sequence[tuple[Any, Any]] | None, values: Mapping[str, Any]
) -> tuple[Clients, str]:
    columns = [str(x) for x in model.z]
    n = 10 if args.n is None else args.n
    if args.data is not None:
        return Clients.of(read_samples(args.data, columns, "client", n)), f"samples: {args.data}"
    if args.what.endswith(".py"):
        raise InvalidInput(f"no samples for {args.what}: give --data FILE.csv with the columns {', '.join(columns)}.")
    from fedmm_edu.examples import examples

    example = next(e for e in examples() if e.name == args.what.partition(":")[0])
    case = next((case for case in example.cases if case.split(",")[0] == name.split(",")[0]), next(iter(example.cases)))
    rng, size = np.random.default_rng(as_count("seed", args.seed, low=0)), as_count("samples", args.samples)
    allowed, drawn, dropped = _in_S(model, S, values), [], 0
    for _ in range(as_count("n", n)):
        kept = np.empty((0, len(columns)))
        for _ in range(TRIES):
            z = np.round(example.cases[case].draw_z(rng, size), 4)[:, -len(columns) :]
            inside = allowed(z)
            kept, dropped = np.concatenate([kept, z[inside]]), dropped + int(np.sum(~inside))
            if len(kept) >= size:
                break
        else:
            raise InvalidInput(
                f"{len(kept)} of {TRIES * size} samples drawn as in the case {case!r} have S̄ in this 𝒮, as MM-1 asks; "
                f"{size} are needed: give a larger --S, or --data."
            )
        drawn.append(kept[:size])
    only = " of those with S̄ in 𝒮" if dropped else ""
    how = f"drawn as in the case {case!r}{only}, seed {args.seed}"
    return Clients.of(drawn), f"samples: {size} for each of {n} clients, {how}"


def _in_S(model: Model, S: Sequence[tuple[Any, Any]] | None, values: Mapping[str, Any]) -> Callable[[Array], Mask]:
    """Which samples have S̄ in 𝒮, as far as the sample alone decides it: MM-1 on a smaller 𝒮 is about those."""
    import sympy as sp

    from fedmm_edu.symbolic.constants.region import restricted
    from fedmm_edu.symbolic.functions.table import NUMPY

    on_S = restricted(model, S, values)
    image = dict(zip(on_S.s, on_S.S_bar, strict=True))
    asked = [relation.xreplace(image) for relation in on_S.S]
    told = [relation for relation in asked if set() < relation.free_symbols <= set(on_S.z)]
    tests = [sp.lambdify(on_S.z, relation, NUMPY) for relation in told]
    return lambda z: np.all([np.ones(len(z), bool), *(test(*z.T) for test in tests)], axis=0)


def _require_samples(model: Model, clients: Clients) -> None:
    """Refuse samples outside the model's set Z, of which nothing is claimed."""
    for relation in model.Z:
        for row in np.unique(clients.z, axis=0):
            if not relation.subs(dict(zip(model.z, row, strict=True))):
                shown = ", ".join(f"{x} = {value:.6g}" for x, value in zip(model.z, row, strict=True))
                raise InvalidInput(f"{model.name}: the sample {shown} breaks {relation}: give --data that does not.")


def contraction(args: argparse.Namespace, q: int) -> float | None:
    """a of biased messages, E‖C(x) − x‖² ≤ (1 − a)‖x‖²; None where they are unbiased. `InvalidInput` where Theorem 1 is
    asked alone, or the messages are described twice.
    """
    compressor = compressor_of(args.compress)
    if args.contraction is None and compressor.unbiased:
        return None
    if args.omega is not None or (args.contraction is not None and args.compress != "none"):
        raise InvalidInput("biased messages are described by --contraction or --compress alone: leave out the others.")
    if args.constants != "own":
        raise InvalidInput("Theorem 1 is about unbiased messages (A4): for biased ones choose --constants own.")
    return compressor.contraction(q) if args.contraction is None else args.contraction


def biased_bits(args: argparse.Namespace, q: int) -> float | None:
    """Bits of a biased message; None where only its contraction is told."""
    return float(compressor_of(args.compress).bits(q)) if args.contraction is None else None


def compression(args: argparse.Namespace, q: int) -> tuple[float, float, str]:
    """ω, bits of a message, and how we know."""
    if args.omega is not None:
        if args.compress != "none":
            raise InvalidInput(f"--compress {args.compress} and --omega {args.omega} both say ω: leave one out.")
        if not 0.0 <= args.omega < math.inf:
            raise InvalidInput(f"omega = {args.omega}: A4 asks for a finite number >= 0.")
        return args.omega, 64.0 * q if args.bits is None else args.bits, "given"
    if args.bits is not None:
        raise InvalidInput(f"--bits {args.bits} belongs to --omega: leave it out, --compress knows its own.")
    compressor = compressor_of(args.compress)
    return compressor.omega(q), float(compressor.bits(q)), f"the smallest of {compressor}"


def compressor_of(text: str) -> Compressor:
    """The compressor that `--compress` names; `InvalidInput` for another word."""
    kind, _, size = text.partition(":")
    made = {"randk": RandK, "uniform": UniformQuantization, "block": BlockQuantization, "topk": TopK}
    if kind == "none" and not size:
        return Identity()
    if kind not in made or not size.isdecimal():
        raise InvalidInput(f"--compress {text:.100}: choose {COMPRESSORS}.")
    return made[kind](read_count("the number in --compress", size, low=0))
