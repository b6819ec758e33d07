"""Predict, commit, reveal: what answers a question shows after the reader has locked a guess.

    with predict("Can the curve be higher there?", "yes", "no", "sometimes") as reveal:
        display(shown(figure))
        print(...)
        reveal("no", "it lies under the parabola")

All that the block shows is held back, on a page as in JupyterLab, and needs no kernel to be shown. With `several=True`
the reader ticks as many of the choices as they like, and the block reveals a set of them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from re import sub
from typing import Any

from IPython.display import HTML, display
from IPython.utils.capture import capture_output

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.widgets.bundle import element


class Reveal:
    """Called with the right choice, or the set of right ones, which the block has computed, and why it is right."""

    def __init__(self, asks: str, choices: Sequence[str], several: bool = False) -> None:
        if len(choices) < 2 or len(set(choices)) < len(choices):
            raise InvalidInput(f"{asks!r} has the choices {choices}: give at least two, all different.")
        self.asks, self.choices, self.several, self.why = asks, tuple(choices), several, ""
        self.answer: str | list[str] | None = None

    def __call__(self, answer: str | Collection[str], why: str = "") -> None:
        if isinstance(answer, str) == self.several:
            raise InvalidInput(f"{answer!r}: reveal {'a set of the choices' if self.several else 'one choice'}.")
        given = [answer] if isinstance(answer, str) else answer
        if strange := [each for each in given if each not in self.choices]:
            raise InvalidInput(f"{', '.join(map(repr, strange))}: none of the choices {self.choices}.")
        self.answer = answer if isinstance(answer, str) else [each for each in self.choices if each in given]
        self.why = why


@contextmanager
def predict(asks: str, *choices: str, several: bool = False) -> Iterator[Reveal]:
    """A question with its choices; what the block shows is hidden until the reader has locked one, or `several`."""
    reveal = Reveal(asks, choices, several)
    with capture_output(stderr=False) as found:
        yield reveal
    if reveal.answer is None:
        raise FedMMError(f"the block of {asks!r} reveals nothing: call reveal(…) with the right choice.")
    display(HTML(question(reveal, found.stdout, [output.data for output in found.outputs])))


def question(reveal: Reveal, text: str, outputs: Sequence[dict[str, Any]]) -> str:
    """The element of a page: the choices, and what is held back, which a reader without scripts can unfold."""
    held = (f"<pre>{escape(text)}</pre>" if text else "") + "".join(map(_html, outputs))
    data = {"asks": reveal.asks, "choices": reveal.choices, "answer": reveal.answer, "why": reveal.why}
    fold = f"<details><summary>The answer to “{escape(reveal.asks)}”</summary>{held}</details>"
    return element("predict", data, [fold])


def _html(data: dict[str, Any]) -> str:
    """One output of a cell inside a page."""
    if "image/png" in data:
        png = data["image/png"]
        code = png.strip().replace("\n", "") if isinstance(png, str) else b64encode(png).decode()
        return f'<p><img alt="the figure that answers" src="data:image/png;base64,{code}"></p>'
    if "text/html" in data:
        return data["text/html"]
    if "text/markdown" in data:
        return _marked(data["text/markdown"])
    if any("widget" in kind for kind in data):
        raise FedMMError("a figure with controls cannot be held back: show it in the next cell.")
    return f"<pre>{escape(data.get('text/plain', ''))}</pre>"


def _marked(text: str) -> str:
    """Paragraphs with **strong** and *marked* words and formulas, as rows of the ledger have them, as elements."""
    pieces = []
    for k, piece in enumerate(text.split("$")):
        if k % 2:
            pieces.append(f'<span class="math notranslate nohighlight">\\({escape(piece)}\\)</span>')
        else:
            strong = sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escape(piece, quote=False))
            marked = sub(r"\*(.+?)\*", r"<em>\1</em>", strong)
            pieces.append(sub(r"`(.+?)`", r"<code>\1</code>", marked))
    return "".join(f"<p>{part}</p>" for part in "".join(pieces).split("\n\n"))
