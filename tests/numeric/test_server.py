"""What the server does with H: the adaptive step against a computation by hand, and inside the loop."""

import numpy as np
import pytest

from fedmm_edu.algorithms import Adam, Constant, FedMM, Plain, run
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.federation import Bernoulli, Clients, UniformQuantization


def problem(**parts):
    rng = np.random.default_rng(2)
    clients = Clients.of([rng.normal(loc=i, size=(5, 4)) for i in range(4)])
    settings = {"participation": Bernoulli(0.6), "compressor": UniformQuantization(6), "alpha": 0.2}
    return FedMM(Quadratic(3, 0.02, penalty=L1(0.1)), clients, Constant(0.1), **(settings | parts))


def test_two_adaptive_steps_by_hand():
    """m and v of the paper's Algorithm 2 for β₁ = ½, β₂ = ¾, τ = 1/10, γ = 1, without and with bias correction."""
    H1, H2 = np.array([1.0, -2.0]), np.array([3.0, 0.0])
    rule = Adam(beta1=0.5, beta2=0.75, tau=0.1)
    x, moments = rule.move(np.zeros(2), H1, 1.0, 1, rule.start(2))
    np.testing.assert_allclose(moments, [0.5, -1.0, 0.0075 + 0.25, 0.0075 + 1.0], rtol=1e-15)
    np.testing.assert_allclose(x, [0.5 / (0.2575**0.5 + 0.1), -1.0 / (1.0075**0.5 + 0.1)], rtol=1e-15)
    y, moments = rule.move(x, H2, 1.0, 2, moments)
    np.testing.assert_allclose(moments, [1.75, -0.5, 0.75 * 0.2575 + 2.25, 0.75 * 1.0075], rtol=1e-15)
    np.testing.assert_allclose(y - x, [1.75 / (2.443125**0.5 + 0.1), -0.5 / (0.755625**0.5 + 0.1)], rtol=1e-12)
    rule = Adam(beta1=0.5, beta2=0.75, tau=0.1, bias_correction=True)
    x, _ = rule.move(np.zeros(2), H1, 1.0, 1, rule.start(2))
    np.testing.assert_allclose(x, [1.0 / 1.1, -2.0 / 2.1], rtol=1e-15)  # m/(1 − β₁) = H, v/(1 − β₂) = H²


def test_the_plain_step_is_the_default_and_keeps_nothing():
    fed = problem()
    assert isinstance(fed.server, Plain)
    assert fed.step(fed.init(np.zeros(3))).moments.size == 0


def test_an_adaptive_server_moves_by_its_rule_and_leaves_the_clients_as_they_are():
    """Same H, same V_i: only x differs from Algorithm 2, by m/(√v + τ) in place of H."""
    plain, adaptive = problem(), problem(server=Adam(tau=0.05))
    start = np.array([0.4, -0.1, 1.0])
    a, b = plain.step(plain.init(start)), adaptive.step(adaptive.init(start))
    assert (a.V_clients == b.V_clients).all()
    H = (a.x - start) / 0.1
    m, v = 0.1 * H, 0.99 * 0.05**2 + 0.01 * H**2
    np.testing.assert_allclose(b.x - start, 0.1 * m / (np.sqrt(v) + 0.05), rtol=1e-9)


def test_a_run_with_moments_resumes_bit_for_bit(tmp_path):
    fed = problem(server=Adam())
    whole, _ = run(fed, fed.init(np.zeros(3)), 9)
    run(fed, fed.init(np.zeros(3)), 4, checkpoint=tmp_path / "run.npz")
    resumed, _ = run(fed, fed.init(np.zeros(3)), 9, checkpoint=tmp_path / "run.npz")
    assert (resumed.x == whole.x).all()
    assert (resumed.moments == whole.moments).all()


@pytest.mark.parametrize("wrong", [{"beta1": 1.0}, {"beta2": -0.1}, {"tau": 0.0}])
def test_constants_outside_their_range_are_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Adam(**wrong)
