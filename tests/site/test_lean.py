"""Pages load no script for formulas or icons: both are made when the site is built."""

from types import SimpleNamespace

import pytest

from book.generate.lean import letters, named, sheet, signs, used_by, without_index
from fedmm_edu.errors import FedMMError

PAGE = '<i class="fa-solid fa-sun fa-lg"></i> <a class="fas fa-file-pdf x"></a> <p class="far away">'
SCRIPT = 'a={sun:[1,1,[],"f1","OUTLINE"]};b={sun:[3,4,["s"],"f1","SOLID"],"plant-sun":[9,9,[],"f0","PLANT"]}'


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


def test_thebe_goes_and_all_else_stays():
    kept = [SimpleNamespace(filename="_static/site.js", attributes={}), SimpleNamespace(filename=None, attributes={})]
    gone = [
        SimpleNamespace(filename="_static/sphinx-thebe.js", attributes={}),
        SimpleNamespace(filename=None, attributes={"body": "const THEBE_JS_URL = 'x'"}),
    ]
    assert used_by("index", [kept[0], *gone, kept[1]]) == kept


def test_a_page_loads_no_script_of_other_pages():
    """A first visit is light: slides belong to lessons, the map's script to Theorem 1."""
    files = [
        SimpleNamespace(filename=f"_static/{name}", attributes={}) for name in ("site.js", "slides.js", "chain.js")
    ]
    found = {
        page: [file.filename[8:] for file in used_by(page, files)] for page in ("index", "lessons/03_a", "theorem1")
    }
    assert found == {
        "index": ["site.js"],
        "lessons/03_a": ["site.js", "slides.js"],
        "theorem1": ["site.js", "chain.js"],
    }


def test_the_letters_of_formulas_come_with_their_italics():
    """A variable of one letter is drawn as a mathematical italic; text outside formulas needs nothing."""
    found = letters(["<p>q</p><math><mi>x</mi><mo>&lt;</mo><mi>h</mi><mi>θ</mi></math>"])
    assert set(found) == set("x<hθ𝑥ℎ𝜃")
    assert "√" in letters(["<math><msqrt><mn>2</mn></msqrt></math>"])


def test_icons_that_style_sheets_write_are_kept():
    """As letters or as their code; the theme's list of all names is not a use."""
    sheets = ['--icon:"\uf058"; .fa-dog:before{content:"\\f6d3"}', '.title::before { content: "\\f303"; }']
    assert signs(sheets) == "\uf058\uf303"


def test_the_index_of_words_is_left_to_the_page_of_results():
    """A hundred and forty kilobytes that no other page looks into."""
    tags = '<script src="../_static/searchtools.js?v=1"></script>\n<script src="../searchindex.js"></script>'
    assert (
        without_index(f'{tags}<script src="../_static/site.js"></script>')
        == '<script src="../_static/site.js"></script>'
    )
