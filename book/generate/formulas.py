"""Formulas are set when the site is built, by the converter of the report: a page loads no script for them.

A formula that the converter does not know is a warning, and warnings are errors.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from proofs_checks.report.markup import Html, el, mathml

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


def setup(app: Sphinx) -> dict[str, object]:
    """Offer it under the name that `_config.yml` chooses."""
    app.add_html_math_renderer("mathml", (within_text, None), (set_apart, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
