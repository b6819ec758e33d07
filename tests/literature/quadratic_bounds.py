"""Quadratic upper bounds: gradient and proximal steps, logistic and multinomial regression, separable bounds."""

from __future__ import annotations

import sympy as sp

from fedmm_edu.symbolic import Model
from tests.literature.entry import MAJORIZES, MINIMIZES, TANGENT, Entry
from tests.literature.symbols import a, b, lam, rho, s, s1, s2, s3, theta, theta1, theta2, x, x1, x2, y, z

HALF = sp.Rational(1, 2)
soft = rho * sp.sign(s) * sp.Max(sp.Abs(s) - lam, 0)


def step(loss, given, *, g=0, T=rho * s, symbols=(x, y), slope=None) -> Model:
    """ℓ ≤ ℓ(τ) + ℓ′(τ)(θ − τ) + (θ − τ)²/(2ρ), in one coordinate."""
    return Model(
        theta=theta, z=symbols, s=s, loss=loss, g=g, psi=theta**2 / (2 * rho), phi=theta,
        S_bar=theta / rho - (sp.diff(loss, theta) if slope is None else slope), T=T, given=given, name="step",
    )  # fmt: skip


def least_squares(d: int) -> Model:
    """A gradient step for ½(y − ⟨x, θ⟩)² with ρ‖x‖² ≤ 1."""
    thetas, xs, ss = (sp.symbols(f"{name}1:{d + 1}", real=True) for name in ("theta", "x", "s"))
    residual = y - sum(u * t for u, t in zip(xs, thetas, strict=True))
    return Model(
        theta=thetas, z=(*xs, y), s=ss, loss=residual**2 / 2, psi=sum(t**2 for t in thetas) / (2 * rho), phi=thetas,
        S_bar=[t / rho + u * residual for t, u in zip(thetas, xs, strict=True)], T=[rho * e for e in ss],
        given=[rho * sum(u**2 for u in xs) <= 1], name=f"least squares, d = {d}",
    )  # fmt: skip


def square() -> Model:
    """½(y − xθ)² is its own surrogate."""
    return Model(
        theta=theta, z=(x, y), s=(s1, s2), loss=(y - x * theta) ** 2 / 2, g=lam * theta**2 / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(x * y, x**2), T=s1 / (s2 + lam), S=[s2 >= 0], name="ridge",
    )  # fmt: skip


def softmax(scale) -> Model:
    """log Σ_k e^{θ_k} of five terms, Hessian below ½I."""
    thetas, ss = sp.symbols("theta1:6", real=True), sp.symbols("s1:6", real=True)
    total = sum(sp.exp(t) for t in thetas)
    return Model(
        theta=thetas, z=z, s=ss, loss=sp.log(total), psi=scale * sum(t**2 for t in thetas) / 2, phi=thetas,
        S_bar=[scale * t - sp.exp(t) / total for t in thetas], T=[e / scale for e in ss], name="log-sum-exp",
    )  # fmt: skip


def bohning(scale) -> Model:
    """Multinomial logistic regression of four classes: Hessian below B = ½(I − 11ᵀ/4)."""
    thetas, ss, zs = ((sp.symbols(f"{name}1:4", real=True)) for name in ("theta", "s", "z"))
    B = scale * (sp.eye(3) - sp.ones(3, 3) / 4)
    total = 1 + sum(sp.exp(t) for t in thetas)
    moved, back = B * sp.Matrix(thetas), B.inv() * sp.Matrix(ss)
    return Model(
        theta=thetas, z=zs, s=ss, loss=sp.log(total) - sum(u * t for u, t in zip(zs, thetas, strict=True)),
        psi=sp.expand((sp.Matrix([thetas]) * moved)[0] / 2), phi=thetas,
        S_bar=[m + u - sp.exp(t) / total for m, u, t in zip(moved, zs, thetas, strict=True)], T=list(back),
        name="Böhning",
    )  # fmt: skip


def jaakkola_jordan(half=HALF) -> Model:
    """log(1 + e^{−xθ}) below a parabola that touches it at ±xτ; both signs of x, θ > 0."""
    return Model(
        theta=theta, z=x, s=(s1, s2), loss=sp.log(1 + sp.exp(-x * theta)), g=lam * theta**2 / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(x / 2, half * x * sp.tanh(x * theta / 2) / theta),
        T=s1 / (s2 + lam), Theta=[theta > 0], S=[s1 > 0, s2 > 0], Z=[x > 0], name="Jaakkola-Jordan",
    )  # fmt: skip


def poisson_on_a_box(bound) -> Model:
    """e^{xθ} − yxθ with |θ| ≤ 1, 0 ≤ x ≤ 1: curvature at most e."""
    return Model(
        theta=theta, z=(x, y), s=s, loss=sp.exp(x * theta) - y * x * theta, psi=bound * theta**2 / 2, phi=theta,
        S_bar=bound * theta - x * sp.exp(x * theta) + x * y, T=sp.Max(-1, sp.Min(1, s / bound)),
        Theta=[theta >= -1, theta <= 1], Z=[x >= 0, x <= 1], name="Poisson on a box",
    )  # fmt: skip


def de_pierro(share) -> Model:
    """½(y − x₁θ₁ − x₂θ₂)² below a sum of parabolas, by convexity of the square with weights ½."""
    residual = y - x1 * theta1 - x2 * theta2
    return Model(
        theta=(theta1, theta2), z=(x1, x2, y), s=(s1, s2, s3, sp.Symbol("s4", real=True)), loss=residual**2 / 2,
        g=lam * (theta1**2 + theta2**2) / 2, phi=(theta1, theta2, -(theta1**2) / 2, -(theta2**2) / 2),
        S_bar=(
            x1 * residual + share * x1**2 * theta1, x2 * residual + share * x2**2 * theta2,
            share * x1**2, share * x2**2,
        ),
        T=(s1 / (s3 + lam), s2 / (sp.Symbol("s4", real=True) + lam)), S=[s3 >= 0, sp.Symbol("s4", real=True) >= 0],
        name="De Pierro",
    )  # fmt: skip


def group_lasso(times=1) -> Model:
    """A proximal step with λ‖θ‖₂, whose minimiser shrinks the whole block."""
    norm = sp.sqrt(s1**2 + s2**2)
    inside = s1**2 + s2**2 <= lam**2
    return Model(
        theta=(theta1, theta2), z=(x1, x2), s=(s1, s2), loss=((x1 - theta1) ** 2 + (x2 - theta2) ** 2) / 2,
        g=lam * sp.sqrt(theta1**2 + theta2**2), psi=(theta1**2 + theta2**2) / (2 * rho), phi=(theta1, theta2),
        S_bar=(theta1 / rho + x1 - theta1, theta2 / rho + x2 - theta2),
        T=[sp.Piecewise((0, inside), (rho * (1 - times * lam / norm) * e, True)) for e in (s1, s2)],
        given=[rho <= 1], name="group lasso",
    )  # fmt: skip


SQUARE, LOGISTIC = (y - x * theta) ** 2 / 2, sp.log(1 + sp.exp(-x * theta))
expectile = sp.Piecewise((a * (y - theta) ** 2 / 2, y >= theta), (b * (y - theta) ** 2 / 2, True))
hinge = sp.Max(0, 1 - x * theta) ** 2 / 2
BECK = "Beck and Teboulle 2009, SIAM J. Imaging Sci."
BOHNING = "Böhning 1992, Ann. Inst. Stat. Math."
YUAN = "Yuan and Lin 2006, J. R. Stat. Soc. B"
GRADIENT = Entry(
    "gradient step, least squares", "Nesterov 2004, Introductory Lectures", lambda: step(SQUARE, [rho * x**2 <= 1])
)
ISTA = Entry("proximal gradient, lasso", BECK, lambda: step(SQUARE, [rho * x**2 <= 1], g=lam * sp.Abs(theta), T=soft))
RIDGE = Entry("ridge, exact", "Hoerl and Kennard 1970, Technometrics", square)
LOGIT = Entry("logistic, curvature 1/4", BOHNING, lambda: step(LOGISTIC, [rho * x**2 <= 4], symbols=x))
ENTRIES = (
    GRADIENT,
    Entry(f"{GRADIENT.name}: step up to 2/L", GRADIENT.source, lambda: step(SQUARE, [rho * x**2 <= 2]), MAJORIZES),
    Entry("gradient step, least squares, d = 2", GRADIENT.source, lambda: least_squares(2)),
    Entry("gradient step, least squares, d = 6", GRADIENT.source, lambda: least_squares(6)),
    ISTA,
    Entry(
        f"{ISTA.name}: surrogate below 1/L",
        BECK,
        lambda: step(SQUARE, [rho * x**2 <= 2], g=lam * sp.Abs(theta), T=soft),
        MAJORIZES,
    ),
    ISTA.wrong("threshold times the step", MINIMIZES, T=sp.sign(s) * sp.Max(sp.Abs(rho * s) - lam * rho**2, 0)),
    RIDGE,
    RIDGE.wrong("T without the penalty", MINIMIZES, T=s1 / (s2 + 1)),
    LOGIT,
    Entry(f"{LOGIT.name}: curvature 1/8", BOHNING, lambda: step(LOGISTIC, [rho * x**2 <= 8], symbols=x), MAJORIZES),
    Entry(
        "logistic, l1",
        "Krishnapuram et al. 2005, IEEE PAMI",
        lambda: step(LOGISTIC, [rho * x**2 <= 4], g=lam * sp.Abs(theta), T=soft, symbols=x),
    ),
    Entry(
        "squared hinge",
        "Groenen, Nalbantov and Bioch 2008, Adv. Data Anal. Classif.",
        lambda: step(hinge, [rho * x**2 <= 1], symbols=x, slope=-x * sp.Max(0, 1 - x * theta)),
    ),
    Entry(
        "expectile",
        "Newey and Powell 1987, Econometrica",
        lambda: step(expectile, [rho * a <= 1, rho * b <= 1], symbols=y),
    ),
    Entry("group lasso", YUAN, group_lasso),
    Entry("group lasso: shrunk by half", YUAN, lambda: group_lasso(HALF), MINIMIZES),
    Entry("log-sum-exp of five terms", BOHNING, lambda: softmax(HALF)),
    Entry("log-sum-exp of five terms: curvature 1/4", BOHNING, lambda: softmax(HALF / 2), MAJORIZES),
    Entry("multinomial logistic, four classes", BOHNING, lambda: bohning(HALF)),
    Entry("multinomial logistic, four classes: half of the bound", BOHNING, lambda: bohning(HALF / 2), MAJORIZES),
    Entry("Jaakkola-Jordan", "Jaakkola and Jordan 2000, Stat. Comput.", jaakkola_jordan),
    Entry(
        "Jaakkola-Jordan: half of the curvature",
        "Jaakkola and Jordan 2000, Stat. Comput.",
        lambda: jaakkola_jordan(HALF / 2),
        TANGENT,
    ),
    Entry("Poisson on a box", "Lange 2016, MM Optimization Algorithms", lambda: poisson_on_a_box(3)),
    Entry(
        "Poisson on a box: curvature 2",
        "Lange 2016, MM Optimization Algorithms",
        lambda: poisson_on_a_box(2),
        MAJORIZES,
    ),
    Entry("separable parabolas", "De Pierro 1995, IEEE Trans. Med. Imaging", lambda: de_pierro(2)),
    Entry(
        "separable parabolas: without the factor 2",
        "De Pierro 1995, IEEE Trans. Med. Imaging",
        lambda: de_pierro(1),
        MAJORIZES,
    ),
)
