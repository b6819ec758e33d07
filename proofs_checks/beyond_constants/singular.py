"""Where A7(ii) (`hyp:DL2`) cannot hold: B(s) = Dφ(T(s))·DT(s) is singular when q > d, as in Poisson's first form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, derive, same_vector, verify
from fedmm_edu.proofs.gram import atoms
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.beyond_constants.lemmas import no_v_min
from proofs_checks.shared.tools import settle

Q = sp.Rational

# ---------------------------------------------------------------------------------------------------- q and d in A7(ii)

q, d = sp.symbols("q d", positive=True, integer=True)
RELATIONS = {"q <= d": (d - q,), "q < d": (d - q - 1,), "q = d": (d - q, q - d), "q >= d": (q - d,)}
"""A relation between the integers q and d: each of these numbers is >= 0."""


def dimension(
    relation: Literal["q < d", "q <= d", "q = d", "q >= d"],
    hypotheses: Sequence[str] = ("v_min > 0", "interior points"),
) -> Verdict:
    """If A7 holds with φ and T differentiable, then `relation` between q = dim 𝒮 and d = dim Θ."""

    def excluded() -> Sequence[Step]:
        """What violates the relation has q ≥ d + 1, and that is impossible."""
        steps: list[Step] = []
        for number in RELATIONS[relation]:
            given = {"violated": Hypothesis(-number - 1, "the relation is violated; integers")}
            says = f"$q \\geq d + 1$ wherever ${sp.latex(number)} < 0$"
            steps += verify(q - d - 1, given, {"violated": 1}, says=says)
        return steps

    lines: tuple = (
        ("", excluded),
        (
            "interior points",
            Step(r"$B(s) = D\phi(T(s)) \, DT(s)$ at every s in 𝒮", "own-A7-B-unique and the chain rule"),
        ),
        ("", kernel_vector),
        ("v_min > 0", lambda: no_v_min("$DT(s)u = 0$, so $B(s)u = 0$")),
    )
    return decide("derivation", lambda: derive(hypotheses, *lines), [lambda: _dimensions(relation, hypotheses)])


def kernel_vector() -> Sequence[Step]:
    """DT u = Σ_j u_j t_j = 0 for some u ≠ 0 when there are q > d columns t_j = (τ_j, t_j') ∈ ℝ^d: induction on d."""
    t, pivot_column = atoms("t'_j", "t'_q")
    unknown, entry = sp.symbols("u_j tau_j", real=True)
    pivot = sp.Symbol("tau_q", nonzero=True, real=True)
    share = -unknown * entry / pivot  # what column j adds to u_q
    first = unknown * entry + share * pivot
    if sp.expand(first) != 0:
        raise CertificateFails("the first equation is not solved.")
    return (
        Step("d = 0: there is no equation, and $u = (1, 0, …)$ serves", "start of the induction"),
        Step(r"if all $\tau_j = 0$, the first equation holds by itself: d - 1 equations", "fewer equations"),
        Step(r"else $\tau_q \neq 0$ (reorder) and $u_q = -\sum_{j<q} u_j\tau_j/\tau_q$ solves it", "termwise, exact"),
        same_vector(
            unknown * t + share * pivot_column, unknown * (t - (entry / pivot) * pivot_column), "elimination",
            says=r"what is left: $\sum_{j<q} u_j (t'_j - \frac{\tau_j}{\tau_q} t'_q) = 0$",
        ),
        *verify(
            (q - 1) - (d - 1) - 1, {"more": Hypothesis(q - d - 1, "more unknowns than equations")}, {"more": 1},
            says="$q - 1$ unknowns, $d - 1$ equations: still more unknowns",
        ),
        Step("so $DT(s)u = 0$ with some $u_j \\neq 0$, $j < q$", "the induction hypothesis"),
    )  # fmt: skip


def _dimensions(relation: str, hypotheses: Sequence[str]) -> Witness | None:
    """Instances of A7 (less what is not assumed) with their q and d."""
    found = [
        ("toy on [1, 4], B = 1/(2 s^(3/2))", 1, 1),
        ("psi = |theta|^2/2, phi = theta_1, T(s) = (s, 0), B = 1", 1, 2),
    ]
    m, weight, x, y = (Q(2), Q(1), *sp.symbols("x y", positive=True))
    F = sp.Matrix([sp.log(x / (weight + y)), x / (weight + y)])  # Poisson, first strategy, y = −s_2
    B = (F.jacobian([x, y]) * sp.diag(1, -1)).subs({x: m, y: Q(1)})
    if "v_min > 0" not in hypotheses and B == B.T and B.det() == 0 and B.trace() > 0:
        found.append(("Poisson, first strategy, on [1, 3] x [-2, -1]: all of A7 but v_min > 0", 2, 1))
    segment = sp.Matrix([[2 / m, B[0, 1]], [B[0, 1], B[1, 1]]])  # the same second column, all that {m} × [−2, −1] sees
    if "interior points" not in hypotheses and segment.det() > 0:
        found.append((f"Poisson, first strategy, on {{2}} x [-2, -1]: B = {segment.tolist()} at s_2 = -1", 2, 1))
    for name, size, dim in found:
        if any(number.subs({q: size, d: dim}) < 0 for number in RELATIONS[relation]):
            return Witness({"instance": name, "q": str(size), "d": str(dim)}, f"A7 holds with q = {size} and d = {dim}")
    return None


def poisson_joint(matrix: Sequence[Sequence[str]]) -> Verdict:
    """Poisson, first strategy: B(s) is this matrix (in s1, s2, lam), and it is singular at every s."""
    lam, a, b = sp.symbols("lambda s_1 r", positive=True)  # s_2 = −r
    F = sp.Matrix([sp.log(a / (lam + b)), a / (lam + b)])
    true = F.jacobian([a, b]) * sp.diag(1, -1)
    B = sp.Matrix([[sp.sympify(text, {"s1": a, "s2": -b, "lam": lam}) for text in row] for row in matrix])
    at = {a: Q(2), b: Q(1), lam: Q(1)}
    found = None
    if B.subs(at) != true.subs(at):
        says = f"the derivative is ${sp.latex(true.subs(at))}$, the stated B is ${sp.latex(B.subs(at))}$"
        found = Witness({"s": "(2, -1)", "lambda": "1"}, says)
    residuals = {f"entry {i + 1}, {j + 1}": B[i, j] - true[i, j] for i in range(2) for j in range(2)}
    return settle(
        "differentiation",
        {**residuals, "$\\det B(s) = 0$: no $v_{\\min} > 0$ serves A7(ii)": true.det()},
        "exact, with $F = (\\ln e, e)$, $e = s_1/(\\lambda-s_2)$",
        found,
    )
