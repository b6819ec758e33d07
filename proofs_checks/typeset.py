"""The paper's LaTeX as text with formulas between dollar signs, which terminal, report and site show alike.

Nothing but the setting changes: macros are written out, references get their numbers, displays become formulas.
"""

from __future__ import annotations

import re

import sympy as sp

from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic.functions.reading import read_formula
from fedmm_edu.text.plain import UNICODE

__all__ = ["typeset", "value", "variable"]

LETTERS = r"""
param \theta|paramset \Theta|sample Z|loss \ell|tildeloss \tilde{\ell}|barS \bar{S}|hatS \hat{S}|Smem S|pas \gamma
proba p|set \mathcal{A}|Q \mathrm{Quant}|Qtilde \widetilde{\mathrm{Quant}}|rset \mathbb{R}|nset \mathbb{N}|mf h
calH \mathcal{H}|calS \mathcal{S}|surspace \mathcal{S}|eqdef :=|map T|mapM M|PE \mathbb{E}|expec \mathbb{E}|rmd d
L \mathrm{L}|B B|F \mathcal{F}|Prox \mathrm{prox}|lawPP P|kmax T_{\max}|lbatch b|batch \mathcal{B}|Id I|1 1
argmin \mathrm{argmin}|argmax \mathrm{argmax}|inter \mathrm{int}|error \mathcal{E}|barerror \bar{\mathcal{E}}
xcal \mathcal{X}|pcal \mathcal{P}|qcal \mathcal{Q}|ncal \mathcal{N}|tcal \mathcal{T}|rcal \mathcal{R}
qquad \quad|Longleftrightarrow \Leftrightarrow|QSMM \text{FedMM}
"""
MACROS: dict[str, str] = {
    entry.partition(" ")[0]: entry.partition(" ")[2]
    for line in LETTERS.split("\n")
    for entry in line.split("|")
    if " " in entry
}
MACROS |= dict.fromkeys(("left", "right", "middle", "bigl", "bigr", "nonumber", "noindent", "textstyle", "!"), "")
PATTERNS = {  # of macros with arguments, with what they stand for
    "pscal": r"\langle #1, #2 \rangle", "inner": r"\langle #1, #2 \rangle", "CPE": r"\mathbb{E}[#1 \mid #2]",
    "ce": r"\mathbb{E}[#1 \mid #2]", "norm": r"\|#1\|", "open": "(#1)", "closed": "[#1]", "ens": r"\{#1\}",
    "ocint": "(#1]", "ooint": "(#1)", "ccint": "[#1]", "nicefrac": "#1/#2", "tochangeinmain": "#1", "mathop": "#1",
    "label": "", "hspace": "",
}  # fmt: skip
NAMES = {"QSMM": "FedMM", "SSMM": "SA-SSMM", "fedot": "FedMM-OT"}
NUMBERS = {  # as LaTeX counts them
    "hyp:surrogate:convexC1": "A1", "hyp:objective:C1": "A2", "hyp:oracle": "A3", "hyp:URVB": "A4",
    "assumption:URVB": "A4", "assumption:PP": "A5", "hyp:lipschitz": "A6", "hyp:DL2": "A7",
    "assumption:projection": "A8", "ex:gdt": "Example 1", "ex:EM": "Example 2", "rem:aggr_in_S": "Remark 1",
    "lem:PP": "Lemma 1", "theo:main": "Theorem 1", "prop:lyapunov": "Proposition 2",
    "prop:update_error": "Proposition 3", "prop:varcont-PP2": "Proposition 4", "subsec:ssmmeg": "Section 2.3",
    "sec:proof:filtration": "Appendix D.3", "algo:SS-MM": "Algorithm 1", "algo:FedSS-MM": "Algorithm 2",
    "alg:fedss": "2", "line:SSMM:updateS": "4", "line:upModel_central": "13", "eq:MM:Tspace": "7",
    "eq:MM:Sspace": "8", "eq:algo3:iteratefrom0": "12", "eq:dictlearning:problem": "14", "eq:dict_learn_mm1": "15",
    "eq:MF:tool3": "18", "eq:agg_in_Theta": "21", "eq:Quant": "25", "eq:dictlearn": "28", "eq:two_icnn": "31",
    "eq:two_icnn_fed": "33", "eq:EMexample:Poisson": "43", "prop:lyap:tool3": "50", "eq:Gt:coeff:alphanull": "63",
    "eq:bareps:alphanull": "64", "eq:sigma2:alphanull": "65", "eq:stepsize:alphanull": "66", "eq:A8:gdtprox": "67",
    "eq:A8:gdtprox:2": "68",
}  # fmt: skip
MATH = re.compile(
    r"\\begin\{(equation|align|multline|eqnarray)\*?\}(?P<env>.*?)(?:\\end\{\1\*?\}|\Z)"
    r"|\\\[(?P<display>.*?)(?:\\\]|\Z)|\$\$(?P<two>.*?)(?:\$\$|\Z)|\$(?P<inline>.*?)\$",
    re.DOTALL,
)
SENTENCE = re.compile(r"(?<![\\\w])[A-Za-z]+ +[a-z]+|\\Cref")
MATRIX = re.compile(r"\\begin\{(b?matrix)\}(.*?)\\end\{\1\}", re.DOTALL)


def typeset(source: str) -> str:
    r"""`source` as words with formulas between dollar signs.

    >>> typeset(r"for all $\param \in \paramset$, by \Cref{hyp:DL2}")
    'for all $\\theta \\in \\Theta$, by A7'
    """
    if not MATH.search(source) and not SENTENCE.search(source):
        return _formulas(source)  # a part of a display
    pieces, end = [], 0
    for found in MATH.finditer(source):
        pieces.append(_words(source[end : found.start()]))
        pieces.append(_formulas(next(part for part in found.groupdict().values() if part is not None)))
        end = found.end()
    pieces.append(_words(source[end:]))
    return " ".join("".join(pieces).split())


def variable(name: str) -> str:
    r"""The name of a variable as a formula where it is one, else as it is.

    >>> [variable(name) for name in ("theta_{t+1}", "Shat_0", "C_starstar", "f_omega", "s'", "phi(theta)", "active")]
    ['$\\theta_{t+1}$', '$\\hat{S}_{0}$', '$C_{\\star\\star}$', '$f_{\\omega}$', "$s'$", '$\\phi(\\theta)$', 'active']
    """
    if called := re.fullmatch(r"([^(),]+)\(([^()]+)\)", name):
        parts = [variable(part.strip()) for part in (called[1], *called[2].split(","))]
        if all(part.startswith("$") for part in parts):
            head, *arguments = (part.strip("$") for part in parts)
            return f"${head}({', '.join(arguments)})$"
    found = re.fullmatch(r"([A-Za-z]+?)(hat)?('*)(?:_\{?([^\s{}$]+)\}?)?", name)
    if found is None or (len(found[1]) > 1 and found[1] not in UNICODE):
        return name
    letter = f"\\{found[1]}" if found[1] in UNICODE else found[1]
    base = f"\\hat{{{letter}}}" if found[2] else letter
    index = {"star": r"\star", "starstar": r"\star\star"}.get(found[4], found[4])
    index = f"\\{index}" if UNICODE.get(index, "").isalpha() else index
    return f"${base}{found[3]}{f'_{{{index}}}' if index else ''}$"


def value(text: str) -> str:
    r"""What a variable is at a point, as a formula where it reads as one; numbers and words stay as they are.

    >>> [value(text) for text in ("1*theta**2/2", "h", "-3/2", "0 or 1", "(0, 1)", "identity")]
    ['$\\frac{\\theta^{2}}{2}$', '$h$', '-3/2', '0 or 1', '(0, 1)', 'identity']
    """
    try:
        expr = read_formula(text, sp.Symbol)
    except InvalidInput:
        return text
    if isinstance(expr, sp.Symbol):
        return variable(text)
    return text if expr.is_Rational else f"${sp.latex(expr)}$"


def _formulas(latex: str) -> str:
    """The lines of a display, each between dollar signs."""
    kept = MATRIX.sub(lambda m: m[0].replace("\\\\", "\0").replace("&", "\1"), latex)
    lines = [line.replace("&", " ") for line in re.split(r"\\\\", kept)]
    written = [_formula(line.replace("\0", "\\\\").replace("\1", "&")) for line in lines]
    return " ".join(f"${line}$" for line in written if line)


def _formula(latex: str) -> str:
    latex = latex.replace(r"\left.", "").replace(r"\right.", "")
    latex = re.sub(r"\\text\{([^${}]*)\$([^$]*)\$\}", r"\\text{\1} \2", latex)
    for name, meaning in PATTERNS.items():
        latex = _expanded(latex, name, meaning)
    latex = re.sub(r"\\([A-Za-z]+|[0-9!])", lambda m: f"{MACROS[m[1]]} " if m[1] in MACROS else m[0], latex)
    latex = re.sub(r"\\[;,]|\\ |~", " ", latex).replace(r"\cal A", r"\mathcal{A}")
    return re.sub(r" (?=[)\]_^,.;])", "", " ".join(latex.split())).rstrip("\\").strip()


def _expanded(text: str, name: str, meaning: str) -> str:
    """Every `\\name[…]{…}{…}` replaced by its meaning, inner ones too."""
    count = 2 if "#2" in meaning else 1
    head = re.compile(rf"\\{name}(?![A-Za-z])\s*(?:\[[^\]]*\])?")
    while found := head.search(text):
        at, given = found.end(), []
        for _ in range(count):
            stop = _closing(text, at)
            given.append(text[at:stop].strip().removeprefix("{").removesuffix("}"))
            at = stop
        written = meaning
        for k, value in enumerate(given, 1):
            written = written.replace(f"#{k}", value)
        text = f"{text[: found.start()]}{written}{text[at:]}"
    return text


def _closing(text: str, start: int) -> int:
    """Where the group that begins at `start`, after blanks, ends; a group without braces is one character."""
    while start < len(text) and text[start].isspace():
        start += 1
    if text[start : start + 1] != "{":
        return start + 1
    depth = 0
    for k in range(start, len(text)):
        depth += (text[k] == "{") - (text[k] == "}")
        if text[k - 1] == "\\" and text[k] in "{}":
            depth -= (text[k] == "{") - (text[k] == "}")
        if depth == 0:
            return k + 1
    return len(text)


def _words(text: str) -> str:
    """Text outside formulas: no commands, references by number, a work that is cited as […]."""
    text = _expanded(_expanded(text, "footnote", ""), "label", "")
    text = re.sub(r"\\cite[a-z]*(?:\[[^\]]*\])*\{[^}]*\}", "[…]", text)
    text = re.sub(r"\\(Cref|eqref|ref)\{([^}]*)\}", _reference, text)
    text = re.sub(r"\\(?:begin|end)\{[^}]*\}(?:\[[^\]]*\])?|\\\\", " ", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: NAMES.get(m[1], ""), text)
    for written, meant in (("\\#", "#"), ("\\&", "&"), ("\\ ", " "), ("~", " "), ("{", ""), ("}", "")):
        text = text.replace(written, meant)
    return text


def _reference(found: re.Match[str]) -> str:
    numbers = [NUMBERS.get(label.strip(), "?") for label in found[2].split(",")]
    return f"({numbers[0]})" if found[1] == "eqref" else ", ".join(sorted(numbers))
