"""The report on faults: what is counted, what drop-out does, and what is written."""

import numpy as np
import pytest

from fedmm_edu.distributed.jobs import Job
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation import Everyone
from fedmm_edu.studies.faults import report
from fedmm_edu.studies.faults.survival import biased_limit, reference, survive, without_answers
from tests.distributed.federations import D, limit, opened, regression

JOB = Job.of(regression(participation=Everyone()), np.zeros(D), 3)


def test_the_reference_is_the_limit_of_centralised_mm():
    """Whatever V starts from, and whatever the rounds."""
    for job in (JOB, opened(2)):
        found = reference(job, 7)
        np.testing.assert_allclose(found.limit, limit(regression()), rtol=0, atol=1e-12)
        assert found.error(found.limit) == 0.0 < found.error(found.x) < 1.0


def test_a_survey_counts_and_recovers():
    """Faults in three quarters of the rounds, none without a rate; the same seed injects the same."""
    exact = reference(JOB, 1)
    found, again = survive(JOB, 0.3, 140, seed=4), survive(JOB, 0.3, 140, seed=4)
    assert (found.injected, found.refused, found.rebased) == (again.injected, again.refused, again.rebased)
    assert sum(found.injected.values()) > 40
    assert min(found.refused, found.rebased) > 0
    assert max(exact.error(x) for x in found.path[60:100]) > 1e-6 > 1e-9 > exact.error(found.state.x)
    np.testing.assert_array_equal(found.path[-1], found.state.x)
    assert survive(JOB, 0.0, 9).injected == {}


@pytest.mark.parametrize("answers", [0.2, 0.7])
def test_uneven_drop_out_biases_as_predicted_without_control_variates_and_not_with_them(answers):
    """A node answers now and then, unknown to the server: α = 0 ends by the limit that the weights predict, α > 0 in
    that of all clients."""
    exact, bias = reference(JOB, 1), biased_limit(JOB, 0, answers)
    end = without_answers(JOB, 0, answers, 0.0, 400)[100:].mean(axis=0)
    assert exact.error(end) > exact.error(bias) / 2 > 0.02
    assert exact.error(end, bias) < exact.error(bias) / 2
    assert exact.error(without_answers(JOB, 0, answers, 0.4, 300)[-1]) < 1e-9


def test_the_predicted_weights_are_those_of_the_server():
    """E[H] of the first round, over both cases, node 0 silent or there, is Σ_k w_k Σ_{i on k} μ_i h_i."""
    answers, plan, start = 0.3, JOB.plan, JOB.start
    silent, there = (without_answers(JOB, 0, r, 0.0, 1)[0] for r in (0.0, 1.0))
    h = plan.mean_fields(regression().clients, start.x, plan.theta(start))
    w = [answers, answers + (1.0 - answers) * 3 / 2, answers + (1.0 - answers) * 3 / 2]
    expected = sum(w[k] * (plan.mu[who] @ h[who]) for k, who in enumerate(plan.nodes))
    np.testing.assert_allclose((1.0 - answers) * silent + answers * there - start.x, 0.9 * expected, atol=1e-14)


def test_one_node_that_does_not_answer_has_no_bias():
    """With one node the round waits for it: there is nothing to predict."""
    with pytest.raises(InvalidInput, match="take two or more"):
        biased_limit(Job.of(regression(), np.zeros(D), 1), 0, 0.5)


def test_the_report_writes_what_it_found(tmp_path, monkeypatch):
    """Two pictures and two tables, a line for each run, whose numbers are those of the runs."""
    monkeypatch.setattr(report, "RUNS", (("dictionary", 8, 0.0), ("dictionary", 8, 0.5)))
    monkeypatch.setattr(report, "ROUNDS", 6)
    monkeypatch.setattr(report, "ANSWERS", (0.5, 1.0))
    monkeypatch.setattr(report, "CURVE", ())
    said = []
    report.write_report(tmp_path, said.append)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "drop_out.md",
        "drop_out.png",
        "faults.md",
        "faults.png",
    ]
    lines = (tmp_path / "faults.md").read_text("utf-8").splitlines()
    assert lines[2].startswith("| dictionary, 8, 0 | 0 | 0 | 0 |")
    found = survive(report.dictionary(4), 0.5, 8, attempts=3)
    assert lines[3].startswith(f"| dictionary, 8, 0.5 | {sum(found.injected.values())} | {found.refused} |")
    assert len(said) == 2 + 4 + 4
