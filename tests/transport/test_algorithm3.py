"""FedMM-OT and FedAdam: the rounds by hand, the invariant, exactness for linear potentials, and what is refused."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch

from fedmm_edu.algorithms import Adam, Constant, FedMM, Plain, run
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Bernoulli, Clients, Draws, Purpose, RandK, uniforms
from fedmm_edu.transport import (
    ICNN,
    JointSteps,
    PotentialSpace,
    PotentialSteps,
    TransportProblem,
    UnboundedObjective,
    fedadam,
    fedmm_ot,
    health,
    joint,
)

MU = np.array([0.5, 0.2, 0.3])
NETWORK = ICNN(2, (4, 3, 3), kappa=0.1)


def start(seed: int) -> np.ndarray:
    return NETWORK.initial(torch.Generator().manual_seed(seed), torch.float64).numpy()


OMEGA, THETA = start(0), start(1)


def clients(d: int = 2) -> Clients:
    rng = np.random.default_rng(0)
    return Clients.of([rng.normal(loc=i, size=(20, d)) for i in range(3)], MU)


def problem(lam: float = 0.0, **settings) -> TransportProblem:
    target = np.random.default_rng(1).normal(size=(50, 2))
    return TransportProblem(NETWORK, target, lam, **({"dtype": torch.float64} | settings))


def ot(lam: float = 0.7, **settings) -> FedMM:
    return fedmm_ot(problem(lam), clients(), theta0=THETA, **({"rate": 0.05, "b": 8, "server_steps": 3} | settings))


# ------------------------------------------------------------------------------------------- objectives, by autograd


def slow_gradient(flat: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """∇f(x) by autograd of f, differentiable again."""
    x = x if x.requires_grad else x.clone().requires_grad_()
    return torch.autograd.grad(NETWORK.value(flat, x).sum(), x, create_graph=True)[0]


def parts(omega, theta, x, y) -> tuple[torch.Tensor, torch.Tensor]:
    """l_i and R_Q on batches, as Section 7 prints them."""
    moved = slow_gradient(theta, y)
    dual = NETWORK.value(omega, x).mean() + ((moved * y).sum(-1) - NETWORK.value(omega, moved)).mean()
    return dual, (slow_gradient(omega, moved) - y).square().sum(-1).mean()


def slope(of: str, omega, theta, x, y, lam: float, sign: float = 1.0) -> np.ndarray:
    """∇_ω (l_i + λR) or ∇_θ (sign l_i + λR)."""
    leaves = {"ω": torch.tensor(omega).requires_grad_(), "θ": torch.tensor(theta).requires_grad_()}
    dual, cycle = parts(leaves["ω"], leaves["θ"], torch.tensor(x), torch.tensor(y))
    return torch.autograd.grad(sign * dual + lam * cycle, leaves[of])[0].numpy()


def drawn(fed: FedMM, t: int, b: int, K: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The samples of P_i and Q that the clients use in round t, shape (m, K, b, d), from the named draws."""
    draws, held = Draws(fed.seed, t, np.arange(3)), fed.clients
    x = [held[i][(u * len(held[i])).astype(int)] for i, u in enumerate(draws(Purpose.ORACLE, K * b))]
    y = [fed.problem.target[(u * 50).astype(int)] for u in draws(Purpose.TARGET, K * b)]
    return np.reshape(x, (3, K, b, -1)), np.reshape(y, (3, K, b, -1))


@pytest.mark.parametrize("lam", [0.0, 0.7])
@pytest.mark.parametrize("reading", ["dual", "printed"])
def test_gradients_are_those_of_autograd(lam, reading):
    """ω descends l + λR in both readings; θ descends −l + λR (dual) or l + λR (printed)."""
    ours = problem(lam)
    object.__setattr__(ours, "reading", reading)  # past the refusal of λ ≤ 1/(2κ)
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 6, 2))
    tensors = [torch.tensor(v) for v in (OMEGA, THETA, x, y)]
    np.testing.assert_allclose(ours.omega_gradient(*tensors), slope("ω", OMEGA, THETA, x, y, lam), atol=1e-12)
    sign = -1.0 if reading == "dual" else 1.0
    expected = slope("θ", OMEGA, THETA, x, y, lam, sign)
    np.testing.assert_allclose(ours.theta_gradient(tensors[0], tensors[1], tensors[3]), expected, atol=1e-12)


def test_loss_plus_g_is_W_on_the_whole_samples():
    """What the loop records as the objective: Σ μ_i E_{P_i} f_ω + E_Q[⟨∇f_θ(Y), Y⟩ − f_ω(∇f_θ(Y))] + λ R_Q."""
    ours, held = problem(0.7), clients()
    y = torch.tensor(ours.target)
    expected = 0.0
    for weight, z in zip(MU, held.data, strict=True):
        dual, cycle = parts(torch.tensor(OMEGA), torch.tensor(THETA), torch.tensor(z), y)
        expected += weight * (dual + 0.7 * cycle).item()
    assert held.objective(ours, joint(OMEGA, THETA)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_two_rounds_of_algorithm_3_by_hand(lam):
    """K = 1: ω_i = ω − η ∇W_i, ω⁺ = Π(ω + γ Σ μ_i (ω_i − ω)); then M steps of torch's Adam on −l + λR, projected.

    One optimiser serves both rounds: its moments and the number of its steps are part of the state.
    """
    fed = ot(lam, gamma=0.5, server_rate=0.01, server_batch=6)
    state, omega, theta = fed.init(OMEGA), torch.tensor(OMEGA), torch.tensor(THETA)
    optimiser = torch.optim.Adam([theta], lr=0.01, eps=1e-8)
    for t in (1, 2):
        state = fed.step(state)
        x, y = drawn(fed, t, 8)
        at = omega.numpy(), theta.numpy()
        step = [-0.05 * slope("ω", *at, x[i, 0], y[i, 0], lam) for i in range(3)]
        omega = NETWORK.project(omega + 0.5 * torch.tensor(MU @ step))
        np.testing.assert_allclose(state.x, omega, atol=1e-9)
        picks = uniforms(fed.seed, Purpose.SERVER, [0], t, 18).reshape(3, 6)
        for batch in fed.problem.target[(picks * 50).astype(int)]:
            theta.grad = torch.tensor(slope("θ", omega.numpy(), theta.numpy(), batch, batch, lam, -1.0))
            optimiser.step()
            theta.copy_(NETWORK.project(theta))
        np.testing.assert_allclose(fed.theta(state), joint(omega, theta), atol=1e-8)


def test_local_steps_follow_each_other():
    """K = 3 is three times K = 1 on the batches in turn, projected in between."""
    fed = ot(K=3)
    S = fed.oracle(fed.problem, fed.clients, joint(OMEGA, THETA), Draws(0, 1, np.arange(3)))
    x, y = drawn(fed, 1, 8, K=3)
    for i in range(3):
        omega = OMEGA
        for k in range(3):
            omega = NETWORK.project(torch.tensor(omega)).numpy() if k else omega
            omega = omega - 0.05 * slope("ω", omega, THETA, x[i, k], y[i, k], 0.7)
        np.testing.assert_allclose(S[i], omega, atol=1e-12)


@pytest.mark.parametrize("server", [Adam(0.5, 0.75, 0.1), Adam(0.9, 0.999, 1e-8, bias_correction=True), Plain()])
def test_a_round_of_fedadam_and_of_fedavg_by_hand(server):
    """H = −η Σ μ_i (∇_ω W_i, ∇_θ(−l_i + λR)); m, v and the step of Reddi et al., with and without bias correction."""
    fed = fedadam(problem(0.7), clients(), rate=0.1, b=8, gamma=0.2, server=server)
    after = fed.step(fed.init(joint(OMEGA, THETA)))
    x, y = drawn(fed, 1, 8)
    H = np.zeros(2 * NETWORK.size)
    for i in range(3):
        at = OMEGA, THETA, x[i, 0], y[i, 0], 0.7
        H -= 0.1 * MU[i] * joint(slope("ω", *at), slope("θ", *at, -1.0))
    moved = joint(OMEGA, THETA) + 0.2 * H
    if isinstance(server, Adam) and not server.bias_correction:
        moved = joint(OMEGA, THETA) + 0.2 * 0.5 * H / (np.sqrt(0.75 * 0.01 + 0.25 * H**2) + 0.1)
    elif isinstance(server, Adam):
        moved = joint(OMEGA, THETA) + 0.2 * H / (np.abs(H) + 1e-8)
    halves = [NETWORK.project(torch.tensor(half)) for half in np.split(moved, 2)]
    np.testing.assert_allclose(after.x, joint(*halves), atol=1e-6)  # 1e-8/|H| where a gradient nearly vanishes
    assert after.moments.size == (0 if isinstance(server, Plain) else 4 * NETWORK.size)


# ----------------------------------------------------------------------------------------------- the loop around them

METHODS = {
    "FedMM-OT": lambda **parts: (ot(**parts), OMEGA),
    "adaptive server": lambda **parts: (ot(server=Adam(), **parts), OMEGA),
    "FedAdam": lambda **parts: (fedadam(problem(0.7), clients(), b=8, **parts), joint(OMEGA, THETA)),
}
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


@every_method
def test_control_variates_keep_the_invariant(method):
    """V_server = Σ μ_i V_i with partial participation, compression and weights that differ; and V moves."""
    fed, x = method(participation=Bernoulli(0.6), alpha=0.3, compressor=RandK(30), seed=4, beyond_theorem=True)
    state = fed.init(x, np.random.default_rng(0).normal(size=(3, len(x))))
    first = state.V_clients
    for _ in range(6):
        state = fed.step(state)
        np.testing.assert_allclose(state.V_server, MU @ state.V_clients, atol=1e-10)
    assert not np.allclose(state.V_clients, first)


@every_method
def test_a_seed_repeats_bit_for_bit_and_another_differs(method):
    ends = []
    for seed in (3, 3, 5):
        fed, x = method(seed=seed, participation=Bernoulli(0.7))
        state = fed.init(x)
        for _ in range(4):
            state = fed.step(state)
        ends.append(fed.theta(state))
    assert (ends[0] == ends[1]).all()
    assert not (ends[0] == ends[2]).all()


@every_method
def test_a_run_resumes_bit_for_bit(method, tmp_path):
    """Networks, moments of both optimisers and control variates: all of it is in the state."""
    fed, x = method(participation=Bernoulli(0.7), alpha=0.2)
    whole, history = run(fed, fed.init(x), 7, every=1)
    run(fed, fed.init(x), 3, every=1, checkpoint=tmp_path / "run.npz")
    resumed, again = run(fed, fed.init(x), 7, every=1, checkpoint=tmp_path / "run.npz")
    for name in ("x", "carry", "moments", "V_clients", "V_server"):
        assert (getattr(resumed, name) == getattr(whole, name)).all()
    assert (again.objective == history.objective).all()


@every_method
def test_clients_in_one_call_are_clients_one_by_one(method):
    fed, _ = method()
    draws = Draws(0, 2, np.arange(3))
    together = fed.oracle(fed.problem, fed.clients, joint(OMEGA, THETA), draws)
    singly = [fed.oracle(fed.problem, fed.clients, joint(OMEGA, THETA), draws.only([i]))[0] for i in range(3)]
    np.testing.assert_allclose(together, singly, rtol=1e-12, atol=1e-12)


@every_method
def test_all_networks_stay_convex(method):
    """The server projects: hidden weights are ≥ 0 after every round, though the steps are large."""
    fed, x = method(gamma=1.0)
    state = fed.init(x)
    for _ in range(5):
        state = fed.step(state)
        for flat in fed.problem.split(fed.theta(state)):
            assert (flat[NETWORK.nonnegative.numpy()] >= 0).all()


def test_single_precision_keeps_the_double_of_the_server():
    """A client that moves by nothing sends nothing: rounding of ω_t to single precision is no message."""
    fed = fedmm_ot(problem(dtype=torch.float32), clients(), theta0=THETA, rate=1e-30)
    state = fed.step(fed.init(OMEGA))
    assert (state.x == OMEGA).all()


# ------------------------------------------------------------------------ potentials linear in ω: an exact MM algorithm


@dataclass(frozen=True)
class Quadratics:
    """f(x) = a x²/2 + c x on ℝ: linear in the parameters (a, c); or, `reciprocal`, in (1/a, c)."""

    reciprocal: bool = False
    kappa: float = 1.0
    d: int = 1
    size: int = 2

    def curvature(self, flat):
        return 1 / flat[..., :1] if self.reciprocal else flat[..., :1]

    def value(self, flat, x):
        return 0.5 * self.curvature(flat) * x[..., 0] ** 2 + flat[..., 1:] * x[..., 0]

    def gradient(self, flat, x):
        return self.curvature(flat)[..., None, :] * x + flat[..., None, 1:]

    def project(self, flat):
        return flat

    def conjugate(self, omega: np.ndarray) -> np.ndarray:
        """θ with ∇f_θ = (∇f_ω)⁻¹: slope 1/a, intercept −c/a."""
        a = self.curvature(omega)[0]
        return np.array([a if self.reciprocal else 1 / a, -omega[1] / a])


@dataclass(frozen=True)
class BestResponse(PotentialSteps):
    """argmin_ω W_i(·, θ_t) by normal equations: W_i is quadratic in (a, c)."""

    rate: float = 1.0

    def __call__(self, problem, clients, theta, draws):
        y, (_, conjugate) = problem.target[:, 0], problem.split(theta)
        moved = problem.potentials.gradient(torch.tensor(conjugate), torch.tensor(problem.target)).numpy()[:, 0]
        features = np.stack([moved, np.ones_like(moved)], axis=1)  # ∇f_ω(moved) = features @ (a, c)
        rows = []
        for i in draws.clients:
            x = clients[i][:, 0]
            linear = np.array([np.mean(x**2) / 2 - np.mean(moved**2) / 2, x.mean() - moved.mean()])
            quadratic = problem.lam * features.T @ features / len(y)
            rows.append(np.linalg.solve(2 * quadratic, 2 * problem.lam * features.T @ y / len(y) - linear))
        found = np.array(rows)
        if problem.potentials.reciprocal:
            found[:, 0] = 1 / found[:, 0]
        return found


@dataclass(frozen=True, eq=False)
class ExactServer(PotentialSpace):
    """argmin_θ W(ω_{t+1}, ·), which is the conjugate."""

    def advance(self, problem, x, carry, draws):
        return np.concatenate([problem.potentials.conjugate(x), carry[2:]])


def exact(reciprocal: bool, lam: float = 0.6) -> FedMM:
    rng = np.random.default_rng(0)
    held = Clients.of([s * rng.normal(size=(40, 1)) + i for i, s in enumerate((0.3, 0.6, 0.9))], MU)
    ours = TransportProblem(Quadratics(reciprocal), 1.6 * rng.normal(size=(60, 1)) + 1.0, lam, "printed", torch.float64)
    return FedMM(ours, held, Constant(1.0), BestResponse(), space=ExactServer(np.array([0.8, 0.1])))


def profile(fed: FedMM, theta: np.ndarray) -> float:
    """𝒲(θ) = min_ω W(ω, θ), by the normal equations of the pooled problem."""
    z, weights = fed.clients.pooled()
    mean = weights @ z[:, 0]
    spread = np.sqrt(weights @ z[:, 0] ** 2 - mean**2)
    twin = Clients.of([[[mean + spread], [mean - spread]]])  # one client with the moments of all
    omega = BestResponse()(fed.problem, twin, joint(np.zeros(2), theta), Draws(0, 1, np.arange(1)))[0]
    return fed.clients.objective(fed.problem, joint(omega, theta))


def test_with_potentials_linear_in_omega_algorithm_3_is_an_exact_MM_algorithm():
    """γ = p = 1 and exact steps: the mean of the clients' best responses is the server's, and 𝒲(θ_t) descends.

    W_i(·, θ_t) is quadratic in ω with a curvature that Q and θ_t alone determine, and linear in P_i: the minimiser is
    an affine function of P_i, so its mean is the minimiser for Σ μ_i P_i. Hence W(ω_{t+1}, ·) is tangent to 𝒲 at θ_t
    and above it, and its minimiser θ_{t+1} descends. The limit is the linear optimal map of the pooled moments.
    """
    fed = exact(reciprocal=False)
    state = fed.init(np.array([1.2, 0.0]))
    values = [profile(fed, fed.theta(state)[2:])]
    for _ in range(200):
        before = fed.theta(state)[2:]
        state = fed.step(state)
        tangent = fed.clients.objective(fed.problem, joint(state.x, before))
        assert tangent == pytest.approx(values[-1], abs=1e-10)
        values.append(profile(fed, fed.theta(state)[2:]))
        assert values[-1] <= values[-2] + 1e-12
    assert values[-1] < values[0] - 1e-3
    z, weights = fed.clients.pooled()
    mean = weights @ z[:, 0]
    spread = np.sqrt(weights @ z[:, 0] ** 2 - mean**2)
    y = fed.problem.target
    a = y.std() / spread
    np.testing.assert_allclose(state.x, [a, y.mean() - a * mean], atol=1e-6)


def test_with_other_potentials_the_mean_of_best_responses_is_none():
    """The same functions with the parameter 1/a: tangency fails, as the ledger's row ot-server-surrogate says."""
    fed = exact(reciprocal=True)
    state = fed.init(np.array([1.2, 0.0]))
    before = fed.theta(state)[2:]
    after = fed.step(state)
    assert fed.clients.objective(fed.problem, joint(after.x, before)) > profile(fed, before) + 1e-6


def test_the_printed_joint_minimum_has_no_lower_bound_for_small_lambda_and_the_dual_reading_a_fixed_point():
    """f_ω = a x²/2, f_θ = b y²/2: W → −∞ in b for λa < 1/2; in the dual reading θ's gradient vanishes at b = 1/a."""
    target = np.array([[1.0], [-1.0]])
    ours = TransportProblem(Quadratics(), target, 0.2, "dual", torch.float64)
    values = [ours.g(np.array([1.0, 0.0, b, 0.0])) for b in (10.0, 100.0, 1000.0)]
    assert values[2] < 90 * values[1] < 0  # −0.3 b² + …
    assert ours.g(np.array([1.0, 0.0, 1e6, 0.0])) < -1e11
    for lam in (0.0, 0.2, 3.0):
        at = TransportProblem(Quadratics(), target, lam, "dual", torch.float64)
        omega, y = torch.tensor([2.0, 0.0], dtype=torch.float64), torch.tensor(target)

        def slope_at(b, at=at, omega=omega, y=y):
            return float(at.theta_gradient(omega, torch.tensor([b, 0.0], dtype=torch.float64), y)[0])

        assert slope_at(0.5) == pytest.approx(0.0, abs=1e-15)
        assert slope_at(0.4) < 0 < slope_at(0.6)  # descent leads to the conjugate, for every λ


# ------------------------------------------------------------------------------------------------------------- misuse


def test_misuse_warns_or_is_refused_by_name():
    with pytest.warns(UnboundedObjective, match="λ = 0 with K = 4 local steps"):
        ot(0.0, K=4)
    with pytest.raises(InvalidInput, match=r"reading = 'printed' with λ = 1.0.*row ot-regulariser"):
        problem(1.0, reading="printed")
    with pytest.raises(InvalidInput, match=r"κ = 0\.1"):
        problem(5.0, reading="printed")  # λ = 1/(2κ) is not enough
    assert problem(5.1, reading="printed").reading == "printed"
    with pytest.raises(InvalidInput, match="reading = 'other'"):
        problem(reading="other")
    with pytest.raises(InvalidInput, match="lam"):
        problem(-1.0)
    with pytest.raises(InvalidInput, match="target"):
        TransportProblem(NETWORK, np.ones((3, 5)))
    with pytest.raises(InvalidInput, match="negative hidden weights"):
        ot().init(-np.ones(NETWORK.size))
    from_outside = fedmm_ot(problem(), clients(), theta0=-np.ones(NETWORK.size), rate=0.1)
    with pytest.raises(InvalidInput, match="negative hidden weights"):
        from_outside.init(OMEGA)
    with pytest.raises(InvalidInput, match="no closed form"):
        ot().init(OMEGA, "mean_field")
    for wrong in ({"K": 0}, {"b": 0}, {"rate": 0.0}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            JointSteps(**({"rate": 0.1} | wrong))
    for wrong in ({"steps": 0}, {"b": 0}, {"rate": 0.0}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            PotentialSpace(THETA, **wrong)


def test_a_dead_or_diverged_network_is_reported():
    fed = ot()
    state = fed.init(OMEGA)
    assert health(fed, state) == "alive"
    dead = NETWORK.unpack(torch.tensor(OMEGA)) | {"v": torch.zeros(3, dtype=torch.float64)}
    assert health(fed, replace(state, x=NETWORK.pack(dead).numpy())) == "f_ω died"
    assert health(fed, replace(state, x=np.full(NETWORK.size, np.inf))) == "diverged"
    theta = NETWORK.pack(NETWORK.unpack(torch.tensor(THETA)) | {"C1": torch.zeros(4, 3, dtype=torch.float64)})
    carry = np.concatenate([theta.numpy(), state.carry[NETWORK.size :]])
    assert health(fed, replace(state, carry=carry)) == "f_θ died"
