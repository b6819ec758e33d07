"""Both projections of the theory on the simplex: what the experiment compares."""

from fedmm_edu.studies.dictionary.figures import DictionaryPlan
from fedmm_edu.studies.dictionary.metric import gaps, results
from fedmm_edu.studies.tasks import Pool


def test_the_excess_starts_alike_falls_and_is_none_below_zero(tmp_path):
    found = gaps(0.1, 30, 1)
    first, second = found.values()
    assert (first[:, 0] == second[:, 0]).all()
    assert (first >= -1e-9).all()
    assert (first[:, -1] < 0.2 * first[:, 0]).all()
    with Pool(tmp_path) as pool:
        made = results(DictionaryPlan(seeds=2, rounds=10, rows=10), pool)
    assert set(made.numbers) == {"0.1", "0.5"}
    assert len(made.numbers["0.1"]["B"]) == 2
    assert len(made.words[-1].splitlines()) == 4
