"""What the theme and its extensions would load into each page, and no page here uses, is left out.

Of the theme's script with two thousand icons remain the dozen that pages show, as a style sheet. Thebe, which would run
cells on somebody's server, goes whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from sphinx.application import Sphinx

from fedmm_edu.errors import FedMMError

SCRIPT = "scripts/fontawesome.js"
SHEET = "icons.css"
CLASSES = re.compile(r'class="([^"]*\bfa-[^"]*)"')
STYLES = {"fa-solid", "fa-regular", "fa-brands", "fa-lg", "fa-fw", "fa-spin"}
"""Classes that say how an icon is drawn, not which it is."""
LOOK = """\
:is(.fas, .fa-solid):not(svg) {
  display: inline-block; width: 1.25em; height: 1em; vertical-align: -0.125em; background-color: currentColor;
  mask: var(--icon) center / contain no-repeat; -webkit-mask: var(--icon) center / contain no-repeat;
}
.fa-lg:not(svg) { font-size: 1.25em; }
"""


def named(pages: Iterable[str]) -> list[str]:
    """The icons that these pages show."""
    classes = {name for page in pages for found in CLASSES.findall(page) for name in found.split()}
    return sorted(name.removeprefix("fa-") for name in classes - STYLES if name.startswith("fa-"))


def sheet(script: str, names: Iterable[str]) -> str:
    """A style sheet that draws these icons in the colour of the text, from the script that would."""
    drawn = [LOOK]
    for name in names:
        shapes = re.findall(rf'[{{,]"?{name}"?:\[(\d+),(\d+),\[[^\]]*\],"[0-9a-f]+","([^"]+)"\]', script)
        if not shapes:
            raise FedMMError(f"a page shows the icon {name!r}, which the theme's script does not have: choose another.")
        width, height, path = shapes[-1]  # the outlined ones come first, then the solid ones
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><path d="{path}"/></svg>'
        drawn.append(f'.fa-{name} {{ --icon: url("data:image/svg+xml,{quote(svg)}"); }}\n')
    return "".join(drawn)


def theme_script() -> str:
    """The theme's own script of icons."""
    return (files("pydata_sphinx_theme") / "theme/pydata_sphinx_theme/static" / SCRIPT).read_text(encoding="utf-8")


def draw_icons(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written, the sheet of their icons takes the place of the script."""
    static = Path(app.outdir) / "_static"
    if exception is not None or app.builder.name != "html":
        return
    pages = (file.read_text(encoding="utf-8") for file in Path(app.outdir).rglob("*.html"))
    (static / SHEET).write_text(sheet(theme_script(), named(pages)), encoding="utf-8")
    (static / SCRIPT).write_text(f"// The icons are in {SHEET}.\n", encoding="utf-8")
    for source_map in (static / "scripts").glob("*.map"):
        source_map.unlink()


def without_thebe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    """Its scripts, one of which declares a name twice on each page, and its style."""
    for key in ("script_files", "css_files"):
        context[key] = [file for file in context[key] if not _of_thebe(file)]


def _of_thebe(file: object) -> bool:
    name, body = str(getattr(file, "filename", "") or ""), str(getattr(file, "attributes", {}).get("body", ""))
    return "thebe" in name.lower() or "thebe" in body.lower()


def setup(app: Sphinx) -> dict[str, object]:
    """Register both."""
    app.add_css_file(SHEET)
    app.connect("html-page-context", without_thebe, priority=900)
    app.connect("build-finished", draw_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
