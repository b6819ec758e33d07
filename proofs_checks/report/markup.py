"""Building HTML that is escaped and balanced by construction, with LaTeX between dollar signs turned into MathML."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from xml.etree import ElementTree

from fedmm_edu.errors import needs

with needs("check", "the report"):
    from latex2mathml.converter import convert

MATH = re.compile(r"(?<!\\)\$(.+?)(?<!\\)\$", re.DOTALL)
PUNCTUATED = re.compile(r"(<math>(?:(?!<math>).)*</math>)([.,;:?!)]+)")  # a line must not begin with a full stop
CODE = re.compile(r"`([^`]+)`")
OPENING, CLOSING, FENCES = frozenset("([{⟨"), frozenset(")]}⟩"), frozenset("()[]{}⟨⟩|‖⌊⌋⌈⌉")
RELATIONS, SIGNS, BARS = frozenset([*"=≤≥<>∈⇒⇔⟹⟺→↦,;", ":="]), frozenset("+-−"), frozenset("|‖")
REPLACED = {
    "―": "‾",
    r"\langle": "⟨",
    r"\rangle": "⟩",
    r"\|": "‖",
    r"\lVert": "‖",
    r"\rVert": "‖",
    r"\{": "{",
    r"\}": "}",
}
ORDINARY = frozenset("∞∅⊤⋆")
LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
ACCENTS, WIDE = frozenset("¯^~˙˘´`"), frozenset("^~")
LARGE = frozenset([*"∑∏∐⋃⋂⨁⨂⋁⋀⨆", "min", "max", "inf", "sup", "lim", "argmin", "argmax"])
UPRIGHT = {"mathvariant": "normal"}
KEPT = 1 << 14
"""As many formulas are kept: a page has each of them three times or so."""
VOID = frozenset({"meta", "link", "img", "br", "hr", "wbr"})


class Html(str):
    """Text that is HTML already; plain strings are escaped where they meet it."""

    __slots__ = ()


def join(*children: object) -> Html:
    """The children one after the other; None is left out, anything that is not `Html` is escaped."""
    return Html(
        "".join(child if isinstance(child, Html) else escape(str(child)) for child in children if child is not None)
    )


def el(name: str, /, *children: object, **attributes: str | bool | None) -> Html:
    """One element. `class_` is written class, `data_x` data-x; True is a bare attribute, None and False are none.

    >>> el("p", "a < b ", el("b", "c"), class_="note")
    '<p class="note">a &lt; b <b>c</b></p>'
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>" if name in VOID else f"<{name}{written}>{join(*children)}</{name}>")


def item(*children: object) -> Html:
    """A list item whose content may scroll sideways without hiding the item's number."""
    return el("li", el("div", *children))


def rich(text: str) -> Html:
    """`text` with every $…$ as MathML (or as code where it does not convert) and every `…` as code.

    >>> rich("if $x < y$")
    'if <math><mi>x</mi><mo>&lt;</mo></math><wbr><math><mi>y</mi></math>'
    """
    pieces = MATH.split(text)  # text, formula, text, formula, …, text
    written = join(*(formula(piece) if k % 2 else _words(piece) for k, piece in enumerate(pieces)))
    return Html(PUNCTUATED.sub(r'<span class="tight">\1\2</span>', written))


def _words(text: str) -> Html:
    pieces = CODE.split(text.replace(r"\$", "$"))
    return join(*(el("code", piece) if k % 2 else piece for k, piece in enumerate(pieces)))


def formula(latex: str) -> Html:
    """One LaTeX formula as MathML, or its source as code if it does not convert wholly."""
    written = mathml(latex)
    return el("code", latex) if written is None else written


@lru_cache(KEPT)
def mathml(latex: str, *, display: bool = False) -> Html | None:
    """MathML of `latex`, set apart or (in pieces between which a line may break) within text.

    None if braces do not balance or a command is unknown (the converter lets both pass).
    """
    bare = re.sub(r"\\[{}\\]", "", latex)
    if bare.count("{") != bare.count("}"):
        return None
    try:
        root = ElementTree.fromstring(convert(latex.replace("{aligned}", "{align*}")))
    except Exception:  # the converter raises whatever its parser meets
        return None
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]  # in HTML, <math> needs no namespace
    for node in root.iter():
        _unwrapped(node)
        _repaired(node)
        _spaced(node)
    if any("\\" in (node.text or "") for node in root.iter()):
        return None
    if display:
        return Html(_math_element(_row(root), display="block"))
    return Html("<wbr>".join(_math_element(nodes) for nodes in _breakable(_row(root))))


def _row(root: ElementTree.Element) -> list[ElementTree.Element]:
    """What stands side by side in a formula."""
    return list(root[0]) if len(root) == 1 and root[0].tag == "mrow" else list(root)


def _unwrapped(node: ElementTree.Element) -> None:
    """Its children without rows around one thing, or around the letters of a word: they say nothing."""
    for k, child in enumerate(node):
        while child.tag == "mrow" and len(child) == 1 and not child.attrib:
            child = node[k] = child[0]
        if child.tag == "mrow" and len(child) and all(letter.attrib == UPRIGHT for letter in child):
            word = node[k] = ElementTree.Element("mi")  # of several letters: upright, and read aloud as one
            word.text = "".join(letter.text or "" for letter in child)


def _repaired(node: ElementTree.Element) -> None:
    """What the converter leaves otherwise than LaTeX sets it, or than browsers know it."""
    if node.tag == "mo":
        node.text = REPLACED.get(node.text or "", node.text)
        node.attrib.pop("fence", None)  # no browser makes anything of it
        if node.text in BARS:
            node.attrib.setdefault("stretchy", "false")  # else the bars of ‖x‖² grow to the height of the line
        elif node.text in ORDINARY:
            node.tag = "mi"  # no operator: nothing is to stand off from it
        elif (node.text or "").isalpha():
            node.attrib.update(lspace="0.167em", rspace="0.167em")  # min, argmin …: the spaces of an operator
    if node.tag == "mover" and len(node) == 2 and node[1].text in ACCENTS:
        wide = node[1].text in WIDE and not {"accent", "stretchy"} & (node.attrib.keys() | node[1].attrib.keys())
        node.set("accent", "true")  # close to its letter, and no wider than it unless it is a \widehat
        node[1].set("stretchy", str(wide).lower())
    if node.tag in LIMITS and len(node) and node[0].tag in ("mo", "mi") and node[0].text in LARGE:
        node.tag, node[0].tag = LIMITS[node.tag], "mo"
        node[0].set("movablelimits", "true")  # below and above the sign where the formula is set apart
    if align := node.attrib.pop("columnalign", ""):
        node.set("style", f"text-align: {align}")  # all that browsers know of it


def _spaced(row: ElementTree.Element) -> None:
    """Spaces between what stands side by side, as LaTeX has them and browsers do not."""
    before = ""
    for node in list(row) if row.tag not in (*LIMITS, "mfrac") else ():
        text = node.text or ""
        if before == ":" and text == "=":
            row.remove(row[list(row).index(node) - 1])
            node.text = ":="
        elif text in SIGNS and (before in OPENING or before in RELATIONS):
            node.set("form", "prefix")  # of one number, not between two
        elif text == "/" or (text == "|" and node.get("stretchy") == "false"):
            node.attrib.update(lspace="0", rspace="0")
        before = text


def _math_element(nodes: list[ElementTree.Element], **attributes: str) -> str:
    whole = ElementTree.Element("math", attributes)
    whole.extend(nodes)
    for row in (each for each in whole.iter() if each.tag in ("math", "mrow") and len(each) > 1):
        for place, form in ((row[0], "prefix"), (row[-1], "postfix")):
            if place.tag == "mo" and place.text in FENCES and place.get("form") == form:
                place.attrib.clear()  # of \left and \right: such a sign, so placed, stretches by itself
    return ElementTree.tostring(whole, encoding="unicode", short_empty_elements=False)


def _breakable(nodes: list[ElementTree.Element]) -> list[list[ElementTree.Element]]:
    """The terms of a formula cut after relations, commas and binary signs outside brackets.

    A browser breaks lines between formulas, never inside one.
    """
    pieces, depth = [[]], 0
    for node in nodes:
        pieces[-1].append(node)
        text = (node.text or "").strip() if node.tag == "mo" else ""
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0 and (text in RELATIONS or (text in SIGNS and len(pieces[-1]) > 1)):
            pieces.append([])
    return [piece for piece in pieces if piece]
