"""Wide drawings can be enlarged: on a narrow page each leads to itself, where a phone can zoom.

Panels side by side keep a width at which their words can be read, and scroll.
"""

from __future__ import annotations

import posixpath
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

WIDE = 400
"""Pixels from which a drawing has more detail than a column of text shows."""
PANELS, FLAT = 850, 1.9
"""Pixels from which, and how many times as wide as high, a drawing is of panels side by side."""


def lead_to_themselves(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Each wide drawing that is no link yet becomes one, to its file."""
    if app.builder.format != "html":
        return
    for image in list(doctree.findall(nodes.image)):
        file, name = Path(app.srcdir, image["uri"]), app.env.images.get(image["uri"])
        if name is None or isinstance(image.parent, nodes.reference) or file.suffix != ".png":
            continue
        width, height = _size(file)
        if width < WIDE:
            continue
        classes = ["enlarge", *(["panels"] if width >= PANELS and width > FLAT * height else [])]
        address = posixpath.relpath(posixpath.join(app.builder.imagedir, name[1]), posixpath.dirname(docname) or ".")
        image.replace_self(nodes.reference("", "", image.copy(), refuri=address, classes=classes))


def _size(file: Path) -> tuple[int, int]:
    with Image.open(file) as picture:
        return picture.size


def setup(app: Sphinx) -> dict[str, object]:
    """After images have their files."""
    app.connect("doctree-resolved", lead_to_themselves)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
