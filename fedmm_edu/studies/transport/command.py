"""What `fedmm reproduce` asks of this folder: `draw`."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures import panels, save_png
from fedmm_edu.figures.transport import draw_panels, draw_scores
from fedmm_edu.files import write_json, write_text
from fedmm_edu.studies.runs import numbers
from fedmm_edu.studies.transport.ablation import ablation
from fedmm_edu.studies.transport.curves import one_thread
from fedmm_edu.studies.transport.fig3 import Figure3, Plan, reproduce
from fedmm_edu.studies.transport.long import Long, long
from fedmm_edu.studies.transport.page import as_page, as_text
from fedmm_edu.transport import data_folder

OUT = Path("results/transport")


def draw(names: Sequence[str], args: Namespace) -> None:
    """Run what is missing, draw, write, print."""
    plan, out = make_plan(args), args.out
    cache = args.cache or out / "runs"
    if (args.page or args.record) and "fig3" not in names:
        raise InvalidInput("--page and --record describe figures: name fig3, too.")
    found, curves, far = None, {}, None
    with one_thread():
        if "fig3" in names:
            found = reproduce(plan, cache, args.data_dir)
            write_figure(found, out)
        if "fig3-ablation" in names:
            curves, references = ablation(plan, cache)
            write_ablation(curves, references, out)
        if "fig3-long" in names:
            far = long(plan, plan.rounds if args.quick else args.rounds, cache, args.data_dir)
            write_long(far, out)
    if args.record and found:
        write_text(args.record, found.record())
        print(f"wrote {args.record}")
    if args.page and found:
        write_text(args.page, as_page(found, curves, far, out, args.page.parent))
        print(f"wrote {args.page}")


def make_plan(args: Namespace) -> Plan:
    """The plan that the options ask for. Without the benchmark's files: the log-sum-exp pair, as is said."""
    plan = Plan()
    given = {f.name: getattr(args, f.name) for f in fields(Plan) if getattr(args, f.name, None) is not None}
    if "dimensions" in given:
        given["dimensions"] = numbers("--dimensions", args.dimensions, int, "16,32")
    if "rounds" in given:
        given["tuning_rounds"] = max(1, given["rounds"] // 3)
    if not args.quick and args.data_dir is None and not held():
        print("the files of the W2 benchmark are not named (FEDMM_DATA, --data-dir): the log-sum-exp pair instead")
        plan = replace(plan, base=replace(plan.base, pair="log-sum-exp"))
    return replace(plan.quick() if args.quick else plan, **given)


def held() -> bool:
    """Whether FEDMM_DATA names a folder with the benchmark in it."""
    return bool(os.environ.get("FEDMM_DATA")) and data_folder().is_dir()


def write_figure(found: Figure3, out: Path) -> None:
    """Both pictures and the manifest; then the verdicts on the terminal."""
    panels = found.panels()
    shown = {d: {lam: curves for lam, curves in panel.items() if lam != "own"} for d, panel in panels.items()}
    for axis, suffix in (("t", ""), ("seconds", "_seconds")):
        save_png(draw_panels(shown, found.references, axis), out / f"fig3{suffix}.png", dpi=100)
    write_json(out / "fig3.json", found.manifest())
    print(as_text(found))
    print(f"wrote fig3.png, fig3_seconds.png and fig3.json to {out}")


def write_ablation(curves: Mapping, references: Mapping[str, float], out: Path) -> None:
    """One figure of three panels."""
    figure, axes = panels(len(curves), width=4.6, height=3.8)
    for ax, (factor, values) in zip(axes, curves.items(), strict=True):
        draw_scores(ax, {name: (of.t, of.uvp) for name, of in values.items()}, references, xlabel="round")
        ax.set_title(f"UVP in %: {factor}", loc="left")
    save_png(figure, out / "fig3_ablation.png", dpi=100)
    print(f"wrote fig3_ablation.png to {out}")


def write_long(found: Long, out: Path) -> None:
    """A panel for each dimension, against CPU minutes, and the manifest."""
    figure, axes = panels(len(found.references), width=4.6, height=3.8)
    for ax, (d, references) in zip(axes, found.references.items(), strict=True):
        curves = {name: (run.seconds / 60.0, run.uvp[None]) for (at, name), run in found.runs.items() if at == d}
        lines = references | found.centralised(d)
        draw_scores(ax, curves, lines, xlabel="CPU minutes, one core", legend=ax is axes[0])  # it has all runs
        ax.set_title(f"UVP in %, $d = {d}$", loc="left")
    save_png(figure, out / "fig3_long.png", dpi=100)
    write_json(out / "fig3_long.json", found.manifest())
    print("\n".join(found.table()))
    print(f"wrote fig3_long.png and fig3_long.json to {out}")
