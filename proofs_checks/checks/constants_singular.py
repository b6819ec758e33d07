"""Where A7(ii) (`hyp:DL2`) cannot hold: B(s) is singular when q > d, and for mixtures where means are dependent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import sympy as sp

from fedmm_edu.symbolic.certificate import CertificateFails, Hypothesis, decide, derive, verify
from fedmm_edu.symbolic.gram import Vector, atoms
from fedmm_edu.symbolic.verdict import Step, Verdict, Witness
from proofs_checks.checks.tools import instance, settle, vanishes

Q = sp.Rational
s1 = sp.Symbol("s_1", positive=True)
s2 = sp.Symbol("s_2", real=True)

# ------------------------------------------------------------------------------------------- dictionary learning, E.3

U = s2 / s1  # T(s) for p = K = 1
F_DL = sp.Matrix([-(U**2), 2 * U])  # φ(u) = (−u², 2u)


def dictionary_B(entries: Sequence[Sequence[str]], factor: str, direction: Sequence[str]) -> Verdict:
    """p = K = 1: B(s) = entries = factor·v vᵀ with v = direction, all in s1, s2."""
    names = {"s1": s1, "s2": s2}
    B = sp.Matrix([[sp.sympify(text, names) for text in row] for row in entries])
    v = sp.Matrix([sp.sympify(text, names) for text in direction])
    jacobian = F_DL.jacobian([s1, s2])
    rank_one = sp.sympify(factor, names) * v * v.T
    residuals = {f"entry {i + 1}, {j + 1}: $\\partial_{j + 1} (\\phi \\circ T)_{i + 1}$": B[i, j] - jacobian[i, j]
                 for i in range(2) for j in range(2)}  # fmt: skip
    residuals |= {
        f"entry {i + 1}, {j + 1} of the rank-one form": B[i, j] - rank_one[i, j] for i, j in ((0, 0), (0, 1), (1, 1))
    }
    at = {s1: Q(1), s2: Q(2)}
    found, true, claimed = None, jacobian.subs(at), B.subs(at)
    if claimed != true:
        move = sp.Matrix([0, Q(1, 1000)]) if claimed[:, 1] != true[:, 1] else sp.Matrix([Q(1, 1000), 0])
        change = F_DL.subs({s1: 1 + move[0], s2: 2 + move[1]}, simultaneous=True) - F_DL.subs(at)
        quotient = [value * 1000 for value in change]
        says = f"the difference quotient of $\\phi \\circ T$ along this move is {quotient}; the stated B gives"
        point = {"s": "(1, 2)", "s'-s": str(tuple(move))}
        found = Witness(
            point, f"{says} {[value * 1000 for value in claimed * move]}", {"derivative": str(true.tolist())}
        )
    elif rank_one.subs(at) != true:
        found = Witness({"s": "(1, 2)"}, f"the product is ${sp.latex(rank_one.subs(at))}$, B is ${sp.latex(true)}$")
    why = "exact differentiation of $(-u^2, 2u)$ at $u = s_2/s_1$"
    return settle("differentiation", residuals, why, found)


SHAPES = ((1, 1), (2, 1), (1, 2), (2, 2))


def dictionary_singular(moves: Sequence[str] = ("s1", "s2"), kernel: Sequence[int] = (1, 1)) -> Verdict:
    """B(s) is singular for all p, K and g = 0: it annihilates (kernel_1·s1, kernel_2·s2); `moves`: what varies."""

    def prove() -> Sequence[Step]:
        if set(moves) != {"s1", "s2"}:
            raise CertificateFails("with s1 fixed there is no scaling of s within 𝒮.")
        steps = []
        for p, size in SHAPES:
            first, second = _symbolic(p, size)
            t = sp.Symbol("t", positive=True)
            scaled = [1 + t * weight for weight in kernel]
            theta, moved = second * first.inv(), (second * scaled[1]) * (first * scaled[0]).inv()
            if any(sp.cancel(entry) != 0 for entry in moved - theta):
                raise CertificateFails(f"T moves along this direction for p = {p}, K = {size}.")
            steps.append(Step(f"p = {p}, K = {size}: $T(s + ts) = T(s)$", "all entries cancel"))
        return (
            Step(r"$T(s) = s^{(2)} (s^{(1)})^{-1}$, so $T((1+t)s) = T(s)$ for all p, K", "(1 + t) cancels"),
            *steps,
            Step(
                r"hence $B(s)s = \frac{d}{dt} \phi(T(s+ts)) = 0$ with $s \neq 0$: $s^\top B(s) s = 0$", "no v_min > 0"
            ),
            Step("second method: q = K(K+1)/2 + pK > pK = d", "the rank of $D\\phi \\cdot DT$ is at most d"),
        )

    def search() -> Witness | None:
        jacobian = F_DL.jacobian([s1, s2])
        at = {s1: Q(2), s2: Q(3)}
        if set(moves) == {"s2"}:
            slope = jacobian[1, 1].subs(at)
            return Witness(
                {"p, K": "1, 1", "s": "(2, 3)"}, f"the derivative in $s_2$ alone is ${slope} > 0$: invertible"
            )
        image = jacobian.subs(at) * sp.Matrix([2 * kernel[0], 3 * kernel[1]])
        if any(image):
            return Witness({"p, K": "1, 1", "s": "(2, 3)"}, f"B maps this vector to ${sp.latex(image)}$, not to 0")
        return None

    return decide("derivation", prove, [search])


def _symbolic(p: int, size: int) -> tuple[sp.Matrix, sp.Matrix]:
    first = sp.Matrix(size, size, lambda i, j: sp.Symbol(f"a_{min(i, j)}{max(i, j)}", real=True))
    return first, sp.Matrix(p, size, lambda i, j: sp.Symbol(f"b_{i}{j}", real=True))


def dictionary_image(bound: str) -> Verdict:
    """The smallest eigenvalue > 0 of B(s) is at least `bound`, for the extreme eigenvalues low, top of s⁽¹⁾."""
    low, spread = sp.symbols("low spread", positive=True)
    claimed = sp.sympify(bound, {"low": low, "top": low + spread})

    def prove() -> Sequence[Step]:
        kappa, n, h, mm = sp.symbols(r"\kappa n h M", nonnegative=True)
        given = {
            "eigenvalue": Hypothesis(kappa * h - mm, r"$z^\top M z = \kappa z^\top H z$", equality=True),
            "phi": Hypothesis(mm - 4 * n, r"$M = D\phi^\top D\phi \succeq 4I$: φ contains $2\theta$"),
            "H": Hypothesis(2 * (low + spread) * n - h, r"$H = \nabla^2 J_s = 2 s^{(1)} \otimes I_p$"),
        }
        if not vanishes(claimed - 2 / (low + spread)):
            raise CertificateFails(f"the bound derived is 2/top, not {claimed}.")
        return (
            Step(r"$B = D\phi \, H^{-1} D\phi^\top$ at $T(s)$", "implicit differentiation of $\\nabla J_s(T(s)) = 0$"),
            Step(r"$Bv = \kappa v \neq 0$, $z = H^{-1} D\phi^\top v$: $\kappa H z = M z$", "times $D\\phi^\\top$"),
            *verify(
                2 * (low + spread) * kappa * n - 4 * n, given, {"eigenvalue": 1, "phi": 1, "H": kappa},
                says=r"$(2\, top\, \kappa - 4) \|z\|^2 \geq 0$",
            ),
        )  # fmt: skip

    def search() -> Witness | None:
        """p = 1, K = 2, s⁽²⁾ = 0, s⁽¹⁾ = diag(1, 3): T = 0 and B = diag(0, 2·(s⁽¹⁾)⁻¹)."""
        a, b, c, x, y = sp.symbols("a b c x y", real=True)
        theta = sp.Matrix([[x, y]]) * sp.Matrix([[a, b], [b, c]]).inv()
        F = sp.Matrix([2 * theta[0], 2 * theta[1]])
        B = F.jacobian([x, y]).subs({a: 1, b: 0, c: 3, x: 0, y: 0})
        least, value = min(B[0, 0], B[1, 1]), sp.sympify(bound, {"low": 1, "top": 3})
        if value <= least:
            return None
        return Witness(
            {"p, K": "1, 2", "s^(1)": "diag(1, 3)", "s^(2)": "0"}, f"B has the eigenvalue ${least} < {value}$"
        )

    return decide("certificate", prove, [search])


# ---------------------------------------------------------------------------------------------------- q and d in A7(ii)


def dimension(relation: str, hypotheses: Sequence[str] = ("v_min > 0", "interior points")) -> Verdict:
    """If A7 holds with φ and T differentiable, then `relation` between q = dim 𝒮 and d = dim Θ."""

    def kernels() -> Sequence[Step]:
        steps = []
        for d in (1, 2, 3):
            DT = sp.Matrix(d, d + 1, lambda i, j: sp.Symbol(f"t_{i}{j}", real=True))
            minors = sp.Matrix([(-1) ** k * DT.extract(list(range(d)), [j for j in range(d + 1) if j != k]).det()
                                for k in range(d + 1)])  # fmt: skip
            if any(sp.expand(entry) != 0 for entry in DT * minors):
                raise CertificateFails(f"the minors are no kernel vector for d = {d}.")
            steps.append(
                Step(f"d = {d}, q = {d + 1}: $DT\\,u = 0$ for the vector u of signed minors", "expanded exactly")
            )
        if relation != "q <= d":
            raise CertificateFails(f"the argument gives q <= d, not {relation}.")
        return (Step("for $q > d$ some $u \\neq 0$ has $DT(s)u = 0$", "q unknowns, d < q linear equations"), *steps)

    lines: tuple = (
        (
            "interior points",
            Step(r"$B(s) = D\phi(T(s)) \, DT(s)$ at every s in 𝒮", "own-A7-B-unique and the chain rule"),
        ),
        ("", kernels),
        ("v_min > 0", Step(r"then $u^\top B(s)u = 0 < v_{min}\|u\|^2$: a contradiction", "A7(ii)")),
    )
    return decide("derivation", lambda: derive(hypotheses, *lines), [lambda: _dimensions(relation, hypotheses)])


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
    for name, q, d in found:
        if not {"q <= d": q <= d, "q < d": q < d, "q = d": q == d}[relation]:
            return Witness({"instance": name, "q": str(q), "d": str(d)}, f"A7 holds with q = {q} and d = {d}")
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
        "differentiation", {**residuals, "$\\det B(s) = 0$": true.det()}, "exact, with $F = (\\ln e, e)$, $e = "
                                                                          "s_1/(\\lambda-s_2)$",
        found,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------- Gaussian mixtures

Means = Sequence[Sequence[int]]
CONFIGURATIONS: tuple[Means, ...] = (
    ((0,), (1,)), ((1,), (1,)), ((0,), (1,), (2,)), ((1, 1), (2, 2)), ((0, 0), (1, 0), (0, 1)),
    ((1, 0), (2, 0), (3, 0)), ((1, 0), (0, 1), (1, 1)), ((0, 0), (1, 0), (0, 1), (1, 1)),
)  # fmt: skip


def _rank(points: Means, shift: bool) -> int:
    """The rank of the points, or of their differences with the last one."""
    rows = [sp.Matrix([list(point)]) for point in points]
    return sp.Matrix.vstack(*((row - rows[-1] for row in rows[:-1]) if shift else rows)).rank()


CONDITIONS: dict[str, Callable[[Means], bool]] = {
    "affinely independent": lambda means: _rank(means, True) == len(means) - 1,
    "linearly independent": lambda means: _rank(means, False) == len(means),
    "distinct": lambda means: len(set(map(tuple, means))) == len(means),
    "L <= p + 1": lambda means: len(means) <= len(means[0]) + 1,
}


def mixture_rank(condition: str) -> Verdict:
    """L means in ℝ^p, φ of Appendix C.2: B(s) is positive definite exactly if the means T(s) satisfy `condition`."""

    def prove() -> Sequence[Step]:
        if condition != "affinely independent":
            raise CertificateFails("the kernel equations below say: affinely independent.")
        for L in (2, 3, 4):
            _kernel_equations(L)
        return (
            Step(r"$B = D\phi\,H^{-1} D\phi^\top$, $H = \nabla^2 J_s \succ 0$", "implicit differentiation: pd iff "
                                                                                "$D\\phi^\\top$ is injective"),
            Step(r"$D\phi^\top(a, b) = 0$ reads $a_\ell = b_\ell m_\ell$ for $\ell < L$ and $\sum_\ell "
                 r"b_\ell(m_L-m_\ell) = 0$",
                 "coefficients of $\\Gamma_\\ell^{-1} dm_\\ell$; formal vectors (all p) for L = 2, 3, 4, and the "
                 "same line for all L"),
            Step(r"so it is injective iff the $m_L - m_\ell$ are linearly independent; this needs $L - 1 \leq "
                 r"p$", "definition"),
        )  # fmt: skip

    def search(means: Means) -> Witness | None:
        L, p = len(means), len(means[0])
        J = _mixture_jacobian(means)
        definite = J.rank() == J.rows
        if definite == CONDITIONS[condition](means):
            return None
        word = "positive definite" if definite else "singular"
        point = {"L, p": f"{L}, {p}", "means": str(means), "Gamma_l": "(l + 1) I"}
        return Witness(point, f"$D\\phi$ has rank {J.rank()} of {J.rows}: B is {word}")

    return decide("derivation", prove, [partial(search, means) for means in CONFIGURATIONS])


def _kernel_equations(L: int) -> None:
    """With a_ℓ = b_ℓ m_ℓ the coefficient of u_L = Γ_L⁻¹dm_L in ⟨(a, b), dφ⟩ is Σ b_ℓ(m_L − m_ℓ), that of u_ℓ is 0."""
    means = atoms(*(f"m_{k}" for k in range(L)))
    b = sp.symbols(f"b_0:{L - 1}")
    a = [b[k] * means[k] for k in range(L - 1)]
    rows = [a[k] - b[k] * means[k] for k in range(L - 1)]
    last, wanted = Vector({}), Vector({})
    for k in range(L - 1):
        last = last - a[k] + b[k] * means[-1]
        wanted = wanted + b[k] * (means[-1] - means[k])
    if not all(row.is_zero for row in (*rows, last - wanted)):
        raise CertificateFails(f"the kernel equations do not reduce as stated for L = {L}.")


def _mixture_jacobian(means: Means) -> sp.Matrix:
    """Dφ at the means by differentiation, Γ_ℓ = (ℓ + 1)I."""
    L, p = len(means), len(means[0])
    x = [[sp.Symbol(f"x_{k}{j}", real=True) for j in range(p)] for k in range(L)]
    scaled = [[entry / (k + 2) for entry in row] for k, row in enumerate(x)]
    norm = [sum(v * w for v, w in zip(row, other, strict=True)) for row, other in zip(x, scaled, strict=True)]
    phi = [scaled[k][j] - scaled[-1][j] for k in range(L - 1) for j in range(p)]
    phi += [-(norm[k] - norm[-1]) / 2 for k in range(L - 1)]
    flat = [entry for row in x for entry in row]
    return sp.Matrix(phi).jacobian(flat).subs(dict(zip(flat, [v for point in means for v in point], strict=True)))


def mixture_two(determinant: str, zero_at: str) -> Verdict:
    """L = 2, p = 1: det B(s) = determinant (m1, m2 = T(s)), which vanishes at s1 = zero_at for each s2 in [0, 1]."""
    a, b, lam = sp.symbols("Gamma_1 Gamma_2 lambda", positive=True)
    x, y, mean = sp.symbols("s_1 s_2 m", real=True)
    T = (x / (y + lam * a), (mean - x) / (1 - y + lam * b))
    m1, m2, D1, D2 = sp.symbols("m1 m2 D1 D2")  # T(s), and D1 = s2 + λΓ1, D2 = 1 − s2 + λΓ2
    values = {m1: T[0], m2: T[1], D1: y + lam * a, D2: 1 - y + lam * b}
    DT = sp.Matrix([[1 / D1, -m1 / D1], [-1 / D2, m2 / D2]])
    Dphi = sp.Matrix([m1 / a - m2 / b, -(m1**2 / a - m2**2 / b) / 2]).jacobian([m1, m2])
    det = sp.factor((Dphi * DT).det())
    names = {"G1": a, "G2": b, "lam": lam, "s2": y, "m": mean, "m1": m1, "m2": m2}
    claimed, root = (sp.sympify(text, names) for text in (determinant, zero_at))
    inner = {y + lam * a: D1, 1 - y + lam * b: D2}
    at = {a: Q(1), b: Q(2), lam: Q(1), x: Q(3), y: Q(1, 2), mean: Q(1)}
    point = {str(key): str(value) for key, value in at.items()}
    true, stated, zero = (e.subs(values).subs(at) for e in (det, claimed, det.subs(values).subs(x, root)))
    found = None
    if true != stated:
        found = Witness(point, f"$\\det B = {true}$, claimed ${stated}$")
    elif zero != 0:
        del point["s_1"]
        found = Witness(point, f"at $s_1 = {root.subs(at)}$, $\\det B = {zero} \\neq 0$")
    residuals = {f"$\\partial_{j + 1} T_{i + 1}$": sp.diff(T[i], (x, y)[j]) - DT[i, j].subs(values)
                 for i in range(2) for j in range(2)}  # fmt: skip
    residuals["$\\det(D\\phi \\cdot DT)$"] = det - claimed.subs(inner)
    residuals["$T_1 = T_2$ at the stated $s_1$"] = (T[0] - T[1]).subs(x, root)
    return settle(
        "differentiation", residuals, "exact; $T_1 - T_2$ increases with $s_1 \\in R$: it vanishes once", found
    )


def dictionary_instance() -> Witness:
    at = {s1: Q(1), s2: Q(2)}
    return instance(
        {"p, K": "1, 1", "s": "(1, 2)"}, "$T(s) = 2$", {"s1 > 0": at[s1] > 0, "T(s) = s2/s1": U.subs(at) == 2}
    )


def mixture_instance() -> Witness:
    means = ((0, 0), (1, 0), (0, 1))
    J = _mixture_jacobian(means)
    return instance({"L, p": "3, 2", "means": means}, "affinely independent", {"full rank": J.rank() == J.rows == 6})
