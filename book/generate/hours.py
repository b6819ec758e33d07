"""The hour of a lesson as a table on the page for its teacher: minutes, what is done, what the teacher says."""

from __future__ import annotations

import re

from book.generate.text import myst, table
from fedmm_edu.classroom import Hour, hour_of

PLACE = re.compile(r"^% The hour of lesson (\d\d): book/generate/hours\.py\n", re.MULTILINE)
"""The line of a page that the table takes the place of."""
DOES = {
    "guess": "all lock a guess",
    "talk": "",
    "data": "phones throw",
    "theta": "phones send θ",
    "idea": "phones send something else",
    "lines": "phones write a surrogate",
    "refute": "phones refute a classmate",
    "row": "phones judge a row",
    "rounds": "phones are the federation",
}
"""What a scene asks of the phones."""


def with_hour(page: str) -> str:
    """The page with the table of its lesson's hour, how to play it, and the lesson as slides."""
    return PLACE.sub(lambda found: timing(hour_of(found[1])), page)


def timing(hour: Hour) -> str:
    """Minutes, title, the teacher's words and what phones do, scene by scene; the minutes are those of the lesson."""
    ends = [*(scene.minute for scene in hour.scenes[1:]), hour.minutes]
    rows = [
        [f"{scene.minute}′", f"{end - scene.minute}", f"*{myst(scene.title)}:* {myst(scene.teacher)}", DOES[scene.task]]
        for scene, end in zip(hour.scenes, ends, strict=True)
    ]
    lead = (
        f"{hour.minutes} minutes. `fedmm class --lesson {int(hour.name)}` plays them with the phones in the room "
        "([how](../howto/class_as_federation.md)); without phones, guesses go on paper. The projector shows the lesson "
        "as slides: *Show as slides* below its title.\n\n"
    )
    return lead + table(["from", "min", "", "phones"], rows) + "\n"
