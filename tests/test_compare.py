"""The command that compares two checkouts: what it calls slower, and that its probes can be made."""

from __future__ import annotations

import json

import pytest

from benchmarks import compare, history
from benchmarks.compare import Compared, Worker, judged
from benchmarks.probes import PROBES

IN_PROCESS = [name for name in PROBES if not name.startswith(("check", "fedmm"))]


class Planted:
    """A worker whose calls take these seconds, one after the other, for ever."""

    def __init__(self, *seconds: float) -> None:
        self.seconds, self.asked = seconds, 0

    def ask(self, **command: object) -> dict:
        self.asked += "call" in command
        return {"cpu": self.seconds[self.asked % len(self.seconds)] * int(command.get("call", 1))}


def test_the_ratio_is_that_of_neighbouring_calls():
    """A drift of the machine, which meets both, does not show, and neither does one bad moment."""
    found = Compared.of([1.0, 10.0, 2.0], [1.1, 11.0, 20.0])
    assert found.ratio == pytest.approx(1.1)  # the ratio of the medians is 5.5
    assert not found.worse
    assert found.low == pytest.approx(1.1)
    assert found.high == pytest.approx(5.55)


@pytest.mark.parametrize(("now", "worse"), [(1.19, False), (1.21, True), (0.5, False)])
def test_slower_by_a_fifth_is_named(now, worse):
    found = judged((Planted(1.0), Planted(now)), "codes, cold")
    assert isinstance(found, Compared)
    assert found.worse == worse
    assert found.ratio == pytest.approx(now)


def test_what_looks_slower_is_measured_again():
    """One bad moment is not named: what stands is the second measurement."""
    slow_at_first = Planted(*[0.15] * (compare.TURNS + 1), *[0.1] * 1000)
    found = judged((Planted(0.1), slow_at_first), "codes, cold")
    assert isinstance(found, Compared)
    assert not found.worse
    assert slow_at_first.asked == 3 * compare.TURNS


def test_what_one_checkout_cannot_make_is_said(monkeypatch):
    broken = Planted(1.0)
    monkeypatch.setattr(broken, "ask", lambda **command: {"error": "ImportError: no such thing"})
    assert judged((broken, Planted(1.0)), "codes, cold") == "before: ImportError: no such thing"


def test_probes_can_be_made_and_called(tmp_path):
    """Over the protocol, in a process of their own; another name is an error that is answered."""
    worker = Worker(compare.ROOT, tmp_path)
    for name in IN_PROCESS:
        assert worker.ask(make=name)["cpu"] > 0, name
    assert worker.ask(call=2)["cpu"] > 0
    assert worker.ask(make="no such probe")["error"] == "KeyError: 'no such probe'"
    worker.close()
    assert worker.process.returncode == 0


def test_an_unknown_commit_or_probe_is_refused(capsys):
    with pytest.raises(SystemExit, match="no commit 'no-such-ref'"):
        compare.main(["no-such-ref", "codes"])
    with pytest.raises(SystemExit):
        compare.main(["HEAD", "no such probe"])
    assert "no probe begins with no such probe" in capsys.readouterr().err


def test_a_record_is_added_and_none_is_lost(tmp_path, monkeypatch):
    """A run of one section adds its ratios alone; rows that came later do not change what a mean is of."""
    monkeypatch.setattr(history, "FILE", tmp_path / "history.jsonl")
    monkeypatch.setattr(history, "HERE", tmp_path)
    em = [{"p": 2, "scikit-learn": 4.0, "one step": 1.0}, {"p": 2, "scikit-learn": 9.0, "one step": 1.0},
          {"p": 64, "scikit-learn": 1.0, "one step": 9.0}]  # fmt: skip
    codes = [{"setting": "a", "SPAMS/cold": 2.0, "SPAMS/warm": 3.0},
             {"setting": "geometric mean of the first six", "SPAMS/cold": 7.0, "SPAMS/warm": 7.0}]  # fmt: skip
    history.remember({"One EM step of the full mixture": {"rows": em}})
    history.remember({"Sparse codes, one thread": {"rows": codes}})
    history.remember({"A move of a slider in a lesson": {"rows": []}})
    first, second = (json.loads(line)["ratios"] for line in history.FILE.read_text().splitlines())
    assert first == {"EM step, p = 2 : scikit-learn": pytest.approx(6.0)}
    assert second == {"codes, warm : SPAMS": pytest.approx(3.0), "codes, cold : SPAMS": pytest.approx(2.0)}
    assert (tmp_path / "history.png").exists()


def test_what_is_watched_is_measured():
    """A section that was renamed would drop out of the history in silence."""
    sections = json.loads((history.HERE / "results.json").read_text())["sections"]
    assert set(history.ratios(sections)) == set(history.WATCHED)
