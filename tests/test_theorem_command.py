"""`fedmm theorem` as a person meets it."""

import json
import math
import re
import shlex
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp
from scipy.stats import norm

from fedmm_edu.cli import main
from fedmm_edu.commands.theorem import EXAMPLES as THEOREM_EXAMPLE
from fedmm_edu.commands.theorem_own import as_rows
from fedmm_edu.commands.theorem_problem import READY
from fedmm_edu.federation import WithNoise
from fedmm_edu.text.tables import width
from fedmm_edu.theory.hypotheses import Number
from fedmm_edu.theory.privacy import spent_epsilon
from fedmm_edu.theory.rounding import above, root_above, up
from tests.conftest import OWN_TOY

NUMBERS = ["--v-min=1", "--v-max=2", "--C-star=0", "--C-star-star=2", "--L=1", "--sigma=0.1", "--gap=1"]

pytestmark = pytest.mark.usefixtures("narrow_folder")


def answer(capsys, *arguments, status=0):
    assert main(["theorem", *arguments, "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_the_examples_of_the_help_run(capsys, tmp_path):
    lines = [shlex.split(line)[1:] for line in THEOREM_EXAMPLE.replace("\\\n", " ").splitlines()[1:]]
    assert [main(arguments) for arguments in lines] == [0] * 5
    out = capsys.readouterr().out
    assert "own-thm1-B-best" in out
    assert (tmp_path / "bound.png").read_bytes().startswith(b"\x89PNG")


def test_data_of_ones_own_give_exact_constants(capsys, tmp_path):
    """The toy on [1, 4] with clients {1, 3} and {2, 4}: every constant by hand."""
    (tmp_path / "mine.py").write_text(OWN_TOY, encoding="utf-8")
    (tmp_path / "z.csv").write_text("client,z\na,1\nb,2\na,3\nb,4\n", encoding="utf-8")
    found = answer(capsys, "mine.py", "--S=1:4", "--data=z.csv", "--batch=1", "--start=4", "--V0=zero")
    value = {name: entry["value"] for name, entry in found["numbers"].items()}
    assert found["n"] == 2
    # one of two samples: σ_i² = 1; h(s) = 5/2 − s; W(T(s)) = 2.5/√s + √s
    assert value == pytest.approx({"v_min": 1 / 16, "v_max": 1 / 2, "C_star": 3 / 8, "C_star_star": 1 / 2,
                                   "sup_h": 1.5, "L": 1.0, "sigma": 1.0}, rel=2e-3)  # fmt: skip
    assert 0 <= found["gap"]["value"] - (3.25 - 2 * 2.5**0.5) <= 0.004  # enclosed from above
    assert found["variates"]["value"] == pytest.approx((4 + 1) / 4)
    assert {row["name"]: row["status"] for row in found["hypotheses"]}["A7"] == "proved"


PRIVATE = ["--epsilon=1", "--delta=1e-5", "--sensitivity=0.01"]


def test_noise_for_epsilon_is_part_of_sigma(capsys):
    """σ² = σ_rows² + q z² D², that of the oracle which adds it; z is enough by the exact law of Gaussian noise, and not
    far more than enough: T rounds are one with z/√T, which is private for δ(ε) = Φ(a − ε/2a) − e^ε Φ(−a − ε/2a)."""
    found = answer(capsys, *NUMBERS, "--q=3", "--rounds=50", *PRIVATE)
    z = found["privacy"]["multiplier"]
    noise = WithNoise(z * 0.01 * 20).noise(20, 3)
    assert found["numbers"]["sigma"]["value"] == pytest.approx(math.hypot(0.1, noise), rel=1e-12)

    def delta(z):
        a = math.sqrt(50) / (2 * z)
        return norm.cdf(a - 1 / (2 * a)) - math.e * norm.cdf(-a - 1 / (2 * a))

    assert delta(z) <= 1e-5 < delta(0.85 * z)
    without = answer(capsys, *NUMBERS, "--q=3", "--rounds=50", f"--gamma={found['gamma']}")
    ratio = found["bound"]["noise"] / without["bound"]["noise"]
    assert ratio == pytest.approx((0.1**2 + noise**2) / 0.1**2, rel=1e-9)
    assert found["bits"] == 50 * 10 * 64 * 3


def test_more_rounds_than_epsilon_was_given_for_cost_more(capsys):
    """What the price says of rounds it also says of ε; those for which the noise was made cost what was asked."""
    found = answer(capsys, *NUMBERS, "--rounds=50", *PRIVATE, "--target=0.5")
    z, cost = found["privacy"]["multiplier"], found["price"]["chosen"]
    assert spent_epsilon(z, 1e-5, 50) == pytest.approx(1.0, rel=1e-4)
    assert cost["rounds"] > 50
    assert cost["epsilon"] == spent_epsilon(z, 1e-5, cost["rounds"]) > 1.0
    assert main(["theorem", *NUMBERS, "--rounds=50", *PRIVATE]) == 0
    out = capsys.readouterr().out
    assert "together: " in out
    assert "bits up, ε = 1, δ = 1e-05" in out


def test_the_page_quotes_what_the_command_prints(capsys):
    line = shlex.split(THEOREM_EXAMPLE.replace("\\\n", " ").splitlines()[-1])
    assert main(line[1:]) == 0
    page = (Path(__file__).parents[1] / "book" / "howto" / "hospital.md").read_text("utf-8")
    quoted = capsys.readouterr().out.splitlines()[-7:-2]
    assert quoted[0].startswith("after T = 100 rounds")
    assert "\n".join(quoted) in page


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (PRIVATE[:2], "give --sensitivity, too, or none"),
        (PRIVATE[1:], "give --epsilon, too, or none"),
        (["--epsilon=0", *PRIVATE[1:]], "epsilon = 0"),
        (["--epsilon=1e-3", "--delta=1e-300", PRIVATE[2]], "ask for more noise than is of any use"),
        ([*PRIVATE, "--p=0.5"], "without noise: give --variates"),
        ([*PRIVATE, "--V0=zero"], "--V0 belong to a model"),
        (["toy", "--S=1:4", *PRIVATE, "--V0=mean_field"], "without noise: use --V0 zero"),
    ],
)
def test_what_is_no_privacy_is_refused(arguments, why, capsys):
    assert main(["theorem", *([] if "toy" in arguments else NUMBERS), *arguments]) == 2
    assert why in capsys.readouterr().err


def test_epsilon_without_the_accountant_names_the_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    assert main(["theorem", *NUMBERS, *PRIVATE]) == 2
    assert (
        "an ε needs dp_accounting, which is not installed: pip install 'fedmm-edu[private]'" in capsys.readouterr().err
    )


def test_where_A7_fails_there_is_no_bound(capsys):
    arguments = ["theorem", "quadratic:least squares, l1", "--set", "rho=1/10", "--set", "lambda=1/2"]
    assert main(arguments) == 1
    assert "Theorem 1 does not apply: A7 fails." in capsys.readouterr().out


def test_the_text_fits_and_says_which_constants(capsys):
    assert main(["theorem", *NUMBERS, "--omega=1", "--constants=printed"]) == 0
    out = capsys.readouterr().out
    assert "the numbers that the paper prints" in out
    assert max(width(line) for line in out.splitlines() if line.startswith(("A", "─"))) <= 90


def test_printed_constants_ask_for_more_rounds(capsys):
    at = [*NUMBERS, "--omega=1", "--p=0.5", "--target=0.6"]
    sharper, printed = (
        answer(capsys, *at, f"--constants={name}")["price"]["chosen"] for name in ("sharper", "printed")
    )
    assert sharper["rounds"] < printed["rounds"]


def test_what_no_proof_supports_is_said(capsys, monkeypatch):
    """Formulas too long for ball arithmetic: constants from a grid, so the bound is marked, with status 1."""
    monkeypatch.setattr("fedmm_edu.theory.on_data.LENGTH", 1)
    at = ["toy", "--S=1/10:5", "--samples=3", "--n=2", "--gap=1"]
    found = answer(capsys, *at, status=1)
    assert "grid" in found["rests_on"]["sup_h"]
    assert found["bound"]["total"] > 0
    assert main(["theorem", *at]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "NOT PROVED: the bound below rests on what is not proved: sup_h (sup‖h‖²: largest over a grid" in out


@pytest.mark.parametrize("example", READY)
def test_an_example_of_several_models_offers_a_command_that_works(capsys, example):
    """The command in the message runs as it stands, and its bound rests on nothing unproved."""
    assert main(["theorem", example]) == 2
    offered = capsys.readouterr().err.strip().partition("For instance: ")[2]
    assert offered == READY[example]
    assert main([*shlex.split(offered)[1:], "--samples=4", "--n=2"]) == 0
    assert "NOT PROVED" not in capsys.readouterr().out


ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "book").rglob("*.md")), *sorted((ROOT / "notebooks").glob("*.md"))]
OFFERED = sorted({line for page in PAGES for line in re.findall(r"fedmm (theorem [^`\n]*\d)", page.read_text("utf-8"))
                  if ".py" not in line})  # fmt: skip
"""But for those about files that a reader writes: the pages that these belong to are run as a whole."""


@pytest.mark.parametrize("line", OFFERED)
def test_what_pages_offer_ends_in_a_bound(capsys, line):
    """Each command that a page shows has a bound or a rate, and it rests on nothing unproved."""
    assert len(OFFERED) >= 2
    assert main(shlex.split(line)) == 0
    says = "certified, and measured" if " regression " in line else "the mean of E[Ē_t] is at most"
    assert says in capsys.readouterr().out


def test_samples_are_drawn_where_MM1_asks(capsys):
    """On a smaller 𝒮 an example's samples are those of its draws with S̄ = z there, and no others; else an error."""
    at = ["toy", "--S=1:4", "--samples=3", "--n=2"]
    found = answer(capsys, *at)
    assert {row["name"]: row["status"] for row in found["hypotheses"]}["MM-1"] == "proved"
    assert "of those with S̄ in 𝒮" in found["notes"][0]
    assert "of those" not in answer(capsys, "toy", "--S=1/10:5", "--samples=3", "--n=2")["notes"][0]
    assert main(["theorem", "toy", "--S=6:7"]) == 2
    assert "0 of 2000 samples drawn as in the case 'toy' have S̄ in this 𝒮" in capsys.readouterr().err


def test_MM1_is_judged_on_the_S_that_is_given(capsys, tmp_path):
    """A sample outside of 𝒮 refutes S̄ ∈ 𝒮 there; all inside, it is proved, though the file allows every z > 0."""
    (tmp_path / "mine.py").write_text(OWN_TOY, encoding="utf-8")
    for last, status in (("4", "proved"), ("9/2", "fails")):
        (tmp_path / "z.csv").write_text(f"z\n1\n2\n{float(Fraction(last))}\n", encoding="utf-8")
        found = answer(capsys, "mine.py", "--S=1:4", "--data=z.csv", "--n=1", status=int(status == "fails"))
        rows = {row["name"]: row for row in found["hypotheses"]}
        assert rows["MM-1"]["status"] == status
        assert rows["MM-2"]["status"] == "proved"
        assert ("z = 9/2" in rows["MM-1"]["why"]) == (status == "fails")


@pytest.mark.parametrize(
    ("flag", "right", "wrong"),
    [
        ("v-min", 1 / 16, 0.07),
        ("v-max", 0.5, 0.49),
        ("C-star", 0.375, 0.3),
        ("C-star-star", 0.5, 0.4),
        ("gap", 1, 0.001),
    ],
)
def test_a_constant_that_contradicts_the_model_is_refused(capsys, tmp_path, flag, right, wrong):
    """The toy on [1, 4]: v_min = 1/16, v_max = C_⋆⋆ = 1/2, C_⋆ = 3/8, and no constant does better."""
    (tmp_path / "mine.py").write_text(OWN_TOY, encoding="utf-8")
    (tmp_path / "z.csv").write_text("z\n1\n2\n4\n", encoding="utf-8")
    at = ["theorem", "mine.py", "--S=1:4", "--data=z.csv", "--n=1", "--start=4"]
    assert main([*at, f"--{flag}={right}"]) == 0
    assert main([*at, f"--{flag}={wrong}"]) == 2
    assert "contradicts this model" in capsys.readouterr().err


OWN = ["--constants=own", "--omega=1", "--p=0.5", "--target=0.05"]


def test_our_own_theorems_beside_theorem_1(capsys, tmp_path):
    """Each with its bound; only the one whose noise is of second order reaches what is below the others' floor."""
    at = [*NUMBERS, *OWN, "--L-T=1", "--ell=2", "--h0=1"]
    found = answer(capsys, *at, "--figure=own.png")
    rows = {entry["theorem"]: entry for entry in found["theorems"]}
    assert rows["printed"]["T"] is rows["sharper"]["T"] is rows["own-lip"]["T"] is None
    assert rows["own-projected"]["T"] < rows["own-any"]["T"]
    assert (tmp_path / "own.png").read_bytes().startswith(b"\x89PNG")
    assert main(["theorem", *at]) == 0
    out = capsys.readouterr().out
    assert "own-projected asks: those of Theorem 1 but A1 and A2, and γ ≤ 1/2" in out
    assert "never" in out


def test_without_A7_there_is_still_a_theorem(capsys):
    """own-lip needs no v_min, C_⋆ and sup‖h‖; the others say what is missing; if none applies, the status is 1."""
    at = ["--L=1", "--sigma=0.1", "--gap=1", *OWN]
    found = answer(capsys, *at, "--L-T=1", "--ell=2", "--h0=1")
    why = {entry["theorem"]: entry["why_not"] for entry in found["theorems"]}
    assert why["own-lip"] == ""
    assert "--v-min" in why["own-any"]
    entries = {entry["theorem"]: entry["why_not"] for entry in answer(capsys, *at, status=1)["theorems"]}
    assert entries["own-lip"] == "not known: --L-T, --ell, --h0"


SINGULAR = """import sympy as sp
from fedmm_edu.symbolic.model import Model
theta, z, s, t = sp.symbols("theta z s t", real=True)
MODEL = Model(theta=(theta,), z=(z,), s=(s, t), loss=(theta - z)**2 / 2, psi=theta**2 / 2, phi=(theta, theta),
              S_bar=(z / 2, z / 2), T=(s + t,), g=sp.Integer(0), S=(), name="twice")
"""


def test_a_singular_B_is_no_obstacle_to_the_theorem_in_its_seminorm(capsys, tmp_path):
    """T(s, t) = s + t and S̄ = (z/2, z/2): v_min fails, φ∘T is affine, and λ² = L_Tℓ² is all that is asked besides."""
    (tmp_path / "twice.py").write_text(SINGULAR, encoding="utf-8")
    (tmp_path / "z.csv").write_text("z\n1\n2\n4\n", encoding="utf-8")
    at = ["twice.py", "--data=z.csv", "--n=3", "--batch=1", "--start=3,1", "--constants=own"]
    for more in ([], ["--p=0.5"]):
        found = answer(capsys, *at, *more)
        rows = {entry["theorem"]: entry for entry in found["theorems"]}
        assert (rows["own-any"]["why_not"], rows["own-seminorm"]["why_not"]) == ("A7 fails", "")
        assert rows["own-seminorm"]["rests_on"] == {}
        assert found["missing"]["A7"]["row"] == "own-any-step"
        assert "B(s)u = 0" in found["missing"]["A7"]["here"]
    small = answer(capsys, *at, "--S=0:5", "--S=0:5", "--p=0.5", "--target=0.1")["theorems"]
    (projected,) = (entry for entry in small if entry["theorem"] == "own-seminorm")
    assert not projected["why_not"]
    assert projected["gamma"] <= 0.5
    assert min(projected["kappa"], projected["kappa_for_target"]) > 0.0
    assert "kappa" not in rows["own-seminorm"]
    assert rows["own-seminorm"]["bound"] < projected["bound"] < math.inf
    assert as_rows([projected])[0][2].endswith(f", κ = {projected['kappa']:.3g}")
    (tmp_path / "toy.py").write_text(OWN_TOY, encoding="utf-8")
    curved = answer(capsys, "toy.py", *at[1:4], "--S=1:4", "--p=0.5", "--constants=own")["theorems"]
    (bent,) = (entry for entry in curved if entry["theorem"] == "own-seminorm")
    assert bent["why_not"].startswith("projections may be active")
    given = [*NUMBERS[1:], "--constants=own", "--lam=1", "--h0=1"]
    assert NUMBERS[0].startswith("--v-min")
    assert {e["theorem"]: e["why_not"] for e in answer(capsys, *given)["theorems"]}["own-seminorm"] == ""


def test_biased_messages_have_their_own_theorems(capsys):
    """Top-1 of two numbers, a = 1/2: no theorem that asks for A4 applies; two of ours do, or say what they lack."""
    at = [*NUMBERS, "--sigma=0", "--constants=own", "--contraction=0.5"]
    found = answer(capsys, *at, "--pl=0.5")
    assert {row["name"]: row["status"] for row in found["hypotheses"]}["A4"] == "fails"
    why = {entry["theorem"]: entry["why_not"] for entry in found["theorems"]}
    assert [name for name, reason in why.items() if not reason] == ["own-biased", "own-biased-linear"]
    assert why["sharper"] == "A4 fails: the messages are biased"
    rows = {entry["theorem"]: entry for entry in found["theorems"]}
    assert rows["own-biased-linear"]["bound"] < 1e-6 < rows["own-biased"]["bound"]
    entries = answer(capsys, *at)["theorems"]
    assert {entry["theorem"]: entry["why_not"] for entry in entries}["own-biased-linear"] == "not known: --pl"
    same = answer(capsys, *at[:-1], "--compress=topk:1", "--q=2", "--pl=0.5")
    assert same["theorems"] == found["theorems"]
    assert main(["theorem", *at]) == 0
    out = capsys.readouterr().out
    assert "does not apply" in out
    assert "own-biased asks: those of own-any but A4" in out


def test_local_steps_and_restarts_have_rates_of_their_own(capsys):
    """With κ they apply to exact gradients that are sent in full; each says what keeps it from applying."""
    at = [*NUMBERS, "--sigma=0", "--constants=own", "--condition=20", "--h0=0.1", "--target=0.01"]
    rows = {entry["theorem"]: entry for entry in answer(capsys, *at, "--local-steps=4")["theorems"]}
    assert rows["own-accelerated-restart"]["T"] < rows["own-scaffold-rate"]["T"] < rows["own-projected"]["T"]
    assert rows["own-accelerated-restart"]["restart"] > 1

    def why(*more):
        found = {entry["theorem"]: entry["why_not"] for entry in answer(capsys, *at, *more)["theorems"]}
        return found["own-scaffold-rate"], found["own-accelerated-restart"]

    assert why() == ("not known: --local-steps", "")
    assert why("--local-steps=4", "--p=0.5", "--n=4") == ("", "some clients are absent")
    assert why("--local-steps=4", "--p=0.3", "--n=4")[0] == "p n = 1.2 is no number of clients"
    assert why("--local-steps=4", "--omega=1") == ("messages are compressed",) * 2
    assert why("--local-steps=4", "--sigma=0.1") == ("", "oracles are not exact: σ > 0")
    assert main(["theorem", *at]) == 0
    assert ", anew" in capsys.readouterr().out


def test_biased_and_unbiased_messages_side_by_side(capsys):
    """The same constants: 8-bit messages by own-any, and by own-biased with a = 1/(1 + ω)."""
    found = answer(capsys, *NUMBERS, "--sigma=0", "--q=2", "--compress=uniform:8", "--constants=own")
    rows = {entry["theorem"]: entry for entry in found["theorems"]}
    assert found["contraction"] == pytest.approx(1 / (1 + found["omega"]))
    assert found["omega"] > 0
    assert 0 < rows["own-any"]["bound"] <= rows["own-biased"]["bound"] < 2 * rows["own-any"]["bound"]


def test_what_is_missing_is_named(capsys):
    found = answer(capsys, "--v-min=1", "--v-max=2", "--C-star=0", "--C-star-star=2", status=1)
    assert found["why_not"] == "no bound: L, sigma, gap not known; give --L, --sigma, --gap."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--gamma=1"], "admits step sizes below"),
        (["--contraction=0.5"], "choose --constants own"),
        (["--contraction=0.5", "--constants=own", "--omega=1"], "leave out the others"),
        (["--contraction=2", "--constants=own"], "a = 2"),
        (["--omega=1", "--alpha=0.9"], "alpha = 0.9"),
        (["--p=0"], "p = 0.0"),
        (["--compress=zip"], "randk:K"),
        (["--omega=-1"], "omega = -1"),
        (["--v-min=3"], "v_min = 3.0"),
        (["--n=0"], "n = 0"),
        (["--target=-1"], "target = -1"),
        (["toy", "--S=1:4", "--start=5"], "lies outside [1, 4]"),
        (["toy", "--data=none.csv"], "none.csv"),
        (["quadratic"], "has several models"),
        (["quadratic:logistic"], "--set rho=1/2"),
        (["loglinear", "--set", "R=2", "--set", "kappa=1"], "breaks p >= 0"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, arguments, says):
    given = [] if arguments[0][0] != "-" else [x for x in NUMBERS if x.split("=")[0] != arguments[0].split("=")[0]]
    assert main(["theorem", *given, *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("fedmm: ")
    assert error.count("\n") == 1
    assert says in error


@pytest.mark.parametrize(
    "expr", [sp.Rational(1, 3), sp.Rational(2, 3), -sp.Rational(1, 3), sp.sqrt(2), -sp.pi, sp.S.Zero]
)
def test_numbers_are_rounded_outward(expr):
    """A float that is not below the number, and the next one or two below it are."""
    found = up(expr)
    assert sp.Rational(found) >= expr
    low = math.nextafter(math.nextafter(found, -math.inf), -math.inf)
    assert expr == 0 or sp.Rational(low) < expr
    assert above(Fraction(1, 10)) == 0.1
    assert Fraction(root_above(Number(2.0, "proved", "")).value or 0.0) ** 2 >= 2


# ---------------------------------------------------------------------------------------------- certified and measured


def test_two_kinds_of_messages_side_by_side_certified_and_measured(capsys):
    """The README's regression: 8-bit messages and Top-1, each by its own theorem; no run passes its rate."""
    at = ["theorem", "regression", "--compress=uniform:8,topk:1", "--p=0.5", "--target=0.05"]
    assert main([*at, "--json"]) == 0
    rates = json.loads(capsys.readouterr().out)["rates"]
    assert [one["theorem"] for one in rates] == ["own-diana-rate", "own-biased-monotone"]
    for one in rates:
        assert 0 < one["measured_factor"] <= one["factor"] < 1
        assert 0 < one["measured_rounds"] <= one["rounds"]


def test_regression_on_rows_of_ones_own(capsys, tmp_path):
    """Features, then y; dependent columns, options of other problems and a penalty that is no number are refused."""
    rows = ["a,b,y,client", *(f"{k % 3},{k % 2},{k % 5},{k % 4}" for k in range(40))]
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    at = ["theorem", "regression", "--data=rows.csv", "--target=0.1"]
    assert main([*at, "--set=l1=1/20"]) == 0
    assert "own-diana-rate" in capsys.readouterr().out
    same = ["a,b,y,client", *(f"{k % 3},{k % 3},{k % 5},{k % 4}" for k in range(40))]
    (tmp_path / "same.csv").write_text("\n".join(same) + "\n", encoding="utf-8")
    for wrong, says in (
        (["theorem", "regression", "--data=same.csv"], "linearly dependent"),
        ([*at, "--S=0:1"], "--S: not of regression"),
        ([*at, "--set=l1=many"], "l1=many is no number"),
        ([*at, "--compress=uniform:8,topk:x"], "choose none"),
    ):
        assert main(wrong) == 2
        assert says in capsys.readouterr().err
