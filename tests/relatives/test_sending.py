"""What should a client send: prices by hand, and rates of second-order surrogates that no run breaks."""

import numpy as np
import pytest

from fedmm_edu.relatives import relatives
from fedmm_edu.studies.relatives import ComparePlan, Given, compare_relatives
from fedmm_edu.studies.relatives.race import Knobs, Race
from fedmm_edu.studies.relatives.sending import rate_of_bound
from fedmm_edu.studies.tasks import Pool


def race(name: str, rounds: int):
    return Race(Given(name), "fedmm", Knobs(), 1, rounds, -np.inf).make()


def test_richer_surrogates_have_the_same_objective():
    """The twin's W is the problem's, at the start and elsewhere."""
    rng = np.random.default_rng(0)
    for name in ("quadratic:ridge", "logistic"):
        plain = Given(name).contest()
        for richer in plain.richer:
            twin = Given(richer).contest()
            for theta in (plain.start, rng.normal(size=plain.problem.d)):
                both = [c.clients.objective(c.problem, theta) for c in (plain, twin)]
                assert both[0] == pytest.approx(both[1], rel=1e-12)


def test_the_rate_of_the_bound_holds_and_is_one_round_for_least_squares():
    best = float(race("logistic:newton", 30).objective.min())
    run = race("logistic:bound", 60)
    rate = rate_of_bound(Given("logistic:bound").contest(), float(run.objective[0]) - best)
    assert rate is not None
    gaps = run.objective - best
    assert (gaps <= rate.first * rate.factor ** np.arange(len(gaps)) * (1 + 1e-9)).all()
    sizes = [np.linalg.eigvalsh(z[:, :-1].T @ z[:, :-1] / len(z) / 4) for z in Given("logistic").contest().clients]
    # W is λ-strongly convex, and M is a quarter of the mean of the second moments
    assert 1.0 - rate.factor >= 0.01 / (max(size[-1] for size in sizes) + 0.01) * (1 - 1e-9)
    exact = rate_of_bound(Given("quadratic:bound").contest(), 1.0)
    assert exact is not None
    assert exact.steps(1e-9) == 1.0
    once = race("quadratic:bound", 3)
    assert once.objective[0] - once.objective[-1] <= 1e-12  # Ŝ_0 is the problem itself
    assert rate_of_bound(Given("logistic:newton").contest(), 1.0) is None
    assert rate_of_bound(Given("logistic").contest(), 1.0) is None


def test_a_comparison_says_what_may_be_sent(tmp_path):
    """q floats a client and round; what is proved is not below what is measured; nothing where nothing is proved."""
    plan = ComparePlan(accuracies=(1e-2,), rounds=100, seeds=1, settings=2, names=("fedmm", "ef21", "scaffnew"))
    with Pool(tmp_path) as pool:
        found = compare_relatives(Given("quadratic:ridge"), plan, pool)
        none = compare_relatives(Given("quadratic:l1"), ComparePlan((0.1,), 0, 20, 20, 1, 1, names=("fedmm",)), pool)
    assert none.sent == []
    by_says = {one.says.partition(":")[0]: one for one in found.sent if "second-order" not in one.says}
    assert set(by_says) == {relatives()[key].name for key in plan.names}
    assert by_says["FedMM"].numbers == 10
    assert not by_says["FedMM"].memory
    assert by_says["Scaffnew"].memory
    (rich,) = (one for one in found.sent if "second-order" in one.says)
    assert rich.measured == 10 * 65 * 8 / 1e3  # Ŝ_0, which is the problem, from ten clients
    for one in found.sent:
        assert one.measured <= one.proved or one.measured == np.inf
