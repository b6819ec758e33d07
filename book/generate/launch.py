"""Where a lesson runs at a click, if a deployment says so: JupyterLite beside the site, Binder, Colab, one's own hub.

`FEDMM_LAUNCH` names places, with spaces between them, each as NAME=ADDRESS, where `{lesson}` stands for the file's name
without its end:

    FEDMM_LAUNCH="Binder=https://mybinder.org/v2/gh/OWNER/REPOSITORY/main?urlpath=lab/tree/notebooks/{lesson}.md"
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from fedmm_edu.errors import FedMMError
from proofs_checks.report.markup import Html, el, join

VARIABLE, FILE = "FEDMM_LAUNCH", "{lesson}"


class Place(NamedTuple):
    """A place where notebooks run: what it is called, and the address of one; `within`: below the site's root."""

    name: str
    address: str
    within: bool = False

    def link(self, lesson: str, up: str = "") -> Html:
        """To a lesson; `up` leads from the page to the site's root."""
        return el("a", self.name, href=(up if self.within else "") + self.address.replace(FILE, lesson))


LITE = Place("in the browser", f"lite/lab/index.html?path={FILE}.ipynb", within=True)


def launch_places(lite: bool, given: str | None = None) -> tuple[Place, ...]:
    """Those of this build; `given`: the variable's value. `FedMMError` for what is no list of places."""
    example = "Binder=https://mybinder.org/v2/gh/OWNER/REPOSITORY/main?urlpath=lab/tree/notebooks/{lesson}.md"
    return (*([LITE] if lite else []), *named_addresses(VARIABLE, given, FILE, example))


def named_addresses(variable: str, given: str | None, holds: str, example: str) -> tuple[Place, ...]:
    """NAME=ADDRESS NAME=ADDRESS …, of an environment's variable or as given; each address holds the text `holds`."""
    words = (os.environ.get(variable, "") if given is None else given).split()
    for word in words:
        name, _, address = word.partition("=")
        parts = urlsplit(address)
        if not name or parts.scheme not in ("https", "http") or not parts.netloc or holds not in address:
            raise FedMMError(
                f"{variable} has {word!r}: give NAME=ADDRESS with spaces between the places, each ADDRESS beginning "
                f"with https://{' and holding ' * bool(holds)}{holds}, as in {example}."
            )
    return tuple(Place(name.replace("_", " "), address) for name, _, address in (word.partition("=") for word in words))


def with_launch(text: str, lesson: str, places: Sequence[Place]) -> str:
    """A lesson with a line below its title that leads to where it runs."""
    if not places:
        return text
    links = [join(" · " if k else "", place.link(lesson, "../")) for k, place in enumerate(places)]
    line = el("p", "Run this lesson: ", *links, class_="launch")
    title = next(line for line in text.splitlines() if line.startswith("# "))
    return text.replace(f"{title}\n", f"{title}\n\n```{{raw}} html\n{line}\n```\n", 1)
