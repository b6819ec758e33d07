"""What A7 (`hyp:DL2`) says about F = φ∘T by itself: B(s) is its derivative, and which constants are free.

Each statement is a derivation whose exact steps are certificates; its counterexamples are exact instances that satisfy
the hypotheses it keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, derive, nonnegative, verify
from fedmm_edu.proofs.gram import atoms, inner, scalars, square
from fedmm_edu.proofs.recording import Hypothesis
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import vanishes

Q = sp.Rational
C, N, step = sp.symbols("C_star N t", positive=True)
size = sp.Symbol("{\\|u\\|}", nonnegative=True)
INTERIOR = "interior points"
CONVEX = "convex"
MINIMISES = "MM-2"


def only_derivative(power: int, hypotheses: Sequence[str] = (INTERIOR,), sign: int = 1) -> Verdict:
    """If ‖F(s') − F(s) − B(s' − s)‖ ≤ C‖s' − s‖^power on a convex 𝒮, then sign·B is the derivative of F at s."""

    def second_order() -> Sequence[Step]:
        gap = sp.Symbol("gap", nonnegative=True)  # ‖(B − B')u‖ for two matrices B, B' that both serve
        both = {
            "twice": Hypothesis(
                2 * C * step**power * size**power - step * gap, "A7(i) for both at s + tu, triangle inequality"
            )
        }
        bound = 2 * C * step ** (power - 1) * size**power
        if sp.limit(bound, step, 0, "+") != 0:
            raise CertificateFails("the bound does not vanish as t -> 0: B is not determined.")
        change, Bu = atoms("F(s+tu)-F(s)", "Bu")
        near = Hypothesis((C * step**power * size**power) ** 2 - square(change - step * Bu), "at s + tu")
        limit = (C * step ** (power - 1) * size**power) ** 2
        return (
            *verify(bound - gap, both, {"twice": 1 / step}, says=rf"$\|(B-B')u\| \leq {sp.latex(bound)}$"),
            *verify(
                limit - square(change / step - sign * Bu), {"near": near}, {"near": 1 / step**2},
                says=r"the difference quotients of F along u tend to $Bu$",
            ),
            Step("as $t \\to 0$: $Bu = B'u$", "a limit"),
        )  # fmt: skip

    enough = Step("these directions u span $R^q$, so $B = B'$, also at boundary points of 𝒮", "𝒮 has interior points")
    return decide(
        "derivation",
        lambda: derive(hypotheses, ("", second_order), (INTERIOR, enough)),
        [lambda: _two_matrices(power, hypotheses), lambda: _line(sign)],
    )


def _line(sign: int) -> Witness | None:
    """F(s) = s, where B = 1 leaves no remainder."""
    point = {"F": "s on [0, 1]", "B": "1"}
    return None if sign == 1 else Witness(point, f"the derivative is $1$, not ${sign}$ times B")


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
            raise CertificateFails(f"$C_{{\\star\\star}} = {sp.latex(claimed)}$ is not visibly at least v_max.")
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


def best_constants(star: str, starstar: str, hypotheses: Sequence[str] = (CONVEX,)) -> Verdict:
    """F ∈ C² on a convex 𝒮 with interior: the smallest C_⋆ is star·sup‖D²F(s)[u,u]‖, the smallest C_⋆⋆ is starstar.

    ‖u‖ = 1; `starstar` in terms of the extreme eigenvalues v_min, v_max of B over 𝒮.
    """
    factor = Q(star)

    def prove() -> Sequence[Step]:
        low, rise, most = sp.symbols("v_min rise D", nonnegative=True)  # D = sup ‖D²F(s)[u, u]‖
        top = low + rise  # v_max ≥ v_min
        claimed = sp.sympify(starstar, {"v_min": low, "v_max": top})
        return derive(hypotheses, (CONVEX, lambda: _remainder(factor, most)), (CONVEX, lambda: _quotient(claimed, top)))

    return decide("derivation", prove, [lambda: _square_map(factor, starstar), lambda: _apart(factor, hypotheses)])


def _apart(factor: sp.Rational, hypotheses: Sequence[str]) -> Witness | None:
    """F = 0 on [0, 1] and 1 on [2, 3]: B = D²F = 0, but a remainder of 1 between the two."""
    remainder, bend = Q(1) - Q(0), Q(0)
    if CONVEX in hypotheses or remainder <= factor * bend:
        return None
    point = {"S": "[0, 1] and [2, 3]", "F": "0 on the first, 1 on the second", "s": "1", "s'": "2"}
    return Witness(point, "D²F = 0 and B = 0 everywhere, but the remainder of this pair is 1")


def _remainder(factor: sp.Rational, most: sp.Expr) -> tuple[Step, ...]:
    """factor·D serves as C_⋆ and no smaller one does: f(t) = F(s + tu), ‖u‖ = 1, ‖f''‖ ≤ D."""
    t, c0, c1, c2 = sp.symbols("t c_0 c_1 c_2", real=True)
    f, rest = sp.Function("f")(t), sp.Function("r")(t)
    gap = sp.diff((1 - t) * sp.diff(f, t) + f, t) - (1 - t) * sp.diff(f, t, 2)
    near = c0 + c1 * t + c2 * t**2 + t**3 * rest
    order = sp.cancel((near - c0 - c1 * t) / t**2) - (c2 + t * rest)
    if not (vanishes(gap) and vanishes(order)):
        raise CertificateFails("Taylor's remainder does not factor as stated.")
    share = sp.integrate(1 - t, (t, 0, 1))
    n, bend = sp.symbols("n b", nonnegative=True)
    above = {"Taylor": Hypothesis(share * most - n, rf"the weight $1-t$ has the integral ${share}$; $\|f''\| \leq D$")}
    below = {"limit": Hypothesis(bend - share * most, r"$b = \lim_{t \to 0}$ of the quotients, at the best s and u")}
    return (
        Step(r"$f(1) - f(0) - f'(0) = \int_0^1 (1-t) f''(t)\,dt$", "$((1-t)f' + f)' = (1-t)f''$ for every f"),
        *verify(
            factor * most - n, above, {"Taylor": 1, **_slack(factor - share, most, above)},
            says=rf"valid: the remainder of a pair is at most ${factor} D\|u\|^2$",
        ),
        Step(r"$(f(t)-f(0)-tf'(0))/t^2 = \frac{1}{2}f''(0) + o(1)$", "exact division by $t^2$; s interior"),
        *verify(
            bend - factor * most, below, {"limit": 1, **_slack(share - factor, most, below)},
            says=rf"smallest: quotients come up to ${factor} D$",
        ),
    )  # fmt: skip


def _slack(surplus: sp.Expr, of: sp.Expr, given: dict[str, Hypothesis]) -> dict[str, sp.Expr]:
    """surplus·of ≥ 0 as one more line of a certificate; it fails there if the surplus is negative."""
    given["surplus"] = Hypothesis(of, "non-negative")
    return {"surplus": sp.expand(surplus)}


def _quotient(claimed: sp.Expr, top: sp.Expr) -> tuple[Step, ...]:
    """claimed serves as C_⋆⋆ and no smaller one does, `top` being the largest eigenvalue of B over 𝒮."""
    mean, size, near = sp.symbols("mean N b", nonnegative=True)  # ∫ uᵀB(s + tu)u dt, ‖u‖², limit of quotients
    above = {"top": Hypothesis(top * size - mean, r"the eigenvalues of $B$ are at most $v_{max}$")}
    below = {"eigenvector": Hypothesis(near - top, "an eigenvector u at the best s, $t \\to 0$; s interior")}
    return (
        Step(r"$\langle u, F(s')-F(s)\rangle = \int_0^1 u^\top B(s+tu)u\,dt$", "𝒮 convex"),
        *verify(
            claimed * size - mean, above, {"top": 1, **_slack(claimed - top, size, above)},
            says=rf"valid: $\langle u, F(s')-F(s)\rangle \leq {sp.latex(claimed)}\|u\|^2$",
        ),
        *verify(
            near - claimed, below, {"eigenvector": 1, **_slack(top - claimed, sp.S.One, below)},
            says=rf"smallest: quotients come up to ${sp.latex(claimed)}$",
        ),
    )  # fmt: skip


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

    u, Bu, change = atoms("u", "Bu", "F(s')-F(s)")

    def norm() -> Sequence[Step]:
        given = {
            "top": Hypothesis(K * inner(u, Bu) - square(Bu), r"$B(CI-B) \succeq 0$: B is psd with eigenvalues up to C"),
            "mean": Hypothesis(K * square(u) - inner(u, Bu), "C serves as $C_{\\star\\star}$; s' → s"),
        }
        used = {"top": 1, "mean": K}
        return (
            *verify(
                claimed**2 * square(u) - square(Bu), given, used, [(claimed**2 - K**2, u)],
                says=rf"$\|Bu\| \leq {claimed}\|u\|$",
            ),
            Step(rf"$\|F(s')-F(s)\| \leq \int_0^1 \|B(s+tu)u\| dt \leq {claimed}\|u\|$", "𝒮 convex"),
        )  # fmt: skip

    def back() -> Sequence[Step]:
        given = {"Lipschitz": Hypothesis(claimed**2 * square(u) - square(change), "all F")}
        squares = [(1 / (2 * claimed), claimed * u - change), (K - claimed, u)]
        target = K * square(u) - inner(u, change)
        return verify(
            target, given, {"Lipschitz": 1 / (2 * claimed)}, squares,
            says=r"conversely $\langle u, F(s')-F(s)\rangle \leq C\|u\|^2$, and the same for its negative",
        )  # fmt: skip

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
