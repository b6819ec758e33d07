"""Formulas of the registry's texts: all of them are set, and no word is lost or taken for one."""

import re

import pytest

from book.generate.notation import formulas
from fedmm_edu.relatives import ELSEWHERE, relatives
from proofs_checks.report.markup import MATH, mathml

TEXTS = sorted(
    {
        text
        for each in relatives().values()
        for text in (each.ends.says, each.equals, each.rate, *(b.says for b in each.bugs))
    }
    | {each.missing for each in ELSEWHERE}
)
WORD = re.compile(r"(?<![\w\\])[A-Za-z]{4,}(?![\w(])")


def test_each_formula_can_be_set_and_the_words_are_as_they_were():
    """What is between the formulas are the words of the text, in their order, and nothing with an index is left."""
    count = 0
    for text in TEXTS:
        pieces = MATH.split(formulas(text))
        count += len(pieces) // 2
        assert all(mathml(piece, display=False) is not None for piece in pieces[1::2]), text
        between = " ".join(pieces[::2])
        assert WORD.findall(between) == WORD.findall(text)
        assert "past" in text or not re.search(r"[_^Σ∇≤←⋆]", re.sub(r"`[^`]*`|\(Σ r.*", "", between)), text
    assert count > 100


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a root of h", "a root of h"),
        ("where K = 1: FedAvg, else not", "where $K = 1$: FedAvg, else not"),
        ("a γ > 0", r"a $\gamma  > 0$"),
        ("Ψ = ‖x − x_⋆‖²", r"$\Psi  = \|x - x_{\star }\|^{2}$"),
        ("γ ≤ 1/(L√(β/θ)), so", r"$\gamma  \leq  1/(L\sqrt{\beta /\theta })$, so"),
        ("T(Ŝ_t) and ½(L + λ)", r"$T(\hat {S}_{t})$ and $\tfrac12 (L + \lambda )$"),
        ("max(1 − ημ, 1 − p²)", r"$\max (1 - \eta \mu , 1 - p^{2})$"),
        ("an open bracket (θ_t", "an open bracket (θ_t"),
        ("code `θ_t = 0` stays", "code `θ_t = 0` stays"),
    ],
)
def test_what_is_a_formula(text, wanted):
    assert formulas(text) == wanted
