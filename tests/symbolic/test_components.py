"""Models of L components: what they say for a number of them, proofs for every L, and mistakes that show later."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from fedmm_edu import constants
from fedmm_edu.errors import InvalidInput
from fedmm_edu.symbolic import ComponentModel, Model, check_model, derive_T, kernel, load_model, load_models
from fedmm_edu.symbolic.hypotheses import component_check
from fedmm_edu.symbolic.hypotheses.alarm import ProofContradicted
from fedmm_edu.symbolic.hypotheses.check import certificates_of
from fedmm_edu.symbolic.hypotheses.component_certificates import component_certificates
from fedmm_edu.symbolic.hypotheses.component_claims import COMPONENT_CLAIMS
from fedmm_edu.symbolic.hypotheses.statements import CLAIMS
from tests.literature import components, latent

MAJORIZES = "MM-1: majorizes"
k, m, n = sp.symbols("k m n", integer=True, positive=True)
theta, s, z = (sp.IndexedBase(name) for name in ("theta", "s", "z"))
x = sp.Symbol("x", real=True)


def mean(**changes) -> ComponentModel:
    """Σ_l (θ_l − z_l)²/2, its own surrogate."""
    parts = {
        "theta": theta[k], "z": z[k], "s": s[k], "loss": sp.Sum((theta[k] - z[k]) ** 2, (k, 1, n)) / 2,
        "psi": sp.Sum(theta[k] ** 2, (k, 1, n)) / 2, "phi": theta[k], "S_bar": z[k],
    }  # fmt: skip
    return ComponentModel(**{**parts, **changes})


def test_a_number_of_components_is_the_model_written_out():
    """L = 2 of a Gaussian mixture is that of the literature's two Gaussians."""
    two, written = components.gaussians().at(2), latent.gaussians()
    rename = dict(zip((*two.s, *two.constants), (*written.s, *written.constants), strict=True))
    for key in ("loss", "g", "phi", "S_bar", "T"):
        made, meant = sp.Tuple(getattr(two, key)), sp.Tuple(getattr(written, key))
        assert sp.simplify(sp.Matrix(sp.flatten(made)).xreplace(rename) - sp.Matrix(sp.flatten(meant))).is_zero_matrix


@pytest.mark.parametrize("make", [components.kl_nmf, components.least_squares])
def test_right_ones_are_proved_for_every_number(make):
    rows = check_model(make())
    assert {row: verdict.status for row, verdict in rows.items()} == dict.fromkeys(CLAIMS, "proved")
    assert rows[MAJORIZES].method == "for every L"


def test_a_mixture_of_any_number_of_gaussians_is_majorized():
    """Jensen's inequality: the multiplier of the total at τ has the logarithms of both totals."""
    found = component_certificates(components.gaussians(), MAJORIZES)
    assert found is not None
    found[0].accept()
    assert any("log" in str(times) for _, times in found[0].proof[2])
    wrong = replace(components.gaussians(), phi=(2 * components.theta, -(components.theta**2) / 2))
    assert component_certificates(wrong, MAJORIZES) is None


@pytest.mark.parametrize(
    ("wrong", "row", "at"),
    [
        (components.de_pierro(1), MAJORIZES, "L = 2"),
        (components.de_pierro(2), MAJORIZES, "L = 3"),
        (components.de_pierro(4), MAJORIZES, "L = 5"),
        (components.de_pierro(40), MAJORIZES, "L = 100"),
        (components.soft_threshold(2), "MM-2: T minimizes", "L = 2"),
        (mean(S_bar=-z[k]), "MM-1: tangent", "n = 2"),
        (mean(psi=sp.Sum(theta[k] ** 2, (k, 1, n)) / 4), MAJORIZES, "n = 2"),
        (mean(S=s[k] > 0), "MM-1: S_bar in S", "n = 2"),
        (mean(T=s[k] * sp.Piecewise((1, n <= 50), (2, True))), "MM-2: T minimizes", "n = 100"),
    ],
)
def test_a_mistake_is_refuted_at_a_number_of_components(wrong, row, at):
    """Also one that shows at three components only, or at five, or at more than forty."""
    verdict = check_model(wrong, rows=(row,))[row]
    assert verdict.witness is not None
    assert at in verdict.witness.says


def test_a_solution_is_derived_for_one_component():
    """J_s = Σ (θ²/2 − sθ): T_l = s_l; where an equation ties components, T has to be stated."""
    rows = check_model(mean())
    assert rows["MM-2: unique"].status == "proved"
    tied = mean(Theta=sp.Eq(sp.Sum(theta[k], (k, 1, n)), 1), T=None)
    row = check_model(tied, rows=("MM-2: T minimizes",))["MM-2: T minimizes"]
    assert (row.status, "state T" in row.finding) == ("open", True)


def test_a_shared_coordinate_beside_those_of_components():
    """θ_l and a common shift x: Σ (θ_l + x − z_l)² with its mixed terms is majorized by twice the squares."""
    shift, total = sp.Symbol("s0", real=True), sp.Sum(theta[k] - z[k], (k, 1, n))
    both = ComponentModel(
        theta=(theta[k], x), z=z[k], s=(s[k], shift), loss=sp.Sum((theta[k] - z[k]) ** 2, (k, 1, n)) / 2 + x * total,
        psi=sp.Sum(theta[k] ** 2, (k, 1, n)) + n * x**2 / 2, phi=(theta[k], x),
        S_bar=(theta[k] + z[k] - x, n * x - total), T=(s[k] / 2, shift / n),
    )  # fmt: skip
    rows = check_model(both, rows=("MM-1: tangent", MAJORIZES, "MM-2: T minimizes", "MM-2: unique"))
    assert {verdict.status for verdict in rows.values()} == {"proved"}
    less = replace(both, psi=both.psi - x**2 / 2, S_bar=(both.S_bar[0], both.S_bar[1] - x))
    found = check_model(less, rows=("MM-1: tangent", MAJORIZES))
    assert (found["MM-1: tangent"].status, found[MAJORIZES].status) == ("proved", "refuted")


def test_a_proof_beside_a_counterexample_stops_the_program(monkeypatch):
    """A certificate of another model in the place of this one's: numbers at two components break it."""
    monkeypatch.setattr(component_check, "broken_at", lambda *args, **kwargs: None)
    monkeypatch.setattr(component_check, "component_certificates", lambda model, row: certificates_of(mean(), row))
    with pytest.raises(ProofContradicted, match="tangent"):
        check_model(mean(S_bar=-z[k]), rows=("MM-1: tangent",))


def test_a_row_claims_the_same_of_components():
    assert COMPONENT_CLAIMS.keys() == CLAIMS.keys()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"theta": x}, "has not one index"),
        ({"loss": theta[k] ** 2}, "outside a sum"),
        ({"loss": sp.Sum(theta[k], (k, 1, n)) + sp.Sum(theta[k], (k, 1, sp.Symbol("m")))}, "one symbol L"),
        ({"loss": sp.Sum(theta[k], (k, 2, n))}, "from 1 to L"),
        ({"loss": sp.Sum(theta[k], (k, 1, 3))}, "one symbol L"),
        ({"loss": sp.Sum(sp.IndexedBase("A")[k, k], (k, 1, n))}, "one index"),
        ({"S_bar": sp.Sum(theta[k] * z[sp.Symbol("m")], (sp.Symbol("m"), 1, n))}, "pairs of components"),
        ({"loss": sp.Sum(theta[k] * theta[m], (m, k + 1, n), (k, 1, n))}, r"\(Sum\(a\[l\], .* - Sum"),
        ({"loss": sp.Sum(sp.Sum(theta[k] * theta[m], (m, 1, n)), (k, 1, n))}, "pairs of components"),
        ({"loss": sp.Sum(sp.IndexedBase("A")[m, k] * theta[k], (k, 1, n))}, "two sets of indices"),
        ({"S_bar": z[sp.Symbol("m")]}, "belongs to no sum"),
        ({"S_bar": s[k]}, "must not depend on"),
        ({"phi": (theta[k], theta[k])}, "2 entries"),
        ({"loss": sp.Sum(sp.besselj(0, theta[k]), (k, 1, n))}, "not supported"),
        ({"given": sp.Symbol("theta_k", real=True) > 0}, "rename"),
        ({"loss": sp.Sum(theta[k], (k, 1, n)) * x, "z": (z[k], x), "s": s[k], "S_bar": x + s[1]}, "one index"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused(changes, says):
    with pytest.raises(InvalidInput, match=says):
        mean(**changes)


def test_a_sum_over_pairs_is_read_as_the_refusal_says():
    """Σ_{l<m} θ_l θ_m = ((Σ θ)² − Σ θ²)/2."""
    total = sp.Sum(theta[k], (k, 1, n))
    three = mean(loss=(total**2 - sp.Sum(theta[k] ** 2, (k, 1, n))) / 2).at(3)
    a, b, c = three.theta
    assert sp.expand(three.loss - a * b - a * c - b * c) == 0


def test_numbers_of_components_and_names_are_refused_where_they_make_no_sense():
    with pytest.raises(InvalidInput, match="integer from 1"):
        mean().at(0)
    theta2 = sp.Symbol("theta2", positive=True)
    with pytest.raises(InvalidInput, match="rename"):
        mean(given=theta2 > 1).at(2)


@pytest.mark.parametrize("use", [kernel, constants, derive_T])
def test_what_needs_a_number_of_components_asks_for_it(use):
    with pytest.raises(InvalidInput, match=r"as model\.at\(3\)"):
        use(mean())


def test_a_model_with_an_index_is_no_plain_model():
    with pytest.raises(InvalidInput):
        Model(theta=[x], z=[sp.Symbol("z")], s=[sp.Symbol("s")], loss=sp.Sum(x, (k, 1, n)), phi=[x], S_bar=[1])


def test_a_file_has_both_kinds(tmp_path):
    """What is derived for a number of components asks for that number."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from tests.symbolic.test_components import mean\nmany = mean()\nthree = many.at(3)\n", encoding="utf-8"
    )
    assert [*load_models(file)] == ["many", "three"]
    assert [*load_model(file)] == ["three"]
    file.write_text("from tests.symbolic.test_components import mean\nmany = mean()\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"many\.at\(3\)"):
        load_model(file)
