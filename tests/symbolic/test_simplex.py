"""The exact simplex finds weights where HiGHS does, and says that there are none where there are none."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from fedmm_edu.symbolic.decide.simplex import vertex

SMALL = st.integers(-3, 3)


@st.composite
def problems(draw):
    """A matrix of small integers, a target, and which weights are free."""
    height, width = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    matrix = draw(st.lists(st.lists(SMALL, min_size=width, max_size=width), min_size=height, max_size=height))
    free = draw(st.lists(st.booleans(), min_size=width, max_size=width))
    return matrix, draw(st.lists(SMALL, min_size=height, max_size=height)), free


@given(problems())
def test_it_answers_as_highs_does(problem):
    """The columns found are independent, and the weights that they determine solve the problem, signs included."""
    matrix, target, free = problem
    entries = [(r, k, Fraction(c)) for r, row in enumerate(matrix) for k, c in enumerate(row) if c]
    found = vertex(entries, [Fraction(t) for t in target], free)
    bounds = [(None, None) if f else (0, None) for f in free]
    feasible = linprog(np.zeros(len(free)), A_eq=np.array(matrix), b_eq=np.array(target), bounds=bounds).status == 0
    assert (found is not None) == feasible
    if found is not None:
        columns = np.array(matrix, dtype=float)[:, found]
        assert np.linalg.matrix_rank(columns) == len(found) if found else not any(target)
        weights = np.linalg.lstsq(columns, np.array(target, dtype=float), rcond=None)[0]
        assert np.allclose(columns @ weights, target)
        assert all(w > 0 or free[k] for k, w in zip(found, weights, strict=True))
