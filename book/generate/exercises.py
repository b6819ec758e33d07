"""The exercises of a lesson as directives of the site: a title, an anchor, and a solution that says what it solves.

In JupyterLab a lesson is plain Markdown and code: `**2. A title.** What to do.`, cells, and the solution, a folded cell
that begins with `# Solution`. Directives that begin and end around cells need no other source.
"""

from __future__ import annotations

import re

HEAD = re.compile(r"^\*\*(\d+)\. (.+?)\*\* *", re.MULTILINE)
CELL = re.compile(r"^(`{3,})\{code-cell\}.*?^\1 *$\n?", re.MULTILINE | re.DOTALL)
SOLUTION = re.compile(r"^# Solution\b", re.MULTILINE)


def with_directives(lesson: str, number: str) -> str:
    """The text of the lesson `number` ("05") with its exercises, those of the section of this name, as directives."""
    before, heading, section = lesson.partition("\n## Exercises\n")
    exercises, rest = _cut(section, r"^(?:## |\*\*For a class)")
    heads = list(HEAD.finditer(exercises))
    if not heads:
        return lesson
    ends = [head.start() for head in heads[1:]] + [len(exercises)]
    parts = [_directives(head, exercises[head.end() : end], number) for head, end in zip(heads, ends, strict=True)]
    return "".join([before, heading, exercises[: heads[0].start()], *parts, rest])


def _directives(head: re.Match[str], body: str, number: str) -> str:
    """One exercise: what to do, and, where a cell holds it, the solution."""
    label = f"exercise-{number}-{head[1]}"
    title = head[2].rstrip(".")
    cells = [cell for cell in CELL.finditer(body) if SOLUTION.search(cell[0])]
    asked, solution = (body[: cells[0].start()], body[cells[0].start() :]) if cells else (body, "")
    text = f"```{{exercise-start}} {head[1]}. {title}\n:label: {label}\n:nonumber:\n```\n\n{asked.strip()}\n\n"
    text += "```{exercise-end}\n```\n\n"
    if solution:
        text += f"```{{solution-start}} {label}\n:label: solution-{number}-{head[1]}\n```\n\n"
        text += f"{solution.strip()}\n\n```{{solution-end}}\n```\n\n"
    return text


def _cut(text: str, at: str) -> tuple[str, str]:
    """The text before and from the first match, which may be none."""
    found = re.search(at, text, re.MULTILINE)
    return (text[: found.start()], text[found.start() :]) if found else (text, "")
