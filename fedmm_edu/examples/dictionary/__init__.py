"""Section 2.3: dictionary learning, non-negative matrix factorisation and k-means as variational surrogates."""

from functools import partial

import numpy as np

from fedmm_edu.examples.dictionary.atoms import Atoms, NonNegative, Unconstrained, UnitBall
from fedmm_edu.examples.dictionary.coders import Coder, OneHot, SparseCodes
from fedmm_edu.examples.dictionary.kernel import DictionaryLearning
from fedmm_edu.examples.registry import Case, Example


def _draw_z(rng, n, *, p, positive=False):
    z = 2.0 * rng.normal(size=(n, p))
    return np.abs(z) if positive else z


def _draw_theta(rng, *, p, K, atoms):
    return atoms.domain(p, K).project(rng.normal(size=p * K))


def _grid_z(rng, n):
    """Two groups on a line. Off the grid of the centres: no sample is within 0.02 of a boundary between two of them."""
    return rng.choice([-2.0, 2.0], (n, 1)) + 0.1 * rng.integers(-12, 13, (n, 1)) + 0.03


def _grid_theta(rng):
    return 0.1 * rng.choice(np.arange(-30, 31), 2, replace=False)


def _case(p, K, coder, atoms, *, half=True, positive=False):
    return Case(
        draw_z=partial(_draw_z, p=p, positive=positive),
        draw_theta=partial(_draw_theta, p=p, K=K, atoms=atoms),
        problem=lambda clients: DictionaryLearning(p, K, coder, atoms, half=half, tol=1e-13),
        smooth_g=not atoms.kink,
    )


EXAMPLE = Example(
    name="dictionary",
    title="Dictionary learning and matrix factorisation",
    where="Section 2.3, eqs. `dict_learn_mm1` to `MF:tool3`",
    cases={
        "l1 codes, ridge": _case(2, 2, SparseCodes(0.3), Unconstrained(0.2)),
        "elastic-net codes, more atoms than coordinates, as in Section 2.3": _case(
            1, 2, SparseCodes(0.2, 0.5), Unconstrained(0.1), half=False
        ),
        "l1 codes, unit ball": _case(2, 2, SparseCodes(0.4), UnitBall(0.05)),
        "non-negative": _case(2, 2, SparseCodes(0.1, 0.2, nonnegative=True), NonNegative(0.1), positive=True),
        "k-means": Case(
            draw_z=_grid_z,
            draw_theta=_grid_theta,
            problem=lambda clients: DictionaryLearning(1, 2, OneHot(), Unconstrained(0.01)),
        ),
    },
)

__all__ = [
    "EXAMPLE",
    "Atoms",
    "Coder",
    "DictionaryLearning",
    "NonNegative",
    "OneHot",
    "SparseCodes",
    "Unconstrained",
    "UnitBall",
]
