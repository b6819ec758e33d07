"""Two neighbours of the framework: K-means as matrix factorisation, and MM as mirror descent."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Literal

import sympy as sp

from fedmm_edu.proofs.certificate import CertificateFails, decide, same_vector, verify
from fedmm_edu.proofs.gram import Vector, atoms, operator, square
from fedmm_edu.proofs.verdict import Step, Verdict, Witness
from proofs_checks.shared.tools import instance

Q = sp.Rational


# ------------------------------------------------------------------------------------------------------------- K-means


def kmeans(
    codes: Literal["simplex", "unit vectors"] = "unit vectors",
    divide_by: Literal["all", "the cluster"] = "the cluster",
    clusters: Literal["every", "some"] = "every",
) -> Verdict:
    """(24) and (17) with χ = g = 0 and h in the `codes` are Lloyd's step: nearest centre, then the mean of a cluster.

    `codes` are the "unit vectors" e_k of ℝ^K or the "simplex" between them; `divide_by` is what a sum is divided by:
    "the cluster" (its size) or "all" (N); samples are in every cluster or in `clusters` of them.
    """

    def prove() -> Sequence[Step]:
        z, one, two = atoms("Z", r"\theta_1", r"\theta_2")  # K = 2 and h = (w, 1 − w): any two columns of θ
        w = sp.Symbol("w", nonnegative=True)
        value, mixed = square(z - w * one - (1 - w) * two), w * square(z - one) + (1 - w) * square(z - two)
        says = r"$\|Z - \theta e_k\|^2 = \|Z - \theta_k\|^2$: the best code is that of the nearest centre"
        line = verify((value - mixed).subs(w, 1), {}, {}, equality=True, says=says)
        if codes == "simplex":  # a code between two unit vectors must not do better than both
            line += verify(value - mixed, {}, {}, says="no code between the ends is better")
        if clusters == "some":
            raise CertificateFails("$s^{(1)}_{kk}$ may be 0, and nothing is divided by it.")
        count, N = sp.symbols("N_k N", positive=True)
        total = atoms(r"\sum_{j: k(j) = k} Z_j")[0]
        s1, s2 = count / N, total / N  # the k-th entries of the means of hh' and Zh'
        size = count if divide_by == "the cluster" else N
        why = r"$\theta_k s^{(1)}_{kk} = s^{(2)}_k$, as $s^{(1)}$ is diagonal"
        mean = same_vector(s2 / s1, total / size, why, r"$T(s)_k$ is the mean of the samples in cluster $k$")
        return (*line, mean)

    return decide(
        "identity", prove, [lambda: _between(codes), lambda: _cluster_mean(divide_by), lambda: _empty(clusters)]
    )


def _between(codes: str) -> Witness | None:
    """p = 1, centres 0 and 4, Z = 1: the best code in the simplex."""
    low, high, z = F(0), F(4), F(1)
    best = min((z - low) ** 2, (z - high) ** 2)
    w = (z - low) / (high - low) if codes == "simplex" else F(0)
    value = (z - (w * high + (1 - w) * low)) ** 2
    if value >= best:
        return None
    point = {"p, K": "1, 2", "theta": "0, 4", "Z": "1"}
    return Witness(point, f"$h = (3/4, 1/4)$ fits exactly; the nearest centre leaves ${best}$")


def _empty(clusters: str) -> Witness | None:
    """p = 1, samples 0, 2 in cluster 1 and none in cluster 2: θ_2 s⁽¹⁾_22 = s⁽²⁾_2."""
    samples = ((0, 2), ())
    s1, s2 = ([F(of(own), 2) for own in samples] for of in (len, sum))
    if clusters == "every" or (s1[1], s2[1]) != (0, 0):
        return None
    point = {"p, K": "1, 2", "Z": "0, 2", "clusters": "1, 1"}
    return Witness(point, r"$s^{(1)}_{22} = s^{(2)}_2 = 0$: every $\theta_2$ is a minimiser, and there is no mean")


def _cluster_mean(divide_by: str) -> Witness | None:
    """p = 1, samples 0, 2 in cluster 1 and 10 in cluster 2."""
    clusters = ((F(0), F(2)), (F(10),))
    n = sum(map(len, clusters))
    right = [sum(c) / len(c) for c in clusters]
    ours = [sum(c) / (len(c) if divide_by == "the cluster" else n) for c in clusters]
    if ours == right:
        return None
    point = {"p, K": "1, 2", "Z": "0, 2; 10", "clusters": "1, 1; 2"}
    return Witness(point, f"the centres are ${right[0]}, {right[1]}$, not ${ours[0]}, {ours[1]}$")


# ------------------------------------------------------------------------------------------------------ mirror descent

GRAD_F, GRAD_PSI, NEXT, MEAN = atoms(
    r"\nabla f(\theta_t)", r"\nabla \psi(\theta_t)", r"\nabla \psi(\theta_{t+1})", r"\bar s(\theta_t)"
)


def mirror_descent(phi: Literal["any", "theta"] = "theta", step: str = "1") -> Verdict:
    """θ_{t+1} = T(s̄(θ_t)), g = 0, obeys ∇ψ(θ_{t+1}) = ∇ψ(θ_t) − step·∇f(θ_t), for φ(θ) = `phi` ("theta" or "any")."""
    rate = Q(step)

    def prove() -> Sequence[Step]:
        before, after = (operator(name) if phi == "any" else _same for name in (r"J_t^\top", r"J_{t+1}^\top"))
        stationary = NEXT - after(MEAN)  # 0, as T(s̄) is interior and g = 0
        tangent = GRAD_F - GRAD_PSI + before(MEAN)  # 0, by (42)
        why = r"MM-2, A1: the surrogate's gradient vanishes at $\theta_{t+1}$; MM-1, A1, A2: (42) at $\theta_t$"
        says = r"$\nabla \psi(\theta_{t+1}) = \nabla \psi(\theta_t) - \nabla f(\theta_t)$"
        return [same_vector(NEXT - GRAD_PSI + rate * GRAD_F, stationary + tangent, why, says)]

    return decide("identity", prove, [lambda: _step(phi, rate)])


def _same(v: Vector) -> Vector:
    return v


def _step(phi: str, rate: sp.Expr) -> Witness | None:
    """f = θ²/2 with ψ = θ², φ = θ, S̄ = τ; or f = e^θ − θ with ψ = −θ, φ = e^θ, S̄ = −1 (MM-1 with equality)."""
    x = sp.Symbol("x")
    if phi == "theta":
        f, psi, before, after = x**2 / 2, x**2, Q(2), Q(1)  # T(s) = s/2
    else:
        f, psi, before, after = sp.exp(x) - x, -x, sp.log(2), sp.S.Zero  # T(s) = −log(−s)
    grad = lambda e, v: sp.diff(e, x).subs(x, v)  # noqa: E731
    left, right = grad(psi, after), grad(psi, before) - rate * grad(f, before)
    if left == right:
        return None
    point = {"f": str(f), "psi": str(psi), "theta_t": str(before), "theta_{t+1}": str(after)}
    return Witness(point, f"$\\nabla\\psi(\\theta_{{t+1}}) = {left}$, the mirror descent step is ${right}$")


def clusters_instance() -> Witness:
    samples, centres = (F(0), F(2), F(10)), (F(1), F(9))
    near = [min((0, 1), key=lambda k: abs(z - centres[k])) for z in samples]
    return instance(
        {"Z": "0, 2, 10", "theta": "1, 9", "clusters": near},
        "three samples, two clusters that are not empty, no ties",
        {"both used": set(near) == {0, 1}, "no ties": all(abs(z - 1) != abs(z - 9) for z in samples)},
    )


def mirror_instance() -> Witness:
    """f = θ²/2, ψ = θ², φ(θ) = θ, S̄(Z, τ) = τ: MM-1 with the gap (θ − τ)²/2, T(s) = s/2; from 2 to 1."""
    theta, tau = sp.symbols("theta tau", real=True)
    gap = tau**2 / 2 + theta**2 - tau**2 - tau * (theta - tau) - theta**2 / 2
    return instance(
        {"f": "theta^2/2", "psi": "theta^2", "phi": "theta", "theta_t": 2, "theta_{t+1}": 1},
        "one MM step from 2 to 1",
        {
            "MM-1": sp.expand(gap - (theta - tau) ** 2 / 2) == 0,
            "T(2) = 1 is stationary": sp.diff(theta**2 - 2 * theta, theta).subs(theta, 1) == 0,
        },
    )
