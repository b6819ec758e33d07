"""What the formal conditional expectation promises: only declared rules are used, and they agree with exact laws."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.certificate import CertificateFails
from fedmm_edu.proofs.expectation import Expectation, Mean, linear_image, mix, moment
from fedmm_edu.proofs.gram import Vector, atoms, gram, inner, operator, square
from fedmm_edu.proofs.recording import Hypothesis

X, NOISE, OTHER, SENT = atoms("x", "n", "m", "Q")
ZERO = Vector({})
c = sp.Symbol("c", real=True)


def workers(*, independent: bool) -> Expectation:
    """Two noises of mean zero, and a message Q with E[Q | past, n] = x + n."""
    other = {"n"} if independent else set()
    return Expectation({"x"}, {"n": Mean(ZERO), "m": Mean(ZERO, other), "Q": Mean(X + NOISE, {"n", "m"})})


def test_it_is_linear_and_leaves_the_past_alone() -> None:
    E = workers(independent=True)
    assert sp.expand(E.of(c * square(X) + 2 * inner(X, NOISE)) - c * square(X)) == 0
    assert sp.expand(E.inner(X + NOISE, 3 * X) - 3 * square(X)) == 0


def test_tower_property() -> None:
    """E[Q | past] = E[x + n | past] = x, and E⟨Q, n⟩ = E⟨x + n, n⟩ = E‖n‖²."""
    E = workers(independent=True)
    assert (E.mean(SENT - X)).is_zero
    assert sp.expand(E.inner(SENT, NOISE) - E.inner(NOISE, NOISE)) == 0


def test_a_covariance_vanishes_only_where_independence_is_declared() -> None:
    assert workers(independent=True).inner(NOISE, OTHER) == 0
    assert workers(independent=False).inner(NOISE, OTHER) == moment(gram("m", "n"))


def test_nothing_is_known_of_an_undeclared_mean() -> None:
    E = Expectation({"x"}, {}, free={"n"})
    with pytest.raises(CertificateFails, match="mean of n"):
        E.mean(NOISE)
    assert E.inner(X, NOISE) == moment(gram("n", "x"))


def test_signs_are_kept_and_not_invented() -> None:
    assert moment(gram("n", "n")).is_nonnegative
    assert moment(gram("m", "n")).is_nonnegative is None
    assert moment(sp.Symbol("W", real=True)).is_nonnegative is None


def test_an_undeclared_atom_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="neither past nor random"):
        workers(independent=True).of(inner(X, atoms("y")[0]))


def test_a_product_of_random_quantities_is_refused() -> None:
    E = workers(independent=True)
    with pytest.raises(CertificateFails, match="not linear"):
        E.of(square(NOISE) * square(SENT))
    with pytest.raises(CertificateFails, match="not linear"):
        E.of(square(NOISE) ** 2)


@pytest.mark.parametrize(
    "means",
    [
        {"n": Mean(SENT)},
        {"n": Mean(X, {"n"})},
        {"n": Mean(SENT, {"Q"}), "Q": Mean(X, {"n"})},
        {"x": Mean(ZERO)},
    ],
)
def test_a_rule_may_not_speak_of_what_is_not_known(means) -> None:
    """A mean of atoms that are not revealed, of itself, of a later atom, or of a past atom is no rule."""
    with pytest.raises(InvalidInput, match="the mean of"):
        Expectation({"x"}, means)


def test_a_linear_map_of_the_past_keeps_the_rules() -> None:
    """E⟨Rn, Rm⟩ = 0 and E⟨RQ, Rn⟩ = E‖Rn‖² for a past matrix R; ⟨RQ, n⟩ is reached, too."""
    R = operator("R")
    E = workers(independent=True).through(R)
    assert E.inner(R(NOISE), R(OTHER)) == 0
    assert sp.expand(E.inner(R(SENT), R(NOISE)) - E.inner(R(NOISE), R(NOISE))) == 0
    assert sp.expand(E.inner(R(SENT), X) - inner(R(X), X)) == 0


def test_a_line_keeps_its_kind() -> None:
    E = workers(independent=True)
    bound = E.line(Hypothesis(c - square(NOISE), "bounded"))
    assert bound.expr == c - moment(gram("n", "n"))
    assert not bound.equality


def test_sums_over_clients_are_linear_in_their_terms_only() -> None:
    """Σ_i (2 μ_i² a_i + 3 μ_i² b_i) = 2A + 3B; a constant and a product have no such image."""
    mu, a, b, A, B = sp.symbols("mu a b A B")
    images = {mu**2 * a: A, mu**2 * b: B}
    assert linear_image(mu**2 * (2 * a + 3 * b), images, fixes_constants=False) == 2 * A + 3 * B
    for wrong in (sp.S.One, mu * a, mu**2 * a * b, mu**4 * a):
        with pytest.raises(CertificateFails, match="not linear"):
            linear_image(wrong, images, fixes_constants=False)


def test_probabilities_sum_to_one() -> None:
    p = sp.Symbol("p")
    assert mix([(p, sp.S.One), (1 - p, sp.S.Zero)]) == p
    with pytest.raises(InvalidInput, match="sum to one"):
        mix([(p, sp.S.One), (p, sp.S.Zero)])


numbers = st.integers(-4, 4)


@given(numbers, numbers, numbers, numbers)
def test_the_rules_agree_with_an_exact_law(x: int, a: int, b: int, d: int) -> None:
    """n = ±a, m = ±b, Q = (x + n)(1 ± d), all signs independent and fair: E‖Q + m + 2n‖² by rules and by outcomes."""
    E = workers(independent=True)
    formal = E.of(square(SENT + OTHER + 2 * NOISE))
    signs = list(product((1, -1), repeat=3))
    mean = {
        "n": F(sum((i * a) ** 2 for i, _, _ in signs), 8),
        "m": F(sum((j * b) ** 2 for _, j, _ in signs), 8),
        "Q": F(sum(((x + i * a) * (1 + k * d)) ** 2 for i, _, k in signs), 8),
    }
    values = {moment(gram(name, name)): sp.Rational(v.numerator, v.denominator) for name, v in mean.items()}
    values[gram("x", "x")] = sp.Integer(x**2)
    exact = F(sum(((x + i * a) * (1 + k * d) + j * b + 2 * i * a) ** 2 for i, j, k in signs), 8)
    assert formal.subs(values) == sp.Rational(exact.numerator, exact.denominator)
