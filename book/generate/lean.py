"""What the theme and its extensions would load into each page, and no page here uses, is left out.

Of the theme's script with two thousand icons remain the dozen that pages show, as a style sheet; of the font of
formulas the letters that they have. Thebe, which would run cells on somebody's server, goes whole.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from fontTools import subset

from book.generate.light import is_light, light
from book.generate.vendor import STIX, fetch
from fedmm_edu.errors import FedMMError

SCRIPT = "scripts/fontawesome.js"
ICONS = "vendor/fontawesome/webfonts/fa-solid-900.woff2"
SHEET = "icons.css"
INDEX = re.compile(r'<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>\s*')
CLASSES = re.compile(r'class="([^"]*\bfa-[^"]*)"')
FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
ITALICS = {"h": "ℎ"} | {chr(97 + k): chr(0x1D44E + k) for k in range(26) if k != 7}
ITALICS |= {chr(65 + k): chr(0x1D434 + k) for k in range(26)} | {chr(0x391 + k): chr(0x1D6E2 + k) for k in range(25)}
ITALICS |= {chr(0x3B1 + k): chr(0x1D6FC + k) for k in range(25)} | dict(
    zip("∂\u03f5\u03d1\u03f0\u03d5\u03f1\u03d6", "𝜕𝜖𝜗𝜘𝜙𝜚𝜛", strict=True)
)
"""How a browser draws a variable of one letter."""
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


def letters(pages: Iterable[str]) -> str:
    """All characters that the formulas of these pages need, the sign that a root is drawn with among them."""
    formulas = {formula for page in pages for formula in FORMULA.findall(page)}
    plain = set(html.unescape("".join(re.sub(r"<[^>]*>", "", formula) for formula in formulas)))
    if any("<msqrt" in formula or "<mroot" in formula for formula in formulas):
        plain.add("√")
    return "".join(sorted(plain | {ITALICS[letter] for letter in plain & ITALICS.keys()}))


def signs(sheets: Iterable[str]) -> str:
    """The icons that style sheets write as letters of the theme's font, its own names of all two thousand aside."""
    found = set()
    for text in sheets:
        rest = re.sub(r"\.fa-[^{}]*\{[^}]*\}", "", text)
        found |= set(re.findall("[\ue000-\uf8ff]", rest))
        found |= {chr(int(code, 16)) for code in re.findall(r'content:\s*"\\(f[0-9a-f]{3})"', rest)}
    return "".join(sorted(found))


def lighter(font: Path, text: str, target: Path) -> None:
    """The font with the letters of `text` alone, and what formulas make of them: taller brackets, smaller indices."""
    options = subset.Options(flavor="woff2", layout_features=["*"], notdef_outline=True)
    opened = subset.load_font(str(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=text)
    subsetter.subset(opened)
    subset.save_font(opened, str(target), options)


def without_index(page: str) -> str:
    """A page without the index of all words, which the page of results alone looks into."""
    return INDEX.sub("", page)


def lighten(out: Path) -> None:
    """In a built site, what its pages show takes the place of all that they might."""
    static, pages = out / "_static", []
    for file in out.rglob("*.html"):
        page = file.read_text(encoding="utf-8")
        if file.name != "search.html" and (less := without_index(page)) != page:
            file.write_text(less, encoding="utf-8")
        pages.append(page)
    (font,) = (fetch(STIX) / Path(name).name for name in STIX.files)
    lighter(font, letters(pages), static / font.name)
    icons = static / ICONS
    lighter(icons, signs(file.read_text(encoding="utf-8") for file in static.rglob("*.css")), icons)
    (static / SHEET).write_text(sheet(theme_script(), named(pages)), encoding="utf-8")
    (static / SCRIPT).write_text(f"// The icons are in {SHEET}.\n", encoding="utf-8")
    for source_map in (static / "scripts").glob("*.map"):
        source_map.unlink()
    for drawing in (out / "_images").glob("*.png"):  # what cells have drawn
        if not is_light(png := drawing.read_bytes()):
            drawing.write_bytes(light(png))


OWN_PAGES = {"slides.": "lessons/", "chain.js": "theorem1"}
"""Scripts and style sheets of some pages only: how their names, and the names of these pages, begin."""


def used_by(page: str, files: Iterable[object]) -> list[object]:
    """The scripts, or style sheets, of which this page has a use.

    That is none of Thebe's, one of which declares a name twice on each page, and none of other pages'.
    """
    return [file for file in files if not _of_thebe(file) and _fits(page, file)]


def _name(file: object) -> str:
    return str(getattr(file, "filename", "") or "")


def _of_thebe(file: object) -> bool:
    return any("thebe" in text.lower() for text in (_name(file), str(getattr(file, "attributes", {}).get("body", ""))))


def _fits(page: str, file: object) -> bool:
    own = [begins for name, begins in OWN_PAGES.items() if _name(file).rpartition("/")[2].startswith(name)]
    return all(page.startswith(begins) for begins in own)
