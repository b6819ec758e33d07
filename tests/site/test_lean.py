"""Pages load no script for formulas or icons: both are made when the site is built."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes

from book.generate import formulas
from book.generate.lean import named, sheet, theme_script, without_thebe
from fedmm_edu.errors import FedMMError

PAGE = '<i class="fa-solid fa-sun fa-lg"></i> <a class="fas fa-file-pdf x"></a> <p class="far away">'
SCRIPT = 'a={sun:[1,1,[],"f1","OUTLINE"],"plant-sun":[9,9,[],"f0","PLANT"]};b={sun:[3,4,["s"],"f1","SOLID"]}'


def test_the_icons_of_pages_are_named_without_their_style():
    assert named([PAGE, PAGE]) == ["file-pdf", "sun"]


def test_an_icon_is_drawn_by_the_theme_s_own_shape():
    """The solid one, not the outline, and of exactly this name."""
    written = sheet(SCRIPT, ["sun"])
    assert "SOLID" in written
    assert "OUTLINE" not in written
    assert "PLANT" not in written
    assert "viewBox%3D%220%200%203%204%22" in written


def test_an_icon_that_the_theme_lacks_stops_the_build():
    with pytest.raises(FedMMError, match="'moonlet'"):
        sheet(SCRIPT, ["moonlet"])
    assert len(sheet(theme_script(), ["magnifying-glass", "sun", "circle-half-stroke"])) < 5000


def test_thebe_goes_and_all_else_stays():
    kept = [SimpleNamespace(filename="_static/site.js", attributes={}), SimpleNamespace(filename=None, attributes={})]
    gone = [
        SimpleNamespace(filename="_static/sphinx-thebe.js", attributes={}),
        SimpleNamespace(filename=None, attributes={"body": "const THEBE_JS_URL = 'x'"}),
    ]
    context = {"script_files": [kept[0], *gone, kept[1]], "css_files": [SimpleNamespace(filename="a.css")]}
    without_thebe(None, "index", "page.html", context, None)
    assert context["script_files"] == kept
    assert len(context["css_files"]) == 1


@pytest.mark.parametrize(("kind", "tag"), [(nodes.math, "span"), (nodes.math_block, "div")])
def test_a_formula_is_set_when_the_site_is_built(kind, tag):
    """In the page stands MathML, and a display is one."""
    translator = SimpleNamespace(body=[])
    set_it = formulas.within_text if kind is nodes.math else formulas.set_apart
    with pytest.raises(nodes.SkipNode):
        set_it(translator, kind("", r"\sum_i \mu_i"))
    (written,) = translator.body
    assert re.match(rf'<{tag} class="math"><math', written)
    assert ('display="block"' in written) == (kind is nodes.math_block)


def test_a_formula_that_is_not_known_is_a_warning(monkeypatch):
    """Warnings are errors of the build; the page would show the source."""
    warned = []
    monkeypatch.setattr(formulas.log, "warning", lambda text, *args, **kwargs: warned.append(text % args))
    translator = SimpleNamespace(body=[])
    with pytest.raises(nodes.SkipNode):
        formulas.within_text(translator, nodes.math("", r"\unknown{x}"))
    assert warned == [r"this formula cannot be set: \unknown{x}"]
    assert "<code>" in translator.body[0]
