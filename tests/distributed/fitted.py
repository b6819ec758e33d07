"""Estimators with `engine="flower"` over real processes against the same fits in memory: in `make federate-real`.

Linear models compute a client alone as among others, under masks, too; mixtures do so up to rounding.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from fedmm_edu.estimators import FederatedGaussianMixture, FederatedLasso
from tests.estimators.cases import patients


def main() -> int:
    """0 where all fits are those in memory."""
    warnings.simplefilter("ignore")  # three rounds: nothing has converged
    table, good = patients("iris"), []
    for model, same in (
        (FederatedLasso(0.1, compress=8, max_iter=3), np.array_equal),
        (FederatedLasso(0.1, secure_sum=True, max_iter=3), np.array_equal),
        (FederatedGaussianMixture(2, n_init=1, max_iter=3), lambda a, b: np.allclose(a, b, rtol=1e-9, atol=1e-12)),
    ):
        here = model.fit(table, "target", clients="hospital").surrogate_
        model.set_params(engine="flower", callback=lambda told: print(f"  round {told.t}", flush=True))
        there = model.fit(table, "target", clients="hospital").surrogate_
        good.append(bool(same(here, there)))
        what = "bit for bit" if np.array_equal(here, there) else f"to {np.abs(here - there).max():.1e}"
        masks = " with a secure sum" if model.secure_sum else ""
        print(f"{type(model).__name__}{masks} over Flower: {what if good[-1] else 'NOT'} the fit in memory", flush=True)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
