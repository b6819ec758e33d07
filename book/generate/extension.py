"""The site's own Sphinx extension: links to rows and sources; docstrings, widgets and exercises as they are meant.

Roles: {row}`thm1-B` is a link to that row; {src}`fedmm_edu/surrogate.py` (or `...py:12`) one to the source. A name that
does not exist is a warning, and warnings are errors.
"""

from __future__ import annotations

import json
import posixpath
import re
from base64 import b64decode, b64encode
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole
from sphinx_exercise.nodes import exercise_node, solution_node

from book.generate.computed import REPORT
from book.generate.excerpts import FILE, excerpts
from book.generate.found import VERSION, description, foot, footer_links, home_of_site, tags
from book.generate.lean import SHEET, lighten, used_by
from book.generate.ledger import page_of, source_page
from book.generate.light import light
from book.generate.sources import is_source, linked_source
from book.generate.stills import still
from book.generate.tree import BOOK
from proofs_checks.runner.kept import key

VIEW = re.compile(r'<script type="application/vnd\.jupyter\.widget-view\+json">(.*)</script>', re.DOTALL)
NAMES = '<script type="application/javascript">'
"""What a cell displays beside a widget: a script with names for its controls, which a picture does not have."""
FOLDED = "<details>"
"""What the code of a solution gives is folded up in a notebook; here the whole solution is."""
PICTURE = re.compile(r"(data:image/png;base64,)([A-Za-z0-9+/=]+)")
log = logging.getLogger(__name__)


@cache
def row_addresses() -> dict[str, str]:
    """The address of each row from the site's root, by its id."""
    records = json.loads((REPORT / "verdicts.json").read_text(encoding="utf-8"))
    return {record["id"]: f"{page_of(record)}.html#{record['id']}" for record in records}


class SiteRole(ReferenceRole):
    """A link within the site, given from its root."""

    def link(self, address: str | None) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The link, or the bare text and a warning where there is no such address."""
        text = nodes.literal("", self.title)
        if address is None:
            log.warning("{%s}`%s`: there is no such place", self.name, self.target, location=self.get_location())
            return [text], []
        here = posixpath.dirname(self.env.docname)
        return [nodes.reference("", "", text, refuri=posixpath.relpath(address, here or "."))], []


class RowRole(SiteRole):
    """{row}`id`: the row of the ledger."""

    def run(self):
        return self.link(row_addresses().get(self.target))


class SourceRole(SiteRole):
    """{src}`path` or {src}`path:line`: a source file of the project."""

    def run(self):
        return self.link(source_page(self.target) if is_source(self.target) else None)


def plain_docstring(app, what, name, obj, options, lines: list[str]) -> None:
    """A docstring is plain text with `code`: protect from reStructuredText what it would take for markup."""
    lines[:] = [line for part in re.split(r"\n\s*\n", "\n".join(lines)) for line in (*_paragraph(part), "")]


def without_sklearn(app, what, name, obj, skip, options) -> bool | None:
    """Leave out what scikit-learn puts into each estimator (`set_fit_request`): its own pages describe it."""
    made = {getattr(obj, "__module__", None), type(obj).__module__}
    return True if any(str(module).startswith("sklearn.") for module in made) else None


def _paragraph(text: str) -> list[str]:
    """One paragraph: an indented one is shown as it stands, an example stays, a list keeps its indentation."""
    lines = text.strip("\n").splitlines()
    if lines and all(line.startswith(" ") for line in lines):
        return ["::", "", *lines]
    if lines and lines[0].startswith(">>>"):
        return lines
    is_list = bool(lines) and re.match(r"([-*]|\d+\.) ", lines[0])
    return _protected("\n".join(lines if is_list else [line.strip() for line in lines])).splitlines()


def _protected(text: str) -> str:
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(f"`{piece}`" if k % 2 else re.sub(r"([\\*|_`])", r"\\\1", piece) for k, piece in enumerate(pieces))


class Stills(SphinxTransform):
    """A figure in the place of each widget; the page then loads neither the widgets' state nor their scripts."""

    default_priority = 400

    def apply(self, **kwargs) -> None:
        files = getattr(self.env, "nb_metadata", {}).get(self.env.docname, {}).get("js_files", {})
        if "ipywidgets_state" not in files:
            return
        state = json.loads(files["ipywidgets_state"][1]["body"])["state"]
        for name in [name for name in files if name.startswith("ipywidgets_")]:
            del files[name]
        notebooks = posixpath.relpath("downloads.html", posixpath.dirname(self.env.docname) or ".")
        for node in list(self.document.findall(nodes.raw)):
            if node.astext().startswith(NAMES):
                node.parent.remove(node)
            elif found := VIEW.fullmatch(node.astext()):
                shown = still(json.loads(found[1])["model_id"], state, notebooks)
                node.replace_self(nodes.raw("", shown, format="html"))


class Held(SphinxTransform):
    """Pictures that a question holds back, with few colours, as the page's other drawings are."""

    default_priority = 400

    def apply(self, **kwargs) -> None:
        for node in list(self.document.findall(nodes.raw)):
            if 'class="predict"' in node.astext():
                node.replace_self(nodes.raw("", PICTURE.sub(_lighter, node.astext()), format="html"))


def _lighter(found: re.Match[str]) -> str:
    return found[1] + b64encode(light(b64decode(found[2]))).decode()


class Exercises(SphinxTransform):
    """“Exercise 2. A title”, not “Exercise (2. A title)”; a solution opens where its cell does, without a box around.

    So it is for the exercises of lessons, which bring their numbers; Sphinx counts and words all others.
    """

    default_priority = 400  # after sphinx_exercise has put together what begins and ends around cells

    def apply(self, **kwargs) -> None:
        for node in list(self.document.findall(exercise_node)):
            word, subtitle = node.children[0].children
            node.replace(node.children[0], nodes.title("", "", word, nodes.Text(" "), *subtitle.children))
            _without_section(node)
        for node in list(self.document.findall(solution_node)):
            cells = list(node.findall(lambda part: "prompt_show" in getattr(part, "attributes", {})))
            for cell in cells:
                cell["prompt_show"] = cell["prompt_hide"] = f"Solution {node['target_label'].rpartition('-')[2]}"
            for shown in [part for part in node.findall(nodes.raw) if part.astext().startswith(FOLDED)]:
                shown.replace_self(nodes.raw("", f"<details open>{shown.astext()[len(FOLDED) :]}", format="html"))
            if cells:
                node.pop(0)
                _without_section(node)


def _without_section(node: nodes.Element) -> None:
    """Dissolve the section that sphinx_exercise puts around contents, with the same id in all exercises."""
    node.replace(node.children[-1], node.children[-1].children)


def head_of_page(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """What a page says of itself, and none of what it has no use for."""
    for files in ("script_files", "css_files"):
        context[files] = used_by(pagename, context[files])
    if doctree is not None and (text := description(node.astext() for node in doctree.findall(nodes.paragraph))):
        written = tags(pagename, context["title"], text, app.config.html_baseurl)
        context["metatags"] = f"{context.get('metatags', '')}{written}"
    cite = context["pathto"]("bibliography").removesuffix("#") + "#how-to-cite"  # of the page itself it is "#"
    context["theme_extra_footer"] = foot(pagename, cite, footer_links())


def finish(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written: their icons, letters and words."""
    if exception is None and app.builder.name == "html":
        out = Path(app.outdir)
        lighten(out)
        (out / "_static" / FILE).write_text(excerpts(out, app.env.found_docs), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Register all of it; pages are read again when the code of this folder has changed."""
    app.add_role("row", RowRole())
    app.add_role("src", SourceRole())
    app.add_transform(Stills)
    app.add_transform(Held)
    app.add_transform(Exercises)
    app.setup_extension("sphinx.ext.linkcode")
    app.config["linkcode_resolve"] = linked_source
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("autodoc-skip-member", without_sklearn)
    app.add_css_file(SHEET)
    app.config["version"] = app.config["release"] = VERSION
    app.config["html_baseurl"] = home_of_site()
    app.connect("html-page-context", head_of_page, priority=900)
    app.connect("build-finished", finish)
    return {"env_version": key([BOOK / "generate"]), "parallel_read_safe": True, "parallel_write_safe": True}
