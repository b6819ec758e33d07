"""Iterative reweighting: robust losses, quantiles, norms, total variation, distances, concave penalties."""

from __future__ import annotations

import sympy as sp

from fedmm_edu.symbolic import Model
from tests.literature.entry import MAJORIZES, MINIMIZES, TANGENT, Entry
from tests.literature.symbols import a, eps, lam, nu, s, s1, s2, s3, theta, theta1, theta2, x, y, z, z1, z2

u = z - theta


def location(loss, weight, name, **more) -> Model:
    """ℓ(z − θ) ≤ … + ½ w(z − τ)(z − θ)²."""
    return Model(
        theta=theta, z=z, s=(s1, s2), loss=loss, phi=(theta, -(theta**2) / 2), S_bar=(weight * z, weight),
        T=s1 / s2, S=[s2 > 0], name=name, **more,
    )  # fmt: skip


def student_regression() -> Model:
    """A Student-t regression with a ridge."""
    residual = y - x * theta
    weight = (nu + 1) / (nu + residual**2)
    return Model(
        theta=theta, z=(x, y), s=(s1, s2), loss=(nu + 1) / 2 * sp.log(1 + residual**2 / nu), g=lam * theta**2 / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(weight * x * y, weight * x**2), T=s1 / (s2 + lam), S=[s2 >= 0],
        name="Student-t regression",
    )  # fmt: skip


def student_scale() -> Model:
    """The variance θ of a Student-t law with mean 0."""
    return Model(
        theta=theta, z=z, s=s, loss=sp.log(theta) / 2 + (nu + 1) / 2 * sp.log(1 + z**2 / (nu * theta)),
        psi=sp.log(theta) / 2, phi=-1 / (2 * theta), S_bar=(nu + 1) * z**2 / (nu + z**2 / theta), T=s,
        Theta=[theta > 0], S=[s > 0], Z=[z > 0], name="Student-t scale",
    )  # fmt: skip


def weiszfeld() -> Model:
    """The geometric median in the plane, smoothed."""
    distance = sp.sqrt((z1 - theta1) ** 2 + (z2 - theta2) ** 2 + eps)
    return Model(
        theta=(theta1, theta2), z=(z1, z2), s=(s1, s2, s3), loss=distance,
        phi=(theta1, theta2, -(theta1**2 + theta2**2) / 2), S_bar=(z1 / distance, z2 / distance, 1 / distance),
        T=(s1 / s3, s2 / s3), S=[s3 > 0], name="Weiszfeld",
    )  # fmt: skip


def total_variation() -> Model:
    """Two pixels, λ√((θ₁ − θ₂)² + ε)."""
    jump = sp.sqrt((theta1 - theta2) ** 2 + eps)
    bottom = 1 + 2 * s3
    return Model(
        theta=(theta1, theta2), z=(z1, z2), s=(s1, s2, s3),
        loss=((z1 - theta1) ** 2 + (z2 - theta2) ** 2) / 2 + lam * jump, psi=(theta1**2 + theta2**2) / 2,
        phi=(theta1, theta2, -((theta1 - theta2) ** 2) / 2), S_bar=(z1, z2, lam / jump),
        T=((s1 * (1 + s3) + s2 * s3) / bottom, (s2 * (1 + s3) + s1 * s3) / bottom), S=[s3 >= 0],
        name="total variation",
    )  # fmt: skip


def smacof() -> Model:
    """One distance of a scaling: ½(‖θ‖ − z)², −z‖θ‖ made linear (Cauchy-Schwarz)."""
    norm = sp.sqrt(theta1**2 + theta2**2)
    return Model(
        theta=(theta1, theta2), z=z, s=(s1, s2), loss=(norm - z) ** 2 / 2, psi=(theta1**2 + theta2**2) / 2,
        phi=(theta1, theta2), S_bar=(z * theta1 / norm, z * theta2 / norm), T=(s1, s2),
        Theta=[theta1 > 0], S=[s1 > 0], Z=[z > 0], name="SMACOF",
    )  # fmt: skip


def lasso_by_parabolas(weight) -> Model:
    """λ|θ| ≤ λθ²/(2|τ|) + λ|τ|/2 for τ ≠ 0."""
    return Model(
        theta=theta, z=z, s=(s1, s2), loss=(z - theta) ** 2 / 2 + lam * sp.Abs(theta), psi=theta**2 / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(z, weight), T=s1 / (1 + s2), Theta=[sp.Ne(theta, 0)],
        S=[s1 > 0, s2 > 0], Z=[z > 0], name="|u| by parabolas",
    )  # fmt: skip


def phase_retrieval() -> Model:
    """½(|xθ| − y)², −y|xθ| made linear."""
    return Model(
        theta=theta, z=(x, y), s=(s1, s2), loss=(sp.Abs(x * theta) - y) ** 2 / 2, g=lam * theta**2 / 2,
        phi=(theta, -(theta**2) / 2), S_bar=(x * y * sp.sign(x * theta), x**2), T=s1 / (s2 + lam), S=[s2 >= 0],
        Z=[y >= 0], name="phase retrieval",
    )  # fmt: skip


def concave(penalty, slope, name, low=0) -> Model:
    """½(z − θ)² + penalty, the concave penalty made linear, on θ ≥ low."""
    return Model(
        theta=theta, z=z, s=s, loss=(z - theta) ** 2 / 2 + penalty, psi=theta**2 / 2, phi=theta, S_bar=z - slope,
        T=sp.Max(s, low), Theta=[theta >= low], name=name,
    )  # fmt: skip


huber = sp.Piecewise((u**2 / 2, sp.Abs(u) <= a), (a * sp.Abs(u) - a**2 / 2, True))
huber_weight = sp.Piecewise((1, sp.Abs(u) <= a), (a / sp.Abs(u), True))
pinball = sp.Abs(u) / 2 + (a - sp.Rational(1, 2)) * u - eps / 2 * sp.log(eps + sp.Abs(u))


def quantile(scale=1) -> Model:
    """The pinball loss with ε, below a parabola in z − θ."""
    weight = scale / (2 * (eps + sp.Abs(u)))
    return Model(
        theta=theta, z=z, s=(s1, s2), loss=pinball, phi=(theta, -(theta**2) / 2),
        S_bar=(weight * z + a - sp.Rational(1, 2), weight), T=s1 / s2, S=[s2 > 0], given=[a < 1], name="pinball",
    )  # fmt: skip


LANGE = "Lange, Little and Taylor 1989, J. Am. Stat. Assoc."
GEMAN = "Geman and Reynolds 1992, IEEE PAMI"
HUNTER = "Hunter and Lange 2000, J. Comput. Graph. Stat."
CANDES = "Candès, Wakin and Boyd 2008, J. Fourier Anal. Appl."
student = (nu + 1) / 2 * sp.log(1 + u**2 / nu)
STUDENT = Entry("Student-t location", LANGE, lambda: location(student, (nu + 1) / (nu + u**2), "Student-t"))
REGRESSION = Entry("Student-t regression", LANGE, student_regression)
HUBER = Entry("Huber, half-quadratic", GEMAN, lambda: location(huber, huber_weight, "Huber"))
SMACOF = Entry("SMACOF", "De Leeuw 1977, Recent Developments in Statistics", smacof)
PHASE = Entry("phase retrieval", "Gerchberg and Saxton 1972, Optik", phase_retrieval)
ENTRIES = (
    Entry("|u| by parabolas", HUNTER, lambda: lasso_by_parabolas(lam / sp.Abs(theta))),
    Entry(
        "|u| by parabolas: half of the weight", HUNTER, lambda: lasso_by_parabolas(lam / (2 * sp.Abs(theta))), MAJORIZES
    ),
    HUBER,
    Entry(
        "Huber, half-quadratic: weight cut at 2δ",
        GEMAN,
        lambda: location(huber, sp.Piecewise((1, sp.Abs(u) <= 2 * a), (a / sp.Abs(u), True)), "Huber"),
        MAJORIZES,
    ),
    STUDENT,
    Entry(
        "Student-t location: without the 1 of ν + 1",
        LANGE,
        lambda: location(student, nu / (nu + u**2), "Student-t"),
        TANGENT,
    ),
    REGRESSION,
    REGRESSION.wrong("T without the ridge", MINIMIZES, T=s1 / (s2 + 2 * lam)),
    Entry("Student-t scale", LANGE, student_scale),
    Entry("Cauchy location", LANGE, lambda: location(sp.log(1 + u**2), 2 / (1 + u**2), "Cauchy")),
    Entry("Geman-McClure", GEMAN, lambda: location(u**2 / (2 * (1 + u**2)), 1 / (1 + u**2) ** 2, "Geman-McClure")),
    Entry(
        "Welsch",
        "Holland and Welsch 1977, Commun. Stat.",
        lambda: location(1 - sp.exp(-(u**2) / 2), sp.exp(-(u**2) / 2), "Welsch"),
    ),
    Entry(
        "Welsch: weight squared",
        "Holland and Welsch 1977, Commun. Stat.",
        lambda: location(1 - sp.exp(-(u**2) / 2), sp.exp(-(u**2)), "Welsch"),
        TANGENT,
    ),
    Entry(
        "Charbonnier",
        "Charbonnier et al. 1997, IEEE Trans. Image Process.",
        lambda: location(sp.sqrt(1 + u**2), 1 / sp.sqrt(1 + u**2), "Charbonnier"),
    ),
    Entry(
        "Charbonnier: weight without the root",
        "Charbonnier et al. 1997, IEEE Trans. Image Process.",
        lambda: location(sp.sqrt(1 + u**2), 1 / (1 + u**2), "Charbonnier"),
        TANGENT,
    ),
    Entry(
        "IRLS, exponent 3/2",
        "Daubechies et al. 2010, Commun. Pure Appl. Math.",
        lambda: location(
            (u**2 + eps) ** sp.Rational(3, 4), sp.Rational(3, 2) * (u**2 + eps) ** sp.Rational(-1, 4), "IRLS"
        ),
    ),
    Entry("pinball with ε", HUNTER, quantile),
    Entry("pinball with ε: half of the parabola", HUNTER, lambda: quantile(sp.Rational(1, 2)), TANGENT),
    Entry("Weiszfeld", "Weiszfeld 1937, Tôhoku Math. J.", weiszfeld),
    Entry("total variation", "Figueiredo et al. 2006, IEEE ICIP", total_variation),
    SMACOF,
    SMACOF.wrong(
        "twice the direction",
        MAJORIZES,
        S_bar=tuple(2 * z * t / sp.sqrt(theta1**2 + theta2**2) for t in (theta1, theta2)),
    ),
    PHASE,
    PHASE.wrong("without the sign", MAJORIZES, S_bar=(x * y, x**2)),
    Entry("log penalty", CANDES, lambda: concave(lam * sp.log(1 + theta), lam / (1 + theta), "log penalty")),
    Entry(
        "log penalty: weight squared",
        CANDES,
        lambda: concave(lam * sp.log(1 + theta), lam / (1 + theta) ** 2, "log penalty"),
        MAJORIZES,
    ),
    Entry(
        "square root penalty",
        CANDES,
        lambda: concave(lam * sp.sqrt(theta), lam / (2 * sp.sqrt(theta)), "root penalty", sp.Rational(1, 10)),
    ),
    Entry(
        "exponential penalty",
        "Mangasarian 1996, Applied Mathematics and Parallel Computing",
        lambda: concave(lam * (1 - sp.exp(-theta)), lam * sp.exp(-theta), "exponential penalty"),
    ),
)
