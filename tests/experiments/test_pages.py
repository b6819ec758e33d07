"""The committed pages and records: they are, byte for byte, what is made of the recorded curves."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from fedmm_edu.studies.dictionary.figures import TITLES, DictionaryPlan, Figure
from fedmm_edu.studies.dictionary.record import figure_lines
from fedmm_edu.studies.dictionary.statements import judge_figure
from fedmm_edu.studies.dictionary.study import page as dictionary_page
from fedmm_edu.studies.record import write_lines
from fedmm_edu.studies.study import Part, markdown
from fedmm_edu.studies.transport.figure import TransportPlan, beginning, figure_blocks, verdicts
from fedmm_edu.studies.transport.record import score_lines
from fedmm_edu.studies.transport.scheduled import SchedulePlan
from fedmm_edu.studies.transport.scheduled_record import read_kept
from fedmm_edu.studies.transport.schedules import hour_part, part_of
from fedmm_edu.studies.transport.schedules import page as schedules_page
from fedmm_edu.studies.transport.setting import METHODS, Setting
from fedmm_edu.studies.transport.statements import judge_scores
from fedmm_edu.studies.transport.study import Asked
from fedmm_edu.studies.transport.study import page as transport_page
from proofs_checks.s6_experiments import runs as section_6
from proofs_checks.s7_transport import runs as section_7

BOOK = Path(__file__).parents[2] / "book"


def dictionary_plan(figure: str) -> DictionaryPlan:
    given = section_6.recorded()[figure].about["plan"]
    return DictionaryPlan(**{**given, "betas": tuple(given["betas"])})


def figure_of(name: str) -> Figure:
    """The figure from its record."""
    found = section_6.recorded()[name]
    tried = {
        data: {arm: {float(beta): end for beta, end in ends.items()} for arm, ends in arms.items()}
        for data, arms in found.about["final_objective_by_beta"].items()
    }
    judged = judge_figure(found.panels, name)
    return Figure(name, dictionary_plan(name), found.panels, found.about["beta"], tried, judged)


def around(page: str, blocks, made: str) -> bool:
    """Whether a page begins and ends with these blocks, with other parts between."""
    k = next(k for k, block in enumerate(blocks) if block == "## How it was done")
    return page.startswith(markdown(blocks[:k], made)) and page.endswith(markdown(blocks[k:], made))


def test_the_page_on_dictionary_learning_is_what_its_record_gives():
    """What comes out, what is not so, pictures, sentences, evidence, verdicts, step sizes; and how it was done."""
    page = (BOOK / "dictionary_results.md").read_text(encoding="utf-8")
    figures = [figure_of(name) for name in TITLES]
    assert around(page, dictionary_page(dictionary_plan("fig1"), [of.part() for of in figures]), "figures/dictionary")
    for of in figures:
        assert of.manifest()["statements"] == section_6.recorded()[of.name].about["statements"]


def test_the_answer_on_top_follows_the_runs():
    """With the two algorithms exchanged the other one has the lower objective, and other statements fail."""
    figure = figure_of("fig1")
    swapped = {data: {"fedmm": runs["naive"], "naive": runs["fedmm"]} for data, runs in figure.curves.items()}
    other = replace(figure, curves=swapped, judged=judge_figure(swapped, "fig1"))
    before, after = figure.part(), other.part()
    for data, wins in (("homogeneous", 0), ("heterogeneous", 10), ("MovieLens", 9)):
        assert f"in {wins} of 10 runs on {data} data" in before.answer
        assert f"in {10 - wins} of 10 runs on {data} data" in after.answer
    assert before.unexpected != after.unexpected
    smaller = {data: dict.fromkeys(arms, 0.02) for data, arms in figure.betas.items()}
    assert "the end of the paper's range, 0.05, in every line" in before.lead[0].caption
    assert (
        "the end of the paper's range, 0.05, in 0 of 6 lines" in replace(figure, betas=smaller).part().lead[0].caption
    )


def transport():
    """The plan and the curves of Section 7, and the scores of the identity and of the linear map."""
    found = section_7.recorded()
    sizes = {name: tuple(found.about[name]) for name in ("dimensions", "lams")}
    plan = TransportPlan(**{**found.about, **sizes, "base": Setting(**found.about["base"])})
    kept = json.loads((BOOK / "figures" / "transport" / "fig3.json").read_text(encoding="utf-8"))["references"]
    return plan, found.panels, {int(d): of for d, of in kept.items()}


def test_the_page_on_transport_is_what_its_record_gives():
    """What comes out, pictures, the sentences with their tables, and how it was done."""
    page = (BOOK / "transport_results.md").read_text(encoding="utf-8")
    plan, panels, references = transport()
    curves = figure_blocks(panels, references, plan)
    part = Part("fig3", curves, **beginning(panels, references, plan))
    assert around(page, transport_page(Asked(plan, None), [part]), "figures/transport")
    judged = [j for ours in METHODS if ours != "FedAdam" for j in judge_scores(panels, ours)]
    assert f"\n{markdown(verdicts(judged), '')}\n## Learning rates" in page


def test_the_page_on_steps_that_fall_is_what_its_record_gives():
    """All of it: what comes out, pictures, scores, sentences with their tables, steps, and how it was done."""
    kept = read_kept(BOOK / "figures" / "schedules", SchedulePlan())
    parts = [part_of(kept.compared), hour_part(kept.hours, kept.compared.plan)]
    page = (BOOK / "transport_schedules.md").read_text(encoding="utf-8")
    assert page == markdown(schedules_page(kept.compared.plan, parts), "figures/schedules")
    written = json.loads((BOOK / "figures" / "schedules" / "schedules.json").read_text(encoding="utf-8"))
    assert written["statements"] == json.loads(json.dumps(parts[0].numbers["statements"]))


def test_a_run_that_died_is_told_on_top():
    """FedAdam's last run in 16 dimensions, spoilt: it is listed, and FedMM-OT's mean is below what is infinite."""
    plan, panels, references = transport()
    arms = panels[16]["1"]
    uvp = arms["FedAdam"].uvp.copy()
    uvp[-1, 1:] = np.inf
    dead = {**arms, "FedAdam": replace(arms["FedAdam"], uvp=uvp)}
    before, after = (beginning({**panels, 16: {**panels[16], "1": of}}, references, plan) for of in (arms, dead))
    assert "- Runs of FedAdam" not in "\n".join(before["unexpected"])
    assert "- Runs of FedAdam died or diverged within 300 rounds: 1 of 3 for d = 16, λ = 1." in after["unexpected"]
    assert "1 of 3 dimensions with λ = 1" in before["answer"]
    assert "2 of 3 dimensions with λ = 1" in after["answer"]


def test_the_records_are_written_as_they_were():
    """Read and written again they are the same bytes."""
    lines = [line for name, of in section_6.recorded().items() for line in figure_lines(name, of.about, of.panels)]
    assert write_lines({}, lines) == section_6.FILE.read_text(encoding="utf-8")
    found = section_7.recorded()
    assert write_lines({"plan": found.about}, score_lines(found.panels)) == section_7.FILE.read_text(encoding="utf-8")
