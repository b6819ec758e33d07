"""What the study of the relatives is asked, as sentences with criteria; both were fixed before any of its runs.

They are expectations, some of them against FedMM; the page says which hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from fedmm_edu.relatives import relatives
from fedmm_edu.relatives.relative import OPTIMUM
from fedmm_edu.studies.judging import Finding, Statement
from fedmm_edu.studies.relatives.compare import COSTS
from fedmm_edu.studies.relatives.field import PLAIN, Field, Goal, named

LOW, HIGH = 1e-1, 1e-4
"""The two accuracies, as shares of W_0 − min W."""
EVERYONE, HALF = "all", "half"
FIELDS = ("quadratic:l1", "quadratic:ill", "logistic", "mixture:personal", "dictionary", "movielens")
CONVEX = ("quadratic:l1", "quadratic:ill", "logistic")
OURS = ("fedmm", "accelerated", PLAIN)
"""Arms that are no one else's."""


def place_of(name: str, who: str) -> str:
    """How a field is called where sentences are judged."""
    return f"{name}, {who}"


def _of(names: Iterable[str], *who: str) -> tuple[str, ...]:
    return tuple(place_of(name, each) for name in names for each in who or (EVERYONE, HALF))


def _says(value: float, cost: str) -> str:
    return "never" if value == np.inf else f"{value:.3g} {cost}"


def more(arm: str, other: str, cost: str, accuracy: float = HIGH) -> Callable[[Field], Finding]:
    """`arm` pays more than `other`; who does not get there pays more than who does."""

    def judge(found: Field) -> Finding:
        ours, theirs = (found.paid(each, Goal(accuracy, cost)) for each in (arm, other))
        return Finding(ours > theirs, f"{named(arm)} {_says(ours, cost)}, {named(other)} {_says(theirs, cost)}")

    return judge


def only_at_the_optimum(found: Field) -> Finding:
    """Whoever gets to `HIGH` by any cost ends at the optimum by its entry, or by the setting that got there.

    Parameter aggregation is left out: where T is affine it is FedMM.
    """
    odd = []
    for arm, prices in found.prices.items():
        if arm == "naive":
            continue
        entry = relatives()["fedmm" if arm == PLAIN else arm]
        for question, price in prices.items():
            if question.accuracy != HIGH or price is None or entry.ends.Q is OPTIMUM.Q:
                continue
            if price.choice.steps > 1 or price.choice.compressor != "none":
                odd.append(f"{named(arm)} ({price.says})")
    return Finding(not odd, "; ".join(dict.fromkeys(odd)) or "none that ends elsewhere")


def reaches(arm: str) -> Callable[[Field], Finding]:
    """At `HIGH`, on all reported seeds."""

    def judge(found: Field) -> Finding:
        paid = found.paid(arm, Goal(HIGH, "rounds"))
        return Finding(bool(np.isfinite(paid)), f"{_says(paid, 'rounds')}; ends {found.nearest[arm]:.1e} above")

    return judge


def in_S_alone(found: Field) -> Finding:
    """In 𝒮 the accuracy is reached, in Θ it is not."""
    in_S, in_Theta = (found.paid(arm, Goal(HIGH, "rounds")) for arm in ("marfoq-in-s", "marfoq"))
    return Finding(
        bool(np.isfinite(in_S) and not np.isfinite(in_Theta)),
        f"in 𝒮 {_says(in_S, 'rounds')}, in Θ {_says(in_Theta, 'rounds')} ({found.nearest['marfoq']:.1e} above)",
    )


def nobody_wins_all(found: Field) -> Finding:
    """No relative is cheapest by bits, gradients and rounds at both accuracies."""
    questions = [Goal(accuracy, cost) for accuracy in (LOW, HIGH) for cost in COSTS if cost != "server ms"]
    winners = {found.cheapest(question) for question in questions} - {""}
    return Finding(len(winners) > 1, ", ".join(sorted(map(named, winners))))


def shrinks(found: Field) -> Finding:
    """What the best of the others pays over what FedMM pays: less when the downlink is counted, too."""
    others = [arm for arm in found.prices if arm not in OURS]
    ratios = []
    for cost in ("kb up", "kb both ways"):
        question = Goal(HIGH, cost)
        best = found.cheapest(question, others)
        ratios.append(found.paid(best, question) / found.paid("fedmm", question) if best else np.inf)
    if max(ratios) == 0.0:
        return Finding(False, "FedMM never")
    return Finding(ratios[1] < ratios[0], f"× {ratios[0]:.3g} up, × {ratios[1]:.3g} both ways")


def fewest_gradients(found: Field) -> Finding:
    """FedMM or its acceleration asks for no more gradients than any other."""
    question = Goal(HIGH, "gradients")
    ours = min(found.paid(arm, question) for arm in OURS)
    best = found.cheapest(question, [arm for arm in found.prices if arm not in OURS])
    theirs = found.paid(best, question)
    return Finding(
        bool(ours <= theirs < np.inf or ours < theirs),
        f"FedMM {ours:.4g}, {named(best) if best else 'nobody'} {theirs:.4g}",
    )


LASSOS = ("quadratic:l1", "quadratic:ill")
DICTIONARIES = ("dictionary", "movielens")

EXPECTED: tuple[Statement[Field], ...] = (
    Statement(
        "plain-loses", "", "", "on ℓ1, Algorithm 2 as printed needs more bits up than ProxSkip",
        "at 1e-4, median kb up; never is more", more(PLAIN, "proxskip", "kb up"), _of(LASSOS, EVERYONE),
    ),
    Statement(
        "compressed-wins", "", "", "on ℓ1, FedMM with a compressor needs fewer bits up than ProxSkip",
        "at 1e-4, median kb up; never is more", more("proxskip", "fedmm", "kb up"), _of(LASSOS, EVERYONE),
    ),
    Statement(
        "accelerated-wins", "", "", "acceleration saves bits and gradients where everyone is there",
        "at 1e-4, median gradients of accelerated FedMM below those of FedMM",
        more("fedmm", "accelerated", "gradients"), _of(CONVEX, EVERYONE),
    ),
    Statement(
        "down-counts", "", "", "what compression gains upwards is mostly lost when the downlink is counted",
        "at 1e-4, (best other)/FedMM is smaller in kb both ways than in kb up", shrinks, _of(CONVEX),
    ),
    Statement(
        "fewest-gradients", "", "", "local steps save rounds, not gradients: FedMM or its acceleration needs least",
        "at 1e-4, least median gradients of FedMM's three arms, against the best other", fewest_gradients, _of(CONVEX),
    ),
    Statement(
        "optimum", "", "", "who gets close ends at the optimum by its equation, Q_i = I",
        "no relative with another end reaches 1e-4 with K > 1 or a compressor (parameter aggregation apart, which is "
        "FedMM where T is affine)", only_at_the_optimum, _of(CONVEX),
    ),
    Statement(
        "half", "", "", "with half of the clients, FedMM still gets close",
        "reaches 1e-4 on every reported seed", reaches("fedmm"), _of((*CONVEX, *DICTIONARIES), HALF),
    ),
    Statement(
        "personal-in-S", "", "", "with weights of each client's own, aggregation in 𝒮 ends where EM does, in Θ not",
        "in 𝒮 1e-4 is reached, in Θ not", in_S_alone, _of(("mixture:personal",)),
    ),
    Statement(
        "rounds", "", "", "on dictionaries, one exact minimisation is worth many gradient steps: FedMM needs fewer "
        "rounds than FedAvg", "at 1e-1, median rounds", more("fedavg", "fedmm", "rounds", LOW), _of(DICTIONARIES),
    ),
    Statement(
        "server", "", "", "and costs the server more time", "at 1e-1, median processor time of the server",
        more("fedmm", "fedavg", "server ms", LOW), _of(DICTIONARIES),
    ),
    Statement(
        "nobody", "", "", "nobody is best at everything",
        "more than one relative is cheapest by bits up, bits both ways, gradients or rounds, at 1e-1 or 1e-4",
        nobody_wins_all, _of((*CONVEX, *DICTIONARIES)),
    ),
)  # fmt: skip
"""All of them."""
