"""Constants as a service: never exceeded by sampled pairs, attained where it says so, not beaten by an optimiser."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples import examples
from fedmm_edu.symbolic.constants.derive import NAMES, constants
from fedmm_edu.symbolic.decide.ranges import bracket, enclose_supremum
from fedmm_edu.symbolic.model import Model

MODELS = {f"{e.name}:{name}": model for e in examples() for name, model in e.models().items()}
theta, theta1, theta2, z, s, s1, s2 = sp.symbols("theta theta1 theta2 z s s1 s2", real=True)


def gradient_model(T, phi=(theta,), where=(s,)) -> Model:
    """A model of which only φ∘T matters here."""
    return Model(theta=theta, z=z, s=where, loss=theta, phi=phi, S_bar=(z,) * len(where), T=(T,), name="mine")


MIXTURE = Model(  # Appendix C.2 with L = 2, p = 1, Γ = 1, λ = 1 and E[Z] = 1
    theta=(theta1, theta2), z=(z,), s=(s1, s2), loss=theta1,
    phi=(theta1 - theta2, -(theta1**2 - theta2**2) / 2), S_bar=(z, z), T=(s1 / (s2 + 1), (1 - s1) / (2 - s2)),
    name="mixture",
)  # fmt: skip
CASES = {  # name: (model, values, box)
    "toy": (MODELS["toy:toy"], {}, [("1/2", 3)]),
    "poisson 2": (MODELS["poisson:printed, strategy 2"], {"m": "3/2", "lambda": "1/2"}, [(-2, 0)]),
    "poisson 1": (MODELS["poisson:printed, strategy 1"], {"lambda": 1}, [(1, 2), (-1, 0)]),
    "ridge": (MODELS["quadratic:least squares, ridge"], {"rho": "1/2", "lambda": 3}, [(-1, 1)]),
    "l1, one piece": (MODELS["quadratic:least squares, l1"], {"rho": "1/2", "lambda": 2}, [(1, 4)]),
    "mixture": (MIXTURE, {}, [(2, 3), ("1/4", "3/4")]),
    "not monotone": (gradient_model(s + s**3 / 3 - s**4 / 8), {}, [("-1/2", "3/2")]),
}


def numbers(value: str) -> tuple[float, float]:
    """The value, or the ends of its enclosure, as floats."""
    ends = value.strip("[]").split(",") if value.startswith("[") else (value, value)
    return float(sp.sympify(ends[0])), float(sp.sympify(ends[1]))


def numeric(case: str):
    """φ∘T and its derivative as functions of arrays, and the ends of the box: written without the service."""
    model, values, box = CASES[case]
    at = {x: sp.Rational(str(values[x.name])) for x in model.constants if x.name in values}
    F = [phi.xreplace(dict(zip(model.theta, model.T or (), strict=True))).subs(at) for phi in model.phi]
    value = sp.lambdify(model.s, F)
    low, high = np.array([[float(sp.sympify(end)) for end in side] for side in box]).T
    F_of = lambda point: np.array(value(*point), dtype=float)  # noqa: E731

    def B_of(point, h=1e-6):
        return np.column_stack([(F_of(point + h * e) - F_of(point - h * e)) / (2 * h) for e in np.eye(len(low))])

    return F_of, B_of, low, high


@pytest.fixture(scope="module")
def found():
    return {name: constants(model, S=box, values=values) for name, (model, values, box) in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_sampled_pairs_never_exceed_the_constants(case, found):
    """Both inequalities of A7(i), and A7(ii), at random points and pairs."""
    F_of, B_of, low, high = numeric(case)
    rng = np.random.default_rng(0)
    margin = 1e-5 * (high - low)
    upper = {name: numbers(found[case][name].value)[1] for name in ("v_max", "C_star", "C_starstar")}
    for _ in range(200):
        a, b = rng.uniform(low + margin, high - margin, (2, len(low)))
        B, u = B_of(a), b - a
        size, change = u @ u, F_of(b) - F_of(a)
        assert np.linalg.norm(change - B @ u) <= upper["C_star"] * size * (1 + 1e-5) + 1e-8
        assert -1e-9 <= u @ change <= upper["C_starstar"] * size * (1 + 1e-9)
        eigenvalues = np.linalg.eigvalsh((B + B.T) / 2)
        assert eigenvalues[-1] <= upper["v_max"] * (1 + 1e-6) + 1e-8
        if found[case]["v_min"].verdict.status == "proved":
            assert eigenvalues[0] >= numbers(found[case]["v_min"].value)[0] * (1 - 1e-6) - 1e-8


@pytest.mark.parametrize("case", CASES)
def test_an_optimiser_comes_close_and_does_not_beat_them(case, found):
    """Bounded minimisation over pairs near each other reaches C_⋆ and C_⋆⋆ to a percent, from below."""
    F_of, B_of, low, high = numeric(case)
    q, rng = len(low), np.random.default_rng(1)

    def quotients(x):
        a = low + (high - low) * (0.002 + 0.996 * x[:q])
        v = x[q:] - 0.5 + 1e-4
        u = 1e-3 * (high - low).min() * v / np.linalg.norm(v)
        change, size = F_of(a + u) - F_of(a), u @ u
        return np.linalg.norm(change - B_of(a) @ u) / size, abs(u @ change) / size

    for k, name in enumerate(("C_star", "C_starstar")):
        least, most = numbers(found[case][name].value)
        starts = [*rng.uniform(size=(12, 2 * q)), *[np.append(np.full(q, end), np.full(q, 0.9)) for end in (0.0, 1.0)]]
        best = max(
            -minimize(lambda x, k=k: -quotients(np.clip(x, 0, 1))[k], x0, method="Nelder-Mead").fun for x0 in starts
        )
        assert best <= most * 1.01 + 1e-4
        assert best >= least * 0.97 - 1e-4


@pytest.mark.parametrize("case", ["toy", "poisson 2", "ridge", "l1, one piece"])
def test_what_is_said_to_be_attained_is_attained(case, found):
    """At the named point B takes the value of v_min (v_max); at the named pair the quotient is C_⋆⋆."""
    F_of, B_of, *_ = numeric(case)
    for name in ("v_min", "v_max"):
        row = found[case][name]
        if row.attained:
            at = np.array([float(sp.sympify(row.attained[0].strip("()").split("=")[1]))])
            assert B_of(at)[0, 0] == pytest.approx(numbers(row.value)[0], rel=1e-5)
    row = found[case]["C_starstar"]
    if row.attained:
        a, b = (np.array(sp.sympify(text), dtype=float) for text in row.attained)
        assert (b - a) @ (F_of(b) - F_of(a)) / ((b - a) @ (b - a)) == pytest.approx(numbers(row.value)[0])
    else:
        assert "not attained" in row.tight


def test_symbols_stay_symbols():
    """The toy on [a, b] and Poisson on [−M, 0], as in the ledger."""
    values = {row.name: row.value for row in constants(MODELS["toy:toy"], S=[("a", "b")]).rows}
    assert values == {
        "B": "1/(2*s**(3/2))", "v_min": "1/(2*b**(3/2))", "v_max": "1/(2*a**(3/2))", "C_star": "3/(8*a**(5/2))",
        "C_starstar": "1/(2*a**(3/2))",
    }  # fmt: skip
    poisson = constants(MODELS["poisson:printed, strategy 2"], S=[("-M", 0)])
    assert [poisson[name].value for name in NAMES[1:]] == [
        "m/(M + lambda)**2", "m/lambda**2", "m/lambda**3", "m/lambda**2",
    ]  # fmt: skip
    assert set(poisson.given) == {"lambda > 0", "m > 0", "M > 0"}


@pytest.mark.parametrize(
    ("model", "S", "missing"),
    [
        ("toy:toy", None, {"v_min", "v_max", "C_star", "C_starstar"}),
        ("toy:toy", [(0, 1)], {"v_max", "C_star", "C_starstar"}),
        ("poisson:printed, strategy 2", None, {"v_min"}),
        ("poisson:printed, strategy 1", [(1, 2), ("-1", 0)], {"v_min"}),
        ("quadratic:least squares, l1", None, {"B", "v_min", "v_max", "C_star"}),
        ("quadratic:least squares, box", None, {"B", "v_min", "v_max", "C_star"}),
        ("quadratic:least squares, group l1", None, {"B", "v_min", "v_max", "C_star"}),
        ("quadratic:least squares, l1", [("-rho*lambda", "rho*lambda")], {"v_min"}),
        ("quadratic:least squares, l1", [("rho*lambda", "oo")], set()),
        ("quadratic:least squares, box", [("low", "high")], set()),
        ("quadratic:logistic", None, set()),
    ],
)
def test_what_does_not_exist_is_refuted_at_a_point(model, S, missing):
    found = constants(MODELS[model], S=S)
    refused = {row.name for row in found.rows if row.verdict.status == "refuted"}
    assert refused == missing
    assert all(row.verdict.witness and row.verdict.witness.point for row in found.rows if row.name in refused)
    assert all(row.value for row in found.rows if row.verdict.status == "proved")


def test_a_mixture_across_equal_means_has_no_v_min():
    """L = 2, p = 1: the box contains the line on which both means agree."""
    row = constants(MIXTURE, S=[(0, 1), (0, 1)])["v_min"]
    assert row.verdict.status == "refuted"
    assert row.verdict.witness is not None
    at = {name: Fraction(value) for name, value in row.verdict.witness.point.items()}
    assert at["s1"] / (at["s2"] + 1) == (1 - at["s1"]) / (2 - at["s2"])


def test_the_signs_of_kinks_that_cancel_are_no_kinks():
    """|s|·s has a derivative at 0, s|s| on both sides, but is not one formula: the answer is open, not wrong."""
    found = constants(gradient_model(s * sp.Abs(s)), S=[(-1, 1)])
    assert {row.verdict.status for row in found.rows} == {"open"}


def test_a_wrong_T_is_noticed():
    """φ∘T decreases, or has a derivative that is not symmetric: T minimises nothing."""
    row = constants(gradient_model(-s), S=[(0, 1)])["v_min"]
    assert row.verdict.status == "refuted"
    assert row.verdict.witness is not None
    assert "does not minimise" in row.verdict.witness.says
    turned = Model(
        theta=(theta1, theta2),
        z=(z,),
        s=(s1, s2),
        loss=theta1,
        phi=(theta1, theta2),
        S_bar=(z, z),
        T=(-s2, s1),
        name="turned",
    )
    with pytest.raises(InvalidInput, match="not symmetric"):
        constants(turned, S=[(0, 1), (0, 1)])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"S": [(2, 1)]}, "interior"),
        ({"S": [(1, 1)]}, "interior"),
        ({"S": [(-1, 1)]}, "model's 𝒮"),
        ({"S": [(1, 2), (1, 2)]}, "1 coordinates"),
        ({"S": [("s", 2)]}, "depends on s"),
        ({"S": [("1/0", 2)]}, "no real number"),
        ({"S": [("1 +", 2)]}, "no formula"),
        ({"values": {"rho": 1}}, "no constant rho"),
    ],
)
def test_wrong_input_is_named(arguments, says):
    with pytest.raises(InvalidInput, match=says):
        constants(MODELS["toy:toy"], **arguments)


def test_values_must_be_exact_and_allowed():
    ridge = MODELS["quadratic:least squares, ridge"]
    with pytest.raises(InvalidInput, match="not an exact number"):
        constants(ridge, values={"rho": "sqrt(2)"})
    with pytest.raises(InvalidInput, match="violate"):
        constants(ridge, values={"rho": -1})


def test_no_bound_holds_towards_an_irrational_end():
    s, t = sp.Symbol("s", real=True), sp.Symbol("t", positive=True)
    psi = 1 / t - sp.sqrt(2) * t
    shifted = Model(
        theta=t, z=z, s=s, loss=z * t + psi, psi=psi, phi=-t, S_bar=z, T=1 / sp.sqrt(s - sp.sqrt(2)), S=s > sp.sqrt(2)
    )
    verdict = constants(shifted)["v_max"].verdict
    assert verdict.status == "refuted"
    assert verdict.witness is not None
    assert verdict.witness.says == "no such number: it is unbounded as s -> sqrt(2)."


# ------------------------------------------------------------------------------------------------ three coordinates on

a, b, c, d, e = sp.symbols("a b c d e", real=True)
CODES = sp.Matrix([[d, e]]) * sp.Matrix([[a, b], [b, c]]).inv()
DICTIONARY = Model(  # dictionary learning for p = 1, K = 2 and g = 0, s = (s⁽¹⁾₁₁, s⁽¹⁾₁₂, s⁽¹⁾₂₂, s⁽²⁾)
    theta=(theta1, theta2), z=(z,), s=(a, b, c, d, e), loss=theta1,
    phi=(-(theta1**2), -2 * theta1 * theta2, -(theta2**2), 2 * theta1, 2 * theta2), S_bar=(z,) * 5, T=tuple(CODES),
    name="dictionary",
)  # fmt: skip
PLANE = Model(  # Appendix C.2 with L = 2, p = 2, Γ = I, λ = 1 and E[Z] = 0
    theta=sp.symbols("t1:5", real=True), z=(z,), s=(a, b, c), loss=sp.Symbol("t1", real=True),
    phi=(
        *(sp.Symbol(f"t{k}", real=True) - sp.Symbol(f"t{k + 2}", real=True) for k in (1, 2)),
        -sum(sign * sp.Symbol(f"t{k}", real=True) ** 2 for k, sign in ((1, 1), (2, 1), (3, -1), (4, -1))) / 2,
    ),
    S_bar=(z,) * 3, T=(a / (c + 1), b / (c + 1), -a / (2 - c), -b / (2 - c)), name="plane",
)  # fmt: skip
SMALL = [("1", "9/8"), ("0", "1/8"), ("1", "9/8"), ("0", "1/8"), ("1/2", "5/8")]


@pytest.fixture(scope="module")
def dictionary():
    return constants(DICTIONARY, S=SMALL)


def test_more_coordinates_than_parameters_leave_a_kernel(dictionary):
    """q = 5 > 2 = d: an exact vector u ≠ 0 with B(s)u = 0, checked against the B that is shown."""
    found = dictionary
    witness = found["v_min"].verdict.witness
    assert found["v_min"].verdict.status == "refuted"
    assert witness is not None
    at = {sp.Symbol(name, real=True): sp.Rational(value) for name, value in witness.point.items()}
    u = sp.Matrix(sp.sympify(witness.values["u"]))
    names = {x.name: x for x in DICTIONARY.s}
    B = sp.Matrix(sp.sympify(found["B"].value, names)).subs(at)
    assert any(u)
    assert sp.simplify(B * u) == sp.zeros(5, 1)


def test_the_enclosures_for_five_coordinates_hold_and_the_general_bounds_are_above_them(dictionary):
    """Sampled eigenvalues and remainders stay below; own-A7-dl-upper, with δ and R of this box, is larger than both.

    In the coordinates (s₁₁, s₁₂, s₂₂) a step in s₁₂ moves two entries of s⁽¹⁾: the paper's norm is at most √2 as long.
    """
    found = dictionary
    F = sp.lambdify(
        DICTIONARY.s, [phi.xreplace(dict(zip(DICTIONARY.theta, CODES, strict=True))) for phi in DICTIONARY.phi]
    )
    low, high = np.array([[float(sp.Rational(end)) for end in side] for side in SMALL]).T
    rng, most = np.random.default_rng(0), {name: numbers(found[name].value)[1] for name in ("C_star", "C_starstar")}
    for _ in range(100):
        first, second = rng.uniform(low, high, (2, 5))
        u, change = second - first, np.array(F(*second)) - np.array(F(*first))
        slope = np.column_stack(
            [(np.array(F(*(first + h))) - np.array(F(*(first - h)))) / 2e-6 for h in 1e-6 * np.eye(5)]
        )
        assert u @ change <= most["C_starstar"] * (u @ u) * (1 + 1e-9)
        assert np.linalg.norm(change - slope @ u) <= most["C_star"] * (u @ u) + 1e-8
    assert numbers(found["v_max"].value)[1] <= 1.01 * numbers(found["v_max"].value)[0]
    least = min(np.linalg.eigvalsh([[1, 1 / 8], [1 / 8, 1]]))
    bound = 0.65 / least  # ‖T(s)‖ ≤ ‖s⁽²⁾‖/δ
    assert most["C_starstar"] <= 2 * (1 + bound**2) / least * 2
    assert most["C_star"] <= 3 * (1 + bound**2) / least**2 * 2**1.5


def test_means_that_stay_apart_have_a_positive_v_min():
    """Three coordinates: the determinant gives a positive lower end where eigenvalue bounds alone do not."""
    found = constants(PLANE, S=[(1, 2), (1, 2), (0, 1)])
    low, high = numbers(found["v_min"].value)
    assert found["v_min"].verdict.status == "proved"
    assert 0 < low < high
    B = sp.lambdify(PLANE.s, sp.Matrix(sp.sympify(found["B"].value, {x.name: x for x in PLANE.s})))
    rng = np.random.default_rng(0)
    least = min(np.linalg.eigvalsh(np.array(B(*rng.uniform((1, 1, 0), (2, 2, 1))), dtype=float))[0] for _ in range(300))
    assert low <= least


def test_means_that_meet_have_none():
    """The box contains m_1 = m_2 = 0: an exact singular point, from the factors of det Dφ(T(s))."""
    found = constants(PLANE, S=[(-1, 1), (-1, 1), (0, 1)])
    assert found["v_min"].verdict.status == "refuted"
    witness = found["v_min"].verdict.witness
    assert witness is not None
    assert {witness.point["a"], witness.point["b"]} == {"0"}


def test_a_set_without_interior_is_named():
    """𝒮 in a hyperplane: A7 does not determine B(s)."""
    flat = Model(theta=(theta1, theta2), z=(z,), s=(s1, s2), loss=theta1, phi=(theta1, theta2), S_bar=(z, 1 - z),
                 T=(s1, s2), S=(sp.Eq(s1 + s2, 1),), name="flat")  # fmt: skip
    for S in (None, [(0, 1), (0, 1)]):
        with pytest.raises(InvalidInput, match="no interior"):
            constants(flat, S=S)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=3, max_size=5), st.fractions(-2, 0), st.fractions("1/4", 2))
def test_the_enclosure_of_a_polynomial_holds(coefficients, low, width):
    """Against the values at the ends and at the critical points."""
    x = sp.Symbol("x", real=True)
    poly = sum(c * x**k for k, c in enumerate(coefficients))
    found = enclose_supremum(poly, {x: (low, low + width)})
    assert found is not None
    roots = np.roots(np.array([float(k * c) for k, c in enumerate(coefficients)][:0:-1]))
    points = [
        float(low),
        float(low + width),
        *[r.real for r in roots if abs(r.imag) < 1e-9 and low < r.real < low + width],
    ]
    best = max(sum(c * p**k for k, c in enumerate(coefficients)) for p in points)
    assert float(found[0]) - 1e-9 <= best <= float(found[1]) + 1e-9
    assert float(found[1] - found[0]) <= 1e-4 * max(1.0, abs(best))


def test_an_enclosure_is_shown_rounded_outward():
    assert bracket(Fraction(1, 3), Fraction(2, 3)) == "[0.333333, 0.666667]"


def test_a_supremum_that_does_not_exist_is_none():
    x = sp.Symbol("x", real=True)
    assert enclose_supremum(1 / x, {x: (Fraction(0), Fraction(1))}, boxes=50) is None
    with pytest.raises(InvalidInput, match="no ball arithmetic"):
        enclose_supremum(sp.atan(x), {x: (Fraction(-1), Fraction(1))})
