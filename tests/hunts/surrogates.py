"""`python -m tests.hunts.surrogates --models 300`: the checker against random surrogates of known truth.

A right model must have no refuted row, a broken one must not have the broken row proved, and every witness is looked at
again with numbers of 60 digits that share no code with the checker. The exit status is 1 when anything of this fails.
`--record` goes on where the hunt of this seed was left, and keeps how far it came, Ctrl-C or not: a page shows it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import sympy as sp

from fedmm_edu.errors import FedMMError
from fedmm_edu.files import write_json
from fedmm_edu.proofs.verdict import Verdict
from fedmm_edu.symbolic import Model, check_model
from tests.hunts.families import Sample, samples


@dataclass
class Found:
    """What a hunt saw: mistakes with the model, and how often each row had each verdict."""

    mistakes: list[str] = field(default_factory=list)
    right: Counter = field(default_factory=Counter)
    broken: Counter = field(default_factory=Counter)


RECORD = Path(__file__).with_name("hunted.json")
KEPT_EACH = 20
"""Models after which the record is written, so that a hunt that is killed loses a minute at most."""


@dataclass(frozen=True)
class Hunted:
    """How far the hunt of a seed came: right models, each with one broken, mistakes, seconds of processor time."""

    models: int = 0
    mistakes: int = 0
    seconds: int = 0


def hunted() -> dict[str, Hunted]:
    """The record by seed; empty where there is none."""
    if not RECORD.is_file():
        return {}
    return {seed: Hunted(**entry) for seed, entry in json.loads(RECORD.read_text(encoding="utf-8")).items()}


def keep(seed: int, now: Hunted) -> None:
    """Write how far the hunt of this seed came; the records of other seeds stay."""
    write_json(RECORD, {name: asdict(one) for name, one in (hunted() | {str(seed): now}).items()})


def judge(sample: Sample, rng: Random, found: Found) -> None:
    """Check the right model and one of its breaks."""
    rows = _rows(sample.family, sample.model, found)
    for row, verdict in rows.items():
        found.right[row, verdict.status] += 1
        if verdict.status == "refuted" and row != "A1: convex":
            found.mistakes.append(f"refuted though right: {sample.family}, {row}: {sample.model} {verdict.witness}")
        _look_at(sample.family, sample.model, row, verdict, found)
    broken = rng.choice(sample.breaks)
    rows = _rows(f"{sample.family}, {broken.what}", broken.model, found)
    for row, verdict in rows.items():
        _look_at(f"{sample.family}, {broken.what}", broken.model, row, verdict, found)
    if rows:
        status = rows[broken.row].status
        found.broken[broken.row, status] += 1
        if status in ("proved", "supported"):
            found.mistakes.append(
                f"{status} though false: {sample.family}, {broken.what}, {broken.row}: {broken.model}"
            )


def _rows(name: str, model: Model, found: Found) -> Mapping[str, Verdict]:
    try:
        return check_model(model)
    except FedMMError as error:
        found.mistakes.append(f"{type(error).__name__}: {name}: {error}")
        return {}


def _look_at(name: str, model: Model, row: str, verdict: Verdict, found: Found) -> None:
    """The witness of a refuted row, again: does the row fail there, computed with 60 digits from the definition?"""
    if verdict.status != "refuted" or verdict.witness is None:
        return
    point = {sp.Symbol(x, real=True): sp.Rational(v) for x, v in verdict.witness.point.items()}
    fails = _fails(model, row, point)
    if fails is False:
        found.mistakes.append(f"a witness that is none: {name}, {row} at {verdict.witness.point}: {model}")


def _fails(model: Model, row: str, at: Mapping[sp.Symbol, sp.Rational]) -> bool | None:
    """Whether the row fails at the point; None for rows that are not looked at again."""
    tau = dict(zip(model.theta, model.tau, strict=True))

    def value(expr: sp.Expr) -> Any:
        names = sorted(expr.free_symbols, key=str)
        if any(x not in at for x in names):
            return None
        with mpmath.workdps(60):
            numbers = [mpmath.mpf(int(at[x].p)) / int(at[x].q) for x in names]
            found = sp.lambdify(names, expr, "mpmath")(*numbers)
            return found if not isinstance(found, mpmath.mpc) else (found.real if found.imag == 0 else None)

    if row == "MM-1: majorizes":
        inner = sum(s.xreplace(tau) * (phi - phi.xreplace(tau)) for s, phi in zip(model.S_bar, model.phi, strict=True))
        gap = (model.loss - model.psi).xreplace(tau) + model.psi - inner - model.loss
        found = value(gap)
        return None if found is None else bool(found < -(mpmath.mpf(10) ** -40))
    if row == "MM-1: tangent":
        slopes = []
        for x in model.theta:
            inner = sum(s * sp.diff(phi, x) for s, phi in zip(model.S_bar, model.phi, strict=True))
            slopes.append(value((sp.diff(model.loss - model.psi, x) + inner).xreplace(tau)))
        return None if None in slopes else any(abs(v) > mpmath.mpf(10) ** -40 for v in slopes)
    if row == "MM-2: T minimizes" and model.T is not None:
        T = dict(zip(model.theta, model.T, strict=True))
        found = value(model.surrogate - model.surrogate.xreplace(T))
        return None if found is None else bool(found < -(mpmath.mpf(10) ** -40))
    return None


def hunt(models: int, seed: int, *, pairs: bool = True, first: int = 0) -> Iterator[Found]:
    """The findings so far after each model, the `first` ones left out."""
    found = Found()
    for k, sample in enumerate(islice(samples(seed, pairs=pairs), first, models), first):
        judge(sample, Random(f"break {seed} {k}"), found)
        yield found


def main() -> int:
    """Hunt, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=300, help="right models, each with one broken (default 300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help=f"go on from {RECORD.name}, and keep it")
    args = parser.parse_args()
    before = hunted().get(str(args.seed), Hunted()) if args.record else Hunted()
    began, said, found, now = time.process_time(), 0, Found(), before
    try:
        for k, found in enumerate(hunt(args.models, args.seed, first=before.models), before.models + 1):
            for mistake in found.mistakes[said:]:
                print(f"\n{k}: {mistake}", flush=True)
            said, seconds = len(found.mistakes), round(time.process_time() - began)
            now = replace(before, models=k, mistakes=before.mistakes + said, seconds=before.seconds + seconds)
            print(f"\r{k}/{args.models}, {now.mistakes} mistakes", end="", file=sys.stderr, flush=True)
            if args.record and k % KEPT_EACH == 0:
                keep(args.seed, now)
    except KeyboardInterrupt:
        print(f"\nstopped after {now.models}", file=sys.stderr)
    if args.record:
        keep(args.seed, now)
    print(f"\n{now.models} right and as many broken models, {now.seconds} s of processor time")
    for name, counts in (("right", found.right), ("broken, in the broken row", found.broken)):
        statuses = ("proved", "refuted", "supported", "open")
        for row in dict.fromkeys(row for row, _ in counts):
            print(f"  {name}: {row}: " + ", ".join(f"{counts[row, s]} {s}" for s in statuses if counts[row, s]))
    print(f"{now.mistakes} mistakes")
    return int(now.mistakes > 0)


if __name__ == "__main__":
    sys.exit(main())
