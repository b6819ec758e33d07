"""What the loop promises: its special cases coincide, its invariant holds, and a run can stop anywhere."""

import itertools
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.algorithms import (
    ITERATES,
    STANDARD,
    Constant,
    FedMM,
    Harmonic,
    ParameterSpace,
    SqrtDecay,
    SurrogateSpace,
    checkpoints,
    mm,
    run,
    sa_ssmm,
)
from fedmm_edu.algorithms.fingerprint import fingerprint
from fedmm_edu.convex_sets import Box
from fedmm_edu.errors import BeyondTheorem, Diverged, InvalidInput, StateMismatch
from fedmm_edu.examples import examples
from fedmm_edu.examples.poisson import Law, Poisson, PoissonJoint
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import (
    Bernoulli,
    BlockQuantization,
    Clients,
    CustomLaw,
    Everyone,
    FixedSize,
    FullBatch,
    MiniBatch,
    Purpose,
    RandK,
    Stream,
    UniformQuantization,
    WithParticipation,
    largest_alpha,
    uniforms,
)
from fedmm_edu.files import append_bytes, write_arrays
from fedmm_edu.surrogate import mean_field
from fedmm_edu.symbolic import kernel
from tests.numeric.instances import every_case, floyd, instance, seeds

settings_of_a_round = st.fixed_dictionaries(
    {
        "participation": st.sampled_from([Everyone(), Bernoulli(0.4), FixedSize(2)]),
        "compressor": st.sampled_from([UniformQuantization(4), RandK(1), BlockQuantization(2)]),
        "oracle": st.sampled_from([FullBatch(), MiniBatch(2), Stream(3)]),
        "alpha": st.sampled_from([0.0, 0.1, 0.6]),
        "beyond_theorem": st.just(True),
        "space": st.sampled_from([SurrogateSpace(), ParameterSpace()]),
        "seed": seeds,
    }
)


def lasso(n=5, d=3, seed=0, mu=None):
    """Least squares with an ℓ1 penalty over n clients of different sizes."""
    rng = np.random.default_rng(seed)
    clients = Clients.of([rng.normal(loc=i / 3, size=(2 + i, d + 1)) for i in range(n)], mu)
    return Quadratic(d, admissible_rho(LeastSquares(), clients), penalty=L1(0.1)), clients


@every_case
@given(seed=seeds)
def test_aggregation_in_S_is_the_centralised_step(case, seed):
    """Eq. `agg_in_S`: with all clients, exact oracles and γ = 1, one round is the MM step on Σ μ_i π_i."""
    it = instance(case, seed)
    z, weights = it.clients.pooled()
    fed = FedMM(it.problem, it.clients, Constant(1.0))
    state = fed.step(fed.init(it.s))
    central = it.problem.mean_S_bar(z, it.problem.T(it.s), weights)
    np.testing.assert_allclose(state.x, central, rtol=1e-12, atol=1e-12)


@every_case
@given(seed=seeds)
def test_aggregation_in_Theta_averages_the_clients_minimisers(case, seed):
    """Eq. `agg_in_Theta`, term by term."""
    it = instance(case, seed)
    fed = FedMM(it.problem, it.clients, Constant(1.0), space=ParameterSpace())
    state = fed.step(fed.init(it.tau))
    expected = sum(
        m * it.problem.T(it.problem.mean_S_bar(z, it.tau)) for m, z in zip(it.clients.mu, it.clients, strict=True)
    )
    np.testing.assert_allclose(state.x, expected, rtol=1e-11, atol=1e-12)


@every_case
@given(seed=seeds, rounds=settings_of_a_round)
@settings(max_examples=20)
def test_V_server_is_the_weighted_mean_of_the_clients_V_at_all_times(case, seed, rounds):
    it = instance(case, seed, n=4)
    fed = FedMM(it.problem, it.clients, Constant(0.2), **rounds)
    rng = np.random.default_rng(seed)
    state = fed.init(fed.point(it.tau), rng.normal(size=(4, fed.dim)))
    for _ in range(6):
        try:
            state = fed.step(state)
        except InvalidInput as error:  # with these V_i, which are drawn, e^{Rθ} may leave the floats
            if "overflows" not in str(error):
                raise
            break
        size = 1 + np.abs(state.V_clients).max()
        np.testing.assert_allclose(state.V_server, it.clients.mu @ state.V_clients, rtol=0, atol=1e-12 * size)


def test_algorithm_2_line_by_line():
    """The loop against the paper's pseudo-code, written with plain loops over the same draws."""
    problem, clients = lasso()
    p, alpha, beta, seed = 0.6, 0.3, 0.5, 11
    quant = UniformQuantization(3)
    fed = FedMM(problem, clients, SqrtDecay(beta), MiniBatch(2), Bernoulli(p), quant, alpha, seed=seed)
    state = fed.init(np.array([0.3, -1.0, 2.0]), np.arange(15.0).reshape(5, 3) / 10)

    S, V_i = state.x.copy(), state.V_clients.copy()
    V = sum(clients.mu[i] * V_i[i] for i in range(5))
    for t in range(8):
        state = fed.step(state)
        gamma, H, V_next = beta / np.sqrt(beta + t + 1), V.copy(), V.copy()
        theta = problem.T(S)
        S_t = S.copy()
        for i in range(5):
            if uniforms(seed, Purpose.PARTICIPATION, [i], t + 1, 1)[0, 0] >= p:
                continue
            z = clients[i]
            if len(z) > 2:
                z = z[floyd(uniforms(seed, Purpose.ORACLE, [i], t + 1, 2)[0], len(z))]
            delta = problem.S_bar(z, theta).mean(axis=0) - S_t - V_i[i]
            sent = quant.compress(delta[None], lambda purpose, k, i=i, t=t: uniforms(seed, purpose, [i], t + 1, k))[0]
            V_i[i] = V_i[i] + alpha / p * sent
            H = H + clients.mu[i] * sent / p
            V_next = V_next + alpha / p * clients.mu[i] * sent
        S, V = S + gamma * H, V_next
        np.testing.assert_allclose(state.x, S, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(state.V_clients, V_i, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(state.V_server, V, rtol=1e-12, atol=1e-12)


@given(seed=seeds, p=st.floats(0.05, 1.0), inner=st.sampled_from([UniformQuantization(3), RandK(1), RandK(3)]))
def test_participation_is_a_form_of_compression(seed, p, inner):
    """Algorithm 2 and its full-participation form `algo:FedSS-MM:fullP` give the same run from the same draws."""
    problem, clients = lasso(seed=seed % 100)
    common = {"gamma": Constant(0.3), "oracle": MiniBatch(2), "alpha": 0.2, "seed": seed, "beyond_theorem": True}
    partial = FedMM(problem, clients, participation=Bernoulli(p), compressor=inner, **common)
    full = FedMM(problem, clients, compressor=WithParticipation(inner, p), **common)
    a, b = partial.init(np.zeros(3)), full.init(np.zeros(3))
    for _ in range(5):
        a, b = partial.step(a), full.step(b)
        np.testing.assert_allclose(a.x, b.x, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(a.V_clients, b.V_clients, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("inner", [RandK(1), UniformQuantization(8)], ids=repr)
def test_H_is_an_unbiased_oracle_of_the_mean_field(inner):
    """E[H_{t+1} | F_t] = h(Ŝ_t) over all 2ⁿ active sets, client by client with unequal chances, whatever V is."""
    problem, clients = lasso(n=3, mu=[0.2, 0.5, 0.3])
    chances = np.array([0.3, 0.8, 0.55])
    x, V = np.array([0.4, -0.7, 0.2]), np.random.default_rng(0).normal(size=(3, 3))
    mean = np.zeros(3)
    for sides in itertools.product([True, False], repeat=3):
        mask = np.array(sides)
        law = CustomLaw(lambda u, mask=mask: mask, tuple(chances))
        fed = FedMM(problem, clients, Constant(1.0), participation=law, alpha=0.4, beyond_theorem=True)
        H = fed.step(fed.init(x, V)).x - x
        mean += np.prod(np.where(mask, chances, 1 - chances)) * H
    z, weights = clients.pooled()
    np.testing.assert_allclose(mean, mean_field(problem, z, x, weights), atol=1e-12)
    feds = [FedMM(problem, clients, Constant(1.0), compressor=inner, seed=seed) for seed in range(4000)]
    draws = np.array([fed.step(fed.init(x)).x for fed in feds])
    error = 5 * draws.std(axis=0) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - x - mean_field(problem, z, x, weights)) <= error + 1e-12).all()


@every_case
@given(seed=seeds)
@settings(max_examples=10)
def test_sa_ssmm_is_algorithm_1(case, seed):
    it = instance(case, seed)
    z = it.clients.z
    fed = sa_ssmm(it.problem, z, gamma=Harmonic(), oracle=MiniBatch(2), seed=seed)
    state, oracles = fed.init(it.s), []
    for t in range(5):
        batch = z[floyd(uniforms(seed, Purpose.ORACLE, [0], t + 1, 2)[0], len(z))] if len(z) > 2 else z
        oracles.append(it.problem.S_bar(batch, it.problem.T(state.x)).mean(axis=0))
        state = fed.step(state)
        np.testing.assert_allclose(state.x, np.mean(oracles, axis=0), rtol=1e-10, atol=1e-12)


def test_mm_in_Theta_is_proximal_gradient_descent():
    problem, clients = lasso()
    z = clients.z
    rho = 1.0 / LeastSquares().lipschitz(z)
    problem = Quadratic(3, rho, penalty=L1(0.1))
    fed = mm(problem, z, space=ParameterSpace())
    theta, state = np.ones(3), fed.init(np.ones(3))
    for _ in range(5):
        gradient = z[:, :3].T @ (z[:, :3] @ theta - z[:, 3]) / len(z)
        step = theta - rho * gradient
        theta = np.sign(step) * np.maximum(np.abs(step) - rho * 0.1, 0)
        state = fed.step(state)
        np.testing.assert_allclose(state.x, theta, rtol=1e-12, atol=1e-14)


def test_control_variates_change_nothing_when_nothing_is_random():
    """p = 1 and ω = 0: FedMM is SA-SSMM whatever α is (Section 3.2)."""
    problem, clients = lasso()
    runs = [FedMM(problem, clients, Constant(0.5), alpha=alpha) for alpha in (0.0, 0.7)]
    states = [fed.init(np.zeros(3), "mean_field") for fed in runs]
    for _ in range(6):
        states = [fed.step(state) for fed, state in zip(runs, states, strict=True)]
        np.testing.assert_allclose(states[0].x, states[1].x, rtol=1e-12, atol=1e-13)


def test_control_variates_remove_the_noise_of_compression_and_participation():
    """With α = 0 a constant step leaves a noise floor on heterogeneous data; with α > 0 it vanishes."""
    problem, clients = lasso(n=6)
    floor = {}
    for alpha in (0.0, 0.2):
        fed = FedMM(problem, clients, Constant(0.2), FullBatch(), Bernoulli(0.5), UniformQuantization(6), alpha, seed=5)
        state = fed.init(np.zeros(3))
        for _ in range(2000):
            state = fed.step(state)
        z, weights = clients.pooled()
        floor[alpha] = np.linalg.norm(mean_field(problem, z, state.x, weights))
    assert floor[0.2] < 1e-10
    assert floor[0.0] > 1e-4


def test_the_state_stays_in_S():
    rng = np.random.default_rng(0)
    clients = Clients.of([1.0 + rng.poisson(3, (4, 1)) for _ in range(4)])
    problem = PoissonJoint(0.5, Law.gaussian(0.5), low=0.5, high=50.0)
    fed = FedMM(problem, clients, Constant(1.0), Stream(1), Bernoulli(0.5), RandK(1), 0.2, seed=1)
    state = fed.init(fed.point([0.0]))
    projected = 0
    for _ in range(50):
        state = fed.step(state)
        projected += bool(((state.x == problem.S.low) | (state.x == problem.S.high)).any())
        assert problem.contains(state.x)
    assert projected > 0  # compression and participation do push Ŝ out of 𝒮


def test_the_metric_of_A7_projects_an_interval_like_the_euclidean_one():
    """A8(ii): B_t = B(Ŝ_t); on an interval every norm gives the same projection."""
    clients = Clients.of([[[1.0], [3.0]], [[2.0]]])
    problem = Poisson(0.5, Law.gaussian(0.5), 2.0)
    common = {"gamma": Constant(1.0), "participation": Bernoulli(0.5), "seed": 4}
    feds = [FedMM(problem, clients, metric=metric, **common) for metric in ("euclidean", "B")]
    states = [fed.init([-1.0]) for fed in feds]
    for _ in range(10):
        states = [fed.step(state) for fed, state in zip(feds, states, strict=True)]
        assert states[0].x == states[1].x
    joint = PoissonJoint(0.5, Law.gaussian(0.5))
    fed = FedMM(joint, clients, metric="B", **common)
    with pytest.raises(InvalidInput, match="PoissonJoint defines no matrix"):
        fed.step(fed.init([1.0, -1.0]))


def test_history_holds_the_metrics_of_the_experiments():
    problem, clients = lasso()
    fed = FedMM(problem, clients, SqrtDecay(0.3), MiniBatch(2), FixedSize(2), UniformQuantization(8), 0.1)
    state = fed.init(np.zeros(3))
    states = [state]
    for _ in range(4):
        states.append(fed.step(states[-1]))
    end, history = run(fed, state, 4, every=1)
    assert (end.x == states[-1].x).all()
    for t in range(1, 5):
        gamma = 0.3 / np.sqrt(0.3 + t)
        before, after = states[t - 1], states[t]
        assert history.surrogate_update[t] == pytest.approx(np.sum((after.x - before.x) ** 2) / gamma**2)
        difference = problem.T(after.x) - problem.T(before.x)
        assert history.parameter_update[t] == pytest.approx(np.sum(difference**2) / gamma**2)
        assert history.bits_up[t] == t * 2 * (8 * 3 + 64)
        assert history.bits_down[t] == t * 2 * 64 * (3 + 3)
        assert history.active[t].sum() == 2
        assert history.objective[t] == pytest.approx(clients.objective(problem, problem.T(after.x)))
    naive = FedMM(problem, clients, SqrtDecay(0.3), space=ParameterSpace())
    start = naive.init(np.ones(3))
    after = naive.step(start)
    _, history = run(naive, start, 1)
    change = clients.mean_S_bar(problem, after.x) - clients.mean_S_bar(problem, start.x)
    assert history.surrogate_update[1] == pytest.approx(np.sum(change**2) / (0.09 / 1.3))
    assert np.isnan(history.surrogate_update[0])


def test_chosen_columns_are_what_is_recorded(tmp_path):
    """A column is a name and a function of the round; it is saved and resumed like the standard ones."""
    problem, clients = lasso()
    fed = FedMM(problem, clients, 0.2, MiniBatch(2), Bernoulli(0.5), seed=3)
    start, file = fed.init(np.zeros(3)), tmp_path / "run.npz"
    columns = {
        **ITERATES,
        "moved": lambda fed, before, after: before is not None and bool((after.x != before.x).any()),
        "objective": STANDARD["objective"],
    }
    states = [start]
    for _ in range(7):
        states.append(fed.step(states[-1]))
    end, history = run(fed, start, 7, columns=columns, every={2, 5})
    assert list(history.columns) == list(columns)
    assert (history.x == [states[t].x for t in (0, 2, 5, 7)]).all()
    assert history.moved.tolist() == [False, True, True, True]
    standard = run(fed, start, 7, every=1)[1]
    np.testing.assert_array_equal(history.objective, standard.objective[[0, 2, 5, 7]])
    with pytest.raises(AttributeError, match="no column 'theta': it has x, moved, objective"):
        _ = history.theta
    run(fed, start, 4, columns=columns, every=1, checkpoint=file)
    resumed, again = run(fed, start, 7, columns=columns, every=1, checkpoint=file)
    assert (resumed.x == end.x).all()
    assert (again.x == [state.x for state in states]).all()
    with pytest.raises(StateMismatch, match="other settings"):
        run(fed, start, 9, every=1, checkpoint=file)
    assert run(fed, start, 0)[1].t.tolist() == [0.0]


def test_theta_is_computed_once_for_all_columns_of_a_row():
    """T may be the dearest part of a round: once for each state, whether a step or a column asks for it."""
    calls = []

    class Counting(Quadratic):
        def T(self, s):
            calls.append(1)
            return super().T(s)

    _, clients = lasso()
    fed = FedMM(Counting(3, 0.1), clients, 0.2)
    run(fed, fed.init(np.zeros(3)), 10, every=1)
    assert len(calls) == 11


def test_a_run_with_other_columns_of_the_same_name_is_refused(tmp_path):
    _, clients = lasso()
    fed = FedMM(Quadratic(3, 0.1), clients, 0.2)
    start, file = fed.init(np.zeros(3)), tmp_path / "run.npz"
    run(fed, start, 3, columns={"a": lambda fed, before, after: after.t}, checkpoint=file)
    with pytest.raises(StateMismatch):
        run(fed, start, 6, columns={"a": lambda fed, before, after: after.x[0]}, checkpoint=file)


@pytest.mark.parametrize("gamma", ["fast", None, [0.1]])
def test_a_step_that_is_no_number_is_refused(gamma):
    _, clients = lasso()
    with pytest.raises(InvalidInput, match="no number"):
        FedMM(Quadratic(3, 0.1), clients, gamma)


def test_a_run_ends_where_it_is_told_to():
    """`until` sees each round, the last allowed one too; the round with which it ends is recorded; the state is that of
    the run without it."""
    problem, clients = lasso()
    fed, seen = FedMM(problem, clients, 0.5), []
    start = fed.init(np.ones(3))
    state, history = run(
        fed, start, 50, every=4, until=lambda fed, before, after: seen.append((before.t, after.t)) or after.t == 7
    )
    assert seen == [(t, t + 1) for t in range(7)]
    assert history.t.tolist() == [0.0, 4.0, 7.0]
    np.testing.assert_array_equal(state.x, run(fed, start, 7)[0].x)
    asked = []
    run(fed, start, 3, until=lambda fed, before, after: asked.append(after.t) or False)
    assert asked == [1, 2, 3]


@pytest.mark.parametrize("checkpoint_every", [1, 100])
def test_a_run_that_ended_stays_ended(tmp_path, checkpoint_every):
    """Called again with its file it is the same result, also with more rounds; a file of another `until` is refused."""
    problem, clients = lasso()
    fed, file = FedMM(problem, clients, 0.5), tmp_path / "run.npz"
    start, settings = fed.init(np.ones(3)), {"checkpoint": file, "checkpoint_every": checkpoint_every}

    def far(fed, before, after):
        return after.t >= 7

    ended, history = run(fed, start, 50, until=far, **settings)
    for rounds in (50, 80):
        again, told = run(fed, start, rounds, until=far, **settings)
        assert again.t == ended.t == 7
        np.testing.assert_array_equal(again.x, ended.x)
        np.testing.assert_array_equal(told.t, history.t)
    with pytest.raises(StateMismatch, match="other settings"):
        run(fed, start, 50, **settings)
    run(fed, start, 5, until=far, checkpoint=tmp_path / "short.npz")
    assert run(fed, start, 50, until=far, checkpoint=tmp_path / "short.npz")[0].t == 7


def test_a_column_may_have_rounds_of_its_own(tmp_path):
    """The dear objective is measured in its rounds and the last alone, the others as ever; also when resumed."""
    asked = []

    class Dear(Quadratic):
        def loss(self, z, theta):
            asked.append(1)
            return super().loss(z, theta)

    fed, file = FedMM(Dear(3, 0.1), lasso()[1], 0.2), tmp_path / "run.npz"
    start = fed.init(np.zeros(3))
    whole = run(fed, start, 9, every=1)[1]
    asked.clear()
    history = run(fed, start, 9, every={"objective": 4})[1]
    assert len(asked) == 4
    told = np.isin(np.arange(10), [0, 4, 8, 9])
    np.testing.assert_array_equal(history.objective, np.where(told, whole.objective, np.nan))
    for name in set(STANDARD) - {"objective"}:
        np.testing.assert_array_equal(history.columns[name], whole.columns[name], err_msg=name)
    settings = {"every": {"objective": [3], "theta": 2, "t": (4, 6)}, "checkpoint": file, "checkpoint_every": 2}
    columns, fed = {name: STANDARD[name] for name in ("t", "objective", "theta")}, FedMM(*lasso(), 0.2)
    run(fed, start, 5, columns=columns, **settings)
    seldom = run(fed, start, 9, columns=columns, **settings)[1]
    assert np.isnan(seldom.t).tolist() == [t not in (0, 4, 5, 6, 9) for t in (0, 2, 3, 4, 5, 6, 8, 9)]
    assert np.isfinite(seldom.theta).all(axis=1).tolist() == [t != 3 for t in (0, 2, 3, 4, 5, 6, 8, 9)]
    assert np.isfinite(seldom.objective).tolist() == [t in (0, 3, 5, 9) for t in (0, 2, 3, 4, 5, 6, 8, 9)]
    with pytest.raises(InvalidInput, match="'active', which holds bool"):
        run(fed, start, 3, every={"active": 2})
    with pytest.raises(InvalidInput, match="every names 'loss', and the columns are t, gamma"):
        run(fed, start, 3, every={"loss": 2})


@pytest.mark.parametrize("every", ["12", b"12", 0, 1.5, {"objective": 0}, {"objective": "12"}])
def test_rounds_to_record_that_are_no_rounds_are_refused(every):
    _, clients = lasso()
    fed = FedMM(Quadratic(3, 0.1), clients, 0.2)
    with pytest.raises(InvalidInput, match="every"):
        run(fed, fed.init(np.zeros(3)), 3, every=every)


def test_divergence_is_called_divergence(tmp_path):
    """A rho far too large: the error names round, step and fix; what is finite is kept, in error and file."""
    _, clients = lasso()
    fed = FedMM(Quadratic(3, 1e8), clients, 0.5)
    file = tmp_path / "run.npz"
    with pytest.raises(Diverged, match=r"not finite after round \d+, with γ_\d+ = 0.5.*smaller gamma.*rho") as caught:
        run(fed, fed.init(np.ones(3)), 200, columns=ITERATES, every=1, checkpoint=file)
    state, history = caught.value.state, caught.value.history
    assert 10 < state.t < 200
    assert np.isfinite(state.x).all()
    assert len(history.x) == state.t + 1
    assert (history.x[-1] == state.x).all()
    with np.load(file) as saved:
        assert int(saved["state_t"]) == state.t
    with pytest.raises(Diverged, match="the objective is not finite"):  # squares leave the floats before x does
        run(fed, fed.init(np.ones(3)), 200, every=1)
    with np.errstate(all="ignore"), pytest.raises(Diverged, match=f"after round {state.t + 1}"):
        fed.step(state)


def test_a_number_is_a_constant_step():
    """`gamma=0.2` is Constant(0.2), down to the digest by which a saved run is known."""
    problem, clients = lasso()
    number, rule = FedMM(problem, clients, 0.2), FedMM(problem, clients, Constant(0.2))
    assert number.gamma == rule.gamma
    assert fingerprint(number) == fingerprint(rule)
    assert sa_ssmm(problem, clients.z, gamma=1, oracle=Stream(1)).gamma == Constant(1.0)


def test_alpha_beyond_theorem_1_is_said_once_unless_it_is_meant():
    """α ≤ 1/(1 + ω_p), for the client with the least chance; at the bound nothing is said."""
    problem, clients = lasso()
    parts = {"participation": Bernoulli(0.5), "compressor": RandK(1)}  # ω = 2, ω_p = 5
    FedMM(problem, clients, 0.2, alpha=largest_alpha(5.0), **parts)
    with pytest.warns(
        BeyondTheorem, match=r"alpha = 0.2: .* = 0.166667 where ω = 2 and p = 0.5; .*beyond_theorem=True"
    ):
        FedMM(problem, clients, 0.2, alpha=0.2, **parts)
    uneven = CustomLaw(lambda u: u < 0.5, (0.9, 0.9, 0.1, 0.9, 0.9))
    with pytest.warns(BeyondTheorem, match="p = 0.1"):
        FedMM(problem, clients, 0.2, participation=uneven, alpha=0.2)
    meant = FedMM(problem, clients, 0.2, alpha=0.2, beyond_theorem=True, **parts)
    same = replace(meant, seed=0)
    assert fingerprint(same) == fingerprint(meant)
    with pytest.warns(BeyondTheorem):
        assert fingerprint(replace(meant, beyond_theorem=False)) == fingerprint(meant)


class Killed(BaseException):
    """Stands for whatever ends a process."""


@pytest.mark.parametrize("stop", [1, 6, 7, 13])
@pytest.mark.parametrize("every", [1, 4, None])
def test_a_killed_run_resumes_bit_for_bit(tmp_path, stop, every):
    problem, clients = lasso()
    fed = FedMM(problem, clients, SqrtDecay(0.5), MiniBatch(2), Bernoulli(0.5), UniformQuantization(4), 0.2, seed=9)
    start = fed.init(np.zeros(3))
    whole_state, whole = run(fed, start, 20, every=every)

    def kill(t, rounds):
        if t == stop:
            raise Killed

    file = tmp_path / "run.npz"
    with pytest.raises(Killed):
        run(fed, start, 20, every=every, checkpoint=file, checkpoint_every=3, progress=kill)
    state, history = run(fed, start, 20, every=every, checkpoint=file, checkpoint_every=3)
    assert list(history.columns) == list(whole.columns)
    for name in whole.columns:
        np.testing.assert_array_equal(history.columns[name], whole.columns[name], err_msg=name)
    for name in vars(whole_state):
        np.testing.assert_array_equal(getattr(state, name), getattr(whole_state, name), err_msg=name)


def test_a_run_does_not_resume_from_a_foreign_or_damaged_file(tmp_path):
    problem, clients = lasso()
    fed = FedMM(problem, clients, Constant(0.5))
    file = tmp_path / "run.npz"
    run(fed, fed.init(np.zeros(3)), 3, checkpoint=file)
    with pytest.raises(StateMismatch, match="other settings"):
        run(FedMM(problem, clients, Constant(0.4)), fed.init(np.zeros(3)), 3, checkpoint=file)
    with pytest.raises(StateMismatch, match="other settings"):
        run(FedMM(problem, lasso(seed=1)[1], Constant(0.5)), fed.init(np.zeros(3)), 3, checkpoint=file)
    whole = file.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"not a run"):
        file.write_bytes(damaged)
        with pytest.raises(StateMismatch, match="not a saved run"):
            run(fed, fed.init(np.zeros(3)), 3, checkpoint=file)


def test_rows_are_appended_and_never_written_again(tmp_path, monkeypatch):
    """What a save writes grows with the rows since the last one, not with the run; and so the whole is linear."""
    problem, clients = lasso()
    fed, sizes = FedMM(problem, clients, Constant(0.5)), []

    def counting(path, content, at):
        sizes.append((at, len(content)))
        return append_bytes(path, content, at)

    monkeypatch.setattr(checkpoints, "append_bytes", counting)
    file, archive = tmp_path / "run.npz", []

    def noted(t, rounds):
        if t % 10 == 0:
            archive.append(file.stat().st_size)

    run(fed, fed.init(np.zeros(3)), 60, every=1, checkpoint=file, checkpoint_every=10, progress=noted)
    row = sizes[1][1] // 10
    assert sizes == [(0, 11 * row), *((10 * k * row + row, 10 * row) for k in range(1, 6)), (61 * row, 0)]
    assert max(archive) == min(archive)
    assert (tmp_path / "run.npz.rows").stat().st_size == 61 * row
    file.unlink()
    run(fed, fed.init(np.zeros(3)), 5, every=1, checkpoint=file)
    assert (tmp_path / "run.npz.rows").stat().st_size == 6 * row  # of a run that begins anew


@pytest.mark.parametrize("crash", ["before the archive", "half of the rows"])
def test_rows_that_the_archive_does_not_count_are_dropped(tmp_path, monkeypatch, crash):
    """Killed between the two files, or in the first of them, a run resumes bit for bit from the last whole save."""
    problem, clients = lasso()
    fed = FedMM(problem, clients, Constant(0.5), MiniBatch(2), seed=3)
    start, file, saves = fed.init(np.zeros(3)), tmp_path / "run.npz", []

    def write(path, arrays, **how):
        saves.append(path)
        if len(saves) >= 3:
            raise Killed
        return write_arrays(path, arrays, **how)

    def append(path, content, at):
        return append_bytes(path, content[: len(content) // 2] if len(saves) >= 2 else content, at)

    with monkeypatch.context() as killing:
        killing.setattr(checkpoints, "write_arrays", write)
        if crash == "half of the rows":
            killing.setattr(checkpoints, "append_bytes", append)
        with pytest.raises(Killed):
            run(fed, start, 20, every=1, checkpoint=file, checkpoint_every=4)
    with np.load(file) as saved:
        assert int(saved["state_t"]) == 8
    run(fed, start, 18, every=1, checkpoint=file, checkpoint_every=4)
    state, history = run(fed, start, 20, every=1, checkpoint=file, checkpoint_every=4)
    whole_state, whole = run(fed, start, 20, every=1)
    assert (state.x == whole_state.x).all()
    for name in whole.columns:
        np.testing.assert_array_equal(history.columns[name], whole.columns[name], err_msg=name)


def test_rows_that_are_lost_damaged_or_of_no_numbers_are_refused(tmp_path):
    problem, clients = lasso()
    fed, file = FedMM(problem, clients, Constant(0.5)), tmp_path / "run.npz"
    start, rows = fed.init(np.zeros(3)), tmp_path / "run.npz.rows"
    run(fed, start, 3, checkpoint=file)
    whole = rows.read_bytes()
    for damaged in (whole[:-1], whole[1:], whole[:9] + bytes([whole[9] ^ 1]) + whole[10:], None):
        if damaged is None:
            rows.unlink()
        else:
            rows.write_bytes(damaged)
        with pytest.raises(StateMismatch, match=r"not a saved run \(.*run.npz.rows.*delete it to start anew"):
            run(fed, start, 5, checkpoint=file)
    with pytest.raises(InvalidInput, match="column 'moved' holds objects: record numbers"):
        run(fed, start, 3, columns={"moved": lambda fed, before, after: before}, checkpoint=tmp_path / "other.npz")
    none, history = run(fed, start, 3, columns={}, checkpoint=tmp_path / "none.npz")
    assert run(fed, start, 5, columns={}, checkpoint=tmp_path / "none.npz")[0].t == 5
    assert (none.t, history.columns) == (3, {})


def test_kinds_of_numbers_grow_in_a_file_as_in_memory(tmp_path):
    """A column that begins with whole numbers and goes on with others is saved as it is recorded."""
    problem, clients = lasso()
    fed = FedMM(problem, clients, Constant(0.5))
    start, file = fed.init(np.zeros(3)), tmp_path / "run.npz"
    columns = {"t": lambda fed, before, after: after.t if after.t < 5 else after.t / 2, "word": lambda *_: "a" * _[2].t}
    settings = {"columns": columns, "every": 1, "checkpoint": file, "checkpoint_every": 2}
    run(fed, start, 3, **settings)
    run(fed, start, 7, **settings)
    assert run(fed, start, 9, **settings)[1].t.tolist() == [0, 1, 2, 3, 4, 2.5, 3, 3.5, 4, 4.5]
    assert run(fed, start, 9, **settings)[1].word.tolist() == ["a" * t for t in range(10)]


def test_a_run_of_a_generated_kernel_resumes(tmp_path):
    """A kernel made from a SymPy model has lambdas and expressions inside; its run can be saved like any other."""
    problem = kernel(next(e for e in examples() if e.name == "toy").models()["toy"])
    fed = sa_ssmm(problem, [[1.0], [3.0]], gamma=Harmonic(), oracle=Stream(1))
    file = tmp_path / "run.npz"
    run(fed, fed.init([1.0]), 5, checkpoint=file)
    again = sa_ssmm(
        kernel(next(e for e in examples() if e.name == "toy").models()["toy"]),
        [[1.0], [3.0]],
        gamma=Harmonic(),
        oracle=Stream(1),
    )
    assert (run(again, again.init([1.0]), 9, checkpoint=file)[0].x == run(fed, fed.init([1.0]), 9)[0].x).all()


def test_a_state_is_a_value():
    problem, clients = lasso()
    fed = FedMM(problem, clients, Constant(0.5), participation=Bernoulli(0.5), alpha=0.3)
    state = fed.step(fed.init(np.zeros(3)))
    again, copy = fed.step(state), state.x.copy()
    assert (fed.step(state).x == again.x).all()
    assert (state.x == copy).all()
    with pytest.raises(ValueError, match="read-only"):
        state.V_clients[0] = 1.0


def test_the_projection_measures_with_B_at_the_surrogate_before_the_round():
    """`metric="B"`: Π(Ŝ_t + γ H, B(Ŝ_t)), Algorithm 2, where B varies and the projection moves the point."""

    class Skewed(Quadratic):
        def B(self, s):
            return np.array([[1.0, 0.0], [0.0, 1.0]]) + np.outer(s, s)

    problem = Skewed(2, 1.0)
    problem.S = Box([-1.0, -1.0], [1.0, 1.0])
    clients = Clients.of([np.array([[1.0, 0.5, 9.0], [0.2, -1.0, 3.0]])])
    start = np.array([0.9, -0.4])
    fed = FedMM(problem, clients, Constant(1.0), metric="B")
    free = problem.mean_S_bar(clients[0], problem.T(start))
    end = fed.step(fed.init(start)).x
    assert not problem.S.contains(free)
    np.testing.assert_allclose(end, problem.S.project(free, problem.B(start)), rtol=1e-12)
    assert np.abs(end - problem.S.project(free, problem.B(free))).max() > 1e-3


def test_a_saved_run_that_is_ahead_is_refused(tmp_path):
    problem, clients = lasso()
    fed, file = FedMM(problem, clients, Constant(0.5)), tmp_path / "run.npz"
    run(fed, fed.init(np.zeros(3)), 30, checkpoint=file)
    before = file.read_bytes()
    with pytest.raises(StateMismatch, match="holds round 30, and rounds = 5"):
        run(fed, fed.init(np.zeros(3)), 5, checkpoint=file)
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o600 or sys.platform == "win32"
