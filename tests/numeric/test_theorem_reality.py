"""Theorem 1 and the propositions behind it on instances: exactly, by enumeration, and in runs of the experiment."""

from argparse import ArgumentParser
from collections import Counter
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Bernoulli, Clients, MiniBatch, Purpose, RandK
from fedmm_edu.studies import theorem
from fedmm_edu.theory import Constants, bound
from tests.numeric.exact_fedmm import (
    DATA,
    MU,
    OMEGA_P,
    RHO,
    Node,
    P,
    Vector,
    W,
    add,
    h,
    h_i,
    lipschitz,
    outcomes,
    scale,
    square,
    variance,
)

GAMMA, ALPHA = F(1, 50), F(15, 64)  # √(1 − α) = 7/8, and α ≤ 1/(1 + ω_p) = 1/4
ZERO = (F(0), F(0))
START = Node((F(2), F(-1)), ((F(1), F(0)), (F(0), F(-1, 2))), (F(1, 3), F(-1, 3)))
FAR = Node((F(-5), F(3)), (ZERO, ZERO), ZERO)
LEVELS = [F(11, 10), F(8, 7), F(2), F(5)]  # of β


def minus(a, b) -> Vector:
    return add(a, scale(F(-1), b))


def noise(s) -> F:
    """σ²/n = Σ μ_i² σ_i² at s."""
    return sum((MU[i] ** 2 * variance(i, s) for i in range(2)), F(0))


def G(node) -> F:
    return sum((MU[i] ** 2 * square(minus(node.V[i], h_i(i, node.s))) for i in range(2)), F(0))


def tree():
    """Both starts and every state one round after them."""
    for root in (START, FAR):
        yield root
        yield from (outcome.after for outcome in outcomes(root, ALPHA, GAMMA))


NODES = list(tree())


@pytest.mark.parametrize("node", NODES)
def test_propositions_hold_exactly_at_every_state(node):
    """Props 2 to 5 and Lemma 4, as expectations over all 25 outcomes, with B = I/ρ, C̄ = v_min = v_max = 1/ρ."""
    law = outcomes(node, ALPHA, GAMMA)
    assert sum(o.chance for o in law) == 1
    field, v = h(node.s), 1 / RHO
    # prop:update_error; the compressor attains its ω at every point, so that the bound on the variance is an equality
    assert add(*(scale(o.chance, o.H) for o in law)) == field
    spread = v * sum(o.chance * square(minus(o.H, field)) for o in law)
    assert spread == (1 + OMEGA_P) * v * noise(node.s) + OMEGA_P * v * G(node)
    # prop:meanV:PP
    assert all(o.after.V_server == add(*(scale(MU[i], o.after.V[i]) for i in range(2))) for o in law)
    # lem:controlvariate, an equality for the same reason
    for i in range(2):
        own = square(minus(node.V[i], h_i(i, node.s)))
        left = sum(o.chance * square(minus(o.after.V[i], h_i(i, node.s))) for o in law)
        size = own + variance(i, node.s)
        assert left == (1 - ALPHA) * own + ALPHA * variance(i, node.s) + ALPHA * (ALPHA * (1 + OMEGA_P) - 1) * size
    # prop:lyapunov
    error = v * square(field)
    right = W(node.s) - GAMMA / 4 * (1 - 2 * GAMMA) * error + GAMMA * (1 - GAMMA) * spread
    assert sum(o.chance * W(o.after.s) for o in law) <= right
    # prop:varcont-PP2
    left, K = sum(o.chance * G(o.after) for o in law), sum(MU[i] ** 2 * lipschitz(i) for i in range(2))
    for beta in LEVELS:
        c = 2 / (beta - 1) * K * GAMMA**2
        right = (1 - ALPHA + OMEGA_P * c) * G(node) + c / v * error + (ALPHA + (1 + OMEGA_P) * c) * noise(node.s)
        assert left <= beta * right


@pytest.mark.parametrize("root", [START, FAR])
@pytest.mark.parametrize("version", ["printed", "sharper"])
def test_theorem_1_holds_exactly_over_two_rounds(root, version):
    """The left side enumerated over all 625 paths' states, against the calculator at the least constants of these."""
    first = outcomes(root, ALPHA, GAMMA)
    states = [root, *(o.after for o in first)]
    v = 1 / RHO
    left = (v * square(h(root.s)) + sum(o.chance * v * square(h(o.after.s)) for o in first)) / 2
    rows = [(F(z[0]), F(z[1]), F(z[2]), MU[i] / 2) for i in range(2) for z in DATA[i]]
    a, b, c, d, e = (sum(r[j] * r[k] * r[3] for r in rows) for j, k in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2)))
    least = ((c * d - b * e) / (a * c - b * b), (a * e - b * d) / (a * c - b * b))
    assert h(least) == ZERO
    sigma = float(2 * max(noise(node.s) for node in states)) ** 0.5
    L = float(2 * sum(MU[i] ** 2 * lipschitz(i) for i in range(2))) ** 0.5
    constants = Constants(float(v), float(v), 0.0, float(v), np.inf, L, sigma, 2)
    found = bound(
        constants, gamma=float(GAMMA), rounds=2, initial_gap=float(W(root.s) - W(least)), omega_p=float(OMEGA_P),
        alpha=float(ALPHA), initial_variates=float(G(root)), version=version,
    )  # fmt: skip
    assert 0 < float(left) <= found.total


class FixedDraws:
    """Uniforms told in advance: one tuple (participation, oracle, compression) for each client."""

    def __init__(self, uniforms, clients=(0, 1)):
        self.uniforms, self.clients = uniforms, np.asarray(clients)

    def __call__(self, purpose, size):
        at = [Purpose.PARTICIPATION, Purpose.ORACLE, Purpose.COMPRESSION].index(purpose)
        return np.array([self.uniforms[i][at][:size] for i in self.clients])

    def only(self, positions):
        return FixedDraws(self.uniforms, self.clients[positions])


def test_the_law_of_the_float_kernels_is_the_enumerated_one(monkeypatch):
    """One round over the cells of equal chance into which the uniforms fall: the same law of (Ŝ_1, V_1,i), to 1e-12."""
    clients = Clients.of([[[float(v) for v in z] for z in rows] for rows in DATA], [float(m) for m in MU])
    fed = FedMM(Quadratic(2, float(RHO)), clients, Constant(float(GAMMA)), MiniBatch(1), Bernoulli(float(P)), RandK(1),
                float(ALPHA))  # fmt: skip
    start = fed.init([float(x) for x in START.s], np.array([[float(x) for x in V] for V in START.V]))
    cells = list(product(((0.25,), (0.75,)), ((0.25,), (0.75,)), ((0.1, 0.9), (0.9, 0.1))))
    law: Counter = Counter()
    for draws in product(cells, repeat=2):
        monkeypatch.setattr(FedMM, "draws", lambda self, t, u=draws: FixedDraws(u))
        state = fed.step(start)
        law[tuple(np.round(np.concatenate([state.x, *state.V_clients]), 11) + 0.0)] += 1
    exact: dict[tuple, F] = {}
    for o in outcomes(START, ALPHA, GAMMA):
        key = tuple(np.round([float(x) for x in (*o.after.s, *o.after.V[0], *o.after.V[1])], 11) + 0.0)
        exact[key] = exact.get(key, F(0)) + o.chance
    assert {key: F(count, 64) for key, count in law.items()} == exact


@pytest.mark.parametrize("name", theorem.PROBLEMS)
def test_what_is_measured_is_measured_in_the_matrix_of_a7(name):
    """κ B(s) is the derivative of φ∘T, also with a ridge, and lies between v_min and v_max."""
    instance = theorem.PROBLEMS[name](3, np.random.default_rng(1))
    problem, s, step = instance.problem, instance.start, 1e-6
    s = s + 0.1 * (instance.clients.mean_S_bar(problem, problem.T(s)) - s)  # inside 𝒮, where it has both neighbours
    slopes = [problem.phi(problem.T(s + e)) - problem.phi(problem.T(s - e)) for e in step * np.eye(len(s))]
    B = instance.kappa * problem.B(s)
    np.testing.assert_allclose(np.array(slopes) / (2 * step), B, rtol=1e-6, atol=1e-6)
    lengths = np.linalg.eigvalsh(B)
    assert instance.constants.v_min <= lengths[0] * (1 + 1e-12)
    assert lengths[-1] <= instance.constants.v_max * (1 + 1e-12)
    fed = FedMM(problem, instance.clients, Constant(1e-3), metric="B", beyond_theorem=True)
    h = instance.clients.mean_S_bar(problem, problem.T(s)) - s  # short of the boundary, so that nothing is projected
    found = theorem.error_bar(fed, fed.init(s), 1e-3, instance.kappa)
    np.testing.assert_allclose(found, h @ B @ h, rtol=1e-8)


def test_runs_stay_below_the_bound_in_every_setting(tmp_path, capsys):
    """The experiment itself at a small size; its files repeat bit for bit."""
    parser = ArgumentParser()
    theorem.EXPERIMENT.add_arguments(parser)
    for name in ("a", "b"):
        assert (
            theorem.EXPERIMENT.main(
                parser.parse_args(["--rounds", "10", "--seeds", "2", "--out", str(tmp_path / name)])
            )
            == 0
        )
    assert (tmp_path / "a/summary.json").read_bytes() == (tmp_path / "b/summary.json").read_bytes()
    assert "80 settings" in capsys.readouterr().out
