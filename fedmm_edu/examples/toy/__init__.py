"""Remark 1: ℓ(Z, θ) = Zθ + 1/θ, the smallest problem in which averaging parameters goes wrong."""

from fedmm_edu.examples.registry import Case, Example
from fedmm_edu.examples.toy.kernel import Toy

EXAMPLE = Example(
    name="toy",
    title="The toy of Remark 1",
    where="Remark 1, `rem:aggr_in_S`",
    cases={
        "toy": Case(
            draw_z=lambda rng, n: rng.uniform(0.1, 5.0, (n, 1)),
            draw_theta=lambda rng: rng.uniform(0.2, 4.0, 1),
            problem=lambda clients: Toy(low=1e-3, high=1e3),
        )
    },
)

__all__ = ["EXAMPLE", "Toy"]
