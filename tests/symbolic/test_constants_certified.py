"""Constants with certificates: the kernel accepts what is shown, and refuses what is one per cent too good."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
import sympy as sp

from fedmm_edu.cli import main
from fedmm_edu.commands.constants import certified
from fedmm_edu.examples.poisson import model as poisson
from fedmm_edu.examples.toy import model as toy
from fedmm_edu.proofs.kernel import Fact, Refused, accept
from fedmm_edu.proofs.stored import Proven
from fedmm_edu.proofs.terms import ONE, minus, substitute, variables
from fedmm_edu.symbolic import Model
from fedmm_edu.symbolic.constants import certificates
from fedmm_edu.symbolic.constants.bends import below_norms
from fedmm_edu.symbolic.constants.certificates import Differential, of_bound
from fedmm_edu.symbolic.constants.derive import constants
from fedmm_edu.symbolic.constants.region import on_region
from fedmm_edu.symbolic.decide.bernstein import form_on_box, on_box
from fedmm_edu.symbolic.decide.proof_search import Hint, Search
from fedmm_edu.symbolic.hypotheses.alarm import ProofContradicted

theta, z, s, s1, s2 = sp.symbols("theta z s s1 s2", real=True)
TOY, POISSON, TWO = (m.models()[name] for m, name in ((toy, "toy"), (poisson, "printed, strategy 2"),
                                                      (poisson, "printed, strategy 1")))  # fmt: skip
BENT = Model(theta=theta, z=z, s=s, loss=theta, phi=theta, S_bar=z, T=s + s**3 / 3 - s**4 / 8, name="bent")


def pairs(n: int, meet: sp.Rational = sp.S.Zero) -> Model:
    """φ∘T is the gradient of a convex function of n pairs, which meet by a product."""
    x, t = sp.symbols(f"s1:{2 * n + 1}", real=True), sp.symbols(f"t1:{2 * n + 1}", real=True)
    f = sum(a**2 + a * b / 2 + b**2 + a**3 / 12 for a, b in zip(x[::2], x[1::2], strict=True)) + meet * x[0] * x[-1]
    return Model(theta=t, z=z, s=x, loss=t[0], phi=t, S_bar=(z,) * len(x), T=[sp.diff(f, e) for e in x], name="pairs")


CASES = {
    "toy": (TOY, {}, [("1/2", 3)]),
    "toy, symbols": (TOY, {}, [("a", "b")]),
    "poisson": (POISSON, {"m": "3/2", "lambda": "1/2"}, [(-2, 0)]),
    "not monotone": (BENT, {}, [("-1/2", "3/2")]),
    "two coordinates": (TWO, {"lambda": 1}, [(1, 2), (-1, 0)]),
    "two blocks": (pairs(2), {}, [(0, 1)] * 4),
}
OF_A7 = ("v_min", "v_max", "C_star", "C_starstar")


@pytest.fixture(scope="module")
def found():
    return {name: constants(model, S=box, values=values) for name, (model, values, box) in CASES.items()}


def differential(model: Model, S, values) -> Differential:
    place = on_region(model, S, values)
    return Differential(place.F, sp.Matrix(place.F).jacobian(list(place.region)), place)


@pytest.mark.parametrize("case", CASES)
def test_what_is_proved_has_certificates_that_the_kernel_accepts(case, found):
    for row in found[case].rows:
        assert (row.verdict.status == "proved") == bool(row.proofs)
        for proven in row.proofs:
            proven.accept()


def test_blocks_have_the_constants_of_the_worst_and_more_than_three_together_none(found):
    """(s1, s2) and (s3, s4) do not meet; four coordinates that do have no certificate, and the rows say so."""
    alone = constants(pairs(1), S=[(0, 1)] * 2)
    for name in OF_A7:
        assert found["two blocks"][name].value == alone[name].value
    together = constants(pairs(2, meet=sp.Rational(1, 10)), S=[(0, 1)] * 4)
    for name in OF_A7:
        missing = together[name].verdict.missing
        assert together[name].verdict.status == "supported"
        assert missing is not None
        assert "no certificate" in missing.claim


@pytest.mark.parametrize("broken", [{"C": Fraction(3, 2)}, {"t": Fraction(3)}, {"M": Fraction(4)}], ids="CtM")
def test_the_norm_of_bends_needs_each_of_its_parts(broken):
    """F = (s1² + s1 s2, s1²/2 + s2²) and C = 2: with one number off there is no certificate."""
    C, t = Fraction(2), {place: Fraction(0) for place in product(range(2), repeat=3)}
    t |= {(0, 0, 0): Fraction(2), (0, 0, 1): ONE, (0, 1, 0): ONE, (1, 0, 0): ONE, (1, 1, 1): Fraction(2)}
    M = [[sum(t[k, i, j] * t[m, i, j] for i in (0, 1) for j in (0, 1)) for m in (0, 1)] for k in (0, 1)]
    parts = (("*", Fraction(1, 4), M[k][m], "ab"[k], "ab"[m]) for k in (0, 1) for m in (0, 1))
    goal = Fact(">=", minus(("+", *(("*", C**2, x, x) for x in "ab")), *parts))
    form = Proven((), goal, Search(Hint()).prove(goal, ()))
    right = below_norms(form, t, M, C, "ab", "cd")
    assert right is not None
    right.accept()
    t = {**t, (0, 0, 1): broken.get("t", t[0, 0, 1])}
    M = [M[0], [broken.get("M", M[1][0]), M[1][1]]]
    assert below_norms(form, t, M, broken.get("C", C), "ab", "cd") is None


@pytest.mark.parametrize("case", CASES)
def test_one_per_cent_too_good_is_not_certified(case, found):
    """Neither does the search find a proof, nor does the kernel take the one of the true bound."""
    field = differential(CASES[case][0], CASES[case][2], CASES[case][1])
    names = {x.name: x for x in field.place.domain.variables}
    for name in OF_A7:
        row = found[case][name]
        if row.verdict.status != "proved":
            continue
        ends = row.value.strip("[]").split(",")
        value = sp.sympify(ends[0 if name == "v_min" else -1], names, rational=True)
        better = value * sp.Rational(101 if name == "v_min" else 99, 100)
        assert of_bound(name, better, field, {}) is None
        (bound, *_) = row.proofs
        moved = Fact(bound.goal.op, minus(bound.goal.term, certificates.as_term(sp.Abs(better - value).doit())))
        with pytest.raises(Refused):
            Proven(bound.given, moved, bound.proof).accept()


def test_a_wrong_T_has_no_bound_of_the_product():
    """φ∘T decreases with slopes down to −5 and up to −1: its largest slope bounds no |⟨u, F(s') − F(s)⟩|."""
    field = differential(replace(BENT, T=(-s - s**2,)), [(0, 2)], {})
    assert of_bound("v_max", sp.Integer(-1), field, {}) is not None
    assert of_bound("C_starstar", sp.Integer(-1), field, {}) is None
    assert of_bound("C_starstar", sp.Integer(4), field, {}) is None
    assert of_bound("C_starstar", sp.Integer(5), field, {}) is not None


def test_directions_are_no_constants_of_the_model():
    """A constant named u1 with a sign is not the first entry of u."""
    u1 = sp.Symbol("u1", positive=True)
    tied = Model(theta=sp.symbols("t1:3", real=True), z=z, s=(s1, s2), loss=theta, S_bar=(z, z),
                 phi=sp.symbols("t1:3", real=True), T=(s1 + s2 / 2 + u1, s1 / 2 + s2 + s2**2 / 2))  # fmt: skip
    field = differential(tied, [(0, 1), (0, 1)], {})
    found = of_bound("v_max", sp.Integer(3), field, {})
    assert found
    (bound,) = found
    told = set().union(*(variables(fact.term) for fact in bound.given))
    assert "u1" in told
    assert variables(bound.goal.term) & told <= {"s1", "s2"}


def test_a_counterexample_beside_a_certificate_stops_the_program(monkeypatch):
    """A planted conflict: whatever it is asked, the search says that it has a proof."""
    field = differential(TOY, [(1, 4)], {})
    monkeypatch.setattr(certificates, "certificate_of", lambda claim: Proven((), Fact(">=", Fraction(1)), ()))
    with pytest.raises(ProofContradicted, match="accepted"):
        of_bound("v_max", sp.Rational(49, 100), field, {})


def test_a_file_of_certificates_is_read_again_and_a_changed_one_refused(found, tmp_path, capsys):
    path = tmp_path / "out.json"
    assert "certificates of 5 constants" in certified({"poisson": found["poisson"]}, path)
    assert main(["check", str(path)]) == 0
    assert "poisson: C_star" in capsys.readouterr().out
    text = path.read_text(encoding="utf-8")
    assert '"12"' in text
    path.write_text(text.replace('"12"', '"297/25"'), encoding="utf-8")
    assert main(["check", str(path)]) == 1


# ------------------------------------------------------------------------------------------------ polynomials on boxes

HALF, BOX = Fraction(1, 2), {"x": (Fraction(0), Fraction(1)), "y": (Fraction(0), Fraction(1))}
INSIDE = tuple(Fact(">=", side) for x in BOX for side in (x, minus(Fraction(1), x)))
SADDLE = ("+", ("pow", minus("x", "y"), 2), Fraction(1, 100))


@pytest.mark.parametrize(
    ("term", "op", "holds"),
    [
        (SADDLE, ">", True),
        (minus(SADDLE, Fraction(1, 99)), ">=", False),
        (("*", "x", minus(Fraction(1), "y")), ">=", True),
        (("*", "x", minus(Fraction(1), "y")), ">", False),
        (("*", SADDLE, ("pow", ("+", "x", Fraction(1)), -1)), ">", True),
        (("*", SADDLE, ("pow", minus("x", Fraction(2)), -1)), ">", False),
        (("pow", minus("x", HALF), 2), ">", False),
    ],
)
def test_a_polynomial_on_a_box(term, op, holds):
    proof = on_box(INSIDE, Fact(op, term), BOX)
    assert (proof is not None) == holds
    if holds:
        accept(INSIDE, Fact(op, term), proof)


def test_a_box_that_the_facts_do_not_know_is_of_no_use():
    """A hole in the domain: the proof speaks of [0, 1], and x may be 2."""
    wide = (Fact(">=", "x"), Fact(">=", minus(Fraction(2), "x")), *INSIDE[2:])
    goal = Fact(">=", minus(Fraction(1), ("*", "x", "y")))
    assert on_box(INSIDE, goal, BOX) is not None
    assert on_box(wide, goal, BOX) is None


def test_a_form_needs_every_minor():
    """[[2, a], [a, 2]] with a = 1 + x is ≥ 0 for x ≤ 1, and [[2, a], [a, 1]] is not."""
    a = ("+", Fraction(1), "x")
    for last, holds in ((Fraction(2), True), (Fraction(1), False)):
        A = [[Fraction(2), a], [a, last]]
        rest = [[minus(("*", Fraction(2), last), ("pow", a, 2))]]
        found = form_on_box(INSIDE, [A, rest], ["u", "v"], BOX)
        assert (found is not None) == holds
        if found is not None:
            accept(INSIDE, *found)
            false = substitute(found[0].term, {"x": ("+", "x", HALF)})
            with pytest.raises(Refused):
                accept(INSIDE, Fact(">=", false), found[1])


def test_a_wrong_elimination_is_refused():
    """The last minor is made larger than it is."""
    A = [[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]]
    assert form_on_box(INSIDE, [A, [[Fraction(3)]]], ["u", "v"], BOX) is None
