"""Appendix C.1: EM for Poisson counts with a latent intensity, in both of the paper's strategies."""

from functools import partial

from fedmm_edu.examples.poisson.kernel import Law, Poisson, PoissonJoint
from fedmm_edu.examples.registry import Case, Example

_LAWS = {
    "discrete h": Law.discrete([-1.0, 0.3, 1.2], [0.5, 0.3, 0.2]),
    "Gaussian h": Law.gaussian(0.6, nodes=20),
}


def _draw_z(rng, n):
    return 1.0 + rng.poisson(2.0, (n, 1)).astype(float)


def _draw_theta(rng):
    return rng.uniform(-1.5, 1.5, 1)


def _joint(clients, *, law, printed):
    return PoissonJoint(0.4, law, low=0.5, high=100.0, printed=printed)


def _known_mean(clients, *, law, printed):
    z, weights = clients.pooled()
    return Poisson(0.4, law, float(weights @ z[:, 0]), printed=printed)


EXAMPLE = Example(
    name="poisson",
    title="EM for Poisson observations",
    where="Appendix C.1, `app:em_first_example`",
    cases={
        f"{strategy}, {law_name}{', as printed' if printed else ''}": Case(
            draw_z=_draw_z, draw_theta=_draw_theta, problem=partial(problem, law=law, printed=printed)
        )
        for strategy, problem in (("joint", _joint), ("known mean", _known_mean))
        for law_name, law in _LAWS.items()
        for printed in (False, True)
    },
)

__all__ = ["EXAMPLE", "Law", "Poisson", "PoissonJoint"]
