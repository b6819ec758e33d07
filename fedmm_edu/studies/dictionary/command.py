"""What `fedmm reproduce` does for dictionary learning: run what is missing, draw, write, print."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from fedmm_edu.datasets.movielens import find
from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures import save_png
from fedmm_edu.figures.dictionary import draw_panels
from fedmm_edu.files import write_json, write_text
from fedmm_edu.studies.dictionary.page import as_page, as_text
from fedmm_edu.studies.dictionary.pool import Pool
from fedmm_edu.studies.dictionary.record import record
from fedmm_edu.studies.dictionary.reproduce import FIGURES, Plan, Reproduction, reproduce
from fedmm_edu.studies.dictionary.section import Section
from fedmm_edu.studies.runs import numbers

OUT = Path("results/dictionary")
STUDIES = ("ablation", "effects", "central", "ratings", "metric")
"""Modules of this package; each has `section(plan, pool)`, which makes its part of the page."""
DPI = 100


def draw(names: Sequence[str], args: argparse.Namespace) -> None:
    """Both pictures and the manifest of each figure, picture and numbers of each study, and what it took."""
    figures, studies = ([name for name in names if name in table] for table in (FIGURES, STUDIES))
    if (args.page or args.record) and not figures:
        raise InvalidInput("--page and --record describe figures: name fig1, fig2 or both.")
    folder = None if args.data_dir is None else str(args.data_dir)
    plan, clock = make_plan(args, folder), Clock()
    pool = Pool(args.cache or args.out / "runs", jobs=args.jobs or _processors(), folder=folder)
    with pool, threadpool_limits(1):  # the last digit of a sum would depend on the number of threads
        done = [reproduce(name, plan, pool) for name in figures]
        sections = [import_module(f"{__package__}.{name}").section(plan, pool) for name in studies]
    for found in done:
        _write_figure(found, args.out)
    for section in sections:
        _write_section(section, args.out)
    if args.record:
        write_text(args.record, record(done))
        print(f"wrote {args.record}")
    if args.page:
        write_text(args.page, as_page(done, sections, args.out, args.page.parent))
        print(f"wrote {args.page}")
    took = {"names": list(names), **clock.read(), "jobs": pool.jobs, "runs": pool.made, "runs_from_cache": pool.read}
    print(f"{pool.made} runs and {pool.read} from the cache: {took['wall_s']:.0f} s, processors {took['cpu_s']:.0f} s")
    if pool.made:
        write_json(args.out / "time.json", took | {"processors": _processors(), "machine": platform.machine()})


class Clock:
    """Wall time, and time of the processors in this process and in those that it has ended (Windows: in this one)."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), sum(os.times()[:4])

    def read(self) -> dict[str, float]:
        """Seconds since the start."""
        wall, cpu = time.perf_counter() - self._wall, sum(os.times()[:4]) - self._cpu
        return {"wall_s": round(wall, 1), "cpu_s": round(cpu, 1)}


def _write_figure(found: Reproduction, out: Path) -> None:
    for against, suffix in (("t", ""), ("bits", "_bits")):
        save_png(draw_panels(found.curves, against=against), out / f"{found.figure}{suffix}.png", dpi=DPI)
    write_json(out / f"{found.figure}.json", found.manifest())
    print(as_text(found))
    print(f"wrote {found.figure}.png, {found.figure}_bits.png and {found.figure}.json to {out}")


def _write_section(section: Section, out: Path) -> None:
    if section.draw is not None:
        save_png(section.draw(), out / f"{section.name}.png", dpi=DPI)
    write_json(out / f"{section.name}.json", section.numbers)
    print(f"wrote {f'{section.name}.png and ' if section.draw else ''}{section.name}.json to {out}")


def make_plan(args: argparse.Namespace, folder: str | None) -> Plan:
    """The plan that the options ask for; `--quick` gives way to what is named."""
    plan = Plan().quick() if args.quick else Plan()
    given = {f.name: getattr(args, f.name) for f in fields(Plan) if getattr(args, f.name) is not None}
    if "betas" in given:
        given["betas"] = numbers("--betas", args.betas, float, "0.001,0.05")
    if "real" not in given and find(folder) is None:
        given["real"] = "patches"
    return replace(plan, **given)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
