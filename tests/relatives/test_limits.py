"""Where relatives end: Σ μ_i Q_i ∇f_i = 0, against long runs; and what they equal."""

from dataclasses import replace

import numpy as np
import pytest

from fedmm_edu.algorithms import FedMM, run
from fedmm_edu.algorithms.local_steps import Geometric
from fedmm_edu.federation import FixedSize, Identity, RandK, TopK
from fedmm_edu.relatives import Relative, Tuning, relatives
from tests.relatives.case import Case, clients, problem
from tests.relatives.test_definitions import START

LONG = Tuning(eta=0.05, steps=6, gamma=1.0)
OWN: dict[str, Tuning] = {
    "fedavgm": replace(LONG, gamma=0.1),
    "fedadam": replace(LONG, gamma=3e-2),
    "fedyogi": replace(LONG, gamma=3e-2),
    "fedadagrad": replace(LONG, gamma=1.0),
    "diana": replace(LONG, compressor=RandK(2), eta=0.1),
    "prox-diana": replace(LONG, compressor=RandK(2), eta=0.1),
    "fedmm": replace(LONG, compressor=RandK(2)),
    "ef21": replace(LONG, compressor=TopK(1)),
    "marina": replace(LONG, compressor=RandK(2), p=0.3),
    "mcm": replace(LONG, compressor=RandK(2)),
    "scaffnew": replace(LONG, p=0.2),
    "proxskip": replace(LONG, p=0.2),
}
SAYS = [r for r in relatives().values() if r.ends.Q is not None]


def end(relative: Relative, tuning: Tuning, rounds: int = 800) -> np.ndarray:
    fed = relative.on(problem(0.0), clients(), tuning)
    state, _ = run(fed, relative.start(fed, START), rounds, columns={}, every=())
    return fed.theta(state)


def solved(relative: Relative, tuning: Tuning) -> np.ndarray:
    """The θ with Σ μ_i Q_i(H_i θ − b_i) = 0."""
    case, zero = Case(tuning), np.zeros(3)
    assert relative.ends.Q is not None
    Q = [relative.ends.Q(case.hessian(i), tuning) for i in range(case.n)]
    left = sum(Q[i] @ case.hessian(i) for i in range(case.n))
    return np.linalg.solve(left, -sum(Q[i] @ case.gradient(i, zero) for i in range(case.n)))


@pytest.mark.parametrize("relative", SAYS, ids=lambda r: r.key)
def test_a_long_run_ends_where_the_equation_says(relative):
    tuning = OWN.get(relative.key, LONG)
    np.testing.assert_allclose(end(relative, tuning), solved(relative, tuning), rtol=0, atol=1e-7)


@pytest.mark.parametrize("key", ["fedavg", "fedprox"])
def test_the_drift_is_not_the_optimum(key):
    """What the equation says of local steps is another point than the optimum, and than with other K."""
    relative, optimum = relatives()[key], solved(relatives()["scaffold"], LONG)
    assert np.abs(solved(relative, LONG) - optimum).max() > 1e-3
    assert np.abs(solved(relative, LONG) - solved(relative, replace(LONG, steps=60))).max() > 1e-3


def test_where_no_equation_is_said_the_run_ends_elsewhere():
    """QSGD and GDCI move on for ever; Top-K without memory is no descent to the optimum, with it (EF21) it is."""
    tuning = replace(LONG, compressor=RandK(1), eta=0.05)
    optimum = solved(relatives()["scaffold"], LONG)
    assert np.abs(end(relatives()["qsgd"], tuning) - optimum).max() > 1e-3
    assert np.abs(end(relatives()["gdci"], tuning) - optimum).max() > 1e-3
    assert np.abs(end(relatives()["qsgd"], replace(tuning, compressor=TopK(1))) - optimum).max() > 1e-3


def test_fedmid_counts_the_penalty_twice():
    """One client, ½(θ − 3)² + |θ|, K = 1: it ends at 1, the minimiser of ½(θ − 3)² + 2|θ|, and ProxSkip at 2."""
    from fedmm_edu.examples.quadratic import L1, Quadratic
    from fedmm_edu.federation import Clients

    one, here = Quadratic(1, 0.5, penalty=L1(1.0)), Clients.of([[[1.0, 3.0]]])
    for key, ends in (("fedmid", 1.0), ("proxskip", 2.0), ("prox-diana", 2.0), ("fedmm", 2.0)):
        relative = relatives()[key]
        fed = relative.on(one, here, Tuning(eta=0.1, p=0.5, alpha=0.5))
        state, _ = run(fed, relative.start(fed, [5.0]), 600, columns={}, every=())
        np.testing.assert_allclose(fed.theta(state), [ends], atol=1e-9)


def together(first: tuple[FedMM, object], second: tuple[FedMM, object], rounds: int = 15) -> float:
    """The largest distance between the θ_t of two runs."""
    (a, s), (b, u), worst = first, second, 0.0
    for _ in range(rounds):
        s, u = a.step(s), b.step(u)
        worst = max(worst, float(np.abs(a.theta(s) - b.theta(u)).max()))
    return worst


def started(key: str, tuning: Tuning, lam: float = 0.0, rho: float = 0.05):
    relative = relatives()[key]
    fed = relative.on(problem(lam, rho), clients(), tuning)
    return fed, relative.start(fed, START)


def plain(lam: float = 0.0, rho: float = 0.05, **parts):
    fed = FedMM(problem(lam, rho), clients(), **{"gamma": 1.0, "beyond_theorem": True, **parts})
    return fed, fed.init(START)


def test_what_they_equal():
    """The sentences of `equals`, to rounding."""
    one = Tuning(eta=0.05, steps=1, active=2, seed=4)
    scaffold = started("scaffold", one)
    assert together(scaffold, plain(participation=FixedSize(2), alpha=0.4, seed=4)) < 1e-12
    everyone = replace(one, active=None)
    assert together(started("fedavg", everyone), plain()) < 1e-12
    assert (
        together(
            started("fedprox", replace(everyone, steps=5, pull=0.0)), started("fedavg", replace(everyone, steps=5))
        )
        == 0.0
    )
    channel = replace(everyone, compressor=RandK(2), alpha=0.3)
    diana = plain(compressor=RandK(2), alpha=0.3, seed=4)
    assert together(started("diana", channel), diana) < 1e-12
    assert together(started("prox-diana", channel), diana) < 1e-12
    assert (
        together(
            started("qsgd", replace(channel, active=2)), plain(compressor=RandK(2), seed=4, participation=FixedSize(2))
        )
        < 1e-12
    )
    assert (
        together(started("proxskip", replace(everyone, p=0.3)), started("scaffnew", replace(everyone, p=0.3))) < 1e-12
    )
    assert together(started("scaffnew", replace(everyone, p=1.0)), started("scaffold", everyone)) < 1e-12
    assert together(started("ef-sgd", everyone), plain()) < 1e-12
    assert together(started("naive", everyone), plain(alpha=1.0)) < 1e-12


def test_what_they_do_not_equal():
    """With a penalty prox-DIANA is not FedMM: its reference is θ_t, not Ŝ_t."""
    channel = Tuning(eta=0.05, compressor=RandK(2), alpha=0.3, seed=4)
    assert (
        together(started("prox-diana", channel, lam=0.3), plain(lam=0.3, compressor=RandK(2), alpha=0.3, seed=4)) > 1e-3
    )
    exact = replace(channel, compressor=Identity(), alpha=0.0)
    assert together(started("prox-diana", exact, lam=0.3), plain(lam=0.3)) < 1e-12


def test_the_number_of_steps_until_heads():
    """Geometric(p): mean 1/p, and P(L = 1) = p."""
    from fedmm_edu.federation import Draws

    lengths = np.array([Geometric(0.3).of(Draws(0, t, np.arange(2))) for t in range(1, 6001)])
    assert abs(lengths.mean() - 1 / 0.3) < 0.12
    assert abs((lengths == 1).mean() - 0.3) < 0.02
    assert lengths.min() == 1
