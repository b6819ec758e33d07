"""The pages on a column `hospital`, on own parts, and on an own model with its theorem run, and do what they say."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from fedmm_edu.distributed import federate, in_process, on_flower
from fedmm_edu.distributed.jobs import job_of
from fedmm_edu.distributed.wiretap import Wiretap
from fedmm_edu.symbolic import check_model
from fedmm_edu.symbolic.model import Model
from tests.test_imports import cells

HOWTO = Path(__file__).parents[2] / "book" / "howto"
PAGE, PARTS, THEOREM = HOWTO / "hospital.md", HOWTO / "own_parts.md", HOWTO / "own_theorem.md"


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    """Cell after cell in one session, in an empty folder, warnings being errors.

    Nodes in this process take the place of Flower's; `make federate-real` has the real ones.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(on_flower, "OnFlower", lambda: in_process)
    session: dict = {"__name__": "__main__"}
    for number, code in enumerate(cells(PAGE)):
        exec(compile(code, f"{PAGE.name}, cell {number}", "exec"), session)
    shown = capsys.readouterr().out
    assert "certificate of FederatedGaussianMixture" in str(session["model"].certificate_)
    assert "lacks the columns ['alcohol']" in shown
    np.testing.assert_allclose(session["lossy"].coef_, session["exact"].coef_, rtol=1e-3)
    assert session["model"].clients_.tolist() == ["north", "south", "west"]
    assert "the same: True" in shown
    assert "the same bits: True" in shown
    np.testing.assert_allclose(session["apart"].coef_, clone(session["lasso"].model).set_params(secure_sum=False).fit(
        session["people"], "target", clients=session["sites"]).coef_, rtol=1e-3, atol=1e-3)  # fmt: skip
    assert session["hidden"].score(session["many"]) > -4.1
    here = clone(session["over"]).set_params(engine="memory").fit(session["table"], "proline", clients="hospital")
    np.testing.assert_array_equal(session["over"].coef_, here.coef_)
    np.testing.assert_allclose(session["moved"].mean(axis=0), [12.0, 3.0], atol=0.15)
    assert f"{session['sizes']}".replace("'", '"') in PAGE.read_text("utf-8")


def block(page: Path, first: str) -> str:
    """The block of a page that begins with this comment, and is not run when the page is built."""
    return page.read_text("utf-8").split(f"```python\n# {first}\n")[1].split("```")[0]


def test_the_study_of_several_hosts_is_the_fit(tmp_path, monkeypatch):
    """The module that the page asks for: each node reads its own file alone; the checkpoint gives the model."""
    from sklearn.datasets import load_diabetes

    people = load_diabetes(as_frame=True, scaled=False).frame[["bmi", "bp", "s5", "target"]]
    sites = np.where(people["bp"] > 90, "upper", "lower")
    for name, part in people.groupby(sites):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    text = block(PAGE, "study.py, installed on all hosts").replace("/var/lib/fedmm", tmp_path.as_posix())
    (tmp_path / "study.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    job = job_of("study:job", 2)
    federate(job.plan, job.in_process(), job.start, 10, checkpoint=tmp_path / "server" / "server")
    study = import_module("study")
    there, here = study.result(), clone(study.hosted.model).fit(people, "target", clients=sites)
    np.testing.assert_array_equal(there.coef_, here.coef_)


def test_the_parts_run_and_are_what_the_page_says(capsys):
    """The penalty's prox and twin are right, the compressor has its ω, the loss is majorised where it is said."""
    import sympy as sp

    session: dict = {"__name__": "__main__"}
    for number, code in enumerate(cells(PARTS)):
        exec(compile(code, f"{PARTS.name}, cell {number}", "exec"), session)
    shown = capsys.readouterr().out
    assert "the same: True bits of a row: 39" in shown
    assert "stands still: True" in shown
    assert "rho = " in shown
    assert "\nnot refuted\nf_0 is" in shown
    penalty, rng = session["Towards"](0.2, 1.0), np.random.default_rng(1)
    for s in rng.normal(size=(20, 3)) * 2.0:
        best = penalty.prox(s, 0.7)
        cost = [0.7 * penalty.value(t) + 0.5 * ((t - s) ** 2).sum() for t in (best, *(best + rng.normal(size=(9, 3))))]
        assert cost[0] == min(cost)
    theta, s = (sp.symbols(f"{name}1", real=True) for name in ("theta", "s"))
    z, rho = sp.Symbol("z", real=True), sp.Symbol("rho", positive=True)
    twin = session["Towards"].twin((theta,), (s,), rho)
    model = Model(theta=(theta,), z=(z,), s=(s,), loss=(theta - z) ** 2 / 2, psi=theta**2 / (2 * rho), S_bar=(
        theta - rho * (theta - z),), phi=(theta / rho,), T=twin.T, g=twin.g, Theta=twin.Theta,
        given=(*twin.given, rho <= 1))  # fmt: skip
    assert check_model(model)["MM-2: T minimizes"].status == "proved"
    row, powers = np.array([[8.0, -2.0, 0.0]]) / 3.0, session["PowersOfTwo"]()  # where ω is attained
    law = np.linspace(0.0, 1.0, 3000, endpoint=False)
    sent = np.concatenate([powers.compress(row, lambda _, k, u=u: np.full((1, k), u)) for u in law])
    np.testing.assert_allclose(sent.mean(axis=0), row[0], rtol=1e-3)
    assert ((sent - row) ** 2).sum(axis=1).mean() == pytest.approx(powers.omega(3) * (row**2).sum(), rel=1e-3)


def test_a_model_comes_to_a_run_below_its_bound():
    """All that the theorem asks is proved; the run stays in the 𝒮 of its constants, and half of the clients send."""
    session: dict = {"__name__": "__main__"}
    for number, code in enumerate(cells(THEOREM)):
        exec(compile(code, f"{THEOREM.name}, cell {number}", "exec"), session)
    problem, history, fed, state = (session[name] for name in ("problem", "history", "fed", "state"))
    assert {row.status for row in problem.hypotheses} == {"proved"} == {n.status for n in problem.numbers.values()}
    assert 0.0 < history.error[:-1].mean() <= session["most"] < 0.01
    assert abs(state.x[0]) <= 3.0
    assert 0.4 < state.bits_up / (5 * session["rounds"] * fed.compressor.bits(1)) < 0.6
    theta, gradient = fed.theta(state)[0], 0.0
    for x, y in session["z"]:
        gradient -= 5 * x * (y - x * theta) / (4 + (y - x * theta) ** 2) / len(session["z"])
    assert abs(gradient + theta) < 1e-3


NODE = """
import sys
from pathlib import Path
from fedmm_edu.distributed import File, Node
from fedmm_edu.distributed.jobs import job_of
job = job_of("my_parts:job", 3)
sys.stdout.buffer.write(Node(job.plan, 1, job.data(1), File(Path("node-1"))).answer(sys.stdin.buffer.read()))
"""


def test_the_compressor_travels_to_another_process(tmp_path, monkeypatch):
    """The module that the page asks for: a node in a process of its own answers what it would answer here."""
    code = list(cells(PARTS))[:-2]  # those before PyTorch
    said = block(PARTS, "my_parts.py")
    (tmp_path / "my_parts.py").write_text("\n".join([*code, said]), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    job = job_of("my_parts:job", 3)
    tap = Wiretap(job.in_process())
    federate(job.plan, tap, job.start, 1)
    request, answer = tap.tape[1], tap.tape[4]  # three requests, then three answers
    there = subprocess.run([sys.executable, "-c", NODE], input=request, cwd=tmp_path, capture_output=True, check=True)
    assert there.stdout.endswith(answer)
