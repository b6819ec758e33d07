"""How one data set becomes the data of n clients."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fedmm_edu.errors import Array, InvalidInput, as_array, as_count


def by_covariate(z: ArrayLike, covariate: ArrayLike, n: int) -> list[Array]:
    """Split the rows of z, shape (N, p), into n parts of nearly equal size along a covariate, shape (N,).

    Client 0 gets the rows with the smallest values, client n − 1 those with the largest: clients differ as much as
    the covariate can make them. Ties keep their order.
    """
    rows = as_array("z", z, shape=(None, None))
    values = as_array("covariate", covariate, shape=(len(rows),))
    as_count("n", n)
    if n > len(rows):
        raise InvalidInput(f"n = {n} clients for {len(rows)} samples: every client needs at least one.")
    return [rows[part] for part in np.array_split(np.argsort(values, kind="stable"), n)]
