"""`fedmm compare`: what is counted, who wins by what, where runs end, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from fedmm_edu.algorithms import SurrogateSpace, run
from fedmm_edu.algorithms.downlink import Differences
from fedmm_edu.cli import main
from fedmm_edu.datasets.movielens import find
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture import GaussianMeans
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import FullBatch, RandK, TopK, largest_alpha
from fedmm_edu.relatives import Folded, Scales, Tuning, relatives
from fedmm_edu.studies.relatives import CONTESTS, ComparePlan, Given, compare_relatives
from fedmm_edu.studies.relatives.compare import cheapest
from fedmm_edu.studies.relatives.ends import predicted
from fedmm_edu.studies.relatives.grid import LISTS, choices, from_theory, scales, scales_of, takes, why_not
from fedmm_edu.studies.relatives.race import Knobs, Race, on, problem_for
from fedmm_edu.studies.tasks import Pool
from fedmm_edu.surrogate import majorization_gap, mean_field, mean_loss
from fedmm_edu.theory import largest_gamma
from tests.relatives.case import COVARIANCES, mixed_clients

RIDGE, N, D = Given("quadratic:ridge"), 10, 10
FLOAT = 64


def raced(key: str, choice: Knobs, rounds: int = 5, source: Given = RIDGE, seed: int = 1):
    return Race(source, key, choice, seed, rounds, -np.inf).make()


@pytest.mark.parametrize(
    ("key", "choice", "before", "up", "down", "gradients"),
    [
        ("fedmm", Knobs(), (D, D, 1), D, 2 * D, 1),
        ("fedmm", Knobs(downlink="floats"), (D, D, 1), D, D, 1),  # clients work T out
        ("naive", Knobs(), (0, 0, 0), D, D, 1),
        ("fedavg", Knobs(eta=0.1, steps=4), (0, 0, 0), D, D, 4),
        ("scaffold", Knobs(eta=0.1, steps=3), (0, 0, 0), D, 2 * D, 3),  # they hear V_t
        ("ef21", Knobs(eta=0.1), (D, D, 1), D, D, 1),  # V_{0,i} in full
        ("scaffnew", Knobs(eta=0.1, p=1.0), (0, 0, 0), D, D, 1),  # who knows x_t and x_{t−1} knows V_t
    ],
)
def test_everything_that_is_sent_or_computed_is_counted(key, choice, before, up, down, gradients):
    """By hand: floats a client and round, and what is sent before the first round."""
    found = raced(key, choice)
    t = np.arange(6)
    first_up, first_down, first = before
    np.testing.assert_array_equal(found.rounds, t + first)
    np.testing.assert_array_equal(found.bits_up, N * FLOAT * (first_up + up * t))
    np.testing.assert_array_equal(found.bits_down, N * FLOAT * (first_down + down * t))
    np.testing.assert_array_equal(found.gradients, N * (first + gradients * t))
    assert (np.diff(found.seconds) > 0).all()


def test_a_step_and_a_downlink_of_fedmm_are_settings():
    """ρ is that of the problem, times the setting; differences are compressed as the uplink is, and heard by all."""
    contest = RIDGE.contest()
    fed = on(
        relatives()["fedmm"],
        contest,
        Knobs(rho=1.8, compressor="random quarter", downlink="differences"),
        1,
        FullBatch(),
    )
    plain = contest.problem
    assert isinstance(plain, Quadratic)
    assert isinstance(fed.problem, Quadratic)
    assert fed.problem.rho == 1.8 * plain.rho
    assert fed.downlink == Differences(fed.compressor, largest_alpha(fed.compressor.omega(D)))
    found = raced("fedmm", Knobs(compressor="random quarter", downlink="differences", active=5))
    np.testing.assert_array_equal(np.diff(found.bits_down), N * fed.compressor.bits(D))
    np.testing.assert_array_equal(np.diff(found.bits_up), 5 * fed.compressor.bits(D))
    size = scales(contest.problem, contest)
    every = choices(relatives()["fedmm"], contest, size, 100, 0)
    assert not any((one.downlink, one.compressor) == ("differences", "none") for one in every)
    given = from_theory(
        relatives()["fedmm"], contest, size, Knobs(rho=1.8, compressor="8 bits", downlink="differences")
    )
    assert given is not None
    assert (given.rho, given.downlink) == (1.0, "floats")  # what Theorem 1 is about


def test_the_objective_of_personal_weights_is_that_of_the_model():
    """Σ μ_i f_i(θ; π_i) + g by hand; half of the clients may be away."""
    source = Given("mixture:personal")
    contest = source.contest()
    problem, rng = contest.problem, np.random.default_rng(0)
    own, theta = rng.dirichlet(np.ones(3), N), rng.normal(size=problem.d)
    losses = [problem.with_weights(pi).loss(z, theta).mean() for pi, z in zip(own, contest.clients, strict=True)]
    assert contest.W(theta, own) == pytest.approx(float(np.mean(losses)) + problem.g(theta), rel=1e-13)
    common = contest.clients.objective(problem, contest.start)
    assert common == pytest.approx(contest.W_0, rel=1e-13)  # all of 1/3
    for key in ("marfoq", "marfoq-in-s"):
        run = raced(key, Knobs(active=5), 30, source)
        assert run.objective[-1] < run.objective[0] <= contest.W_0


@pytest.mark.parametrize("key", ["fedmm", "scaffnew", "ef21", "fedadam"])
def test_a_race_is_the_run_of_the_relative(key):
    """Counting and timing change no bit."""
    choice, contest, relative = Knobs(eta=0.3, gamma=0.1, p=0.3), RIDGE.contest(), relatives()[key]
    fed = on(relative, contest, choice, 1, FullBatch())
    state, _ = run(fed, relative.start(fed, contest.start), 5, columns={}, every=())
    np.testing.assert_array_equal(raced(key, choice).theta, fed.theta(state))


def test_the_server_is_timed_once_for_each_T(monkeypatch):
    """Recording W asks for no T(Ŝ_t) of its own: one for the start and each of five rounds, one for the answer."""
    asked, plain = [], SurrogateSpace.theta
    monkeypatch.setattr(SurrogateSpace, "theta", lambda *them: asked.append(1) or plain(*them))
    raced("fedmm", Knobs())
    assert len(asked) == 7


def test_a_run_ends_where_it_is_said_to():
    """At the level; at once where it diverges; at a point without a value with its reason."""
    long = raced("fedmm", Knobs(), 60)
    level = float(long.objective[20])
    short = Race(RIDGE, "fedmm", Knobs(), 1, 60, level).make()
    assert (short.ended, len(short.objective)) == ("reached", 21)
    some = Race(RIDGE, "scaffold", Knobs(eta=0.1, steps=5), 1, 60, -np.inf, passes=20).make()
    assert (some.ended, some.rounds[-1], some.gradients[-1]) == ("rounds", 4, 20 * N)
    settled = Race(RIDGE, "fedmm", Knobs(), 1, 5000, -np.inf, patience=10).make()
    assert (settled.objective[-11:] >= settled.objective[:-10].min()).all()
    assert 20 < len(settled.objective) < 5000
    wild = raced("fedavg", Knobs(eta=1e3), 200)
    assert wild.ended == "diverged"
    assert len(wild.objective) < 50


def test_the_equation_says_where_fedavg_ends():
    """The gap of a long run is that of the point that the equation gives; FedMM has none to be sent to."""
    contest = RIDGE.contest()
    size = scales(problem_for(relatives()["fedavg"], contest), contest)
    assert size is not None
    choice = Knobs(eta=1.0 / size.L, steps=4)
    found = predicted(relatives()["fedavg"], contest, choice)
    assert found is not None
    np.testing.assert_allclose(raced("fedavg", choice, 500).theta, found, rtol=0, atol=1e-6)
    assert predicted(relatives()["fedmm"], contest, choice) is None
    assert predicted(relatives()["fedavg"], contest, replace(choice, compressor="8 bits")) is None
    assert predicted(relatives()["fedavg"], Given("logistic").contest(), choice) is None  # f_i is not quadratic


def test_a_smooth_penalty_may_be_counted_in_every_f():
    """Folded: the same W, g = 0, MM-1, and ∇f_i + ∇g against differences."""
    clients, rng = mixed_clients(), np.random.default_rng(0)
    inner = GaussianMeans([0.5, 0.5], COVARIANCES, 0.05)
    theta, tau, z = rng.normal(size=4), rng.normal(size=4), clients[0]
    folded = Folded(inner, theta)
    assert clients.objective(folded, theta) == pytest.approx(clients.objective(inner, theta), rel=1e-13)
    assert folded.g(theta) == 0.0
    gap = majorization_gap(folded, z, theta, tau)
    assert gap == pytest.approx(majorization_gap(inner, z, theta, tau), rel=1e-12)
    found = folded.gradient(theta, folded.mean_S_bar(z, theta))
    for j, e in enumerate(1e-6 * np.eye(4)):
        slope = (mean_loss(folded, z, theta + e) - mean_loss(folded, z, theta - e)) / 2e-6
        assert found[j] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    with pytest.raises(InvalidInput, match="l1: g is not smooth"):
        Folded(Given("quadratic:l1").contest().problem, np.zeros(D))


def test_all_have_the_same_lists_and_as_many_settings():
    """Never more than asked, no setting twice, values of the lists; γ where there is no other step."""
    contest = RIDGE.contest()
    for key, relative in relatives().items():
        if why_not(relative, contest, 0):
            continue
        size = scales(problem_for(relative, contest), contest)
        assert size is not None
        found = choices(relative, contest, size, 8, 0)
        assert 0 < len(found) <= 8
        assert len(set(found)) == len(found)
        assert {round(choice.eta * size.L, 12) for choice in found} <= {*LISTS["eta"], round(size.L, 12)}
        names = takes(relative, contest)
        assert ("gamma" in names) == (key in ("accelerated", "fedavgm", "fedadam", "fedyogi", "fedadagrad")), key
        assert ("rho" in names) == (key in ("fedmm", "naive", "accelerated")), key
        if "gamma" not in names:
            assert {choice.gamma for choice in found} == {1.0}


def test_who_cannot_run_says_why():
    l1, mixture = Given("quadratic:l1").contest(), Given("mixture").contest()
    assert "l1: g is not smooth" in why_not(relatives()["fedavg"], l1, 0)
    assert not why_not(relatives()["proxskip"], mixture, 0)
    assert "common: another W" in why_not(relatives()["fedmm"], Given("mixture:personal").contest(), 0)
    assert "all clients in every round" in why_not(relatives()["scaffnew"], RIDGE.contest(), 5)
    assert why_not(relatives()["marfoq"], mixture, 0)
    assert not why_not(relatives()["fedmm"], mixture, 5)


def test_what_theory_gives():
    """The printed formulas, by hand: L = 4, L̃ = 2, m = 1; Top-1 of 4 has a = 1/4."""
    size = Scales(4.0, 2.0, 1.0, 10, 4)
    for key in ("scaffnew", "proxskip"):
        theory = relatives()[key].theory
        assert theory is not None
        assert theory(size, Tuning()) == {"eta": 0.25, "p": 0.5}
    theory = relatives()["ef21"].theory
    assert theory is not None
    shrink = np.sqrt(0.75)
    eta = 1.0 / (4.0 + 2.0 * np.sqrt(0.75 / (1.0 - shrink) ** 2))
    assert theory(size, Tuning(compressor=TopK(1)))["eta"] == pytest.approx(eta, rel=1e-12)


def test_where_theory_says_nothing_there_is_no_setting():
    """A biased compressor has no ω, and without gradients there are no scales: None, not an error."""
    contest = RIDGE.contest()
    size = scales(problem_for(relatives()["marina"], contest), contest)
    assert from_theory(relatives()["marina"], contest, size, Knobs(compressor="top quarter")) is None
    assert from_theory(relatives()["marina"], contest, size, Knobs(compressor="random quarter", p=0.5)) is not None
    assert from_theory(relatives()["ef21"], contest, None, Knobs(compressor="top quarter")) is None
    assert from_theory(relatives()["diana"], contest, size, Knobs()) is None


@pytest.mark.parametrize("name", ["quadratic:ridge", "logistic"])
def test_theorem_1_is_asked_with_constants_that_hold(name):
    """h_i is 1-Lipschitz and B as said, between random points; l1 has none; γ is admitted, and a larger one not."""
    contest, rng = Given(name).contest(), np.random.default_rng(0)
    constants = contest.constants
    assert constants is not None
    problem, clients = contest.problem, contest.clients
    for scale in (1e-3, 1.0, 10.0):
        s, t = scale * rng.normal(size=(2, problem.q))
        for z in clients:
            moved = mean_field(problem, z, s) - mean_field(problem, z, t)
            assert np.linalg.norm(moved) <= constants.L * np.linalg.norm(s - t) * (1 + 1e-12)
        np.testing.assert_allclose(problem.phi(problem.T(s)) - problem.phi(problem.T(t)), constants.v_min * (s - t),
                                   rtol=1e-9)  # fmt: skip
    assert Given("quadratic:l1").contest().constants is None
    theory = relatives()["fedmm"].theory
    assert theory is not None
    at = Tuning(compressor=RandK(2))
    gamma = theory(Scales(1.0, 1.0, 1.0, 10, problem.q, constants), at)["gamma"]
    together = at.compressor.omega(problem.q)
    assert largest_gamma(constants, together, 1 / (1 + together)) * 0.99 < gamma
    assert gamma < largest_gamma(constants, together, 1 / (1 + together))
    assert theory(Scales(1.0, 1.0, 1.0, 10, 4), Tuning()) == {}


def test_a_comparison_reports_other_seeds_than_it_tunes_on(tmp_path, monkeypatch):
    """And what an accuracy costs is read off the runs, of which the winner's are the cheapest at the tuning."""
    made = []
    monkeypatch.setattr(Race, "make", _noting(made, Race.make))
    plan = ComparePlan(accuracies=(0.1, 1e-3), rounds=120, seeds=2, settings=3, seed=7, names=("fedmm", "proxskip"))
    with Pool(tmp_path) as pool:
        found = compare_relatives(RIDGE, plan, pool)
    races = [race for race in made if np.isfinite(race.level)]
    for entrant in found.entrants:
        of = [race for race in races if race.relative == entrant.relative.key]
        given = {seed: {race.choice for race in of if race.seed == seed} for seed in (7, 8, 9, 10)}
        assert {race.seed for race in of} <= given.keys()
        drawn = {race.choice for race in of if race.seed == 7 and len(set(race.with_seeds((7, 8)))) == 2}
        assert given[8] == drawn  # the tuning
        assert len(given[7]) == entrant.tried == 3
        assert entrant.choice in given[7] & given[9]
        assert (entrant.choice in given[10]) == (entrant.choice in drawn)
        costs = entrant.costs[1e-3]
        assert costs is not None
        level = found.best + 1e-3 * (found.first - found.best)
        rows = [int(np.argmax(each.objective <= level)) for each in entrant.runs]
        ups = [float(each.bits_up[row]) / 8e3 for each, row in zip(entrant.runs, rows, strict=True)]
        assert costs["kb up"] == (np.median(ups), min(ups), max(ups))
    assert found.best <= min(float(each.objective.min()) for one in found.entrants for each in one.runs)


def test_a_setting_must_get_there_on_every_seed_of_the_tuning():
    """By hand: cheap on one seed and late on the other loses, the median decides; if none gets there, the worst run."""
    plain = raced("fedmm", Knobs())

    def ending(gaps):
        return replace(
            plain,
            objective=np.array(gaps),
            **{name: np.arange(len(gaps)) * 1.0 for name in ("rounds", "bits_up", "bits_down", "gradients", "seconds")},
        )

    fast, slow, near, far = ending([9, 1]), ending([9, 8, 7, 1]), ending([9, 3]), ending([9, 5])
    assert cheapest([[fast, near], [slow, slow], [fast, ending([9, 9, 1])]], 1.0, "rounds") == 2
    assert cheapest([[fast, near], [slow, slow]], 1.0, "rounds") == 1
    assert cheapest([[near, ending([9, np.nan])], [fast, far], [near, near]], 1.0, "rounds") == 2


@pytest.mark.parametrize("key", relatives())
def test_where_nothing_is_drawn_the_seed_does_not_matter(key):
    """Settings that are said to draw nothing run alike on two seeds, all clients there; of the others some differ."""
    relative = relatives()[key]
    source = Given("mixture:personal") if key.startswith("marfoq") else RIDGE
    contest = source.contest()
    differ = []
    for choice in choices(relative, contest, scales_of(relative, contest), 4, 0):
        ends = [raced(key, choice, 3, source, seed).theta for seed in (1, 2)]
        alike = np.array_equal(*ends, equal_nan=True)
        if len(set(Race(source, key, choice, 1, 3, -np.inf).with_seeds((1, 2)))) == 1:
            assert alike, choice
        else:
            differ.append(not alike)
    assert not differ or any(differ)


def _noting(made, make):
    def noted(self, *args):
        made.append(self)
        return make(self, *args)

    return noted


OWN = """
import sympy as sp
from fedmm_edu import Model
theta, s, z, lam = sp.symbols("theta s z lambda", real=True)
model = Model(theta=theta, z=z, s=s, loss=(theta - z)**2/2, psi=theta**2/2, phi=theta, S_bar=z, T=s/(1 + lam),
              g=lam*theta**2/2, given=lam > 0)
"""


def test_a_model_of_ones_own_with_its_samples(narrow_folder, capsys):
    """FILE.py, DATA.csv, --client: tables, a picture and numbers; a second call finds every run again."""
    (narrow_folder / "own.py").write_text(OWN, encoding="utf-8")
    rows = [f"{name},{value}" for name, value in (("a", 1.0), ("a", 2.0), ("b", 5.0), ("c", -1.0), ("c", 0.5))]
    (narrow_folder / "own.csv").write_text("\n".join(["house,z", *rows]), encoding="utf-8")
    command = ["compare", "own.py", "own.csv", "--client", "house", "--set", "lambda=1/2", "--rounds", "60", "--seeds",
               "2", "--settings", "3", "--names", "fedmm,fedavg,proxskip", "--jobs", "1", "--equal"]  # fmt: skip
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "3 clients" in said
    assert "the rules:" in said
    assert "proxskip: " in said  # a model has no prox of g yet: it says so
    (numbers,) = narrow_folder.rglob("summary.json")
    first = json.loads(numbers.read_text(encoding="utf-8"))
    assert {one["key"] for one in first["relatives"]} == {"fedmm", "fedavg"}
    for accuracy in ("0.1", "0.0001"):
        (shown,) = (line for line in said.splitlines() if line.startswith(f"{accuracy} "))
        for cost in ("kb up", "kb both ways", "gradients", "rounds"):
            paid = {one["name"]: one["costs"][accuracy][cost]["median"] for one in first["relatives"]}
            best = min(paid, key=paid.__getitem__)
            assert f"{best.partition(',')[0]} {paid[best]:.3g}" in shown
    assert first["least_W"] == pytest.approx(first["W_0"] - (1.5 + 5.0 - 0.25) ** 2 / 9 / 2 / 1.5, rel=1e-12)
    stamps = {path: path.stat().st_mtime_ns for path in narrow_folder.rglob("*.npz")}
    assert main(command) == 0
    assert stamps == {path: path.stat().st_mtime_ns for path in narrow_folder.rglob("*.npz")}
    assert json.loads(numbers.read_text(encoding="utf-8")) == first
    assert list(narrow_folder.rglob("compare.png"))
    (narrow_folder / "own.csv").write_text("\n".join(["house,z", *rows, "b,9"]), encoding="utf-8")
    assert main(command) == 0  # other data, other runs
    assert json.loads(numbers.read_text(encoding="utf-8"))["least_W"] != first["least_W"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nothing"], "no problem 'nothing'"),
        (["own.py"], "no samples"),
        (["logistic", "--names", "fedmm,nobody"], "no relative 'nobody'"),
        (["logistic", "--by", "luck"], "by = 'luck'"),
        (["logistic", "--set", "a=1"], "has its own data"),
        (["logistic", "--accuracy", "2"], "accuracy = 2"),
        (["logistic", "--active", "11", "--names", "fedmm"], "active = 11"),
        (["quadratic:l1", "--names", "fedavg"], "none of them runs"),
    ],
)
def test_what_cannot_be_is_refused(arguments, why, narrow_folder, capsys):
    """Status 2, and one line with the value and the rule."""
    assert main(["compare", *arguments]) == 2
    assert why in capsys.readouterr().err
    assert not list(narrow_folder.rglob("summary.json"))


def test_the_problems_that_are_built_in():
    """Finite at the start, equal weights, and FedMM runs."""
    for name in CONTESTS if find(None) else CONTESTS.keys() - {"movielens"}:
        contest = Given(name).contest()
        assert np.isfinite(contest.W_0)
        np.testing.assert_allclose(contest.clients.mu, 1.0 / len(contest.clients), rtol=1e-12)
        assert not why_not(relatives()["marfoq-in-s" if contest.personal else "fedmm"], contest, 0)
