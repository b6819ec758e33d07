"""Worst cases of T rounds by performance estimation, as recorded, never exceed our bounds; where a bound is tight."""

from __future__ import annotations

import math

import pytest

from book.generate.worst_cases import worst_cases_page
from tests.numeric.worst_runs import families, read

FAMILIES, KEPT = families(), read()


def test_the_record_is_of_these_families():
    """Renew it with `python -m tests.numeric.worst_runs`, where PEPit is installed."""
    assert {name: list(found) for name, found in KEPT.items()} == {n: list(f.rounds) for n, f in FAMILIES.items()}


@pytest.mark.parametrize("name", FAMILIES)
def test_no_worst_case_is_above_its_bound(name):
    """Up to the solver's tolerance; and it is no trifle, as every family moves."""
    for T, worst in KEPT[name].items():
        bound = FAMILIES[name].bound(T)
        assert math.isfinite(bound)
        assert 0.01 * bound < worst <= bound * (1.0 + 1e-6)


def test_a_whole_step_is_the_worst_case_itself():
    """own-any for γ = 1; for shorter steps own-projected tends to it, where own-any gives away 1/(2 − γ)."""
    for T, worst in KEPT["own-any-A, γ = 1"].items():
        assert worst == pytest.approx(FAMILIES["own-any-A, γ = 1"].bound(T), rel=1e-5)
    for name, limit in (("own-projected-A, γ = 0.5", 1.0), ("own-any-A, γ = 0.5", 2.0 / 3.0)):
        assert KEPT[name][10] / FAMILIES[name].bound(10) == pytest.approx(limit, abs=2e-3)


def test_the_page_shows_every_family():
    page = worst_cases_page()
    assert all(f"{{row}}`{family.row}`" in page for family in FAMILIES.values())
