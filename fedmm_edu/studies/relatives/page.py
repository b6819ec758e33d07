"""The page of the study: what comes out, one picture, what was not expected, who wins, and how it was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from fedmm_edu.figures.relatives import PriceRatios, draw_shares
from fedmm_edu.figures.style import grid
from fedmm_edu.studies.judging import Judged, contrary, judge_all
from fedmm_edu.studies.relatives.compare import COSTS
from fedmm_edu.studies.relatives.criteria import EXPECTED, HIGH, LOW, OURS
from fedmm_edu.studies.relatives.field import Field, Goal, named
from fedmm_edu.studies.study import Block, Picture, markdown_table

MEANS = {"reproduced": "holds", "depends": "depends", "not reproduced": "fails", "not run": "not run"}
"""What the verdict on an expectation is called."""
Found = Mapping[str, Field]
GAP = r"$W_0 - \min W$"
SEEN = """\
FedMM, tuned as all others are, over the cheapest of the others (its acceleration is not among them): left of the line
FedMM pays less. A hollow sign at the right edge: another gets there and FedMM does not, within the rounds of the study
or on some seed; at the left edge: nobody else does."""


def page_of(words: str, found: Found) -> tuple[list[Block], dict[str, Any]]:
    """The blocks, and the numbers behind them."""
    judged = judge_all(EXPECTED, found)
    page: list[Block] = [
        "# Who wins at what: FedMM among its relatives",
        "% Made by `fedmm reproduce relatives --page`; do not edit.",
        " ".join(outcome(found, judged)),
        Picture("shares.png", "What FedMM pays over the best of the others, by each cost", lambda: picture_of(found),
                caption=SEEN),
        "## What was not expected", "\n".join(contrary(judged, "Expected")) or "Nothing: every expectation holds.",
        "## Who is cheapest", *(block for accuracy in (LOW, HIGH) for block in winners(found, accuracy)),
        "## All expectations", *(block for one in judged for block in _expectation(one)),
        "## How it was done", *_settings(words, found),
        "## Every relative", *(block for place, of in found.items() for block in _everyone(place, of)),
    ]  # fmt: skip
    numbers = {"expectations": [one.plain() for one in judged],
               "cheapest": {place: {f"{q.accuracy:g}, {q.cost}": of.cheapest(q) for q in questions(of)}
                            for place, of in found.items()}}  # fmt: skip
    return page, numbers


def questions(of: Field) -> list[Goal]:
    """Those that somebody can answer, processor time left out: it is not the same on another day."""
    every = [Goal(accuracy, cost) for accuracy in (LOW, HIGH) for cost in COSTS if cost != "server ms"]
    return [question for question in every if of.cheapest(question)]


def outcome(found: Found, judged: Sequence[Judged[str, Field]]) -> Iterator[str]:
    """Three sentences, made from the numbers."""
    common = {place: of for place, of in found.items() if "fedmm" in of.prices}
    asked = [(of, question) for of in common.values() for question in questions(of)]
    wins = Counter(of.cheapest(question) for of, question in asked)
    others = Counter({arm: k for arm, k in wins.items() if arm not in OURS})
    most = ", ".join(f"{named(arm)} {k}" for arm, k in others.most_common(3))
    head = "Nobody wins everywhere: of" if len(wins) > 1 else "Of"
    yield (f"**{head} {len(asked)} questions (a problem, all or half of the clients, an accuracy, a cost), FedMM has "
           f"the cheapest answer to {wins['fedmm']}, its acceleration to {wins['accelerated']}, and others to "
           f"{others.total()} ({most}, …).**")  # fmt: skip
    parts = []
    for cost in ("kb up", "kb both ways", "gradients", "rounds"):
        ratios = [share(of, Goal(HIGH, cost)) for of in common.values()]
        known = [ratio for ratio in ratios if np.isfinite(ratio) and ratio > 0.0]
        if known:
            parts.append(f"{np.median(known):.2g} times the {cost} ({min(known):.2g} to {max(known):.2g})")
    far = [place for place, of in common.items() if share(of, Goal(HIGH, "rounds")) == np.inf]
    lost = f"; it does not get there, and others do, on {', on '.join(far)}" if far else ""
    yield (f"To the high accuracy, {HIGH:g} of {GAP}, FedMM takes in the median over the problems "
           f"{', '.join(parts)} of the cheapest of the others{lost}.")  # fmt: skip
    held = Counter(MEANS[one.verdict] for one in judged)
    yield (f"Of {len(judged)} expectations that were written down before the runs, {held['holds']} hold, "
           f"{held['depends']} depend on the problem and {held['fails']} fail.")  # fmt: skip


def share(of: Field, question: Goal) -> float:
    """What FedMM pays over what the best of the others pays: ∞ where FedMM never gets there, 0 where only it does."""
    best = of.cheapest(question, [arm for arm in of.prices if arm not in OURS])
    ours, theirs = of.paid("fedmm", question), of.paid(best, question)
    if not np.isfinite(theirs):
        return 0.0 if np.isfinite(ours) else np.nan
    return ours / theirs if theirs > 0.0 else np.inf


def picture_of(found: Found) -> Figure:
    """Two panels, one above the other: each accuracy; a line for each field, a sign for each cost."""
    common = {place: of for place, of in found.items() if "fedmm" in of.prices}
    figure, axes = grid(2, 1, width=6.0, height=1.5 + 0.34 * len(common))
    for ax, accuracy in zip(axes[:, 0], (LOW, HIGH), strict=True):
        shares = {cost: [share(of, Goal(accuracy, cost)) for of in common.values()] for cost in COSTS[:4]}
        draw_shares(ax, PriceRatios(f"to {accuracy:g} of W₀ − min W", tuple(common), shares))
    axes[1, 0].set_xlabel("FedMM / best of the others")
    axes[1, 0].legend(frameon=False, fontsize=9, ncols=4, loc="upper center", bbox_to_anchor=(0.4, -0.2))
    return figure


def winners(found: Found, accuracy: float) -> Iterator[str]:
    """A table: who is cheapest by each cost, and FedMM's price beside it where it is another."""
    rows = []
    for place, of in found.items():
        row = [place]
        for cost in COSTS:
            question = Goal(accuracy, cost)
            best = of.cheapest(question)
            ours = of.paid("fedmm", question)
            beside = "" if best == "fedmm" or "fedmm" not in of.prices else f" (FedMM {_cost(ours)})"
            row.append(f"{named(best)} {_cost(of.paid(best, question))}{beside}" if best else "nobody")
        rows.append(row)
    yield f"To {accuracy:g} of {GAP}: median over the seeds, and what FedMM needs."
    yield markdown_table(("problem, clients", *COSTS), rows)


def _cost(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "never"


def _expectation(one: Judged[str, Field]) -> Iterator[str]:
    yield f"### {one.statement.says}: **{MEANS[one.verdict]}**"
    yield f"Criterion: {one.statement.criterion}."
    if one.findings:
        yield markdown_table(("problem, clients", "holds"), [(place, of) for place, of in one.findings.items()])


def _settings(words: str, found: Found) -> Iterator[str]:
    """What was run, and the rules."""
    yield (f"`fedmm reproduce relatives`. {words} {sum(of.runs for of in found.values())} "
           "runs. The problems, named as in `fedmm compare`:")  # fmt: skip
    titles = {of.title: place.partition(",")[0] for place, of in found.items()}
    yield "\n".join(f"- `{name}`: {title}" for title, name in titles.items())
    yield "\n".join([
        "- Each relative has the same lists of values as in `fedmm compare`, and as many settings of them; for each "
        "question it has the setting that was cheapest at it in the median over the seeds of the tuning, of those that "
        "got there on each; these seeds are not reported. FedMM's step $\\rho$ is tuned as others' "
        "steps are, and its downlink, which may be compressed differences; others send "
        "down what their authors print. “As printed” is Algorithm 2 with nothing tuned.",
        "- Counted: 64 bits a float, both ways, $V_t$ where clients hear it; what is sent before the first round; "
        "every pass of a client over its data, local steps included. Server ms: processor time of T, the server step, "
        "the projection. Rounds stand for time where a round's delay rules, gradients where the clients' work does.",
        "- A price is the median over the reported seeds, “never” where one of them did not get there: a setting "
        "that won on the seeds of the tuning may fail on another. Where nothing is drawn, one run stands for all "
        "seeds. $\\min W$ is the least of long runs of FedMM and "
        "its acceleration from $\\theta_0$, and of all runs; on problems that are not convex that is the lowest that "
        "anyone has found, no more.",
        "- On dictionaries $\\theta_0$ has $N(0, 1)$ entries, whose penalty is most of $W_0$: who starts at a prox "
        "of it is most of the way before anything is sent, and pays 0.",
        "- half: half of the clients in each round, drawn without replacement; who needs everyone is not there.",
    ])  # fmt: skip


def _everyone(place: str, of: Field) -> Iterator[str]:
    rows = []
    order = sorted(of.prices, key=lambda arm: (of.paid(arm, Goal(HIGH, "kb both ways")), of.nearest[arm]))
    for arm in order:
        paid = [_cost(of.paid(arm, Goal(accuracy, cost))) for accuracy in (LOW, HIGH) for cost in COSTS[:4]]
        price = of.prices[arm][Goal(HIGH, "kb both ways")]
        rows.append((named(arm), *paid, price.says if price else f"ends {of.nearest[arm]:.1e} above"))
    head = ("", *(f"{cost}, {accuracy:g}" for accuracy in (LOW, HIGH) for cost in COSTS[:4]), "setting")
    yield f"### {place}"
    yield f"{of.title}; the setting is the one with the fewest kb both ways to {HIGH:g}."
    yield markdown_table(head, rows)
    if of.out:
        reasons = {why: [named(key) for key in of.out if of.out[key] == why] for why in of.out.values()}
        yield "Not there: " + "; ".join(f"{', '.join(keys)} ({why})" for why, keys in reasons.items()) + "."
