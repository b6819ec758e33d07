"""What a screen may know of the room, as plain JSON values: a phone its own part, the teacher the class without names.

Nothing that answers a question is in a view before the guesses are open, and no view holds another phone's data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedmm_edu.classroom.problem import GAMES, alone
from fedmm_edu.classroom.room import Attempt, Phone, Room, Said

CLOSE = 1e-9
"""An idea lands when θ is as close as this to θ⋆, relative to it: rounding, and nothing else."""


def phone_view(room: Room, number: int) -> dict[str, Any]:
    """The screen of one phone."""
    phone = room.phone(number)
    return {
        **_common(room),
        "number": number,
        "text": room.scene.phone,
        "data": phone.data,
        "locked": phone.data is not None and room.scene.task != "data",
        "guess": phone.guesses.get(room.scene.key),
        "sent": phone.theta,
        "ideas": [_idea(room, idea) for idea in phone.ideas],
        "attempt": _attempt(phone.attempt),
        "throw_first": phone.data is None and room.wants_data,
        "target": room.target(number).as_dict() if room.scene.task == "refute" else None,
        "blows": [{"kind": b.kind, "point": b.point, "status": b.status, "says": b.says} for b in phone.blows],
        "card": _card(room, phone) if room.scene.task == "row" else None,
        "on": phone.on,
        "run": _my_run(room, phone),
    }


def teacher_view(room: Room) -> dict[str, Any]:
    """The screen of the teacher, which the class sees."""
    phones = [phone for phone in room.phones if not phone.gone]
    return {
        **_common(room),
        "text": room.scene.teacher,
        "opens": room.scene.opens,
        "is_open": room.scene.key in room.opened,
        "scenes": [[scene.key, scene.minute, scene.title] for scene in room.hour.scenes],
        "at": room.at,
        "door": room.door,
        "phones": [[phone.number, phone.here, _ready(room, phone), phone.on] for phone in phones],
        "answered": sum(room.scene.key in phone.guesses for phone in phones),
        "thetas": thetas(room),
        "average": average(room),
        "ideas": [_idea(room, idea) for phone in phones for idea in phone.ideas],
        "attempts": [
            {"number": phone.number, **(_attempt(phone.attempt) or {})} for phone in phones if phone.attempt is not None
        ],
        "blows": blows(room),
        "cards": row_verdicts(room),
        "lines": room.lines.as_dict(),
        "run": run_view(room, room.scene.key),
    }


def thetas(room: Room) -> list[tuple[float, float]]:
    """What the phones have sent as θ, sorted, so that the order tells nobody."""
    return sorted(phone.theta for phone in room.phones if phone.theta is not None and not phone.gone)


def blows(room: Room) -> list[dict[str, Any]]:
    """Points that phones have given, and what was computed there; the same one once, and no phone's number."""
    found = {
        (tuple(blow.of.as_dict().items()), blow.kind, tuple(blow.point.items()), blow.status, blow.says)
        for phone in room.phones if not phone.gone for blow in phone.blows
    }  # fmt: skip
    return [
        {"lines": dict(lines), "kind": kind, "point": dict(point), "status": status, "says": says}
        for lines, kind, point, status, says in sorted(found)
    ]


def row_verdicts(room: Room) -> list[dict[str, Any]]:
    """The wordings of rows that somebody has judged: how many said that they hold, and what the check says."""
    found: dict[tuple[str, int], list[Said]] = {}
    for phone in room.phones:
        card = room.card(phone.number)
        if card is None or phone.gone:
            continue
        for said in phone.judged:
            found.setdefault((card.row, said.wording), []).append(said)
    words = {card.row: card for card in room.cards}
    return [
        {"row": row, "where": words[row].where, "words": words[row].wordings[wording], "said": len(each),
         "holds": sum(said.claim == "holds" for said in each), "status": each[0].status, "says": each[0].says}
        for (row, wording), each in sorted(found.items())
    ]  # fmt: skip


def average(room: Room) -> list[float] | None:
    """The average of the θ's that were sent: what the server of the naive algorithm holds."""
    sent = thetas(room)
    return np.mean(sent, axis=0).tolist() if sent else None


def histogram(room: Room, key: str) -> list[int] | None:
    """How many chose each answer of the scene's question, once the guesses are open."""
    question = room.hour.scenes[room.hour.place(key)].question
    if question is None or key not in room.opened:
        return None
    chosen = [phone.guesses[key] for phone in room.phones if key in phone.guesses and not phone.gone]
    return np.bincount(np.array(chosen, dtype=np.int64), minlength=len(question.choices)).tolist()


def run_view(room: Room, key: str) -> dict[str, Any] | None:
    """The rounds of a scene: its settings, and of each round (t, θ_1, θ_2, heard, bits, gap_1, gap_2, lost)."""
    rule, run = room.hour.scenes[room.hour.place(key)].rule, room.runs.get(key)
    if rule is None:
        return None
    settings = {"gamma": rule.gamma, "p": rule.p, "bits": rule.bits, "may_lose": rule.may_lose, "rounds": rule.rounds}
    if run is None:
        return {**settings, "started": False}
    trace = [[p.t, *p.theta, p.heard, p.bits, *p.gap, p.lost] for p in run.trace]
    return {**settings, "started": True, "alpha": run.fed.alpha, "members": len(run.members), "trace": trace,
            "best": run.best.tolist(), "lines": run.lines.as_dict(), "dim": len(GAMES)}  # fmt: skip


def _common(room: Room) -> dict[str, Any]:
    scene = room.scene
    question = scene.question
    return {
        "scene": scene.key,
        "task": scene.task,
        "minute": scene.minute,
        "title": scene.title,
        "question": None if question is None else {"text": question.text, "choices": question.choices},
        "answer": _answer(room),
        "histogram": histogram(room, scene.key),
        "best": room.best if room.shows_best else None,
        "games": [game._asdict() for game in GAMES],
    }


def _answer(room: Room) -> dict[str, Any] | None:
    """The right choice and why, once the guesses are open, where the script knows it."""
    question = room.scene.question
    if question is None or question.answer is None or room.scene.key not in room.opened:
        return None
    return {"choice": question.answer, "why": question.why}


def _card(room: Room, phone: Phone) -> dict[str, Any] | None:
    """The row of a phone: a wording that it has judged comes with the verdict, the others without."""
    card = room.card(phone.number)
    if card is None:
        return None
    said = {each.wording: each for each in phone.judged}
    wordings = [
        {"words": words, "claim": said[k].claim, "status": said[k].status, "says": said[k].says, "right": said[k].right}
        if k in said else {"words": words, "claim": None}
        for k, words in enumerate(card.wordings)
    ]  # fmt: skip
    return {"row": card.row, "where": card.where, "wordings": wordings}


def _ready(room: Room, phone: Phone) -> bool:
    """Whether the phone has done what the scene asks."""
    return {
        "data": phone.data is not None,
        "guess": room.scene.key in phone.guesses,
        "theta": phone.theta is not None,
        "idea": bool(phone.ideas),
        "lines": phone.attempt is not None,
        "rounds": room.scene.key in phone.guesses,
        "refute": any(blow.status == "refuted" for blow in phone.blows),
        "row": bool(phone.judged),
        "talk": True,
    }[room.scene.task]


def _idea(room: Room, idea) -> dict[str, Any]:
    return {"send": idea.send, "back": idea.back, "theta": idea.theta, "says": idea.says, "waiting": idea.waiting,
            "lands": lands(room, idea.theta)}  # fmt: skip


def lands(room: Room, theta: Sequence[float] | None) -> bool:
    """Whether θ is θ⋆ up to rounding."""
    return theta is not None and room.best is not None and bool(np.allclose(theta, room.best, rtol=CLOSE, atol=0.0))


def _attempt(attempt: Attempt | None) -> dict[str, Any] | None:
    if attempt is None:
        return None
    return {"lines": attempt.lines.as_dict(), "status": attempt.status, "rows": [], "picture": None, "says": "",
            **attempt.report}  # fmt: skip


def _my_run(room: Room, phone: Phone) -> dict[str, Any] | None:
    run = room.run
    if run is None:
        return None
    last = run.trace[-1]
    return {"t": last.t, "takes_part": phone.number in run.members, "heard": run.heard(phone.number),
            "theta": last.theta, "alone": None if phone.data is None else alone(phone.data)}  # fmt: skip
