"""An independent implementation: federated EM of `pfl`, which sums sufficient statistics of users, takes our steps."""

import numpy as np
from pfl.aggregate.simulate import SimulatedBackend
from pfl.algorithm.expectation_maximization_gmm import EMGMMHyperParams, ExpectationMaximizationGMM
from pfl.data.dataset import Dataset
from pfl.data.federated_dataset import FederatedDataset
from pfl.data.sampling import get_user_sampler
from pfl.internal.distribution import DiagonalGaussian, Mixture
from pfl.model.gaussian_mixture_model import GaussianMixtureModel, GMMHyperParams

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.distributed import Plan, ServerState, in_process, one_round
from fedmm_edu.examples.mixture import GaussianMixture
from fedmm_edu.federation import Clients

SIZES = (7, 31, 12, 50, 20)
WEIGHTS, MEANS, VARIANCES = np.array([0.5, 0.2, 0.3]), np.array([-1.0, 0.5, 4.0]), np.array([1.0, 2.0, 0.5])


def _samples():
    """Clients of different sizes around different centres, so that no two have the same statistics."""
    rng = np.random.default_rng(3)
    return [rng.normal(rng.choice([-2.0, 1.0, 3.0], size), 0.3 + 0.2 * i) for i, size in enumerate(SIZES)]


def _theirs(samples, steps):
    """(ν, m, Γ) after each step of pfl's algorithm, run by its backend with all users in every round."""
    users = FederatedDataset(
        lambda user: Dataset(raw_data=list(samples[user][:, None]), user_id=str(user)),
        get_user_sampler("minimize_reuse", list(range(len(samples)))),
    )
    backend = SimulatedBackend(training_data=users, val_data=None)
    train = GMMHyperParams(variance_floor_fraction=0.0, minimum_component_weight=0.0)
    settings = EMGMMHyperParams(
        steps, steps + 1, None, lambda *_: len(samples), lambda _t, _since, components: components
    )
    parts = [(w, DiagonalGaussian([m], [v])) for w, m, v in zip(WEIGHTS, MEANS, VARIANCES, strict=True)]
    model = GaussianMixtureModel(1, Mixture(parts), cached_model_train_params=train)
    algorithm = ExpectationMaximizationGMM()
    for t in range(steps):
        contexts, model, _ = algorithm.get_next_central_contexts(model, t, settings, train, train)
        assert contexts is not None
        statistics, metrics = backend.gather_results(
            model=model, training_algorithm=algorithm, central_context=contexts[0]
        )
        model, _ = algorithm.process_aggregated_statistics(contexts[0], metrics, model, statistics)
        yield np.array([(weight, float(g.mean[0]), float(g.variance[0])) for weight, g in model.components]).T


def test_federated_em_of_pfl_takes_the_same_steps():
    """Full participation, no compression, γ = 1, five clients on three nodes: ν, m and Γ agree over 30 steps."""
    samples = _samples()
    problem, clients = GaussianMixture(3, 1), Clients.of([z[:, None] for z in samples])
    fed = FedMM(problem, clients, Constant(1.0))
    x = fed.point(problem.theta(WEIGHTS, MEANS[:, None], VARIANCES[:, None, None]))
    plan = Plan.of(fed, 3)
    engine, state = in_process(fed, plan), ServerState.start(plan, x)
    for t, theirs in enumerate(_theirs(samples, 30)):
        nu, means, covariances = problem.parameters(plan.theta(state))
        np.testing.assert_allclose([nu, means[:, 0], covariances[:, 0, 0]], theirs, rtol=1e-12, err_msg=f"step {t}")
        state, _ = one_round(plan, engine, state)
