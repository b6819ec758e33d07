"""Formulas are set when the site is built, by the converter of the report: a page loads no script for them.

A formula that the converter does not know is a warning, and warnings are errors.
"""

from __future__ import annotations

import re
from html import unescape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from proofs_checks.report.markup import Html, el, mathml

IN_OUTPUT = re.compile(r'<span class="math[^"]*">\\\((.*?)\\\)</span>', re.DOTALL)
"""A formula in what a cell shows as HTML: JupyterLab sets it, a page has to bring it set."""
log = logging.getLogger(__name__)


def within_text(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula of a sentence."""
    translator.body.append(el("span", _set(node, display=False), class_="math"))
    raise nodes.SkipNode


def set_apart(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    translator.body.append(el("div", _set(node, display=True), class_="math"))
    raise nodes.SkipNode


def _set(node: nodes.Element, *, display: bool) -> Html:
    latex = node.astext().strip()
    written = mathml(latex, display=display)
    if written is None:
        log.warning("this formula cannot be set: %s", latex, location=node)
        return el("code", latex)
    return written


class Outputs(SphinxTransform):
    """The formulas in outputs of cells."""

    default_priority = 400

    def apply(self, **kwargs) -> None:
        for node in list(self.document.findall(nodes.raw)):
            if IN_OUTPUT.search(node.astext()):
                written = IN_OUTPUT.sub(self._written, node.astext())
                node.replace_self(nodes.raw("", written, format=node["format"]))

    def _written(self, found: re.Match) -> str:
        return el("span", _set(nodes.math("", unescape(found[1])), display=False), class_="math")


def setup(app: Sphinx) -> dict[str, object]:
    """Offer it under the name that `_config.yml` chooses."""
    app.add_transform(Outputs)
    app.add_html_math_renderer("mathml", (within_text, None), (set_apart, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
