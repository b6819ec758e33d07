"""Formulas from phones: proved, refuted with a picture, undecided, unreadable; and a process that cannot be hung."""

import json
from dataclasses import replace

import numpy as np
import pytest

from fedmm_edu.classroom.bench import WORK, Bench, TooLong
from fedmm_edu.classroom.challenges import Asserts, Found, Strike, Struck
from fedmm_edu.classroom.events import LinesJudged, Propose, Weighed, Write
from fedmm_edu.classroom.judging import judge, tree
from fedmm_edu.classroom.problem import OWN, Lines, both_games, by_idea, one_game, theta_star
from fedmm_edu.classroom.room import Blow, Card, Phone, Room
from fedmm_edu.classroom.scenes import hour_of
from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic import check_model
from fedmm_edu.symbolic.functions.reading import read_formula

RIGHT = Lines(phi="-theta^2/2", psi="-log(theta)", S_bar="z/theta", T="1/sqrt(s)")
BOMB = "z^z^z^z"
"""Read at once, as nothing in it is a large number, and computed for ever."""


@pytest.mark.parametrize("lines", [OWN, RIGHT])
def test_right_lines_are_proved_for_what_runs(lines):
    found = judge(**lines.as_dict())
    assert found["status"] == "proved"
    assert {status for _, status, _ in found["rows"]} == {"proved"}
    assert found["picture"] is None
    assert len(both_games(one_game(lines)).theta) == 2


@pytest.mark.parametrize(
    ("change", "row", "kind"),
    [
        ({"phi": "theta"}, "MM-1: majorizes", "gap"),
        ({"psi": "0"}, "MM-1: majorizes", "gap"),
        ({"S_bar": "2*z"}, "MM-1: majorizes", "gap"),
        ({"T": "1/s^2"}, "MM-2: T minimizes", "lowest"),
        ({"T": "s"}, "MM-2: T minimizes", "lowest"),
    ],
)
def test_wrong_lines_are_refuted_with_what_a_page_can_draw(change, row, kind):
    """The picture's formulas and point show the failure, recomputed here from the trees alone."""
    found = judge(**{**OWN.as_dict(), **change})
    assert found["status"] == "refuted"
    picture = json.loads(json.dumps(found["picture"], allow_nan=False))
    assert (picture["row"], picture["kind"]) == (row, kind)
    f, point = picture["formulas"], picture["point"]
    if kind == "gap":
        sent = value(f["S_bar"], z=point["z"], theta=point["tau"])

        def bare(theta):
            return value(f["psi"], theta=theta) - sent * value(f["phi"], theta=theta)

        theta, tau = point["theta"], point["tau"]
        change_of_loss = value(f["loss"], z=point["z"], theta=theta) - value(f["loss"], z=point["z"], theta=tau)
        assert bare(theta) - bare(tau) < change_of_loss
    else:
        T = value(f["T"], s=point["s"])

        def J(theta):
            return value(f["psi"], theta=theta) - point["s"] * value(f["phi"], theta=theta)

        assert J(point["theta"]) < J(T)


def value(found, **names):
    """A tree computed as the page computes it."""
    if isinstance(found, str):
        return names[found]
    if isinstance(found, float):
        return found
    word, *parts = found
    numbers = [value(part, **names) for part in parts]
    return {"+": sum, "*": np.prod, "^": lambda x: x[0] ** x[1], "log": lambda x: np.log(x[0])}[word](numbers)


def test_undecided_is_called_undecided():
    """Γ(s)/Γ(s + 1) is 1/s, and the checker does not know it: neither proved nor refuted."""
    found = judge(**{**OWN.as_dict(), "T": "exp(loggamma(s) - loggamma(s+1))"})
    assert found["status"] == "open"
    assert found["picture"] is None


def test_lines_are_proved_only_where_what_runs_is(monkeypatch):
    """One game is proved, and the sum over both is undecided: so are the lines."""
    undecided = check_model(one_game(replace(OWN, T="exp(loggamma(s) - loggamma(s+1))")))
    monkeypatch.setattr(
        "fedmm_edu.symbolic.check_model", lambda model: undecided if len(model.theta) == 2 else check_model(model)
    )
    assert judge(**OWN.as_dict())["status"] == "open"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"psi": "log(theta"}, "no formula"),
        ({"psi": "x + 1"}, "contains x"),
        ({"psi": "z"}, "psi contains z"),
        ({"T": "__import__('os').system('true')"}, "no formula"),
        ({"T": ""}, "empty"),
        ({"T": "1" * 81}, "at most 80"),
    ],
)
def test_what_is_no_formula_is_unreadable(change, says):
    found = judge(**{**OWN.as_dict(), **change})
    assert found["status"] == "unreadable"
    assert says in found["says"]


@pytest.mark.parametrize("text", ["1/0", "oo", "0/0", "sqrt(-1)", "log(0)", "pi/pi"])
def test_what_is_no_real_number_still_gets_an_answer(text):
    """Whatever the verdict, it is one that travels as JSON, and no proof."""
    found = judge(**{**OWN.as_dict(), "psi": text})
    assert found["status"] in ("unreadable", "refuted", "open")
    json.dumps(found, allow_nan=False)


def test_a_tree_has_only_what_pages_compute():
    import sympy as sp

    word, *parts = tree(read_formula("log(theta) - 1/2", sp.Symbol))
    assert word == "+"
    assert sorted(parts, key=str) == [-0.5, ["log", "theta"]]
    with pytest.raises(InvalidInput, match="cannot draw"):
        tree(read_formula("erf(theta)", sp.Symbol))


READINGS = [(2, 1), (6, 2), (30, 7)]


@pytest.mark.parametrize(("send", "back", "lands"), [("z", "1/a", True), ("3*z - 1", "3/(a+1)", True),
                                                     ("log(z)", "exp(-a)", False), ("1/z", "a", False)])  # fmt: skip
def test_an_idea_lands_where_its_formulas_say(send, back, lands):
    """Every affine function of z lands, and what bends does not."""
    found = by_idea(send, back, READINGS)["theta"]
    assert bool(np.allclose(found, theta_star(READINGS), rtol=1e-12)) == lands


@pytest.mark.parametrize(
    ("send", "back"),
    [
        ("log(z-1)", "a"),
        ("z", "1/(a-a)"),
        ("sqrt(-z)", "a"),
        ("z", "z"),
        ("q", "a"),
        ("exp(z)", "a"),
        ("loggamma(z^999)", "a"),
        ("sin(exp(exp(exp(exp(9)))))", "a"),
        ("z + (((9^999)^999)^999)^999", "a"),
    ],
)
def test_an_idea_without_a_value_says_why(send, back):
    assert by_idea(send, back, READINGS).keys() == {"says"}


def test_a_formula_that_takes_for_ever_is_stopped_and_nothing_else_is():
    """Its process is killed; the next job finds a new one, and equal jobs are done once."""
    bench = Bench(processes=1, seconds=60.0)
    try:
        assert bench.submit("by_idea", "z", "1/a", READINGS).result(60) == {"theta": theta_star(READINGS).tolist()}
        bench.seconds = 2.0
        with pytest.raises(TooLong):
            bench.submit("by_idea", BOMB, "a", READINGS).result(60)
        bench.seconds = 60.0
        again = bench.submit("by_idea", "z+0", "1/a", READINGS)
        assert again.result(90) == {"theta": theta_star(READINGS).tolist()}
        assert bench.submit("by_idea", "z+0", "1/a", READINGS) is again
    finally:
        bench.close()


def test_the_queue_is_bounded_and_empties():
    """Beyond its length jobs are refused with a sentence, and not kept; a job that is done makes room."""
    bench = Bench(processes=1, most=1)
    try:
        for send in ("z", "2*z"):
            assert "theta" in bench.submit("by_idea", send, "1/a", READINGS).result(60)
        bench.most = 0
        with pytest.raises(InvalidInput, match="hands full"):
            bench.submit("judge", *OWN.as_dict().values())
    finally:
        bench.close()


def test_a_failure_of_the_checker_is_no_verdict():
    assert set(WORK) == {"judge", "by_idea", "by_point", "wording"}
    judged = Write(0, **OWN.as_dict()).errand(Room()).brings({"failed": "ProofContradicted"})
    assert isinstance(judged, LinesJudged)
    assert (judged.number, judged.status, judged.report["says"]) == (0, "open", "ProofContradicted")
    room = replace(Room(hour=hour_of("11"), cards=(Card("a-row", "L 1", ("one", "two")),)), phones=(Phone(0),))
    said = Asserts(0, 1, "holds").errand(room).brings({"failed": "no answer"})
    assert said == Found(0, 1, "open", "no answer")
    blow = Blow(OWN, "MM-2", {"s": "1", "theta": "1"})
    struck = Strike(0, "MM-2", "", "", "1", "1").errand(replace(Room(), phones=(Phone(0, blows=(blow,)),)))
    assert struck.brings({"failed": "no answer"}) == Struck(0, "open", "no answer")
    assert Propose(0, "z", "1/a").errand(Room()).brings({"failed": "no answer"}) == Weighed(0, None, "no answer")
    for answer in (Struck(0, "open", "no answer"), Weighed(0, None)):
        with pytest.raises(InvalidInput, match="phone 0 has asked for nothing"):
            answer.apply(replace(Room(), phones=(Phone(0),)))
