"""Section 7.2: the score L2-UVP and its normaliser."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import decide, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance

ATOMS = ((2, 1), (-2, -1), (1, 2), (-1, -2))  # of Q, each with probability 1/4


def covariance() -> sp.Matrix:
    """The covariance of the instance: [[5/2, 2], [2, 5/2]]."""
    rows = [sp.Matrix(atom) for atom in ATOMS]
    mean = sum(rows[1:], rows[0]) / len(rows)
    return sum(((y - mean) * (y - mean).T for y in rows), sp.zeros(2, 2)) / len(rows)


NORMS = {
    "L1 of the entries": lambda C: sum(abs(entry) for entry in C),
    "largest column sum": lambda C: sp.Max(*(sum(abs(entry) for entry in C[:, k]) for k in range(C.cols))),
    "trace": lambda C: C.trace(),
    "largest eigenvalue": lambda C: sp.Max(*C.eigenvals()),
}


def score_instance() -> Witness:
    C = covariance()
    return instance(
        {"Q": f"uniform on {ATOMS}", "covariance": C.tolist()},
        "a law on the plane with a covariance that is not diagonal",
        {"not diagonal": C[0, 1] != 0, "positive definite": C.det() > 0 and C[0, 0] > 0},
    )


def normaliser(norm: Literal["L1 of the entries", "largest column sum", "largest eigenvalue", "trace"]) -> Verdict:
    """Var(Q) = `norm` of the covariance matrix C of Q is E‖Y − E Y‖², what the best constant leaves unexplained."""
    C = covariance()
    spread = sum(F(x * x + y * y) for x, y in ATOMS) / len(ATOMS)

    def prove() -> Sequence[Step]:
        chance, *y = sp.symbols("p u_1 u_2 w_1 w_2", real=True)  # Y − E Y is ±u with probability p/2 each, else ±w
        u, w = sp.Matrix(y[:2]), sp.Matrix(y[2:])
        general = chance * u * u.T + (1 - chance) * w * w.T
        total = chance * u.dot(u) + (1 - chance) * w.dot(w)
        says = rf"the {norm} of $E[(Y - EY)(Y - EY)^\top]$ is $E\|Y - EY\|^2$, for $Y - EY = \pm u$ or $\pm w$"
        every = Step(
            "for every law and dimension", "termwise: both sides are linear in the law, one term per coordinate"
        )
        return (*verify(NORMS[norm](general) - total, {}, {}, equality=True, says=says), every)

    def fails() -> Witness | None:
        value = NORMS[norm](C)
        point = {"Q": f"uniform on {ATOMS}", "C": str(C.tolist())}
        return (
            None if value == spread else Witness(point, f"the {norm} gives ${value}$, but $E\\|Y - EY\\|^2 = {spread}$")
        )

    return decide("identity", prove, [fails])


def constant_score(
    norm: Literal["L1 of the entries", "trace"] = "trace", constant: Literal["0.5 off", "E_Q Y"] = "E_Q Y"
) -> Verdict:
    """The map m = `constant` has L2-UVP(m) = 100·E_P‖m − m*(X)‖²/Var(Q) = 100, with Var(Q) = `norm` of C."""
    shift = {"E_Q Y": (0, 0), "0.5 off": (sp.Rational(1, 2), 0)}[constant]

    def prove() -> Sequence[Step]:
        mean, Y, off = atoms("E_Q Y", "Y", "d")
        c = mean if shift == (0, 0) else mean + off
        spread, other = scalars(r"E\|Y - EY\|^2", r"\mathrm{Var}(Q)")
        variance = spread if normaliser(norm).status == "proved" else other
        cross, total = scalars(r"E\langle Y - EY, c - EY \rangle", r"E_P\|c - m^*(X)\|^2")
        expanded = square(c - Y) - square(c - mean) - square(Y - mean) + 2 * inner(Y - mean, c - mean)
        line = verify(
            expanded,
            {},
            {},
            equality=True,
            says=r"$\|c - Y\|^2 = \|c - EY\|^2 + \|Y - EY\|^2 - 2\langle Y - EY, c - EY \rangle$",
        )
        given = {
            "mean": Hypothesis(
                total - square(c - mean) - spread + 2 * cross, r"its mean; $m^*(X)$ has the law Q", equality=True
            ),
            "centred": Hypothesis(cross, r"$E[Y - EY] = 0$", equality=True),
        }
        says = r"$E_P\|c - m^*(X)\|^2 = \mathrm{Var}(Q)$ at $c = E_Q Y$: the score is 100"
        return (*line, *verify(total - variance, given, {"mean": 1, "centred": -2}, equality=True, says=says))

    def fails() -> Witness | None:
        error = sum((sp.Integer(x) - shift[0]) ** 2 + (sp.Integer(y) - shift[1]) ** 2 for x, y in ATOMS) / len(ATOMS)
        score = 100 * error / NORMS[norm](covariance())
        point = {"Q": f"uniform on {ATOMS}", "Var(Q)": norm, "m": f"{shift}"}
        return None if score == 100 else Witness(point, f"the score is ${score}$, not 100")

    return decide("certificate", prove, [fails])
