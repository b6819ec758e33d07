"""What resists in own-seminorm-projected: a remainder in the plain norm, as of T(s) = s_1/s_2, with active projections.

J_s = s_2θ²/2 − s_1θ, one client, S̄ ≡ (a, w), so that f(θ) = wθ²/2 − aθ and λ = 0; κ = 1. Messages are doubled or lost:
H − h is ξ or −ξ. 𝒮 is a half-plane ⟨u, x⟩ ≥ −d through which an outcome leaves, s_2 ≥ 1/4. Rounds are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import product
from math import isqrt

from fedmm_edu.proofs.verdict import Step, Verdict, Witness, refuted, undecided
from proofs_checks.beyond_theorem.seminorm_projected import Outcomes
from proofs_checks.shared.exact import as_text
from proofs_checks.shared.tools import instance

Point = tuple[F, F]
ONE = F(1)


def dot(x: Point, y: Point) -> F:
    return x[0] * y[0] + x[1] * y[1]


@dataclass(frozen=True)
class Ray:
    """A round from s = (θs_2, s_2): 𝒮 lies on the side of u of a line at distance d·γ."""

    theta: F
    s2: F
    a: F
    w: F
    xi: Point
    u: Point
    d: F
    gamma: F

    @property
    def s(self) -> Point:
        return self.theta * self.s2, self.s2

    def W(self, x: Point) -> F:
        theta = x[0] / x[1]
        return self.w * theta * theta / 2 - self.a * theta

    def field(self, x: Point) -> Point:
        return self.a - x[0], self.w - x[1]

    @property
    def size(self) -> F:
        """E‖H − h‖²."""
        return dot(self.xi, self.xi)

    def ends(self) -> list[tuple[Point, bool]]:
        """Ŝ_{t+1} in each outcome, and whether it was projected, in the norm of D = B(s) + 2γ(1 − γ)I."""
        g, h, found = self.gamma, self.field(self.s), []
        eps, k = 2 * g * (1 - g), (ONE, -self.theta)
        (p, q), r = (k[0] * k[0] / self.s2 + eps, k[0] * k[1] / self.s2), k[1] * k[1] / self.s2 + eps
        along = ((r * self.u[0] - q * self.u[1]) / (p * r - q * q), (p * self.u[1] - q * self.u[0]) / (p * r - q * q))
        for sign in (1, -1):
            moved = (g * (h[0] + sign * self.xi[0]), g * (h[1] + sign * self.xi[1]))
            t = max(F(0), -self.d * g - dot(self.u, moved)) / dot(self.u, along)
            found.append(((self.s[0] + moved[0] + t * along[0], self.s2 + moved[1] + t * along[1]), t > 0))
        return found

    def facts(self) -> dict[str, bool]:
        ends = self.ends()
        return {
            "the mean oracle is in 𝒮": dot(self.u, self.field(self.s)) >= -self.d * self.gamma,
            "s_2 stays above 1/4": all(x[1] >= F(1, 4) for x, _ in ends),
            "a projection is active": any(active for _, active in ends),
        }

    def rise(self, unbiased: bool) -> F:
        """E of W_{t+1} + γ‖h(Ŝ_{t+1})‖² less the same at t; a biased H is always h + ξ."""
        ends = [x for x, _ in self.ends()]
        ends = ends if unbiased else [ends[0], ends[0]]
        values = [self.W(x) + self.gamma * dot(self.field(x), self.field(x)) for x in (*ends, self.s)]
        return (values[0] + values[1]) / 2 - values[2]


def rays() -> Iterator[Ray]:
    """Those of a grid in which a projection is active."""
    sizes, directions = (F(1, 10), ONE, F(6)), ((ONE, F(0)), (F(0), ONE), (F(3, 5), F(4, 5)), (F(4, 5), F(-3, 5)))
    for theta, a, w, size, xi, u, gamma in product(
        (F(-3, 2), F(1, 2), F(3, 2)), (F(-1), F(1), F(2)), (F(1), F(3, 2)), sizes, directions, directions,
        (F(1, 10), F(1, 100), F(1, 10**4)),
    ):  # fmt: skip
        ray = Ray(theta, F(1, 2), a, w, (size * xi[0], size * xi[1]), u, F(1, 4), gamma)
        if all(ray.facts().values()):
            yield ray


def second_order(power: int = 2, size: str = "32", unbiased: bool = True) -> Verdict:
    """E[W_{t+1} + γ‖h(Ŝ_{t+1})‖²] ≤ W_t + γ‖h(Ŝ_t)‖² + size·γ^power E‖H − h‖² for every such round."""
    tried = 0
    for ray in rays():
        bound = F(size) * ray.gamma**power * ray.size
        if (rise := ray.rise(unbiased)) > bound:
            says = f"it rises by {float(rise):.4g} > {float(bound):.4g}"
            return refuted("exact instance", Witness(as_text(vars(ray)), says))
        tried += 1
    return undecided(
        "exact rounds",
        Step(
            "tried: the lines of own-seminorm-projected",
            r"they leave $\frac{\kappa_0}{4}\gamma^2\|e\|^2$ of first order: numbers satisfy them in which "
            rf"$\|e\|^2/\|\xi\|^2$ is {far(F(1, 100)):.3g} at $\gamma = 1/100$, {far(F(1, 10**4)):.3g} at $1/10000$",
        ),
        Step(
            r"tried: the norm of $B_t + \varepsilon I$ with a fixed ε",
            r"then $\gamma\varepsilon\langle h, e\rangle$ is left, of first order",
        ),
        Step("neither proved nor refuted", f"the bound holds in {tried} exact rounds with $T(s) = s_1/s_2$"),
    )


def far(gamma: F) -> float:
    """‖e‖²/‖ξ‖² of numbers that the projection's inequalities allow: x = ξ = 1, y = ½, b = h = 0, e at its largest."""
    eps = 2 * gamma * (1 - gamma)
    e, both = F(isqrt(int(10**8 / eps)), 2 * 10**4), (ONE, -ONE)
    found = Outcomes(F(0), F(0), both, both, e=(e, -e), y=(F(1, 2), F(-1, 2)), gamma=gamma, kappa=ONE)
    assert "projection" in found.facts()
    return float(e * e)


def ray_instance() -> Witness:
    """A round with an active projection."""
    ray = next(rays())
    return instance(vars(ray), "a projected round of $T(s) = s_1/s_2$", ray.facts())
