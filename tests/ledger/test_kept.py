"""What a run has found is not judged again while nothing has changed, and is judged anew as soon as something has."""

import json
from dataclasses import replace
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.proofs.verdict import Step, Verdict, Witness, proved, undecided
from proofs_checks.report.page import write_report
from proofs_checks.report.records import records_of
from proofs_checks.runner import kept as kept_module
from proofs_checks.runner.judge import Part, claims_of, judge
from proofs_checks.runner.kept import Kept, key
from proofs_checks.runner.run import run
from tests.ledger import sample_ledger

SOURCE = "tests.ledger.sample_ledger"
NOBODY = "tests.ledger.no_such_ledger"
"""A worker that is given this one judges nothing: it ends in an error."""

steps = st.builds(Step, st.text(max_size=9), st.text(max_size=9))
named = st.dictionaries(st.text(max_size=3), st.text(max_size=5), max_size=2)
witnesses = st.builds(Witness, named, st.text(max_size=9), named)
verdicts = st.builds(
    Verdict,
    st.sampled_from(["proved", "refuted", "supported", "open"]),
    st.text(max_size=9).filter(lambda method: method not in kept_module.CHANCE),
    st.lists(steps, min_size=1, max_size=3).map(tuple),
    witnesses,
    st.floats(0, 1e3),
    st.none() | steps,
)


def test_a_second_run_judges_nothing(tmp_path):
    """The same rows, times of the first run among them, without one check being called."""
    file = tmp_path / "judged.json"
    first = run(sample_ledger.GOOD, jobs=1, mutants=True, source=SOURCE, kept=Kept(file))
    again = Kept(file)
    heard = []
    second = run(sample_ledger.GOOD, jobs=1, mutants=True, source=NOBODY, kept=again, on_result=heard.append)
    assert second == first == heard
    assert again.found > len(first)
    assert file.stat().st_mode & 0o077 == 0
    fresh = Kept(file, fresh=True)
    assert fresh.of([Part("square", "printed")]) == {}


def test_any_change_of_any_file_changes_the_key(tmp_path):
    """A byte, a name, one file more or less; compiled files do not count."""
    root = tmp_path / "package"
    (root / "deep").mkdir(parents=True)
    (root / "deep" / "check.py").write_bytes(b"a")
    (root / "quotes.txt").write_bytes(b"q")
    keys = [key((root,))]
    changes = [
        lambda: (root / "deep" / "check.py").write_bytes(b"b"),
        lambda: (root / "quotes.txt").rename(root / "words.txt"),
        lambda: (root / "more.py").write_bytes(b""),
    ]
    for change in changes:
        change()
        keys.append(key((root,)))
    assert len(set(keys)) == len(keys)
    (root / "__pycache__").mkdir()
    (root / "__pycache__" / "check.pyc").write_bytes(b"c")
    assert key((root,)) == keys[-1]


@pytest.mark.parametrize("name", ["sympy", "z3-solver"])
def test_another_version_of_what_is_called_changes_the_key(tmp_path, monkeypatch, name):
    before = key((tmp_path,))
    version = kept_module.version
    monkeypatch.setattr(kept_module, "version", lambda asked: "0" if asked == name else version(asked))
    assert key((tmp_path,)) != before


def test_under_another_key_everything_is_judged(tmp_path, monkeypatch):
    file, part = tmp_path / "judged.json", Part("a", "printed")
    Kept(file).add({part: proved("identity", Step("1 = 1", "as it stands"))})
    assert part in Kept(file).of([part])
    monkeypatch.setattr(kept_module, "key", lambda: "another")
    assert Kept(file).of([part]) == {}


@pytest.mark.parametrize("method", ["error", "time limit", "not run"])
def test_what_may_come_out_otherwise_is_not_kept(tmp_path, method):
    """How a run went says nothing of the next one."""
    store = Kept(tmp_path / "judged.json")
    store.add({Part("a", "printed"): undecided(method, Step("no answer in time", "stopped"))})
    assert not (tmp_path / "judged.json").exists()
    assert store.outcomes == {}


@settings(max_examples=20)
@given(outcomes=st.lists(verdicts | witnesses, max_size=4))
def test_what_is_kept_comes_back_as_it_was(tmp_path_factory, outcomes):
    file = tmp_path_factory.mktemp("kept") / "judged.json"
    found = {Part(f"row{k}", "mutant", str(k)): outcome for k, outcome in enumerate(outcomes)}
    Kept(file).add(found)
    assert Kept(file).outcomes == found


@settings(max_examples=30)
@given(cut=st.integers(0, 400), junk=st.sampled_from([b"", b"{}", b"[1]", b"\xff", b'{"key": 1}']))
def test_a_damaged_file_is_no_run(tmp_path_factory, cut, junk):
    """Cut anywhere and with anything behind it: all is judged, and nothing is raised."""
    file = tmp_path_factory.mktemp("kept") / "judged.json"
    found = {Part("a", "printed"): proved("identity", Step("1 = 1", "as it stands"))}
    Kept(file).add(found)
    whole = file.read_bytes()
    file.write_bytes(whole[:cut] + junk)
    assert Kept(file).outcomes == (found if file.read_bytes() == whole else {})
    stored = json.loads(whole)
    stored["outcomes"][0][1]["status"] = "certain"
    del stored["outcomes"][0][1]["evidence"]
    file.write_text(json.dumps(stored))
    assert Kept(file).outcomes == {}


def test_the_page_is_written_again_only_where_its_rows_or_files_changed(tmp_path):
    """By the key and the rows: a page is left as it is, or made anew, assumptions and all."""
    claims = claims_of(SOURCE)
    row = run([claims["square"]], jobs=1, source=SOURCE)[0]
    made = []

    def write(row, key):
        records = records_of([("A section", [claims["square"]])], [row])
        write_report(tmp_path, records, assumptions=lambda: made.append(key), key=key)

    for given_row, given_key in [
        (row, "a"),
        (row, "a"),
        (row, "b"),
        (replace(row, mutants={}), "b"),
        (row, ""),
        (row, ""),
    ]:
        write(given_row, given_key)
    assert made == ["a", "b", "", ""]
    slower = replace(row, verdict=row.verdict.timed(99.0))
    write(slower, "b")
    assert made[-1] == "b"


def test_what_several_rows_ask_is_judged_once(monkeypatch):
    """Two claims with one check and one form share its outcome, and each row has it."""
    square = claims_of(SOURCE)["square"]
    twin = replace(square, id="twin")
    asked = []

    def here(parts, *, source, jobs, time_limit):
        for part in parts:
            asked.append(part)
            yield part, judge({"square": square, "twin": twin}, part)

    monkeypatch.setattr(import_module("proofs_checks.runner.run"), "judge_all", here)
    one, two = run([square, twin], mutants=True)
    assert one.verdict == two.verdict
    assert one.mutants == two.mutants
    assert {part.claim for part in asked if part.kind != "non-vacuity"} == {"square"}
    assert one.as_expected
    assert two.as_expected
