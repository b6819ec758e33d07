"""The hours of lessons: they ask what the lessons ask, and take the time that the lessons say; phones get rows."""

import ast
import re
from dataclasses import replace

import jupytext
import pytest

from book.generate.downloads import lessons, title
from fedmm_edu.announced import ledger
from fedmm_edu.classroom.challenges import Found, Struck
from fedmm_edu.classroom.events import Go, Join, LinesJudged, Present, from_phone, from_teacher
from fedmm_edu.classroom.export import export
from fedmm_edu.classroom.judging import WORDINGS, by_point, cards, judge, wording
from fedmm_edu.classroom.problem import OWN, Lines
from fedmm_edu.classroom.room import WRONG, Room
from fedmm_edu.classroom.scenes import CLASS, hour_of
from fedmm_edu.classroom.scenes import lessons as names
from fedmm_edu.classroom.views import phone_view, teacher_view
from fedmm_edu.errors import InvalidInput

LESSONS = {path.name[:2]: path for path in lessons()}
FEWEST = {"predictions": 20, "federation": 8}
"""Over all hours: predictions that are locked, and scenes in which the class is the federation, or refutes."""


def asked(lesson) -> dict[str, list[str] | None]:
    """The predictions of a lesson, one choice each, with the choices that its code spells out: it is not run here."""
    found = {}
    for cell in jupytext.read(lesson).cells:
        for call in ast.walk(ast.parse(cell.source)) if cell.cell_type == "code" else ():
            named = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "predict"
            if named and not call.keywords:
                text, *choices = call.args
                spelled = not any(isinstance(each, ast.Starred) for each in choices)
                found[ast.literal_eval(text)] = [ast.literal_eval(each) for each in choices] if spelled else None
    return found


@pytest.mark.parametrize("name", LESSONS)
def test_an_hour_is_that_of_its_lesson(name):
    """Its title, its minutes, and every prediction of the lesson with its choices, once."""
    hour, lesson = hour_of(name), LESSONS[name]
    assert hour.title == title(lesson)
    assert f"Time: {hour.minutes} minutes" in lesson.read_text("utf-8")
    questions = [scene.question for scene in hour.scenes if scene.question is not None and scene.rule is None]
    own = [question for question in questions if question.answer is not None]
    questions, known = {question.text: list(question.choices) for question in own}, asked(lesson)
    assert questions == {text: choices or questions.get(text) for text, choices in known.items()}
    assert len(own) == len({question.text for question in own})
    assert [scene.minute for scene in hour.scenes] == sorted({scene.minute for scene in hour.scenes})
    assert hour.scenes[-1].minute < hour.minutes
    assert len({scene.key for scene in hour.scenes}) == len(hour.scenes)


def test_all_lessons_have_one_and_the_class_is_in_them():
    assert names() == sorted(LESSONS)
    scenes = [scene for name in LESSONS for scene in hour_of(name).scenes]
    assert (
        sum(scene.question is not None and scene.question.answer is not None for scene in scenes)
        >= FEWEST["predictions"]
    )
    assert (
        sum(scene.key in {"run", "off", "bits", "lost", "lines", "refute", "row"} for scene in scenes)
        >= FEWEST["federation"]
    )
    with pytest.raises(InvalidInput, match="there is no lesson '13'"):
        hour_of("13")
    assert hour_of("6") is hour_of("06")


def room_of(name: str, phones: int = 3) -> Room:
    hour = hour_of(name)
    room = Room(hour=hour, cards=cards(hour.rows))
    for number in range(phones):
        room = Present(number, True).apply(Join().apply(room))
    return room


def test_the_answer_shows_when_all_have_locked_and_not_before():
    room = room_of("01")
    for number in range(3):
        views = (teacher_view(room), phone_view(room, number))
        assert [view["answer"] for view in views] == [None, None]
        assert "Tried from every point" not in str(views)
        room = from_phone(number, {"do": "guess", "choice": 0}).apply(room)
    assert teacher_view(room)["histogram"] == [3, 0, 0]
    assert teacher_view(room)["answer"]["choice"] == 2
    assert "Right: no, never." in export(room)
    assert not phone_view(room, 0)["throw_first"]


@pytest.mark.parametrize(("name", "asks"), [("06", True), ("05", True), ("08", False)])
def test_who_has_no_data_throws_first_where_the_hour_uses_data(name, asks):
    room = room_of(name)
    last = Go(room.hour.scenes[-1].key).apply(room)
    assert phone_view(last, 0)["throw_first"] is asks
    assert not phone_view(room, 0)["throw_first"]


def test_each_refutes_lines_of_somebody_else():
    """Those that the machine has refuted, not one's own; wrong ones of ours where nobody wrote any."""
    room = Go("lines").apply(room_of("07"))
    room = Go("refute").apply(room)
    assert [room.target(number) for number in range(3)] == [WRONG[0], WRONG[1], WRONG[0]]
    room = Go("lines").apply(room)
    mine = replace(OWN, psi="0")
    for number, lines, status in ((0, mine, "refuted"), (1, OWN, "proved"), (2, Lines("1", "2", "3", "4"), "refuted")):
        room = from_phone(number, {"do": "lines", **lines.as_dict()}).apply(room)
        picture = judge(**lines.as_dict())["picture"] if lines == mine else None  # the others fail at no such point
        room = LinesJudged(number, status, {"rows": [], "picture": picture}).apply(room)
    room = Go("refute").apply(room)
    assert [room.target(number) for number in (1, 2)] == [mine, mine]
    assert room.target(0) in WRONG
    point = {"do": "point", "kind": "MM-2", "z": "", "tau": "", "theta": "1/2", "s": "2"}
    room = from_phone(1, point).apply(room)
    assert teacher_view(room)["blows"][0]["status"] == "waiting"
    with pytest.raises(InvalidInput, match="wait for it"):
        from_phone(1, point).apply(room)
    room = Struck(1, "refuted", "it is −1").apply(room)
    assert teacher_view(room)["blows"][0]["says"] == "it is −1"
    assert "it is −1" in export(room)
    for wrong in ({"kind": "MM-3"}, {"s": ""}, {"theta": "9" * 81}):
        with pytest.raises(InvalidInput):
            from_phone(1, {**point, **wrong}).apply(room)


@pytest.mark.parametrize(
    ("lines", "kind", "point", "status", "says"),
    [
        (replace(OWN, psi="0"), "MM-1", {"z": "1", "tau": "2", "theta": "1"}, "refuted", "below 0"),
        (replace(OWN, psi="0"), "MM-1", {"z": "1", "tau": "1", "theta": "2"}, "holds", ""),
        (OWN, "MM-1", {"z": "7/2", "tau": "1/3", "theta": "0.25"}, "holds", "is 0 here"),
        (replace(OWN, T="1/s^2"), "MM-2", {"s": "4", "theta": "1/4"}, "refuted", ""),
        (OWN, "MM-2", {"s": "4", "theta": "1/4"}, "holds", "is 0 here"),
        (OWN, "MM-2", {"s": "-4", "theta": "1/4"}, "unreadable", "s lies outside"),
        (OWN, "MM-1", {"z": "1/2", "tau": "1", "theta": "1"}, "unreadable", "z lies outside"),
        (OWN, "MM-1", {"z": "1", "tau": "0", "theta": "1"}, "unreadable", "tau lies outside"),
        (OWN, "MM-1", {"z": "1e9", "tau": "1", "theta": "1"}, "unreadable", "z is no number"),
        (OWN, "MM-1", {"z": "1", "tau": "1/0", "theta": "1"}, "unreadable", "tau is no number"),
        (replace(OWN, T="log(s)"), "MM-2", {"s": "1/2", "theta": "1"}, "refuted", "no value"),
        (replace(OWN, T="log(s)"), "MM-2", {"s": "-1", "theta": "1"}, "unreadable", "s lies outside"),
    ],
)
def test_a_point_is_computed_exactly(lines, kind, point, status, says):
    """Refuted where the surrogate is certainly below; a proved surrogate is never refuted by a point."""
    found = by_point(list(lines.as_dict().values()), kind, point)
    assert found["status"] == status
    assert says in found["says"] or (says == "below 0" and "-0.69" in found["says"])


def test_phones_get_rows_and_say_of_each_wording_whether_it_holds():
    """As printed, amended, and changed; a claim is locked; the verdict is that of the row's check."""
    room = Go("row").apply(room_of("11"))
    cards_shown = [phone_view(room, number)["card"] for number in range(3)]
    assert len({card["row"] for card in cards_shown}) == 3
    assert all(2 <= len(card["wordings"]) <= WORDINGS for card in cards_shown)
    assert all(
        "$" not in each["words"] and "‹" not in each["words"] for card in cards_shown for each in card["wordings"]
    )
    verdicts = [wording("ssmm-const-step", k)["status"] for k in range(len(cards_shown[1]["wordings"]))]
    assert verdicts.count("proved") == 1  # the amended one
    assert verdicts[0] == "refuted"
    room = from_phone(1, {"do": "claim", "wording": 0, "claim": "holds"}).apply(room)
    with pytest.raises(InvalidInput, match="locked"):
        from_phone(1, {"do": "claim", "wording": 0, "claim": "fails"}).apply(room)
    for wrong in ({"wording": 99}, {"wording": -1}, {"claim": "perhaps"}):
        with pytest.raises(InvalidInput):
            from_phone(1, {"do": "claim", "wording": 1, "claim": "fails", **wrong}).apply(room)
    found = wording("ssmm-const-step", 0)
    room = Found(1, 0, found["status"], found["says"]).apply(room)
    assert found["status"] == "refuted"
    (said,) = teacher_view(room)["cards"]
    assert (said["row"], said["said"], said["holds"], said["status"]) == ("ssmm-const-step", 1, 1, "refuted")
    assert phone_view(room, 1)["card"]["wordings"][0]["right"] is False
    assert phone_view(room, 0)["card"]["wordings"][0]["claim"] is None
    assert "ssmm-const-step" in export(room)


def test_wordings_are_the_forms_of_the_row():
    """In their order; no two read the same; a row that is refuted has its amendment."""
    for row in hour_of("11").rows:
        claim, found = ledger().claims()[row], ledger().wordings(row)
        forms = [claim.form, *([claim.amended.form] if claim.amended else []), *claim.mutants.values()]
        assert [each.form for each in found] == forms
        assert len({each.words for each in found}) == len(found)


def test_the_class_of_one_hour_is_as_it_was():
    assert from_teacher({"do": "go", "scene": "lost"}).apply(Room()).scene.minute == 50
    assert (CLASS.minutes, len(CLASS.scenes)) == (60, 9)
    assert re.fullmatch(r"data guess theta idea lines run off bits lost", " ".join(scene.key for scene in CLASS.scenes))
