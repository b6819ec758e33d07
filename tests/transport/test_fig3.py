"""`fedmm reproduce fig3`: tuning, runs on disk, criteria, and what it writes."""

import json
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

from fedmm_edu.cli import main
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.studies import tasks
from fedmm_edu.studies.record import write_lines
from fedmm_edu.studies.tasks import stored
from fedmm_edu.studies.transport import runs as module
from fedmm_edu.studies.transport.curves import follow
from fedmm_edu.studies.transport.figure import TransportPlan
from fedmm_edu.studies.transport.long import MAIN, Long
from fedmm_edu.studies.transport.record import read_scores, score_lines
from fedmm_edu.studies.transport.runs import TransportRun, TransportTask
from fedmm_edu.studies.transport.setting import METHODS, OTMethod, Setting, federation_of
from fedmm_edu.studies.transport.statements import SECTION_7, ScoreCurves, judge_scores
from fedmm_edu.studies.transport.tuning import STARTS, tune

mpl.use("Agg")
SETTING = Setting(2, clients=3, samples=60, target=80, batch=8)
TASK = TransportTask(METHODS["FedMM-OT, adaptive server"], SETTING, 5, 2)

# ---------------------------------------------------------------------------------------------------------------- runs


def test_a_run_on_disk_is_read_and_not_made_again(tmp_path, monkeypatch):
    """The same numbers bit for bit, CPU seconds included; recorded are the start, multiples of `every`, the end."""
    made = stored(TASK, tmp_path)
    assert made.t.tolist() == [0, 2, 4, 5]
    monkeypatch.setattr(TransportTask, "make", None)
    again = stored(TASK, tmp_path)
    assert all(np.array_equal(getattr(made, name), getattr(again, name)) for name in vars(made))


def test_scores_repeat_and_depend_on_the_seed():
    first, again, other = (replace(TASK, setting=replace(SETTING, seed=seed)).make() for seed in (0, 0, 1))
    assert (first.uvp == again.uvp).all()
    assert not (first.uvp == other.uvp).any()
    assert METHODS["FedAdam"].start(federation_of(SETTING), replace(SETTING, seed=7))[0].seed == 7  # of the draws


def test_a_run_that_died_has_infinite_scores_from_then_on():
    task = replace(TASK, method=replace(METHODS["FedMM-OT"], rate=1e3), every=1)
    rows, wild = list(follow(task.method, federation_of(SETTING), SETTING, 5, 1)), task.make()
    assert "died" in wild.status
    lived = [row.score.uvp for row in rows if row.status == "alive"]
    assert wild.uvp.tolist() == lived + (6 - len(lived)) * [np.inf]
    assert 1 <= len(lived) <= 5
    assert len(wild.t) == len(wild.seconds) == 6
    assert (np.diff(wild.seconds) > 0).all()


def test_a_foreign_or_damaged_file_is_refused(tmp_path):
    (tmp_path / TASK.file).write_bytes(b"half of it")
    with pytest.raises(StateMismatch, match="not a kept run"):
        stored(TASK, tmp_path)
    other = replace(TASK, rounds=1)
    stored(other, tmp_path)
    (tmp_path / other.file).replace(tmp_path / TASK.file)
    with pytest.raises(StateMismatch, match="other settings"):
        stored(TASK, tmp_path)


@pytest.mark.parametrize("name", METHODS)
def test_an_interrupted_run_goes_on_with_identical_numbers(name, tmp_path, monkeypatch):
    """Its rows and state are on disk; what is done is not done again, and the part goes when the run is whole."""
    task = TransportTask(replace(METHODS[name], p=0.7, alpha=0.1), SETTING, 6, 1)
    whole, part, walk, made = task.make(), tmp_path / f"{task.file}.part", module.walk, []

    def cut(*arguments):
        for row, state in walk(*arguments):
            made.append(row.t)
            yield row, state
            if row.t == 3:
                raise KeyboardInterrupt

    monkeypatch.setattr(tasks, "PAUSE", -1.0)
    monkeypatch.setattr(module, "walk", cut)
    with pytest.raises(KeyboardInterrupt):
        stored(task, tmp_path)
    assert part.exists()
    assert not (tmp_path / task.file).exists()
    monkeypatch.setattr(module, "walk", lambda *arguments: ((made.append(r.t), (r, s))[1] for r, s in walk(*arguments)))
    again = stored(task, tmp_path)
    assert made == [0, 1, 2, 3, 4, 5, 6]
    assert not part.exists()
    for column in ("t", "bits", "uvp", "inverse_uvp", "cosine"):
        assert np.array_equal(getattr(again, column), getattr(whole, column))
    assert (np.diff(again.seconds) > 0).all()


def test_a_damaged_part_of_a_run_is_refused(tmp_path):
    (tmp_path / f"{TASK.file}.part").write_bytes(b"half of it")
    with pytest.raises(StateMismatch, match="delete it"):
        stored(TASK, tmp_path)


# -------------------------------------------------------------------------------------------------------------- tuning


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("shift", [0, 4, -3])
def test_tuning_ends_where_no_neighbour_is_better(name, shift):
    """On a bowl it finds the bottom, also beyond any fixed grid, and has seen a worse setting on either side."""
    method, aims = METHODS[name], {rate: k + shift for rate, k in STARTS.items()}

    def end(tried: OTMethod) -> float:
        return sum((3 * np.log10(getattr(tried, rate)) - aims[rate]) ** 2 for rate in method.rates)

    found = tune(method, end)
    for rate in method.rates:
        assert getattr(found.method, rate) == pytest.approx(10 ** (aims[rate] / 3), rel=0.01)
        values = [getattr(tried, rate) for tried, _ in found.tried]
        assert min(values) < getattr(found.method, rate) < max(values)
    assert found.uvp == min(value for _, value in found.tried) == pytest.approx(0.0, abs=1e-3)
    assert len(found.tried) == len(dict(found.tried))  # nothing is run twice
    assert len(tune(method, end, found).tried) == 1 + 2 * len(method.rates)  # at the bottom: only its neighbours


def test_tuning_stops_where_everything_diverges():
    assert tune(METHODS["FedAdam"], lambda tried: np.inf).uvp == np.inf


def test_tuning_shares_no_seed_with_the_runs():
    plan = TransportPlan()
    seeds = {task.setting.seed for name in METHODS for task in plan.tasks(METHODS[name], 16)}
    assert plan.tuning(METHODS["FedAdam"], 16).setting.seed not in seeds
    assert len(seeds) == 3


# ------------------------------------------------------------------------------------------------------------ criteria


def curves(*ends: float, pace: float = 1.0, rows: int = 6) -> ScoreCurves:
    """Runs that fall from 100 to their end in equal steps; a round takes `pace` seconds."""
    t = np.arange(rows)
    uvp = np.stack([np.linspace(100.0, end, rows) for end in ends])
    return ScoreCurves(t, np.tile(pace * t, (len(ends), 1)).astype(np.float64), uvp)


def verdicts(ours: ScoreCurves, theirs: ScoreCurves) -> dict[str, tuple[bool, bool]]:
    """Whether each criterion holds at equal rounds, and at equal seconds."""
    found = judge_scores({16: {"0": {"ours": ours, "FedAdam": theirs}}}, "ours")
    return {j.statement.id: (j.findings["0", "t", 16].holds, j.findings["0", "seconds", 16].holds) for j in found}


def test_lower_in_every_run_and_by_a_tenth_is_significant():
    assert verdicts(curves(10, 12, 14), curves(20, 21, 22))["ot-better"] == (True, True)
    assert not any(verdicts(curves(10, 12, 20.5), curves(20, 21, 22))["ot-better"])  # one run overlaps
    assert not any(verdicts(curves(18.5, 19, 19.5), curves(20, 20, 20))["ot-better"])  # too little
    assert not any(verdicts(curves(20, 21, 22), curves(10, 12, 14))["ot-better"])


def test_equal_rounds_and_equal_seconds_can_disagree():
    """Twice as slow: ahead after 5 rounds, behind after 5 seconds (2 rounds: 66 against 30)."""
    ours, theirs = curves(15, 15, 15, pace=2.0), curves(30, 30, 30)
    assert verdicts(ours, theirs)["ot-better"] == (True, False)


def test_only_what_both_have_reached_is_compared():
    """The other method's curve goes on to 0 after the last round of ours: at equal rounds that does not count."""
    longer = curves(0, 0, 0, rows=11)  # 50 at t = 5
    assert verdicts(curves(20, 20, 20), longer)["ot-better"][0]
    assert not verdicts(curves(20, 20, 20, pace=2.0), longer)["ot-better"][1]


def test_the_best_value_forgives_a_bad_end_and_the_last_does_not():
    ours = curves(10, 10, 10)
    spoiled = ScoreCurves(ours.t, ours.seconds, np.hstack([ours.uvp[:, :-1], np.full((3, 1), np.inf)]))
    found = verdicts(spoiled, curves(40, 40, 40))
    assert found["ot-better-best"] == (True, True)
    assert found["ot-better"] == (False, False)


def test_faster_means_sooner_at_the_level_of_the_other_in_every_seed():
    assert verdicts(curves(10, 10, 10), curves(40, 40, 40))["ot-faster"] == (True, True)
    assert verdicts(curves(10, 10, 10, pace=4.0), curves(40, 40, 40))["ot-faster"] == (True, False)
    assert not any(verdicts(curves(10, 10, 41), curves(40, 40, 40))["ot-faster"])


def test_the_verdict_counts_the_settings():
    good, bad = curves(10, 10, 10), curves(40, 40, 40)
    panels = {16: {"0": {"ours": good, "FedAdam": bad}}, 32: {"0": {"ours": good, "FedAdam": bad}}}
    assert {j.verdict for j in judge_scores(panels, "ours")} == {"reproduced"}
    panels[32]["0"] = {"ours": bad, "FedAdam": good}
    assert {j.verdict for j in judge_scores(panels, "ours")} == {"depends"}
    panels[16] = panels[32]
    assert {j.verdict for j in judge_scores(panels, "ours")} == {"not reproduced"}
    assert [j.statement for j in judge_scores(panels, "ours")] == list(SECTION_7)


# --------------------------------------------------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small run of figure and ablation, without the benchmark's files; and the same again from the finished runs."""
    first, second = (tmp_path_factory.mktemp(name) for name in ("first", "second"))
    common = [
        "reproduce",
        "fig3",
        "fig3-ablation",
        "fig3-long",
        "--quick",
        "--seeds",
        "1",
        "--rounds",
        "2",
        "--rows",
        "2",
    ]
    common += ["--cache", str(first / "runs")]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FEDMM_DATA", raising=False)
        for out in (first, second):
            written = ["--page", str(out / "page.md"), "--record", str(out / "curves.jsonl")]
            assert main([*common, "--out", str(out), *written]) == 0
            patch.setattr(TransportTask, "make", None)  # the second call finds everything
    return first, second


def test_a_second_call_computes_nothing_and_writes_the_same_files(made):
    first, second = made
    names = {path.name for path in second.iterdir()}
    pictures = {f"fig3{suffix}.png" for suffix in ("_16", "_16_seconds", "_ablation", "_long")} | {"outcome.png"}
    assert names == pictures | {"fig3.json", "fig3_long.json", "curves.jsonl", "page.md"}
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_the_manifest_names_settings_seeds_versions_and_every_verdict(made):
    found = json.loads((made[0] / "fig3.json").read_text())
    assert found["plan"]["base"]["pair"] == "log-sum-exp"
    assert found["seeds"] == [0]
    assert {"python", "torch", "numpy"} <= set(found["versions"])
    assert len(found["tuning"]) == 6  # methods and λ
    assert len(found["statements"]) == 2 * len(SECTION_7)


def test_the_long_runs_are_compared_at_equal_rounds_and_with_no_score_of_another_pair(made):
    found = json.loads((made[0] / "fig3_long.json").read_text())
    runs = {run["run"]: run for run in found["runs"]}
    first = "FedMM-OT, adaptive server"
    assert list(runs) == [first, "λ = 0", "a tenth of the samples", "one machine", "FedAdam"]
    assert [run["t"] for run in runs.values()] == 5 * [[0, 1, 2]]
    settings = {name: run["task"]["setting"] for name, run in runs.items()}
    main = settings.pop(first)
    assert [at["samples"] / main["samples"] for at in settings.values()] == [1, 0.1, 1, 1]
    assert [at["clients"] * at["batch"] for at in settings.values()] == 4 * [main["clients"] * main["batch"]]
    page = (made[0] / "page.md").read_text(encoding="utf-8")
    (row,) = (line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| 16 | FedAdam | 2 |"))
    ends = runs["FedAdam"]["uvp"][-1], runs[first]["uvp"][-1]
    assert [float(row[5].split()[0]), float(row[7])] == pytest.approx(ends, rel=0.006)  # three digits are shown
    assert "published |" not in page  # those scores belong to the benchmark


def test_a_shorter_long_run_stands_beside_what_the_first_had_then():
    def run(uvp: list[float]) -> TransportRun:
        t, uvp_ = 10 * np.arange(len(uvp)), np.array(uvp)
        seconds = np.asarray(60.0 * t, dtype=np.float64)
        return TransportRun(t, seconds, 8_000_000_000 * t, uvp_, 2.0 * uvp_, np.ones(len(uvp)), "alive")

    tasks = {(16, name): replace(TASK, setting=Setting(16, pair="benchmark")) for name in (MAIN, "shorter")}
    found = Long(tasks, dict(zip(tasks, (run([80, 40, 20, 30]), run([80, 50])), strict=True)), {16: {"linear": 41.0}})
    assert found.table().splitlines()[2:] == [
        f"| 16 | {MAIN} | 30 | 30.0 | 30 | 30 (20) | 60 |  |",
        "| 16 | shorter | 10 | 10.0 | 10 | 50 (50) | 100 | 40 |",
        "| 16 | linear | | | | 41 | | |",
        "| 16 | MMv2, published | | | | 3.1 | | |",
    ]


def test_the_recorded_curves_are_judged_as_the_runs_were(made):
    text = (made[0] / "curves.jsonl").read_text()
    found = read_scores(text)
    assert write_lines({"plan": found.about}, score_lines(found.panels)) == text
    assert list(found.panels) == [16]
    assert list(found.panels[16]) == ["0", "1", "own"]
    assert found.panels[16]["0"]["FedAdam"].t.tolist() == [0, 1, 2, 3, 4]  # twice the rounds
    assert found.panels[16]["0"]["FedMM-OT"].t.tolist() == [0, 1, 2]
    said = json.loads((made[0] / "fig3.json").read_text())["statements"]
    for ours in ("FedMM-OT", "FedMM-OT, adaptive server"):
        for j in judge_scores(found.panels, ours):
            assert {"id": j.statement.id, "ours": ours, "verdict": j.verdict}.items() <= said.pop(0).items()
    for wrong in ("", "{}", text.replace("uvp", "pvu"), text.replace('"format": 1', '"format": 2')):
        with pytest.raises(InvalidInput, match="no record of curves"):
            read_scores(wrong)


def test_the_page_has_every_statement_and_says_which_pair(made):
    page = (made[0] / "page.md").read_text(encoding="utf-8")
    for statement in SECTION_7:
        verdicts = page.partition("## UVP over rounds")[2]
        assert verdicts.count(statement.says) == 2  # for FedMM-OT, and for the adaptive server in its place
    assert "the files of the benchmark were not named" in page
    assert "Not the full run" in page
    for name in ("fig3_16.png", "fig3_16_seconds.png", "fig3_ablation.png", "fig3_long.png"):
        assert f"({name})" in page.replace("./", "")


def test_wrong_options_are_named(tmp_path, capsys):
    for arguments, message in (
        (["fig3", "--rounds", "0"], "rounds = 0"),
        (["fig3", "--dimensions", "16,many"], "--dimensions 16,many"),
        (["fig3", "--dimensions", "3", "--data-dir", str(tmp_path)], "d = 3"),
        (["fig3", "--rounds", "3", "--rows", "9"], "rows = 9"),
        (["fig3", "--data-dir", str(tmp_path)], "holds neither"),
        (["fig3-ablation", "--page", str(tmp_path / "page.md")], "name fig3"),
    ):
        assert main(["reproduce", *arguments, "--out", str(tmp_path / "out")]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(InvalidInput, match="pair = 'other'"):
        Setting(pair="other")
