"""What the class did as one HTML page, without a name, a phone's number or anybody's data: for the teacher to keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from fedmm_edu.classroom.problem import GAMES
from fedmm_edu.classroom.room import Room
from fedmm_edu.classroom.scenes import Stage
from fedmm_edu.classroom.views import average, blows, histogram, lands, row_verdicts, run_view, thetas

WIDTH, HEIGHT, EDGE = 620, 240, 36
"""Pixels of a drawing, and of the margin that holds its numbers."""


def export(room: Room) -> str:
    """The page: guesses, the averaged θ's, the ideas, the surrogates with their verdicts, and every run."""
    style = files("fedmm_edu.classroom").joinpath("pages", "look.css").read_text(encoding="utf-8")
    parts = [part for scene in room.hour.scenes for part in _scene(room, scene)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>What our class did</title>\n<style>{style}</style></head>\n<body><main class='paper'>"
        f"<h1>What our class did</h1>\n<p>{_whole(room)}</p>\n{''.join(parts)}</main></body></html>\n"
    )


def _whole(room: Room) -> str:
    if room.hour.of_task("data") is None:
        return f"{escape(room.hour.title)}: {sum(not phone.gone for phone in room.phones)} phones took part."
    if room.best is None:
        return "Nobody sent data."
    found = "; ".join(
        f"{game.awaited} of the {game.thrown}: {theta:.4f}" for game, theta in zip(GAMES, room.best, strict=True)
    )
    return f"{len(room.members)} clients took part. All throws together say θ⋆: {found}."


def _scene(room: Room, scene: Stage) -> Iterable[str]:
    told = _TASKS[scene.task](room, scene) if scene.task in _TASKS else ()
    inner = "".join((*_guesses(room, scene), *told))
    if inner:
        yield f"<section><h2>{scene.minute}′ {escape(scene.title)}</h2>{inner}</section>\n"


def _guesses(room: Room, scene: Stage) -> Iterable[str]:
    counts = histogram(room, scene.key)
    if scene.question is not None and counts is not None and any(counts):
        yield f"<p>{escape(scene.question.text)}</p>"
        yield _table(("guess", "how many"), zip(scene.question.choices, map(str, counts), strict=True))
        if scene.question.answer is not None:
            right = f"{scene.question.choices[scene.question.answer]}. {scene.question.why}"
            yield f"<p>Right: {escape(right.strip())}</p>"


def _thetas(room: Room, scene: Stage) -> Iterable[str]:
    mean = average(room)
    if mean is None or room.best is None:
        return
    rows = [
        (f"{game.awaited} of the {game.thrown}", f"{a:.4f}", f"{b:.4f}", f"{a / b:.2f}")
        for game, a, b in zip(GAMES, mean, room.best, strict=True)
    ]
    yield f"<p>{len(thetas(room))} phones sent θ.</p>"
    yield _table(("game", "average of the θ’s", "θ⋆", "ratio"), rows)


def _ideas(room: Room, scene: Stage) -> Iterable[str]:
    tried = [idea for phone in room.phones if not phone.gone for idea in phone.ideas]
    ideas = sorted({(idea.send, idea.back, idea.theta, idea.says) for idea in tried}, key=lambda idea: idea[:2])
    rows = [
        (send, back, "–" if theta is None else ", ".join(f"{x:.4f}" for x in theta),
         "lands on θ⋆" if lands(room, theta) else says or "misses")
        for send, back, theta, says in ideas
    ]  # fmt: skip
    if rows:
        yield _table(("each sends", "the server turns a into", "θ", ""), rows)


def _lines(room: Room, scene: Stage) -> Iterable[str]:
    found = {
        tuple(phone.attempt.lines.as_dict().values()): phone.attempt.status
        for phone in room.phones
        if phone.attempt is not None and not phone.gone
    }
    if found:
        words = {"open": "undecided", "waiting": "not judged"}
        rows = [(*lines, words.get(status, status)) for lines, status in sorted(found.items())]
        yield _table(("phi", "psi", "S_bar", "T", "verdict"), rows)


def _run(room: Room, scene: Stage) -> Iterable[str]:
    run = run_view(room, scene.key)
    if run is None or not run["started"]:
        return
    last, alpha = run["trace"][-1], run["alpha"]
    yield (
        f"<p>{run['members']} clients, γ = {run['gamma']:g}, p = {run['p']:g}, "
        f"{run['bits'] or 64} bits a number, α = {alpha:g}; {last[0]} rounds of "
        f"<code>{escape(', '.join(f'{name} = {text}' for name, text in run['lines'].items()))}</code>.</p>"
    )
    lost = [str(row[0]) for row in run["trace"] if row[-1]]
    if lost:
        yield f"<p>The server lost V in round {', '.join(lost)}.</p>"
    for g, game in enumerate(GAMES):
        says = f"θ for {game.awaited} of the {game.thrown}"
        yield _drawing([row[1 + g] for row in run["trace"]], run["best"][g], says)


def _blows(room: Room, scene: Stage) -> Iterable[str]:
    rows = [
        (", ".join(blow["lines"].values()), blow["kind"], ", ".join(f"{k} = {v}" for k, v in blow["point"].items()),
         "fails" if blow["status"] == "refuted" else blow["status"], blow["says"])
        for blow in blows(room)
    ]  # fmt: skip
    if rows:
        yield _table(("phi, psi, S_bar, T", "", "at", "", "what was computed"), rows)


def _rows(room: Room, scene: Stage) -> Iterable[str]:
    rows = [
        (one["row"], one["words"], f"{one['holds']} of {one['said']}", one["status"], one["says"])
        for one in row_verdicts(room)
    ]
    if rows:
        yield _table(("row", "wording", "said that it holds", "verdict", ""), rows)


_TASKS = {"refute": _blows, "row": _rows, "theta": _thetas, "idea": _ideas, "lines": _lines, "rounds": _run}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class='scroll'><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"


def _drawing(values: Sequence[float], best: float, says: str) -> str:
    """θ_t over the rounds, and θ⋆ as a dashed line."""
    low, high = min(*values, best) if len(values) > 1 else best, max(*values, best) if len(values) > 1 else best
    span = high - low or 1.0

    def at(t: float, y: float) -> str:
        x = EDGE + (WIDTH - 2 * EDGE) * t / max(1, len(values) - 1)
        return f"{x:.1f},{HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (y - low) / span:.1f}"

    line = " ".join(at(t, y) for t, y in enumerate(values))
    dashed = f"{at(0, best)} {at(max(1, len(values) - 1), best)}"
    return (
        f"<figure><svg class='chart' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{escape(says)}'>"
        f"<polyline class='best' points='{dashed}'/><polyline class='S' points='{line}'/>"
        f"<text x='{EDGE}' y='16'>{escape(says)}: ends at {values[-1]:.4f}; θ⋆ = {best:.4f} (dashed)</text>"
        f"<text x='{EDGE}' y='{HEIGHT - 8}'>0</text>"
        f"<text x='{WIDTH - EDGE}' y='{HEIGHT - 8}'>{len(values) - 1} rounds</text></svg></figure>"
    )
