"""What `fedmm compare` prints and draws."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from fedmm_edu.figures.relatives import Track, draw_tracks
from fedmm_edu.figures.style import grid
from fedmm_edu.studies.relatives.compare import BY, COSTS, Comparison, Cost, Entrant, as_numbers, reached
from fedmm_edu.studies.relatives.race import Measures
from fedmm_edu.studies.relatives.sending import lines
from fedmm_edu.studies.study import Part, Picture, versions
from fedmm_edu.text.tables import table

NAMED = 6
"""How many relatives have a name in the picture."""


def compared(found: Comparison, columns: int) -> Part:
    """Tables for the terminal, the picture, and the numbers."""
    picture = Picture("compare.png", "Gap over rounds, bits, gradients and seconds", lambda: picture_of(found))
    numbers = {**as_numbers(found), "versions": versions("fedmm-edu", "numpy", "scipy")}
    return Part("summary", (picture,), numbers, text=comparison_text(found, columns))


def comparison_text(found: Comparison, columns: int) -> str:
    """Who is cheapest, one table for each accuracy, who won with what, who could not run, and the rules."""
    blocks = [found.contest.title, "cheapest, median over the seeds:\n" + _cheapest(found, columns)]
    for accuracy in found.plan.accuracies:
        rows = [_row(one, costs) for one in found.entrants if (costs := one.costs[accuracy]) is not None]
        others = [_missing(one, accuracy, found) for one in found.entrants if one.costs[accuracy] is None]
        made = table(("", *COSTS), rows, columns=columns, shares=(24, 16, 16, 14, 12, 20))
        blocks.append("\n".join([f"(W − min W)/(W_0 − min W) ≤ {accuracy:g}", made, *others]))
    rows = [(one.relative.name, one.says or "nothing to choose", _span(one.nonzeros), one.theory or "gives none")
            for one in found.entrants]  # fmt: skip
    head = ("", "the setting that won", "nonzeros", "the one that its theorem gives")
    blocks.append(table(head, rows, columns=columns, shares=(22, 34, 12, 32)))
    if found.sent:
        head = ("", "floats a client and round", "memory", "kb up, proved", "kb up, measured")
        blocks.append(f"what should a client send? To {found.plan.finest:g}, by the same settings:\n"
                      + table(head, list(lines(found.sent)), columns=columns, shares=(40, 18, 10, 16, 16)))  # fmt: skip
    if promises := [_says(one, found) for one in found.entrants if one.promise is not None]:
        blocks.append("proved by a certificate, dotted in the picture:\n" + "\n".join(promises))
    if found.out:
        reasons = {why: [key for key in found.out if found.out[key] == why] for why in found.out.values()}
        blocks.append("not run:\n" + "\n".join(f"  {', '.join(keys)}: {why}" for why, keys in reasons.items()))
    return "\n\n".join([*blocks, rules(found)])


def _cheapest(found: Comparison, columns: int) -> str:
    """By each accuracy and cost: who pays least, and what FedMM pays where it is another."""
    rows = []
    for accuracy in found.plan.accuracies:
        there = {one.relative.key: (one.relative.name.partition(",")[0], costs)
                 for one in found.entrants if (costs := one.costs[accuracy]) is not None}  # fmt: skip
        cells = [f"{accuracy:g}"]
        for cost in COSTS:
            paid = {key: costs[cost].median for key, (_, costs) in there.items()}
            best = min(paid, key=paid.__getitem__) if paid else ""
            cells.append(f"{there[best][0]} {paid[best]:.3g}" if best else "nobody")
            if best and best != "fedmm" and any(one.relative.key == "fedmm" for one in found.entrants):
                cells[-1] += f" (FedMM {paid['fedmm']:.3g})" if "fedmm" in paid else " (FedMM never)"
        rows.append(tuple(cells))
    return table(("to", *COSTS), rows, columns=columns, shares=(10, 18, 18, 18, 18, 18))


def _says(one: Entrant, found: Comparison) -> str:
    """The rate, and what it promises to the finest accuracy."""
    promise = one.promise
    assert promise is not None
    step = "gradient step" if promise.rate.by_gradients else "round"
    gap = found.plan.finest * (found.first - found.best)
    price = f"{promise.cost(gap, 'bits') / 8e3:.3g} kb both ways"
    return (f"  {one.relative.name}, {promise.says}: E[W] − min W is at most times "
            f"{promise.rate.factor:.6g} a {step}, {price} at most to {found.plan.finest:g}")  # fmt: skip


def _row(one: Entrant, costs: Mapping[str, Cost]) -> tuple[str, ...]:
    return (one.relative.name, *(_span(costs[name], 2 if name == "server ms" else 3) for name in COSTS))


def _missing(one: Entrant, accuracy: float, found: Comparison) -> str:
    """Who is not in the table, and why."""
    level = found.best + accuracy * (found.first - found.best)
    there = sum(reached(run, level) is not None for run in one.runs)
    some = f"{there} of {len(one.runs)} seeds; " if there else ""
    return f"  {one.relative.name}: {some}{one.why}"


def _span(cost: Cost, digits: int = 3) -> str:
    median, least, most = (f"{value:.{digits}g}" for value in cost)
    return median if least == most else f"{median} [{least}, {most}]"


def rules(found: Comparison) -> str:
    """How it was done, so that the numbers can be judged."""
    plan, n = found.plan, len(found.contest.clients)
    active = f"{plan.active} of {n} clients a round" if plan.active else f"all {n} clients in every round"
    tried = sorted({one.tried for one in found.entrants})
    return "\n".join([
        "the rules:",
        f"  {active}; at most {plan.rounds} rounds and {plan.passes} passes of each client over its data;",
        f"  median [least, largest] of {plan.seeds} seeds; “above”: as in the tables, a share of W_0 − min W;",
        f"  the same lists of values for all, of which at most {plan.settings} settings each are tried (here "
        f"{tried[0]} to {tried[-1]}), drawn where there are more; each chosen on "
        f"{plan.tuning} other seed{'s' * (plan.tuning > 1)}, which are not reported,",
        f"  by {BY[plan.by]} to the finest accuracy; γ = 1 where there is a step η and the server keeps no moments;",
        "  counted: 64 bits a float, the downlink, V_t where clients hear it, every pass of a client over its data, "
        "inner solvers and local steps included;",
        "  Ŝ_0, the mean of S̄ at θ_0, and control variates that start at h_i are a round of their own, sent in full;",
        "  server ms: processor time of T, the server step and the projection, not of messages or clients;",
        "  where nothing is drawn the seed does not matter, and one run stands for all seeds;",
        "  FedMM's ρ is tuned as others' η (MM-1 is proved for ρ ≤ 1/L), its downlink is x_t in floats, from which "
        "clients compute θ_t, or differences compressed as the uplink is; others have what their authors print;",
        "  a smooth g is counted in every f_i for relatives that ask for g = 0;",
        f"  min W = {found.best:.12g}: the least of long runs of FedMM and its acceleration from θ_0, and of all runs.",
    ])  # fmt: skip


def picture_of(found: Comparison) -> Figure:
    """Four panels: the gap over rounds, kilobytes both ways, gradients and server seconds, of each middle run.

    The first `NAMED` of the tables have a colour, FedMM with its acceleration, and those of which a rate is proved; the
    others are thin.
    """
    figure, axes = grid(2, 2, width=5.2, height=3.4)
    named = [one for k, one in enumerate(found.entrants)
             if k < NAMED or one.promise or one.relative.key in ("fedmm", "accelerated")]  # fmt: skip
    tracks, others = ([_track(one, _middle(one), found) for one in found.entrants if (one in named) is which]
                      for which in (True, False))  # fmt: skip
    draw_tracks(list(axes.flat), tracks, found.plan.accuracies, [_bound(one, found) for one in named], others)
    return figure


def _middle(one: Entrant) -> Measures:
    """The run with the middle number of rows."""
    return sorted(one.runs, key=lambda run: (len(run.objective), float(run.objective[-1])))[len(one.runs) // 2]


def _track(one: Entrant, run: Measures, found: Comparison) -> Track:
    up_and_down = (run.bits_up + run.bits_down) / 8e3
    return Track(one.relative.name, found.gap(run), run.rounds, up_and_down, run.gradients, run.seconds)


def _bound(one: Entrant, found: Comparison) -> Track | None:
    if one.promise is None:
        return None
    finest = found.plan.finest * (found.first - found.best)
    sides = [one.promise.path(name, finest) for name in ("rounds", "bits", "gradients", "seconds")]
    rounds, bits, gradients, seconds = (cost for cost, _ in sides)
    gap = sides[0][1] / (found.first - found.best)
    return Track(one.relative.name, gap, rounds, bits / 8e3, gradients, seconds)
