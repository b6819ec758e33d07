"""The committed pages and records: they are, byte for byte, what is made of the recorded curves."""

from pathlib import Path

import pytest

from fedmm_edu.studies.dictionary.figures import TITLES, DictionaryPlan, Figure
from fedmm_edu.studies.dictionary.record import figure_lines
from fedmm_edu.studies.dictionary.statements import judge_figure
from fedmm_edu.studies.dictionary.study import head as dictionary_head
from fedmm_edu.studies.record import write_lines
from fedmm_edu.studies.study import markdown
from fedmm_edu.studies.transport.figure import TransportPlan, verdict_blocks
from fedmm_edu.studies.transport.record import score_lines
from fedmm_edu.studies.transport.setting import METHODS, Setting
from fedmm_edu.studies.transport.statements import judge_scores
from fedmm_edu.studies.transport.study import Asked
from fedmm_edu.studies.transport.study import head as transport_head
from proofs_checks.s6_experiments import runs as section_6
from proofs_checks.s7_transport import runs as section_7

BOOK = Path(__file__).parents[2] / "book"


def dictionary_plan(figure: str) -> DictionaryPlan:
    given = section_6.recorded()[figure].about["plan"]
    return DictionaryPlan(**{**given, "betas": tuple(given["betas"])})


@pytest.mark.parametrize("name", TITLES)
def test_the_page_on_dictionary_learning_is_what_its_record_gives(name):
    """Pictures, sentences, evidence, verdicts and step sizes of each figure; and what stands above them."""
    page, found = (BOOK / "dictionary_results.md").read_text(encoding="utf-8"), section_6.recorded()[name]
    assert page.startswith(markdown(dictionary_head(dictionary_plan(name), list(TITLES)), ""))
    tried = {
        data: {arm: {float(beta): end for beta, end in ends.items()} for arm, ends in arms.items()}
        for data, arms in found.about["final_objective_by_beta"].items()
    }
    judged = judge_figure(found.panels, name)
    figure = Figure(name, dictionary_plan(name), found.panels, found.about["beta"], tried, judged)
    assert f"\n{markdown(figure.part().page, 'figures/dictionary')}\n" in page
    assert figure.manifest()["statements"] == found.about["statements"]


def test_the_page_on_transport_is_what_its_record_gives():
    """The sentences with their tables, one after the other; and what stands above them."""
    page, found = (BOOK / "transport_results.md").read_text(encoding="utf-8"), section_7.recorded()
    base = Setting(**found.about["base"])
    sizes = {name: tuple(found.about[name]) for name in ("dimensions", "lams")}
    plan = TransportPlan(**{**found.about, **sizes, "base": base})
    assert page.startswith(markdown(transport_head(Asked(plan, None), []), ""))
    judged = [j for ours in METHODS if ours != "FedAdam" for j in judge_scores(found.panels, ours)]
    assert f"\n{markdown([block for j in judged for block in verdict_blocks(j)], '')}\n## Learning rates" in page


def test_the_records_are_written_as_they_were():
    """Read and written again they are the same bytes."""
    lines = [line for name, of in section_6.recorded().items() for line in figure_lines(name, of.about, of.panels)]
    assert write_lines({}, lines) == section_6.FILE.read_text(encoding="utf-8")
    found = section_7.recorded()
    assert write_lines({"plan": found.about}, score_lines(found.panels)) == section_7.FILE.read_text(encoding="utf-8")
