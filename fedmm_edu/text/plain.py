"""LaTeX between dollar signs in plain characters, for a terminal."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["plain"]

TABLE = """
alpha α  beta β  gamma γ  delta δ  epsilon ε  zeta ζ  eta η  theta θ  iota ι  kappa κ  lambda λ  mu μ  nu ν  xi ξ
pi π  rho ρ  sigma σ  tau τ  phi φ  varphi φ  chi χ  psi ψ  omega ω  varepsilon ε  Gamma Γ  Delta Δ  Theta Θ
Lambda Λ  Pi Π  Sigma Σ  Phi Φ  Psi Ψ  Omega Ω  ell ℓ  partial ∂  nabla ∇  infty ∞  le ≤  leq ≤  ge ≥  geq ≥  ne ≠
neq ≠  equiv ≡  approx ≈  in ∈  notin ∉  subset ⊂  subseteq ⊆  cap ∩  cup ∪  setminus ∖  to →  mapsto ↦
Rightarrow ⇒  implies ⇒  iff ⇔  Leftrightarrow ⇔  forall ∀  exists ∃  sum Σ  prod ∏  int ∫  cdot ·  times ×  circ ∘
langle ⟨  rangle ⟩  lVert ‖  rVert ‖  Vert ‖  lvert |  rvert |  vert |  mid |  dots …  ldots …  cdots …  pm ±
top ᵀ  star ⋆  lfloor ⌊  rfloor ⌋  propto ∝
"""
# Braces that are to be seen are \1 and \2 until the end, so that nothing takes them for LaTeX's own.
UNICODE: dict[str, str] = dict(zip(TABLE.split()[::2], TABLE.split()[1::2], strict=True))
UNICODE |= {"{": "\1", "}": "\2", "lbrace": "\1", "rbrace": "\2", "|": "‖", "_": "_", "%": "%", "#": "#"}
UNICODE |= {",": " ", ";": " ", ":": " ", "!": "", " ": " ", "\\": " ", "quad": " ", "qquad": " "}
DROPPED = (
    r"\\(?:left|right|bigl?|bigr|Bigl?|Bigr|displaystyle|mathrm|mathsf|mathbf|operatorname\*?|text|mathit)(?![a-zA-Z])"
)
LETTERS = {"mathcal": {"S": "𝒮", "B": "ℬ", "Z": "𝒵"}, "mathbb": {"R": "ℝ", "E": "𝔼", "N": "ℕ", "P": "ℙ"}}
ACCENTS = {"bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303"}
ACCENTS |= {"widetilde": "\u0303", "dot": "\u0307"}
SUPERSCRIPTS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
GROUP = r"\{([^{}]*)\}"


def plain(text: str) -> str:
    r"""`text` with the LaTeX between dollar signs written in plain characters, as well as these can.

    >>> plain(r"$f(\theta) \le \frac{1}{2\rho} \lVert\theta\rVert^2$ on $\mathcal{S}$")
    'f(θ) ≤ 1/(2ρ) ‖θ‖² on 𝒮'
    >>> plain(r"$\frac{C_{\star} {\left\|u\right\|^{2}}}{10}$")
    '(C_⋆ ‖u‖²)/10'
    """
    return re.sub(r"(?<!\\)\$(.+?)(?<!\\)\$", lambda found: _plain_formula(found[1]), text, flags=re.DOTALL)


def _plain_formula(latex: str) -> str:
    text = re.sub(DROPPED, "", latex)
    for command, letters in LETTERS.items():
        text = re.sub(rf"\\{command}\s*{GROUP}", lambda found, by=letters: by.get(found[1], found[1]), text)
    # A letter command keeps a space before a following letter of the source from joining: `\in S`, `\theta x`.
    text = re.sub(r"\\([a-zA-Z]+|[^a-zA-Z])", lambda found: UNICODE.get(found[1], found[0]), text)
    for command, accent in ACCENTS.items():
        text = re.sub(
            rf"\\{command}\s*(?:{GROUP}|(\S))", lambda found, by=accent: (found[1] or found[2] or "") + by, text
        )
    while True:  # fractions and roots from the inside out
        shorter = re.sub(
            rf"\\[dt]?frac\s*{GROUP}\s*{GROUP}", lambda found: f"{_unit(found[1])}/{_unit(found[2])}", text
        )
        shorter = re.sub(rf"\\sqrt\s*{GROUP}", lambda found: f"√{_unit(found[1])}", shorter)
        shorter = re.sub(rf"\^(?:{GROUP}|([0-9ᵀ]))", _superscript, shorter)
        shorter = re.sub(rf"_{GROUP}", _subscript, shorter)
        shorter = re.sub(GROUP, _bare_group, shorter)
        if shorter == text:
            bare = re.sub(r"[{}]|\\(?=[a-zA-Z])", "", text)
            spaced = " ".join(bare.replace("\1", "{").replace("\2", "}").split())
            return spaced.replace("⟨ ", "⟨").replace(" ⟩", "⟩")
        text = shorter


def _bare_group(found: re.Match[str]) -> str:
    """A group that is no command's argument is its content: \\frac{a {b}}{c} has one numerator."""
    before = found.string[: found.start()].rstrip()
    return found[0] if before.endswith(("frac", "sqrt", "}", "^", "_")) else found[1]


def _superscript(found: re.Match[str]) -> str:
    power = found[1] or found[2] or ""
    if power == "ᵀ":
        return power
    return power.translate(SUPERSCRIPTS) if re.fullmatch("[-+0-9]+", power) else f"^{_unit(power)}"


def _subscript(found: re.Match[str]) -> str:
    return f"_{found[1]}" if len(found[1]) == 1 else f"_\1{found[1]}\2"


def _unit(text: str) -> str:
    """`text` in parentheses unless it is one symbol or number."""
    bare = "".join(char for char in text if not unicodedata.combining(char))
    return text if len(bare) == 1 or bare.isdigit() or bare.startswith("(") else f"({text})"
