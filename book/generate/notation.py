"""Formulas that the package writes as a terminal shows them, “Σ μ_i Q_i ∇f_i = 0”, as formulas of a page."""

from __future__ import annotations

import re
import unicodedata

from proofs_checks.report.markup import mathml

GREEK = {
    letter: unicodedata.name(letter).rpartition(" ")[2].lower().replace("lamda", "lambda")
    for letter in "αβγδηθκλμνπρστφψω"
} | {"Δ": "Delta", "Θ": "Theta", "Ψ": "Psi", "Σ": "sum", "Π": "Pi"}
SIGNS = {
    "∇": r"\nabla ", "−": "-", "≤": r"\leq ", "≥": r"\geq ", "≠": r"\neq ", "‖": r"\|", "⋆": r"\star ",
    "←": r"\leftarrow ", "𝒮": r"\mathcal{S}", "∞": r"\infty ", "·": r"\cdot ", "…": r"\dots ", "½": r"\tfrac12 ",
    "×": r"\times ", "ℓ": r"\ell ",
}  # fmt: skip
RAISED, LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+"), str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
HATS = {"\u0302": r"\hat ", "\u0304": r"\bar ", "\u0303": r"\tilde "}
SIGN = re.compile(rf"[{''.join(GREEK)}{''.join(SIGNS)}=<>+√∘]|[_^]|[{''.join(map(chr, RAISED))}]")
"""What shows that a word belongs to a formula."""
PART = re.compile(r"(?:(?:min|max|prox|sign|[A-Za-z])(?![A-Za-z])|\d+(?:\.\d+)?|[/|+=<>()\[\]])+")
"""Words that may stand in a formula beside these: letters of their own, numbers, names of functions, brackets."""
WORD = re.compile(r"(?<![_A-Za-z{])(?!min|max|prox|sign)[a-zA-Z]{3,}")
"""A word of a language."""
NAMES = re.compile(r"(?<![A-Za-z\\])(prox|sign|min|max)(?![A-Za-z])")
ARTICLE, LETTER = re.compile(r"a [^=<>≤≥+−∘/]"), re.compile(r"[^\W\d_]")
CLOSING = ",;:."


def formulas(text: str) -> str:
    """`text` with what it writes as formulas between dollar signs; what cannot be set stays as it is.

    >>> print(formulas("Σ μ_i ∇f_i = 0: the optimum"))
    $\\sum  \\mu _{i} \\nabla f_{i} = 0$: the optimum
    """
    shown: list[str] = []
    run: list[str] = []

    def end() -> None:
        shown.extend([_set(" ".join(run))] if run else [])
        run.clear()

    for word in text.split(" "):
        inside = _depth(" ".join([*run, word])) > 0
        bare = word if inside else word.rstrip(CLOSING)
        rest = word[len(bare) :]
        if bare and (SIGN.search(bare) or PART.fullmatch(bare)) and not WORD.search(bare) and "`" not in bare:
            run.append(bare)
            if rest:
                end()
                shown[-1] += rest
        else:
            end()
            shown.append(word)
    end()
    return " ".join(shown)


def _depth(text: str) -> int:
    return sum(text.count(bracket) for bracket in "([{") - sum(text.count(bracket) for bracket in ")]}")


def _set(run: str) -> str:
    """One formula, if it is one; the article before it is a word."""
    if ARTICLE.match(run):
        return f"a {_set(run[2:])}"
    if not SIGN.search(run) or not LETTER.search(run) or _depth(run):
        return run
    latex = _latex(run)
    return f"${latex}$" if mathml(latex, display=False) is not None else run


def _latex(run: str) -> str:
    text = unicodedata.normalize("NFD", run.replace("≠", "\0")).replace("\0", "≠")
    for mark, command in HATS.items():
        text = re.sub(rf"(\w){mark}", lambda found, command=command: f"{command}{{{found[1]}}}", text)
    text = re.sub(r"\^½", "^{1/2}", text)
    text = _roots(text)
    text = re.sub(rf"[{''.join(map(chr, RAISED))}]+", lambda found: f"^{{{found[0].translate(RAISED)}}}", text)
    text = re.sub(rf"[{''.join(map(chr, LOWERED))}]+", lambda found: f"_{{{found[0].translate(LOWERED)}}}", text)
    text = re.sub(r"_([A-Za-z0-9⋆]+)", r"_{\1}", text)
    text = NAMES.sub(lambda found: rf"\{found[1]} " if found[1] in ("min", "max") else rf"\mathrm{{{found[1]}}}", text)
    for letter, name in GREEK.items():
        text = text.replace(letter, rf"\{name} ")
    for sign, command in SIGNS.items():
        text = text.replace(sign, command)
    return text


def _roots(text: str) -> str:
    """√(…) with its brackets as a group."""
    while "√(" in text:
        start = text.index("√(")
        depth, stop = 0, start + 1
        for stop in range(start + 1, len(text)):
            depth += {"(": 1, ")": -1}.get(text[stop], 0)
            if not depth:
                break
        text = rf"{text[:start]}\sqrt{{{text[start + 2 : stop]}}}{text[stop + 1 :]}"
    return text
