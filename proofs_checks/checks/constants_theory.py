"""What A7 (`hyp:DL2`) says about F = φ∘T by itself: B(s) is its derivative, and which constants are free.

Each statement is a derivation whose exact steps are certificates; its counterexamples are exact instances that satisfy
the hypotheses it keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import sympy as sp

from fedmm_edu.symbolic.certificate import CertificateFails, Hypothesis, decide, derive, nonnegative, verify
from fedmm_edu.symbolic.gram import atoms, inner, scalars, square
from fedmm_edu.symbolic.verdict import Step, Verdict, Witness
from proofs_checks.checks.tools import vanishes

Q = sp.Rational
C, N, step = sp.symbols("C_star N t", positive=True)
size = sp.Symbol("{\\|u\\|}", nonnegative=True)
INTERIOR = "interior points"
CONVEX = "convex"
MINIMISES = "MM-2"


def only_derivative(power: int, hypotheses: Sequence[str] = (INTERIOR,)) -> Verdict:
    """If ‖F(s') − F(s) − B(s' − s)‖ ≤ C‖s' − s‖^power on a convex 𝒮, then B is the derivative of F at s."""

    def second_order() -> Sequence[Step]:
        gap = sp.Symbol("gap", nonnegative=True)  # ‖(B − B')u‖ for two matrices B, B' that both serve
        both = {
            "twice": Hypothesis(2 * C * step**power * size**power - step * gap, "both at s + tu, triangle inequality")
        }
        bound = 2 * C * step ** (power - 1) * size**power
        if sp.limit(bound, step, 0, "+") != 0:
            raise CertificateFails("the bound does not vanish as t -> 0: B is not determined.")
        return (
            *verify(bound - gap, both, {"twice": 1 / step}, says=rf"$\|(B-B')u\| \leq {sp.latex(bound)}$"),
            Step("as $t \\to 0$: $Bu = B'u$, and the difference quotients of F along u tend to $Bu$", "a limit"),
        )

    enough = Step("these directions u span $R^q$, so $B = B'$, also at boundary points of 𝒮", "𝒮 has interior points")
    return decide(
        "derivation",
        lambda: derive(hypotheses, ("", second_order), (INTERIOR, enough)),
        [lambda: _two_matrices(power, hypotheses)],
    )


def _two_matrices(power: int, hypotheses: Sequence[str]) -> Witness | None:
    """Two matrices that both serve: F(s) = s/2 where the remainder may be of first order; a segment in the plane."""
    pairs = [(a, b) for a, b in product(map(Q, ("0", "1/1000", "1/2", "1")), repeat=2) if a != b]
    fits = lambda slope: all(abs((Q(1, 2) - slope) * (b - a)) <= Q(1, 2) * abs(b - a) ** power for a, b in pairs)  # noqa: E731
    if fits(Q(1)) and fits(Q(1, 2)):
        return Witness({"F": "s/2 on [0, 1]", "C": "1/2"}, "both $B = 1$ and $B = 1/2$ serve")
    if INTERIOR not in hypotheses:
        matrices = (sp.diag(1, 1), sp.diag(2, 1))
        F = lambda point: sp.Matrix([0, point[1]])  # noqa: E731
        points = [sp.Matrix([0, value]) for value in map(Q, ("0", "1/2", "1"))]
        if all(F(b) - F(a) == B * (b - a) for B in matrices for a, b in product(points, points)):
            return Witness(
                {"S": "{0} x [0, 1]", "F": "(0, s2)"}, "both $B = I$ and $B = diag(2, 1)$ leave no remainder"
            )
    return None


def second_inequality(constant: str, hypotheses: Sequence[str] = (CONVEX,)) -> Verdict:
    """The first inequality of A7(i) and A7(ii) imply the second one with C_⋆⋆ = constant (v_min, v_max in it)."""
    names = {"v_min": sp.Symbol("v_min", positive=True), "k": sp.Symbol("k", nonnegative=True)}
    low = names["v_min"]
    high = low + names["k"]
    claimed = sp.sympify(constant, {"v_min": low, "v_max": high})

    def pieces() -> Sequence[Step]:
        (u,) = atoms("u")
        (turn, error) = scalars(r"\langle u, B(s_k)u\rangle", r"\epsilon_k")
        most = high * square(u) / N + C * size**3 / N**2
        given = {
            "A7(ii)": Hypothesis(high * square(u) - turn, "A7(ii) at s_k"),
            "A7(i)": Hypothesis(
                C * size**3 / N**2 - error, "the first inequality for the pair s_k, s_{k+1}, times ‖u‖"
            ),
        }
        one = verify(most - turn / N - error, given, {"A7(ii)": 1 / N, "A7(i)": 1}, says="each of the N pieces")
        if not nonnegative(sp.expand(claimed - high)):
            raise CertificateFails(f"C_starstar = {claimed} is not visibly at least v_max.")
        return (
            Step("cut $u = s'-s$ into N equal pieces $s_k = s + ku/N$, which lie in 𝒮", "𝒮 is convex"),
            *one,
            Step("the sum is at most $v_{max}\\|u\\|^2 + C_\\star\\|u\\|^3/N$; let N grow", "limit N → ∞"),
            Step("in the same way $\\langle u, F(s')-F(s)\\rangle \\geq v_{min}\\|u\\|^2 > 0$", "so |·| adds nothing"),
        )

    return decide(
        "derivation", lambda: derive(hypotheses, (CONVEX, pieces)), [lambda: _too_steep(constant, hypotheses)]
    )


def _too_steep(constant: str, hypotheses: Sequence[str]) -> Witness | None:
    """F = 1/(1 − s) on [−1, 0] with v = (1/4, 1), C_⋆ = 1; without convexity also 𝒮 = {0, 1} with B = 1, C_⋆ = 9."""
    F = {Q(-1): Q(1, 2), Q(-1, 2): Q(2, 3), Q(-1, 100): Q(100, 101), Q(0): Q(1)}
    bound = sp.sympify(constant, {"v_min": Q(1, 4), "v_max": Q(1)})
    for a, b in product(F, F):
        if a < b and (F[b] - F[a]) / (b - a) > bound:
            return Witness(
                {"F": "1/(1-s)", "S": "[-1, 0]", "s": str(a), "s'": str(b)},
                f"the quotient is ${(F[b] - F[a]) / (b - a)} > {bound}$",
            )
    remainder, slope = abs(Q(10) - 0 - 1), Q(1)
    if CONVEX not in hypotheses and remainder <= 9 and sp.sympify(constant, {"v_min": slope, "v_max": slope}) < 10:
        return Witness(
            {"S": "{0, 1}", "F(0), F(1)": "0, 10", "B": "1", "C_star": "9"}, "the quotient is $10 > v_{max} = 1$"
        )
    return None


def gradient(kind: str, hypotheses: Sequence[str] = (MINIMISES,)) -> Verdict:
    """F is monotone and its derivative is `kind`: "symmetric, psd" (or "diagonal", or "symmetric, pd")."""

    def convex() -> Sequence[Step]:
        own, new = scalars("c(T(s))", "c(T(s'))")
        s, t, F, G = atoms("s", "s'", "F(s)", "F(s')")
        given = {
            "s": Hypothesis(
                (new - inner(s, G)) - (own - inner(s, F)), "T(s) minimises $J_s = c - \\langle s, \\phi\\rangle$"
            ),
            "s'": Hypothesis((own - inner(t, F)) - (new - inner(t, G)), "T(s') minimises $J_{s'}$"),
        }
        V = {"s": inner(s, F) - own, "s'": inner(t, G) - new}
        return (
            *verify(
                inner(t - s, G - F), given, {"s": 1, "s'": 1}, says=r"$\langle s'-s, F(s')-F(s)\rangle \geq 0$"
            ),
            *verify(
                V["s'"] - V["s"] - inner(t - s, F), given, {"s'": 1},
                says=r"$V(s') \geq V(s) + \langle F(s), s'-s\rangle$ for $V(s) = -\min_\theta J_s(\theta)$",
            ),
        )  # fmt: skip

    def hessian() -> Sequence[Step]:
        if kind != "symmetric, psd":
            raise CertificateFails(f"the Hessian of a convex function is symmetric and psd, not always {kind}.")
        return (
            Step("V is convex with $\\nabla V = F$ where F is continuous", "its subgradient inequality above"),
            Step("$B(s) = \\nabla^2 V(s)$ is symmetric", "V is differentiable near s and ∇V at s (Young's theorem)"),
            Step("and positive semidefinite", "V is convex"),
        )

    return decide(
        "derivation",
        lambda: derive(hypotheses, (MINIMISES, convex), ("", hessian)),
        [lambda: _no_such_hessian(kind, hypotheses)],
    )


def _no_such_hessian(kind: str, hypotheses: Sequence[str]) -> Witness | None:
    """φ = (θ, θ²)-like instances: F from a minimiser with a full singular B; and a T that minimises nothing."""
    a, b = sp.symbols("s_1 s_2", positive=True)
    matrices = {"phi = (theta, exp(theta)), T = log(s_1/s_2), s = (1, 1)": sp.Matrix([sp.log(a / b), a / b])}
    jacobians = {
        name: F.jacobian([a, b]).subs({a: 1, b: 1}) * sp.diag(1, -1) for name, F in matrices.items()
    }  # J_s = s_2 e^θ − s_1 θ: the second coordinate of s in A7 is −s_2
    if MINIMISES not in hypotheses:
        jacobians["phi = theta, T(s) = (-s_2, s_1), which minimises nothing"] = sp.Matrix([[0, -1], [1, 0]])
    for name, B in jacobians.items():
        facts = {
            "diagonal": B.is_diagonal(),
            "symmetric, pd": B == B.T and B.det() > 0 and B.trace() > 0,
            "symmetric, psd": B == B.T and B.det() >= 0 and B.trace() >= 0,
        }
        if not facts[kind]:
            return Witness({"instance": name}, f"B is ${sp.latex(B)}$, which is not {kind}")
    return None


def best_constants(star: str, starstar: str) -> Verdict:
    """F ∈ C² on a convex 𝒮 with interior: the smallest C_⋆ is star·sup‖D²F(s)[u,u]‖, the smallest C_⋆⋆ is starstar.

    ‖u‖ = 1; `starstar` in terms of the extreme eigenvalues v_min, v_max of B over 𝒮.
    """
    factor = Q(star)

    def prove() -> Sequence[Step]:
        half = sp.integrate(1 - step, (step, 0, 1))
        low, rise = sp.symbols("v_min rise", nonnegative=True)
        top = low + rise  # v_max ≥ v_min
        mean, size = sp.symbols("mean N", nonnegative=True)  # ∫ uᵀB(s + tu)u dt, and ‖u‖²
        claimed = sp.sympify(starstar, {"v_min": low, "v_max": top})
        if factor != half or not vanishes(claimed - top):
            raise CertificateFails(f"the integral of 1 - t is {half}, and quotients come up to v_max, not {claimed}.")
        below = {"top": Hypothesis(top * size - mean, r"the eigenvalues of $B$ are at most $v_{max}$")}
        return (
            *verify(
                claimed * size - mean, below, {"top": 1}, says=r"$\langle u, F(s') - F(s) \rangle \leq v_{max} \|u\|^2$"
            ),
            Step(
                r"valid: the remainder is $\int_0^1 (1-t) D^2F(s+tu)[u,u] dt$",
                f"Taylor; the weight has integral ${half}$",
            ),
            Step(
                r"smallest: for $s' = s + tu$, $t \to 0$, the quotient tends to $\frac{1}{2}\|D^2F(s)[u,u]\|$",
                "s interior",
            ),
            Step(
                r"valid: $\langle u, F(s')-F(s)\rangle = \int_0^1 u^\top B(s+tu) u \, dt \leq v_{max} \|u\|^2$",
                "𝒮 convex",
            ),
            Step(r"smallest: for an eigenvector u and $t \to 0$ the quotient tends to the eigenvalue", "s interior"),
        )

    return decide("derivation", prove, [lambda: _square_map(factor, starstar)])


def _square_map(factor: sp.Rational, starstar: str) -> Witness | None:
    """F(s) = s² on [1, 2] (V = s³/3): every pair has the remainder (s' − s)²; B = 2s is between 2 and 4."""
    pairs = [(a, b) for a, b in product(map(Q, ("1", "3/2", "199/100", "2")), repeat=2) if a != b]
    remainders = {abs(b**2 - a**2 - 2 * a * (b - a)) / (b - a) ** 2 for a, b in pairs}
    claimed = factor * 2
    point = {"F": "s^2", "S": "[1, 2]"}
    if max(remainders) != claimed:
        return Witness(point, f"the quotient of every pair is ${max(remainders)}$, claimed $C_\\star = {claimed}$")
    second = sp.sympify(starstar, {"v_min": Q(2), "v_max": Q(4)})
    a, b = max(pairs, key=sum)
    if (b**2 - a**2) / (b - a) > second or second > 4:
        says = f"the quotient is ${(b**2 - a**2) / (b - a)}$, at most 4 for all; claimed ${second}$"
        return Witness({**point, "s": str(a), "s'": str(b)}, says)
    return None


def lipschitz(hypotheses: Sequence[str] = (MINIMISES,), constant: str = "C") -> Verdict:
    """For F ∈ C¹ on a convex 𝒮: C serves as C_⋆⋆ if and only if F is `constant`-Lipschitz."""
    K = sp.Symbol("C", positive=True)
    claimed = sp.sympify(constant, {"C": K})

    def norm() -> Sequence[Step]:
        u, Bu = atoms("u", "Bu")
        given = {
            "top": Hypothesis(K * inner(u, Bu) - square(Bu), r"$B(CI-B) \succeq 0$: B is psd with eigenvalues up to C"),
            "mean": Hypothesis(K * square(u) - inner(u, Bu), "C serves as $C_{\\star\\star}$; s' → s"),
        }
        if not vanishes(claimed - K):
            raise CertificateFails(f"the constant is C, not {claimed}.")
        return (
            *verify(K**2 * square(u) - square(Bu), given, {"top": 1, "mean": K}, says=r"$\|Bu\| \leq C\|u\|$"),
            Step(r"$\|F(s')-F(s)\| \leq \int_0^1 \|B(s+tu)u\| dt \leq C\|u\|$", "𝒮 convex"),
        )

    back = Step("conversely, Cauchy-Schwarz: $|\\langle u, F(s')-F(s)\\rangle| \\leq \\|u\\| \\cdot C\\|u\\|$", "all F")
    searches = [lambda: _rotation(hypotheses), lambda: _linear(claimed.subs(K, 1))]
    return decide("Gram certificate", lambda: derive(hypotheses, (MINIMISES, norm), ("", back)), searches)


def _rotation(hypotheses: Sequence[str]) -> Witness | None:
    if MINIMISES in hypotheses:
        return None
    s, t = sp.Matrix([0, 0]), sp.Matrix([1, 0])
    turn = sp.Matrix([[0, -1], [1, 0]])
    quotient, norm = (turn * (t - s)).dot(t - s), (turn * (t - s)).norm()
    says = f"$\\langle s'-s, F(s')-F(s)\\rangle = {quotient}$ for all pairs, but $\\|F(s')-F(s)\\| = {norm}$"
    return Witness({"F": "(-s_2, s_1)", "s": "(0, 0)", "s'": "(1, 0)", "C": "1/2"}, says) if quotient < norm else None


def _linear(claimed: sp.Expr) -> Witness | None:
    """F(s) = s: C_⋆⋆ = 1 serves and is the Lipschitz constant."""
    return (
        None if claimed == 1 else Witness({"F": "s", "C": "1"}, f"F is 1-Lipschitz and no better; claimed ${claimed}$")
    )
