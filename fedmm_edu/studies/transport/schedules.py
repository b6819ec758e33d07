"""What `fedmm reproduce fig3-schedules` makes: Section 7 with steps that fall, beside a centralised solver."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fedmm_edu.studies.judging import Judged
from fedmm_edu.studies.study import (
    Block,
    Part,
    Picture,
    Study,
    differences,
    given,
    listed,
    markdown_table,
    opening,
    versions,
)
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.studies.transport.pictures import UVPByLine, draw_ways
from fedmm_edu.studies.transport.scheduled import (
    BASES,
    FEDADAM,
    FEDMM_OT,
    FEDMM_OT_ADAPTIVE,
    WITH_AN_HOUR,
    FactorTuning,
    LongRuns,
    Scheduled,
    SchedulePlan,
    held_equal,
    make_hour,
    make_scheduled,
)
from fedmm_edu.studies.transport.scheduled_record import Kept, read_kept, scheduled_lines, tuning_plain
from fedmm_edu.studies.transport.scheduled_statements import (
    FALLING,
    FEDMM_OTS,
    Where,
    judge_published,
    judge_schedules,
    judge_section_7,
    lower_on_average,
    spread,
)
from fedmm_edu.transport import CENTRALISED, data_folder, one_thread

SEEN = """\
UVP in % at the end of {rounds} rounds of FedMM-OT (FedAdam: of as many rounds, bytes or CPU seconds), lower is better:
a sign at the mean, a bar from the least run to the largest; hollow at the right edge where a run died. Steps fall as a
cosine, but in lines that say constant. Grey: the linear map. Black: what the centralised MMv2 published, forward."""


@dataclass(frozen=True)
class Asked:
    """The plan, and what was kept of it."""

    plan: SchedulePlan
    kept: Kept | None


def results(asked: Asked, pool: Pool) -> Part:
    """Tune, run, judge."""
    return part_of(make_scheduled(asked.plan, pool, asked.kept and asked.kept.compared))


def part_of(found: Scheduled) -> Part:
    """Picture, scores, verdicts and steps of what was run."""
    section_7 = {ours: judge_section_7(found, ours) for ours in FEDMM_OTS} if FALLING in found.plan.schedules else {}
    goals: list[Judged[Where, Any]] = list(judge_schedules(found))
    if section_7 and _on_benchmark(found):
        ends = {Where(d, "forward"): found.of(d, FALLING, FEDMM_OT_ADAPTIVE, "rounds") for d in found.plan.dimensions}
        goals += judge_published(ends, f"runs of {found.plan.rounds} rounds")
    judged = [*(j for of in section_7.values() for j in of), *goals]
    page = [
        *_scores(found),
        "## Section 7's sentences, by their criteria",
        *(block for one in judged for block in _verdict(one)),
        "## Steps",
        *_steps(found),
    ]
    picture = Picture(
        "schedules.png", "UVP at the end, forward and inverse, by dimension and by what is held equal",
        partial(draw_ways, _lines(found), _marks(found)), caption=SEEN.format(rounds=found.plan.rounds),
    )  # fmt: skip
    return Part(
        "schedules", page, manifest(found, judged), scheduled_lines(found.curves), _text(judged),
        answer=_answer(found) if section_7 else "", lead=[picture], unexpected=_unexpected(found, section_7, goals),
        judged=section_7.get(FEDMM_OT, []),
    )  # fmt: skip


def manifest(found: Scheduled, judged: Sequence[Judged]) -> dict[str, Any]:
    """Settings, versions, tuning and judgements, as plain values; null for what is not finite."""
    tuning = [{"d": d, "schedule": schedule} | tuning_plain(of) for (d, schedule, _), of in found.tuned.items()]
    return {"plan": asdict(found.plan), "references": found.references, "tuning": tuning,
            "statements": [j.plain(lambda key: f"d = {key.d}, {key.what}") for j in judged],
            "versions": versions("fedmm-edu", "numpy", "scipy", "torch")}  # fmt: skip


def _answer(found: Scheduled) -> str:
    """Who ends lower, and how often the best of FedMM-OT's curves ends below a solver that holds all data."""
    (plain, total), (adaptive, _) = (lower_on_average(found, ours) for ours in FEDMM_OTS)
    published = CENTRALISED["MMv2"] if _on_benchmark(found) else {}
    ends = {
        d: found.of(d, FALLING, FEDMM_OT_ADAPTIVE, "rounds").uvp[:, -1].mean()
        for d in found.plan.dimensions
        if d in published
    }
    below = sum(bool(end < published[d]) for d, end in ends.items())
    central = (
        f" After {found.plan.rounds} rounds the latter is below the published score of MMv2, which holds all data, in "
        f"{below} of {len(ends)} dimensions."
    )
    return (
        f"With steps that fall as a cosine, tuned by one rule, the mean UVP of {FEDMM_OT} ends below that of {FEDADAM} "
        f"in {plain} of {total} comparisons (forward and inverse, at equal rounds, bytes and CPU time), with an "
        f"adaptive server in {adaptive}.{central if ends else ''}"
    )


def _unexpected(found: Scheduled, section_7: Mapping[str, list[Judged]], goals: Sequence[Judged]) -> list[str]:
    """Where sentences and goals do not hold, which runs died, whose step lies at the edge of what was tried."""
    items = _contrary(section_7.get(FEDMM_OT, []), "Section 7 says") + _contrary(goals, "A goal")
    for (d, schedule, name, equal), of in found.curves.items():
        dead = int((~np.isfinite(of.uvp[:, -1])).sum())
        if dead:
            items.append(f"- Of {name}, {schedule} steps, d = {d}, equal {equal}, {dead} of {len(of.uvp)} runs died.")
    return items + _at_the_edge(found)


def _at_the_edge(found: Scheduled) -> list[str]:
    """An item for each method of which the least, or the largest, step that was tried was chosen: where."""
    at: dict[tuple[str, str], dict[str, list[int]]] = {}
    for (d, schedule, name), of in found.tuned.items():
        if of.at_the_edge:
            by_schedule = at.setdefault((name, "least" if of.factor < 1 else "largest"), {})
            by_schedule.setdefault(schedule, []).append(d)
    return [
        f"- The step chosen for {name} is the {end} tried: {'; '.join(f'{kind}, {_d(ds)}' for kind, ds in of.items())}."
        for (name, end), of in at.items()
    ]


def _contrary(judged: Sequence[Judged[Where, Any]], lead: str) -> list[str]:
    """An item for each sentence that does not hold everywhere, with the settings where it does not."""
    items = []
    for one in judged:
        wrong: dict[int, list[str]] = {}
        for (d, what), finding in one.findings.items():
            if not finding.holds:
                wrong.setdefault(d, []).append(what)
        if wrong:
            total = len(one.findings)
            holds = total - sum(map(len, wrong.values()))
            which = f" ({one.about['runs']})" if "runs" in one.about else ""
            where = _where(wrong, Counter(d for d, _ in one.findings))
            items.append(f"- {lead}{which}: {one.statement.says}. So in {holds} of {total} settings; not for {where}.")
    return items


def _where(wrong: Mapping[int, Sequence[str]], settings: Mapping[int, int]) -> str:
    """Dimensions, the alike together: those of which all `settings` are wrong by themselves, others with which are."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for d, what in wrong.items():
        alike.setdefault(() if len(what) == settings[d] else tuple(what), []).append(d)
    return "; ".join(_d(ds) + (f" ({'; '.join(what)})" if what else "") for what, ds in alike.items())


def _d(dimensions: Sequence[int]) -> str:
    return f"d = {', '.join(map(str, dimensions))}"


def _on_benchmark(found: Scheduled) -> bool:
    return found.plan.base.pair == "benchmark"


def _settings(found: Scheduled) -> list[tuple[int, str, str]]:
    """Dimension, schedule and what is equal, of each line of the table."""
    return [
        (d, schedule, equal)
        for d in found.plan.dimensions
        for schedule in found.plan.schedules
        for equal in held_equal(schedule)
    ]


def _lines(found: Scheduled) -> dict[str, UVPByLine]:
    """What ended where, for the picture: steps that fall, and constant ones at equal rounds."""
    ways: dict[str, dict[str, dict[str, np.ndarray]]] = {"forward": {}, "inverse": {}}
    for d, schedule, equal in _shown(found):
        label = f"$d = {d}$, equal {equal}" + ("" if schedule == FALLING else f", {schedule}")
        for way, lines in ways.items():
            lines[label] = {name: found.of(d, schedule, name, equal).ways[way].uvp[:, -1] for name in BASES}
    return dict(ways)


def _shown(found: Scheduled) -> list[tuple[int, str, str]]:
    """The settings of the picture."""
    return [(d, kind, equal) for d, kind, equal in _settings(found) if kind == FALLING or equal == "rounds"]


def _marks(found: Scheduled) -> dict[str, list[dict[str, float]]]:
    """The linear map and the published score, of each line of the forward panel."""
    published = CENTRALISED["MMv2"] if _on_benchmark(found) else {}
    forward = [
        {"light": found.references[d]["linear"]} | ({"reference": published[d]} if d in published else {})
        for d, *_ in _shown(found)
    ]
    return {"forward": forward, "inverse": [{} for _ in forward]}


def _scores(found: Scheduled) -> list[str]:
    """Scores at the end, with what they cost."""
    rows = []
    for d, schedule, equal in _settings(found):
        cells = []
        for name in BASES:
            of = found.of(d, schedule, name, equal)
            cells.append(
                f"{spread(of.uvp[:, -1])}; inverse {spread(of.inverse[:, -1])}; {of.t[-1]} rounds, "
                f"{of.seconds[:, -1].mean():.0f} s, {of.megabytes[-1]:.3g} MB"
            )
        rows.append((d, schedule, equal, *cells))
    return [
        "## Scores at the end",
        "UVP in %, mean [least, largest] of the runs; rounds, CPU seconds of one thread (mean), MB sent by clients. "
        "FedMM-OT's runs are the same in the three lines of a schedule.",
        markdown_table(("d", "steps", "at equal", *BASES), rows),
    ]


def _verdict(one: Judged[Where, Any]) -> list[str]:
    """What is said, by which criterion, and what was found."""
    s, ours = one.statement, one.about.get("ours", FEDMM_OT)
    of = "" if ours == FEDMM_OT else f" — {ours} in its place"
    of += f" — {one.about['runs']}" if "runs" in one.about else ""
    dimensions = list(dict.fromkeys(d for d, _ in one.findings))
    rows = [
        (what, *(one.findings.get(Where(d, what), "") for d in dimensions))
        for what in dict.fromkeys(what for _, what in one.findings)
    ]
    return [
        f"### {s.says} ({s.line}){of}: **{one.verdict}**",
        f"Criterion: {s.criterion}.",
        markdown_table(("", *(f"d = {d}" for d in dimensions)), rows),
    ]


def _steps(found: Scheduled) -> list[str]:
    rows = [
        (d, schedule, name, of.method.words, f"{1e3 * of.round_seconds:.1f}", _by_factor(of))
        for (d, schedule, name), of in found.tuned.items()
    ]
    return [markdown_table(("d", "steps", "method", "chosen, as first steps", "CPU ms of a round", BY_FACTOR), rows)]


BY_FACTOR = "UVP in tuning by factor of the grid"


def _by_factor(of: FactorTuning) -> str:
    return "; ".join(f"{factor:g}: {uvp:.3g}" for factor, uvp in of.uvp.items())


def _text(judged: Sequence[Judged[Any, Any]]) -> str:
    """Verdicts, for the terminal."""
    return "\n".join(f"{one.about.get('ours', '')} {one.statement.says}: {one.verdict}".strip() for one in judged)


def hour(asked: Asked, pool: Pool) -> Part:
    """The long runs."""
    made = make_hour(asked.plan, pool, asked.kept and asked.kept.hours)
    return hour_part(made, asked.plan)


def hour_part(made: LongRuns, plan: SchedulePlan) -> Part:
    """Their scores, beside the published ones."""
    if not made.curves:
        return Part("hour")
    on_benchmark = plan.base.pair == "benchmark"
    named = {Where(run.d, ", ".join(filter(None, ("forward", run.words)))): of for run, of in made.curves.items()}
    judged = judge_published(named, "the longer run") if on_benchmark else []
    published = CENTRALISED["MMv2"] if on_benchmark else {}
    rows, ends = [], dict[int, list[float]]()
    for run, of in made.curves.items():
        uvp, inverse, megabytes = of.uvp[0, -1], of.inverse[0, -1], of.megabytes[-1]
        minutes = f"{of.seconds[0, -1] / 60:.1f}" if np.isfinite(uvp) else ""
        beside = f"{published[run.d]:g}" if run.d in published else ""
        rows.append(
            (run.d, run.words, of.t[-1], minutes, f"{megabytes / 1e3:.3g}", f"{uvp:.3g}", f"{inverse:.3g}", beside)
        )
        ends.setdefault(run.d, []).append(float(uvp))
    steps = [
        (run.d, run.words, of.method.words, f"{plan.tuning_minutes(run, of):.1f}", _by_factor(of))
        for run, of in made.tuned.items()
    ]
    about = (
        f"{FEDMM_OT_ADAPTIVE}, steps that fall as a cosine, one seed, one core; MMv2 makes 50,001 rounds of 15 inner "
        "steps on batches of 1024 fresh samples. First steps are chosen by the same rule, in tuning runs of the same "
        "length unless the tables say otherwise: such a run was planned when the one above it had ended, and where "
        "none is above, before any in its dimension. Who plans a second one has seen the score of the first, on the "
        "same samples: it tells what a step can do, not what the rule finds. A run that died has the score inf. The "
        "minutes are those of the run alone; those of its tuning stand beside its step."
    )
    header = ("d", "what differs", "rounds", "CPU minutes", "GB sent", "UVP in %", "of the inverse", "MMv2, published")
    page = [
        "## Within an hour of one core",
        about,
        markdown_table(header, rows),
        markdown_table(("d", "what differs", "chosen, as first steps", "CPU minutes of tuning", BY_FACTOR), steps),
        *(b for j in judged for b in _verdict(j)),
    ]
    lines = {(run.d, FALLING, FEDMM_OT_ADAPTIVE, run.key): of for run, of in made.curves.items()}
    numbers = {"tuning": [{"d": run.d, "run": run.key} | tuning_plain(of) for run, of in made.tuned.items()]}
    return Part(
        "hour", page, numbers, scheduled_lines(lines), _text(judged), unexpected=_contrary(judged, "A goal"),
        answer=_of_the_hour(ends, published),
    )  # fmt: skip


def _of_the_hour(ends: Mapping[int, Sequence[float]], published: Mapping[int, float]) -> str:
    """What longer runs reach, by dimension, and where that is below the published score; later runs by themselves."""
    first = _sides({d: found[0] for d, found in ends.items()}, published)
    later = _sides({d: min(found[1:]) for d, found in ends.items() if found[1:]}, published)
    second = f" In second runs, planned when the first had ended, it ends {later}." if later else ""
    return f"In longer runs, of less than an hour of one core each, it ends {first}.{second}"


def _sides(ends: Mapping[int, float], published: Mapping[int, float]) -> str:
    """Those that end below the published score, those above, and those that have none."""
    sides: dict[str, list[str]] = {"below MMv2": [], "above MMv2": [], "": []}
    for d, end in ends.items():
        score = published.get(d)
        side = "" if score is None else "below MMv2" if end < score else "above MMv2"
        beside = "" if score is None else f", MMv2 {score:g} %"
        sides[side].append(f"d = {d} ({f'{end:.3g} %' if np.isfinite(end) else 'it died'}{beside})")
    return "; ".join(f"{side} for {', '.join(of)}".strip() for side, of in sides.items() if of)


HOW = (
    "The criteria of Section 7's sentences are those of [the page on Section 7](transport_results.md), which judges "
    "them with constant steps, both λ, and stands as it was; here they are applied to other runs. They, the goals and "
    "all settings of the comparison were written down, in code, before a run of full length was seen.",
    """\
- λ = 1 for all methods, in the dual reading; 10 clients that hold 5000 samples each by balanced k-means, 100,000 \
public ones, batches of 128, one local step, ten server steps in a round; everything else as on that page.
- `cosine`: γ_t = γ(1 + cos(π(t − 1)/T))/2 (Loshchilov and Hutter 2017), for γ and for the rate of θ. `staircase` \
(`--schedules`): divided by ten after a half and after three quarters. A schedule belongs to its horizon: what is held \
equal sets the length of a run, and a run is judged at its end.
- One rule for all methods: all steps of a method are the middle of its grid times 0.1, 0.3, 1, 3 or 10; the factor \
with the least mean UVP at the end of two tuning runs, on two seeds that no reported run has, is chosen, for each \
dimension and schedule. The middle is 3e-3 for each network that Adam moves; for the plain step of FedMM-OT it is 0.02 \
in the clients' rate.
- Equal bytes: FedAdam sends both networks, FedMM-OT one, so that FedAdam has half of the rounds. Equal CPU time: \
FedAdam has as many rounds as take what FedMM-OT's take, by the quickest round of either in tuning; what they then \
took stands in the table.
- Derivatives in closed form (`TransportProblem(derivatives="closed")`), single precision, one thread; on a GPU where \
PyTorch finds one.
- A run whose network died or diverged counts as infinite from then on.""",
)


def page(plan: SchedulePlan, parts: Sequence[Part]) -> list[Block]:
    """What comes out, what was not expected, each part, and how it was done."""
    partial_ = differences(plan, SchedulePlan(), but=("base",))
    notes = [f"**Not the full run:** {', '.join(partial_)}."] if partial_ else []
    pair = "the continuous W2 benchmark" if plan.base.pair == "benchmark" else "the log-sum-exp pair"
    made = "fedmm reproduce fig3-schedules fig3-hour --page"
    return [
        *opening("Federated optimal transport with steps that fall", made, parts, "Section 7", notes),
        *(block for part in parts for block in part.page),
        "## How it was done",
        f"`fedmm reproduce fig3-schedules fig3-hour`, on {pair}; {plan.seeds} runs of each curve, {plan.rounds} "
        f"rounds, {plan.tuning_rounds} in tuning. {HOW[0]}",
        HOW[1],
    ]


def asked_of(args: Namespace) -> Asked:
    """What the options ask for. Without the benchmark's files: the log-sum-exp pair, as is said."""
    plan, named = SchedulePlan(), given(SchedulePlan, args)
    if "dimensions" in named:
        named["dimensions"] = listed("--dimensions", args.dimensions, int, "16,32")
        named["hours"] = tuple(d for d in named["dimensions"] if d in WITH_AN_HOUR)
    if args.hours is not None:
        named["hours"] = listed("--hours", args.hours, int, "16,32")
    if "schedules" in named:
        named["schedules"] = tuple(args.schedules.split(","))
    if "rounds" in named:
        named["tuning_rounds"] = max(1, 3 * named["rounds"] // 20)
    if not args.quick and args.data_dir is None and not (os.environ.get("FEDMM_DATA") and data_folder().is_dir()):
        print("the files of the W2 benchmark are not named (FEDMM_DATA, --data-dir): the log-sum-exp pair instead")
        plan = replace(plan, base=replace(plan.base, pair="log-sum-exp"))
    plan = replace(plan.quick() if args.quick else plan, **named)
    return Asked(plan, read_kept(args.keep, plan) if args.keep else None)


STUDY = Study(
    out=Path("results/schedules"),
    plan=asked_of,
    parts={"fig3-schedules": results, "fig3-hour": hour},
    figures=("fig3-schedules",),
    page=lambda asked, parts: page(asked.plan, parts),
    recorded=lambda asked: {"plan": asdict(asked.plan)},
    within=one_thread,
    alone=True,
)
