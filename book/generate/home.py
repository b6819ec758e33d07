"""The first page: its figure, in the place that the page names; without JavaScript a picture and its sentence."""

from __future__ import annotations

from book.generate.text import raw
from book.generate.tree import BOOK
from fedmm_edu.errors import FedMMError
from fedmm_edu.widgets import explorables
from proofs_checks.report.markup import el

PLACE = "% The two averages: book/generate/home.py\n"
SEEN = """\
Grey: the surrogates of two clients, which differ; black: their average. The blue dot is its lowest point. The average
of the two clients' own lowest points, the orange cross, is not."""


def home_page() -> str:
    """The page as it is written, with its figure."""
    text = (BOOK / "index.md").read_text(encoding="utf-8")
    if text.count(PLACE) != 1:
        raise FedMMError(f"book/index.md has the line {PLACE.strip()!r} {text.count(PLACE)} times: write it once.")
    picture = el("img", src="pictures/idea.png", width="504", height="280", alt="Two clients of Remark 1")
    still = el("figure", picture, el("figcaption", SEEN))
    return text.replace(PLACE, raw(explorables.averages().html(still)))
