"""Exercises of the lessons as directives: one for each, its solution beside it, no cell lost, changed or moved."""

import re

import jupytext
import pytest

from book.generate.downloads import lessons
from book.generate.exercises import HEAD, SOLUTION, with_directives

LESSON = """# A lesson

**1. Not an exercise.** It stands before them.

## Exercises

Write your answer.

**1. First.** What is $x$?

```{code-cell} ipython3
check(None)
```

```{code-cell} ipython3
:tags: [hide-cell]

# Solution of exercise 1
confirm(1)
```

**2. Second, in words.** Say why.

**For a class.** Discuss.

## Take-away

**1. Not one either.**
"""


def cells(text: str) -> list[str]:
    return [cell.source for cell in jupytext.reads(text, fmt="md:myst").cells if cell.cell_type == "code"]


def gates(text: str) -> list[str]:
    """Beginnings and ends, in their order."""
    return re.findall(r"^```\{((?:exercise|solution)-(?:start|end))\}", text, re.MULTILINE)


def test_text_cells_and_solution_end_up_in_their_places():
    made = with_directives(LESSON, "07")
    one = ["exercise-start", "exercise-end"]
    assert gates(made) == [*one, "solution-start", "solution-end", *one]
    asked, _, solved = made.partition("```{solution-start} exercise-07-1\n:label: solution-07-1\n")
    solved, _, second = solved.partition("{solution-end}")
    assert "{exercise-start} 1. First\n:label: exercise-07-1\n" in asked
    assert "check(None)" in asked
    assert "confirm(1)" in solved
    assert "2. Second, in words" in second
    assert made.startswith(LESSON[: LESSON.index("**1. First")])
    assert made.endswith(LESSON[LESSON.index("**For a class") :])


def test_a_lesson_without_exercises_stays_as_it_is():
    assert with_directives("# A lesson\n\n**1. Text.**\n", "01") == "# A lesson\n\n**1. Text.**\n"


@pytest.mark.parametrize("lesson", lessons(), ids=lambda path: path.stem)
def test_every_exercise_of_a_lesson_has_its_directives(lesson):
    text = lesson.read_text(encoding="utf-8")
    made = with_directives(text, lesson.name[:2])
    found = HEAD.findall(text.partition("\n## Exercises\n")[2].partition("\n## ")[0])
    assert len(found) >= 3
    assert gates(made) == len(found) * ["exercise-start", "exercise-end", "solution-start", "solution-end"]
    assert cells(made) == cells(text)
    for asked in re.findall(r"\{exercise-start\}.*?\{exercise-end\}", made, re.DOTALL):
        assert "check(None" in asked
        assert not SOLUTION.search(asked)
