"""The room as a value: whatever comes in whatever order, its invariants hold, and no view tells what it must not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedmm_edu.algorithms import FedMM, ParameterSpace, SurrogateSpace
from fedmm_edu.classroom.alone import act, arrive
from fedmm_edu.classroom.challenges import Found, Struck
from fedmm_edu.classroom.events import (
    Go,
    Guess,
    Join,
    LinesJudged,
    Present,
    Rounds,
    Start,
    Threw,
    Weighed,
    from_phone,
    from_teacher,
)
from fedmm_edu.classroom.export import export
from fedmm_edu.classroom.problem import OWN, Lines, clients_of, surrogate
from fedmm_edu.classroom.room import Card, Room
from fedmm_edu.classroom.rounds import Run
from fedmm_edu.classroom.scenes import FURTHER, SCENES, Hour, hour_of
from fedmm_edu.classroom.views import average, phone_view, teacher_view
from fedmm_edu.errors import FedMMError, InvalidInput

KEYS = [scene.key for scene in SCENES]
OTHERS = Lines("-theta/2", "-log(theta)", "2*z", "2/s")
MARKUP = "<img src=x onerror=alert(1)>"

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.just(MARKUP),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)
formulas = st.sampled_from(
    ["z", "1/a", "log(z)", "exp(-a)", "-theta", "-log(theta)", "1/s", "", MARKUP, "9" * 81, "\x00"]
)
fractions = st.sampled_from(["1/6", "0.5", "1", ".25", "1/0", "nan", "inf", "-1", "1e9", "", MARKUP, "2"])
phone_messages = st.one_of(
    st.builds(lambda a, b: {"do": "data", "six": a, "heads": b}, st.integers(-1, 120), st.integers(0, 9)),
    st.builds(lambda k: {"do": "guess", "choice": k}, st.integers(-1, 5)),
    st.builds(lambda a, b: {"do": "theta", "six": a, "heads": b}, fractions, fractions),
    st.builds(lambda a, b: {"do": "idea", "send": a, "back": b}, formulas, formulas),
    st.builds(lambda a, b, c, d: {"do": "lines", "phi": a, "psi": b, "S_bar": c, "T": d}, *[formulas] * 4),
    st.builds(lambda on: {"do": "switch", "on": on}, st.booleans()),
    st.builds(
        lambda kind, *point: {"do": "point", "kind": kind, **dict(zip(("z", "tau", "theta", "s"), point, strict=True))},
        st.sampled_from(["MM-1", "MM-2", MARKUP]),
        *[fractions] * 4,
    ),
    st.builds(
        lambda k, says: {"do": "claim", "wording": k, "claim": says},
        st.integers(-1, 6),
        st.sampled_from(["holds", "fails", MARKUP]),
    ),
    st.builds(lambda name, x: {"do": name, "six": x}, st.sampled_from(["data", "guess", "go", "open"]), junk),
    junk,
)
teacher_messages = st.one_of(
    st.builds(lambda key: {"do": "go", "scene": key}, st.sampled_from(KEYS)),
    st.sampled_from([{"do": "open"}, {"do": "start", "V": False}, {"do": "start", "V": True}]),
    st.builds(lambda k, lose: {"do": "rounds", "rounds": k, "lose": lose}, st.integers(0, 5), st.booleans()),
    st.builds(lambda k: {"do": "remove", "phone": k}, st.integers(-1, 6)),
    st.builds(lambda k: {"do": "choose", "phone": k}, st.integers(-1, 6)),
    st.builds(lambda open: {"do": "door", "open": open}, st.booleans()),
    junk,
)
numbers = st.integers(-1, 6)
happenings = st.lists(
    st.one_of(
        st.just(("join",)),
        st.tuples(st.just("here"), numbers, st.booleans()),
        st.tuples(st.just("phone"), numbers, phone_messages),
        st.tuples(st.just("phone"), numbers, phone_messages),
        st.tuples(st.just("teacher"), teacher_messages),
        st.tuples(st.just("judged"), numbers, st.sampled_from(["proved", "refuted", "open"])),
        st.tuples(st.just("weighed"), numbers, st.sampled_from([None, (0.2, 0.5)])),
        st.tuples(st.just("struck"), numbers, st.sampled_from(["refuted", "holds", "open", "unreadable"])),
        st.tuples(st.just("found"), numbers, st.integers(-1, 3), st.sampled_from(["refuted", "proved", "open"])),
    ),
    max_size=40,
)


def event(happening):
    """The event of a happening; `InvalidInput` where a message is none."""
    match happening:
        case ("join",):
            return Join()
        case ("here", number, here):
            return Present(number, here)
        case ("phone", number, message):
            return from_phone(number, message)
        case ("teacher", message):
            return from_teacher(message)
        case ("judged", number, status):
            return LinesJudged(number, status, {"rows": []})
        case ("weighed", number, theta):
            return Weighed(number, theta)
        case ("struck", number, status):
            return Struck(number, status, MARKUP)
        case ("found", number, wording, status):
            return Found(number, wording, status, MARKUP)
        case _:
            raise AssertionError(f"{happening} cannot happen")


def after(happenings, room=None):
    """The rooms that these happenings lead through, refused ones left out."""
    room = room or Room()
    for happening in happenings:
        try:
            room = event(happening).apply(room)
        except InvalidInput:
            continue
        yield room


def holds(room: Room) -> None:
    """What is true of every room."""
    choices = {scene.key: scene.question.choices for scene in room.hour.scenes if scene.question is not None}
    theta = room.hour.of_task("theta")
    assert [phone.number for phone in room.phones] == list(range(len(room.phones)))
    for phone in room.phones:
        assert not (phone.gone and phone.here)
        assert phone.data is None or all(isinstance(z, int) and 1 <= z <= 99 for z in phone.data)
        assert phone.theta is None or all(0 < theta <= 1 for theta in phone.theta)
        assert all(0 <= choice < len(choices[key]) for key, choice in phone.guesses.items())
        assert sum(blow.status == "waiting" for blow in phone.blows) <= 1
        assert len({said.wording for said in phone.judged}) == len(phone.judged)
        assert sum(idea.waiting for idea in phone.ideas) <= 1
    for run in room.runs.values():
        assert len(run.members) == len(run.fed.clients) == len(run.readings)
        assert run.state.t == len(run.trace) - 1
        state, lost = run.state, any(point.lost for point in run.trace)
        if not lost:
            np.testing.assert_allclose(state.V_server, run.fed.clients.mu @ state.V_clients, atol=1e-9)
    views = [teacher_view(room), *(phone_view(room, phone.number) for phone in room.phones if not phone.gone)]
    for view in views:
        json.dumps(view, allow_nan=False)
        assert (view["histogram"] is None) == (room.scene.question is None or room.scene.key not in room.opened)
        assert view["best"] is None or theta is None or "theta" in room.opened or room.at > theta
        assert view["answer"] is None or room.scene.key in room.opened
    assert MARKUP not in export(room)


@settings(max_examples=200)
@given(happenings)
def test_no_order_and_no_input_breaks_the_room(happenings):
    """Joins, leaves, returns, junk, and a teacher who jumps about: every room on the way keeps its invariants."""
    for room in after(happenings):
        holds(room)


MIXED = Hour("all", "Every scene", 0, (*FURTHER, *hour_of("01").scenes, *SCENES))
CARDS = (Card("a-row", "L 1", ("one", MARKUP)), Card("another", "L 2", ("two", "three", "four")))


@settings(max_examples=100)
@given(happenings, st.integers(0, len(MIXED.scenes) - 1))
def test_nor_the_room_of_a_lesson(happenings, at):
    """From any scene of an hour that has them all, with rows to judge."""
    for room in after([("join",)] * 3 + happenings, Room(hour=MIXED, cards=CARDS, at=at)):
        holds(room)


@settings(max_examples=100)
@given(junk)
def test_what_is_no_message_is_refused_and_changes_nothing(message):
    """Junk is an `InvalidInput`, never another error; a room is a value, so nothing can have changed."""
    for read in (from_teacher, lambda said: from_phone(0, said)):
        with pytest.raises(InvalidInput):
            read(message)


@pytest.mark.parametrize(
    "message",
    [
        {"do": "data", "six": True, "heads": 1},
        {"do": "data", "six": 2.0, "heads": 1},
        {"do": "data", "six": 2, "heads": 1, "number": 3},
        {"do": "data", "six": 2},
        {"do": "go", "scene": "lost"},
        {"do": ["data"]},
    ],
)
def test_a_phone_sends_its_own_fields_and_no_others(message):
    """No wrong type, no missing or further field, no other phone's number, nothing of the teacher's."""
    with pytest.raises(InvalidInput):
        from_phone(0, message)


@given(happenings, numbers, phone_messages)
def test_an_event_of_one_phone_leaves_the_others_alone(happenings, number, message):
    *_, room = [Room(), *after([("join",)] * 4 + happenings)]
    for then in after([("phone", number, message)], room):
        assert then.phones[:number] == room.phones[:number]
        assert then.phones[number + 1 :] == room.phones[number + 1 :]
        assert (then.at, then.door, then.runs, then.chosen) == (room.at, room.door, room.runs, room.chosen)


def run_of(room: Room) -> Run:
    """The rounds of the scene, which have begun."""
    assert room.run is not None
    return room.run


def of_class(*readings, scene="data") -> Room:
    """A room with these readings."""
    room = Room()
    for number, reading in enumerate(readings):
        for happening in (Join(), Present(number, True), Threw(number, *reading)):
            room = happening.apply(room)
    return Go(scene).apply(room)


def test_guesses_open_when_all_are_locked_and_not_before():
    """A locked guess cannot be changed; somebody who leaves is not waited for; nothing is shown before."""
    room = of_class((2, 1), (6, 2), (9, 3), scene="guess")
    room = Guess(1, 0).apply(Guess(0, 2).apply(room))
    assert teacher_view(room)["histogram"] is None
    assert teacher_view(room)["answered"] == 2
    with pytest.raises(InvalidInput, match="locked"):
        Guess(0, 1).apply(room)
    assert teacher_view(Guess(2, 2).apply(room))["histogram"] == [1, 0, 2, 0]
    left = Present(2, False).apply(room)
    assert phone_view(left, 0)["histogram"] == [1, 0, 1, 0]
    with pytest.raises(InvalidInput, match="too late"):
        Guess(2, 1).apply(left)


def test_rounds_wait_for_the_guesses():
    """Predict, commit, reveal: what answers the question does not start before."""
    room = of_class((2, 1), (6, 2), scene="run")
    with pytest.raises(InvalidInput, match="guesses come first"):
        Start().apply(room)
    room = Start().apply(from_teacher({"do": "open"}).apply(room))
    assert run_of(room).trace[0].theta == (1.0, 1.0)


@given(st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), min_size=1, max_size=8))
def test_the_average_of_the_thetas_is_the_naive_step_and_is_never_too_small(readings):
    """What the phones compute by hand is one round of `FedMM` in Θ; the dot that lands is one round in 𝒮."""
    room = of_class(*readings, scene="theta")
    for number, (six, heads) in enumerate(readings):
        room = from_phone(number, {"do": "theta", "six": f"1/{six}", "heads": f"1/{heads}"}).apply(room)
    found = {}
    for space in (ParameterSpace(), SurrogateSpace()):
        fed = FedMM(PROBLEM, clients_of(readings), 1.0, space=space)
        start = PROBLEM.S_bar(np.ones((1, 2)), np.ones(2))[0]
        x = PROBLEM.T(start) if isinstance(space, ParameterSpace) else start
        found[type(space)] = fed.theta(fed.step(fed.init(x)))
    np.testing.assert_allclose(average(room), found[ParameterSpace], rtol=1e-12)
    np.testing.assert_allclose(room.best, found[SurrogateSpace], rtol=1e-12)
    assert all(naive >= best * (1 - 1e-12) for naive, best in zip(average(room), room.best, strict=True))


PROBLEM = surrogate(OWN)


@pytest.mark.parametrize("lines", [OWN, OTHERS,
                                   Lines("-theta^2/2", "-log(theta)", "z/theta", "1/sqrt(s)")])  # fmt: skip
def test_every_proved_surrogate_leads_the_class_to_its_optimum(lines):
    """Other lines, another 𝒮, the same θ⋆."""
    room = replace(of_class((2, 1), (6, 2), (30, 7), scene="run"), chosen=lines, opened=frozenset(KEYS))
    room = Rounds(100).apply(Start().apply(room))
    np.testing.assert_allclose(run_of(room).trace[-1].theta, room.best, rtol=1e-6)
    assert run_of(room).lines == lines


@pytest.mark.parametrize("status", ["waiting", "open", "refuted", "unreadable", "proved"])
def test_only_lines_that_are_proved_run(status):
    """The first proved ones by themselves, others when the teacher chooses them; nothing undecided by either way."""
    room = of_class((2, 1), (6, 2), scene="lines")
    room = from_phone(1, {"do": "lines", **OTHERS.as_dict()}).apply(room)
    room = LinesJudged(1, status, {"rows": []}).apply(room)
    assert room.lines == (OTHERS if status == "proved" else OWN)
    choose = from_teacher({"do": "choose", "phone": 1})
    if status == "proved":
        assert choose.apply(replace(room, chosen=None)).lines == OTHERS
    else:
        with pytest.raises(InvalidInput, match="only lines that are proved"):
            choose.apply(room)


def test_one_lost_update_is_a_bias_for_ever_and_the_gap_says_which():
    """At the limit s = mean(z) + gap; without the loss, s = mean(z)."""
    room = replace(of_class((2, 1), (6, 2), (30, 7), (1, 1), scene="lost"), opened=frozenset(KEYS))
    room = Start(V=True).apply(room)
    good = Rounds(100).apply(Rounds(100).apply(room))
    bad = Rounds(100).apply(Rounds(100).apply(Rounds(1, lose=True).apply(Rounds(1).apply(room))))
    np.testing.assert_allclose(run_of(good).trace[-1].theta, room.best, rtol=1e-5)
    gap = np.array(run_of(bad).trace[-1].gap)
    assert (np.abs(gap) > 1e-2).all()
    np.testing.assert_allclose(run_of(bad).trace[-1].theta, 1 / (1 / np.array(room.best) + gap), rtol=1e-5)
    np.testing.assert_allclose(run_of(bad).trace[2].gap, gap, atol=1e-9)
    with pytest.raises(InvalidInput, match="no V to lose"):
        Rounds(1, lose=True).apply(Start().apply(Go("off").apply(room)))


def test_a_phone_that_is_off_is_never_heard():
    """Its data stay out of the limit: the class learns the optimum of the others (A5 does not hold)."""
    room = replace(of_class((2, 1), (6, 2), (30, 7), scene="run"), opened=frozenset(KEYS))
    room = from_phone(2, {"do": "switch", "on": False}).apply(Start().apply(room))
    room = Rounds(100).apply(room)
    np.testing.assert_allclose(run_of(room).trace[-1].theta, (1 / 4, 1 / 1.5), rtol=1e-6)
    assert not phone_view(room, 2)["run"]["heard"]
    assert phone_view(room, 0)["run"]["heard"]


def test_two_bits_are_noise_without_V_and_none_with_it():
    room = replace(of_class((2, 1), (6, 2), (30, 7), (4, 3), scene="bits"), opened=frozenset(KEYS))
    errors = []
    for V in (False, True):
        run = Rounds(100).apply(Rounds(100).apply(Start(V=V).apply(room)))
        run = run_of(run)
        tail = np.array([point.theta for point in run.trace[-50:]])
        errors.append(np.abs(tail / room.best - 1).max())
        assert run.state.bits_up == 200 * 4 * (64 + 2 * 2)
    assert errors[0] > 0.01
    assert errors[1] < 1e-6


def test_classmates_repeat_and_leave_the_answer_to_the_reader():
    """The same seed, the same class; none of their ideas lands, and they do not guess before the reader is there."""

    def class_of(seed):
        room = Room(seed=seed)
        for happening in arrive(6):
            room = happening.apply(room)
        for key in KEYS[:4]:
            room = Go(key).apply(room)
            for happening in list(act(room, 6)):
                room = happening.apply(room)
        return room

    room = class_of(3)
    assert room == class_of(3)
    assert room.members != class_of(4).members
    assert room.opened == frozenset()
    assert not any(phone.guesses for phone in room.phones)
    assert {idea.send for phone in room.phones for idea in phone.ideas} == {"log(z)", "sqrt(z)", "z^2"}
    room = Go("guess").apply(Present(6, True).apply(Join().apply(room)))
    for happening in act(room, 6):
        room = happening.apply(room)
    assert teacher_view(room)["answered"] == 6
    assert room.opened == frozenset()
    assert Guess(6, 1).apply(room).opened == {"guess"}


def test_the_page_that_is_saved_is_anonymous_and_escaped():
    """Averages, counts, formulas as text; no reading of a phone, no number of one."""
    room = of_class((37, 1), (6, 2), scene="idea")
    room = from_phone(0, {"do": "idea", "send": MARKUP, "back": "1/a"}).apply(room)
    page = export(room)
    assert "&lt;img src=x" in page
    assert MARKUP not in page
    assert "2 clients took part" in page
    assert "37" not in page.split("</style>")[1]
    assert "Nobody sent data" in export(Room())


def test_the_lines_that_ran_are_escaped_where_the_page_tells_the_run():
    room = replace(of_class((2, 1), (6, 2), scene="run"), opened=frozenset(KEYS))
    run = run_of(Start().apply(room))
    page = export(replace(room, runs={"run": replace(run, lines=replace(OWN, phi=MARKUP))}))
    assert "phi = &lt;img src=x" in page
    assert MARKUP not in page


def test_the_door_and_the_places(monkeypatch):
    closed = from_teacher({"do": "door", "open": False}).apply(Room())
    with pytest.raises(InvalidInput, match="door"):
        Join().apply(closed)
    monkeypatch.setattr("fedmm_edu.classroom.events.MOST_PHONES", 1)
    with pytest.raises(InvalidInput, match="full"):
        Join().apply(Join().apply(Room()))


def test_a_phone_that_was_sent_away_is_out_of_what_starts():
    room = replace(of_class((2, 1), (6, 2), scene="run"), opened=frozenset(KEYS))
    room = Start().apply(from_teacher({"do": "remove", "phone": 0}).apply(room))
    assert run_of(room).members == (1,)
    with pytest.raises(FedMMError, match="not in the room"):
        phone_view(room, 0)
