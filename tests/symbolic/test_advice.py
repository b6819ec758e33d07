"""What to do next: a repair that is offered works, the smallest comes first, and nothing is offered on a guess."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from fedmm_edu.cli import main
from fedmm_edu.symbolic import Model, check_model
from fedmm_edu.symbolic.hypotheses import advice as room
from fedmm_edu.symbolic.hypotheses.advice import advice

theta, x, y, z, s, rho = sp.symbols("theta x y z s rho", real=True)
STEP = Model(
    theta=theta, z=(x, y), s=s, loss=(y - x * theta) ** 2 / 2, psi=theta**2 / (2 * rho), phi=theta,
    S_bar=theta / rho + x * (y - x * theta), T=rho * s, given=[rho > 0, rho * x**2 <= 1], name="step",
)  # fmt: skip
BOX = Model(
    theta=theta, z=z, s=s, loss=(z - theta) ** 2 / 2, psi=theta**2 / 2, phi=theta, S_bar=z, T=s,
    Theta=[theta >= 0, theta <= 1], name="box",
)  # fmt: skip
RATE = Model(
    theta=theta, z=z, s=s, loss=z * theta - sp.log(theta), psi=-sp.log(theta), phi=-theta, S_bar=z, T=1 / s,
    Theta=[theta > 0], S=[s > 0], Z=[z > 0], name="rate",
)  # fmt: skip


def next_of(model: Model) -> dict[str, str]:
    return advice(model, check_model(model))


def test_there_is_nothing_to_do_for_a_proved_model():
    assert next_of(STEP) == {}


@pytest.mark.parametrize(
    ("model", "row", "says"),
    [
        (replace(STEP, given=(rho > 0, rho * x**2 <= 2)), "MM-1: majorizes", "proved with psi = theta**2/rho"),
        (replace(STEP, S_bar=(2 * STEP.S_bar[0],)), "MM-1: tangent", "proved with 1/2 times S_bar."),
        (replace(RATE, T=(2 / s,)), "MM-2: T minimizes", "proved with T = 1/s,"),
        (replace(RATE, Z=(z >= 0,)), "MM-1: S_bar in S", "proved with samples with z > 0 only"),
        (replace(RATE, S=(s >= 0,)), "defined", "proved with the open S, s > 0"),
        (BOX, "MM-2: T in Theta", "T cut off at the ends of Theta"),
    ],
    ids=[
        "step too long",
        "twice S_bar",
        "T off",
        "samples at the edge",
        "T undefined at a boundary",
        "T outside Theta",
    ],
)
def test_the_smallest_repair_is_found(model, row, says):
    assert says in next_of(model)[row]


def test_a_boundary_is_told_from_a_wrong_T():
    """T undefined at s = 0 alone asks for an open 𝒮; a T that is wrong inside, too, does not get that answer."""
    edge = next_of(replace(RATE, S=(s >= 0,)))
    assert list(edge) == ["defined"]
    assert "T = 1/s" in next_of(replace(RATE, T=(3 / s,)))["MM-2: T minimizes"]


def test_an_offered_repair_holds():
    """Every repair that the room would try is proved before it is said: here none is, though many are tried."""
    wrong = replace(STEP, loss=sp.exp(x * theta), S_bar=(theta / rho - x * sp.exp(x * theta),), given=(rho > 0,))
    says = next_of(wrong)["MM-1: majorizes"]
    assert says == room.HANDS["MM-1: majorizes"]


def test_an_open_row_says_what_would_settle_it():
    hinge = sp.Max(0, 1 - x * theta, -2 - 3 * x * theta)
    kinked = replace(STEP, loss=hinge**2 / 2, S_bar=(theta / rho + x * hinge,))
    found = next_of(kinked)
    assert "fix the sign" in found["MM-1: tangent"]


def test_every_row_has_words():
    assert set(room.HANDS) >= {*check_model(RATE)}
    assert set(room.REPAIRS) <= set(room.HANDS)


def test_the_command_prints_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "mine.py").write_text(
        "import sympy as sp\nfrom fedmm_edu import Model\ntheta, s, z = sp.symbols('theta s z', positive=True)\n"
        "model = Model(theta=theta, z=z, s=s, loss=z*theta + 1/theta, psi=1/theta, phi=-theta, S_bar=z, T=1/s)\n",
        encoding="utf-8",
    )
    assert main(["check", str(tmp_path / "mine.py")]) == 1
    out = capsys.readouterr().out
    assert "What to do next:" in out
    assert "proved with T = 1/sqrt(s)" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
