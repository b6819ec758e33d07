"""A model's check: what its rows say, and what a refutation shows. (The examples are rows of the ledger.)"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from fedmm_edu.commands.check import as_table
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.poisson import model as poisson
from fedmm_edu.examples.quadratic import model as quadratic
from fedmm_edu.examples.toy import model as toy
from fedmm_edu.proofs.verdict import Step, conjunction, proved, supported, undecided
from fedmm_edu.symbolic import Model, check_model, derive_S_bar, derive_T, gap, load_model
from fedmm_edu.symbolic.decide.algebra import vanishes
from fedmm_edu.symbolic.decide.balls import sign
from fedmm_edu.symbolic.hypotheses import check, mm1
from fedmm_edu.symbolic.hypotheses.check import judge_row
from tests.conftest import found


def at(witness):
    return {name: Fraction(value) for name, value in witness.point.items()}


def row(model: Model, name: str):
    return check_model(model)[name]


@pytest.mark.parametrize("name", ["step too long", "no bound on the step"])
def test_the_witness_of_a_step_too_long_stands_in_plain_fractions(name):
    """½(y − xθ)² against its quadratic surrogate at τ, computed without the engine."""
    p = at(row(quadratic.wrong_models()[name][1], "MM-1: majorizes").witness)
    x, y, theta, tau, rho = p["x"], p["y"], p["theta"], p["tau"], p["rho"]
    slope = -x * (y - x * tau)
    upper = (y - x * tau) ** 2 / 2 + slope * (theta - tau) + (theta - tau) ** 2 / (2 * rho)
    assert upper < (y - x * theta) ** 2 / 2


def test_the_witness_of_a_wrong_threshold_stands_in_plain_fractions():
    p = at(row(quadratic.wrong_models()["threshold without rho"][1], "MM-2: T minimizes").witness)
    s, rho, lam, theta = p["s"], p["rho"], p["lambda"], p["theta"]
    T = max(abs(s) - lam, Fraction(0)) * (1 if s > 0 else -1)

    def J(t):
        return lam * abs(t) + t**2 / (2 * rho) - s * t / rho

    assert J(theta) < J(T)


def test_the_witness_of_a_wrong_posterior_is_negative_in_ball_arithmetic():
    model = poisson.wrong_models()["posterior of the printed objective"][1]
    assert sign(gap(model), at(row(model, "MM-1: majorizes").witness)) == -1


def test_a_step_longer_than_one_over_L_is_refuted_for_the_logistic_loss_too():
    model = quadratic.wrong_models()["logistic step too long"][1]
    point = at(row(model, "MM-1: majorizes").witness)
    assert point["y"] ** 2 == 1
    assert point["rho"] * point["x"] ** 2 / 4 > 1
    assert sign(gap(model), point) == -1


def test_no_minimiser_is_said_so_with_the_point():
    """s1 = 0: J_s = (λ − s2) e^θ has no minimiser."""
    verdict = row(poisson.wrong_models()["S closed at s1 = 0"][1], "MM-2: T minimizes")
    assert found(verdict).point["s1"] == "0"
    assert "no minimiser" in found(verdict).says
    assert "log(s1/(lambda - s2))" in found(verdict).says


def test_phi_outside_its_domain_names_the_term_and_a_point():
    theta, z, s = sp.symbols("theta z s", real=True)
    model = Model(theta=theta, z=z, s=s, loss=z * theta, phi=[-sp.log(theta)], S_bar=[-z * theta], T=[s])
    verdict = row(model, "defined")
    assert verdict.status == "refuted"
    assert found(verdict).says.startswith("phi: log(theta) is not defined at theta = ")
    assert Fraction(found(verdict).point["theta"]) <= 0


def test_without_definedness_no_other_row_is_proved():
    rows = check_model(toy.wrong_models()["theta unrestricted"][1])
    assert "proved" not in {v.status for key, v in rows.items() if key not in ("defined", "S convex")}


@pytest.mark.parametrize("name", ["MM-1: majorizes", "MM-2: T minimizes", "MM-2: unique"])
@pytest.mark.parametrize(
    "model",
    [
        toy.models()["toy"],
        toy.wrong_models()["theta unrestricted"][1],
        quadratic.wrong_models()["threshold without rho"][1],
    ],
    ids=["right", "not defined everywhere", "wrong T"],
)
def test_one_row_is_judged_as_among_all_that_it_needs(model, name):
    """`judge_row` says what `check_model` says: refuted with the same point, proved where all is defined."""
    alone, among = judge_row(model, name), check_model(model, rows=(name,))[name]
    assert (alone.status, alone.method, alone.witness) == (among.status, among.method, among.witness)


def test_of_a_refuted_row_definedness_is_not_asked(monkeypatch):
    """Its point says all; of any other row it is."""
    wrong, right = quadratic.wrong_models()["threshold without rho"][1], toy.models()["toy"]
    monkeypatch.setattr(mm1, "defined", lambda model, *, seed: undecided("search", Step("not asked", "")))
    monkeypatch.setattr(check, "by_kernel", lambda model, name, verdict, *, seed: verdict)
    assert judge_row(wrong, "MM-2: T minimizes").status == "refuted"
    assert judge_row(right, "MM-2: T minimizes").status == "open"


def test_a_wrong_T_says_nothing_about_uniqueness():
    """J_s stays strongly convex: a tie with a wrong T must not be read as a second minimiser."""
    rows = check_model(quadratic.wrong_models()["threshold without rho"][1])
    assert rows["MM-2: T minimizes"].status == "refuted"
    assert rows["MM-2: unique"].status == "supported"  # the penalty has a kink; a certificate starts from a right T


def test_a_second_minimiser_is_found():
    """J_s = θ⁴ − 2θ² has the minimisers ±1."""
    theta, z, s = sp.symbols("theta z s", real=True)
    model = Model(theta=theta, z=z, s=s, loss=0, psi=theta**4 - 2 * theta**2, phi=[0], S_bar=[z], T=[1])
    rows = check_model(model)
    assert (rows["MM-2: T minimizes"].status, rows["MM-2: unique"].status) == ("proved", "refuted")
    assert found(rows["MM-2: unique"]).point["theta"] == "-1"
    assert rows["A1: convex"].status == "refuted"


def test_a_nonconvex_S_is_refuted():
    model = replace(toy.models()["toy"], S=(sp.Symbol("s", real=True) > 0, sp.Ne(sp.Symbol("s", real=True), 1)))
    assert row(model, "S convex").status == "refuted"


@pytest.mark.parametrize("name", ["least squares", "least squares, ridge", "logistic"])
def test_T_and_S_bar_are_derived(name):
    model = quadratic.models()[name]
    assert all(vanishes(a - b) for a, b in zip(derive_T(replace(model, T=None)), model.T, strict=True))
    assert all(vanishes(a - b) for a, b in zip(derive_S_bar(model), model.S_bar, strict=True))


def test_a_derived_T_is_checked_like_any_other():
    rows = check_model(replace(toy.models()["toy"], T=None))
    assert {verdict.status for verdict in rows.values()} == {"proved"}


def test_a_T_that_cannot_be_derived_leaves_its_rows_open():
    rows = check_model(replace(quadratic.models()["least squares, box"], T=None))
    assert rows["MM-2: T minimizes"].status == "open"
    assert rows["MM-2: unique"].status == "proved"  # by strict convexity, whatever T is


theta, z, s = sp.symbols("theta z s", real=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"S_bar": [z, z]}, "S_bar has 2 entries but s has 1"),
        ({"T": [s, s]}, "T has 2 entries but theta has 1"),
        ({"phi": [theta * z]}, "phi contains z"),
        ({"theta": [z]}, "share a symbol"),
        ({"S": [sp.false]}, "S is empty"),
        ({"psi": sp.Symbol("theta", positive=True)}, "two different symbols are called theta"),
        ({"loss": sp.atan(theta)}, "atan"),
    ],
    ids=str,
)
def test_malformed_models_are_refused_with_the_reason(change, message):
    parts = {"theta": [theta], "z": [z], "s": [s], "loss": z * theta, "phi": [-theta], "S_bar": [z], "T": [s]}
    with pytest.raises(InvalidInput, match=message):
        Model(**(parts | change))


def test_an_empty_theta_is_refused_by_the_check():
    with pytest.raises(InvalidInput, match="is empty"):
        check_model(replace(toy.models()["toy"], Theta=(theta > 1, theta < 0)))


def test_assumptions_of_symbols_replace_relations():
    theta, z, s = sp.symbols("theta z s", positive=True)
    model = Model(
        theta=theta, z=z, s=s, loss=z * theta + 1 / theta, psi=1 / theta, phi=-theta, S_bar=z,
        T=1 / sp.sqrt(s), Theta=theta > 0, S=s > 0,
    )  # fmt: skip
    assert {verdict.status for verdict in check_model(model).values()} == {"proved"}


OWN = """from sympy import sqrt, symbols
from fedmm_edu.symbolic import Model
theta, z, s = symbols("theta z s", real=True)
model = Model(theta=[theta], z=[z], s=[s], loss=z*theta + 1/theta, psi=1/theta, phi=[-theta],
              S_bar=[z], T=[1/sqrt(s)], Theta=[theta > 0], S=[s > 0], Z=[z > 0])
"""


def test_a_file_of_ones_own_is_loaded_and_checked(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(OWN, encoding="utf-8")
    models = load_model(path)
    assert list(models) == ["model"]
    assert {verdict.status for verdict in check_model(models["model"]).values()} == {"proved"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not a file"),
        ("x = 1\n", "defines no Model"),
        ("x = 1\ny = (\n", "line 2"),
        ("x = 1\nx / 0\n", "line 2: ZeroDivisionError"),
        ("x = 1\nimport sys\nsys.exit(0)\n", "line 3: the file ends the program"),
        ("x = 1\nexit()\n", "line 2: the file ends the program|NameError"),
        ("x = 1\nprint('hello')\n", "line 2.*the file prints 'hello'"),
    ],
)
def test_a_file_that_cannot_be_loaded_says_why(tmp_path, text, message):
    path = tmp_path / "mine.py"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=message):
        load_model(path)


def test_no_value_is_no_counterexample():
    """Where ψ = −log θ is undefined on part of Θ = ℝ, the row "defined" is refuted, and nothing else by that point."""
    theta, z, s = sp.symbols("theta z s", real=True)
    model = Model(
        theta=[theta], z=[z], s=[s], loss=z * theta - sp.log(theta), psi=-sp.log(theta), phi=[-theta], S_bar=[z],
        T=[1 / s], S=[s > 0], Z=[z > 0],
    )  # fmt: skip
    rows = check_model(model)
    assert rows["defined"].status == "refuted"
    assert {name for name, verdict in rows.items() if verdict.status == "refuted"} == {"defined"}
    assert rows["MM-2: T minimizes"].status == "open"


def test_a_stationary_point_of_a_nonconvex_surrogate_is_no_minimiser():
    """J_s = θ⁴/4 − sθ² with s > 0: ∇J_s vanishes at T = 0 for every s, but 0 is a local maximum."""
    theta, z, s = sp.symbols("theta z s", real=True)
    model = Model(
        theta=[theta], z=[z], s=[s], loss=theta**4 / 4 - z * theta**2, psi=theta**4 / 4, phi=[theta**2], S_bar=[z],
        T=[0], S=[s > 0], Z=[z > 0],
    )  # fmt: skip
    rows = check_model(model)
    assert rows["MM-2: T minimizes"].status == "refuted"
    values = at(found(rows["MM-2: T minimizes"]))
    assert values["theta"] ** 4 / 4 - values["s"] * values["theta"] ** 2 < 0
    assert rows["A1: convex"].status == "refuted"
    # with s ≤ 0 the same T is right, and J_s convex
    right = replace(model, S=(s <= 0,), Z=(z <= 0,))
    assert check_model(right)["MM-2: T minimizes"].status == "proved"


def test_what_is_missing_is_the_open_part_and_not_the_last_one():
    """The first row of each pair is open, the last one proved: terminal and report name the open one."""
    doubt = undecided("sampling", Step("is $f$ convex?", "not decided"))
    sure = proved("identity", Step("$g = 0$", "expanding"))
    guess = supported("sampling", Step("no counterexample to $h \\ge 0$", "not a proof"))
    for parts in ({"f": doubt, "h": guess, "g": sure}, {"h": guess, "f": doubt, "g": sure}):
        assert conjunction(parts).missing == Step("f: is $f$ convex?", "not decided")
    assert conjunction({"h": guess, "g": sure}).missing == Step("h: no counterexample to $h \\ge 0$", "not a proof")
    assert conjunction({"outer": conjunction({"f": doubt, "g": sure}), "g": sure}).missing == Step(
        "outer: f: is $f$ convex?", "not decided"
    )
    assert conjunction({"g": sure}).missing is None


def test_a_model_whose_first_part_is_not_proved_and_the_last_one_is(monkeypatch):
    """(1 + z²) exp(−z²) ≤ 1 is true and beyond the search; 1 + z² > 0 is proved. The table names the first."""
    monkeypatch.setenv("COLUMNS", "200")
    s1, s2 = sp.symbols("s1 s2", real=True)
    model = Model(
        theta=theta, z=z, s=[s1, s2], loss=theta**2, psi=theta**2, phi=[theta, theta],
        S_bar=[(1 + z**2) * sp.exp(-(z**2)), 1 + z**2], S=[s1 <= 1, s2 > 0], T=[0],
    )  # fmt: skip
    rows = check_model(model, rows=("MM-1: S_bar in S",))
    verdict = rows["MM-1: S_bar in S"]
    assert verdict.status == "supported"
    assert verdict.evidence[-1].claim.startswith("S_bar(z, tau): s2 > 0")
    assert verdict.missing is not None
    assert verdict.missing.claim.startswith("S_bar(z, tau): 1 - s1 >= 0: no counterexample")
    shown = as_table("own", {"MM-1: S_bar in S": verdict})
    assert "not a proof" in shown
    assert "s2" not in shown


@pytest.mark.parametrize(
    ("name", "f", "weight"),
    [
        ("log", lambda v: sp.log(1 + v), lambda v: 2 / (1 + v)),
        ("exp", lambda v: -sp.exp(-v), lambda v: 2 * sp.exp(-v)),
        ("root", lambda v: sp.sqrt(1 + v), lambda v: 1 / sp.sqrt(1 + v)),
        ("inverse root", lambda v: -1 / sp.sqrt(1 + v), lambda v: (1 + v) ** sp.Rational(-3, 2)),
    ],
)
def test_a_concave_function_of_a_square_lies_below_its_tangent_line_and_a_convex_one_above(name, f, weight):
    """f(u²) ≤ f(v²) + f′(v²)(u² − v²), the reweighting of robust losses; with −f it is the wrong way round.

    For the inverse root no certificate is found: what the search proves of it is supported.
    """
    theta, z, s1, s2 = sp.symbols("theta z s1 s2", real=True)
    square = (z - theta) ** 2
    for way, status in ((1, "proved"), (-1, "refuted")):
        model = Model(
            theta=theta, z=z, s=(s1, s2), loss=way * f(square), phi=(theta, -(theta**2) / 2),
            S_bar=(way * weight(square) * z, way * weight(square)), T=s1 / s2, S=[way * s2 > 0],
        )  # fmt: skip
        assert row(model, "MM-1: tangent").status == "proved"
        found = row(model, "MM-1: majorizes").status
        assert found == status or (found == "supported" and name == "inverse root" and way > 0)


@pytest.mark.parametrize(
    ("direction", "most"),
    [((2, 0), 1), ((2, 2), 2), ((1, -1), sp.Rational(1, 2))],
    ids=["axis", "sum", "difference"],
)
def test_the_largest_curvature_of_a_cosine_is_enough_and_hardly_less_fails_there(direction, most):
    """A gradient step for cos(a θ₁ + b θ₂)/4: where a little is missing, it is below the loss for near θ and τ."""
    thetas, z, ss = sp.symbols("theta1:3", real=True), sp.Symbol("z", real=True), sp.symbols("s1:3", real=True)
    loss = sp.cos(sum(k * t for k, t in zip(direction, thetas, strict=True))) / 4 - z * thetas[0]
    for c, status in ((most, "proved"), ((1 - sp.Rational(1, 10**5)) * most, "refuted")):
        model = Model(
            theta=thetas, z=z, s=ss, loss=loss, psi=c * sum(t**2 for t in thetas) / 2, phi=thetas,
            S_bar=[c * t - sp.diff(loss, t) for t in thetas], T=[s / c for s in ss],
        )  # fmt: skip
        verdict = row(model, "MM-1: majorizes")
        assert verdict.status == status
        if status == "refuted":
            point = at(found(verdict))
            assert sign(gap(model), point) == -1
            assert all(abs(point[f"theta{k}"] - point[f"tau{k}"]) < 1 for k in (1, 2))
