"""A1 to A8 for Gaussian mixtures on the unbounded 𝒮 of the kernels, for L ≥ 2.

With known covariances, T(s)_ℓ = (s_{2,ℓ} I + λΓ_ℓ)⁻¹s_{1,ℓ} and φ∘T holds T(s)_ℓᵀΓ_ℓ⁻¹T(s)_ℓ: both grow with s₁. A
label that is undecided between two components at distance R changes over a move of 1/R.

With a prior on everything, let P ≻ 0 be its matrix [[κccᵀ + Ψ, κc], [κcᵀ, κ]]. As long as no covariance meets the bound
Γ ⪯ v I of Θ, the log-densities and φ∘T are smooth functions of (M_ℓ + P)⁻¹ ⪯ P⁻¹ and of counts in [0, 1], so that A6(i)
and A7(i) hold. Where T cuts Γ to v, mᵀΓ⁻¹m = ‖m‖²/v has no bound, and neither has its derivative in the counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.mixture.full import GaussianMixture
from fedmm_edu.examples.mixture.means import GaussianMeans, PooledGaussianMeans
from fedmm_edu.examples.mixture.sets import svec
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place

FAR = "φ∘T is quadratic in s₁, so its derivatives grow with s₁ (row own-A7-mixture-upper: bounded where the means are)"
CUT = "where T cuts Γ to the bound v of Θ, a derivative of ‖m‖²/v grows with m; elsewhere M + P ⪰ P bounds it"


def cells(problem: GaussianMeans | GaussianMixture, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮; `InvalidInput` for one component or no prior, which are not worked out."""
    full = isinstance(problem, GaussianMixture)
    if problem.L < 2 or (full and problem.prior.kappa == 0.0):
        raise InvalidInput("the cells of a mixture are worked out for L >= 2 and a prior: give both.")
    size = 1.0 + (clients.z**2).sum(axis=1)
    bound = max(float(part.mean()) for part in np.split(size**2 if full else size, clients.offsets[1:-1]))
    convex = (
        "s₀(bᵀΩ⁻¹b − log det Ω − 2 log ν)/2 with s₀ ≥ 0, and linear terms in (b, Ω); Θ has its interior in Σ ν = 1"
        if full
        else "½ Σ w_ℓ m_ℓᵀΓ_ℓ⁻¹m_ℓ with w ≥ 0, and linear terms"
    )
    flat = "φ∘T flattens as s grows: its derivative falls as (M + P)⁻¹ ⊗ (M + P)⁻¹"
    return {
        "A1": Cell(0.0, convex),
        "A2": Cell(0.0, "the logarithm of a sum of smooth positive densities"),
        "A3": Cell(bound, "‖S̄‖ ≤ 1 + ‖Z‖²" if full else "‖S̄‖² ≤ Σ r_ℓ²(1 + ‖Z‖²) ≤ 1 + ‖Z‖²"),
        "A6(i)": Cell(math.inf, CUT if full else "a sample between two components at distance R has slopes of size R"),
        "A6(ii)": Cell(math.inf, "𝒮 is unbounded, and s + h(s) = E[S̄] is bounded by the data"),
        "A7: C_star": Cell(math.inf, CUT if full else FAR),
        "A7: C_star_star": Cell(math.inf, CUT if full else FAR),
        "A7: 1/v_min": Cell(math.inf, flat if full else "T is the same for all counts if all means are equal"),
        "A8": Cell(0.0, "closed and convex, with its nearest point"),
    }


def places(problem: GaussianMeans | GaussianMixture, clients: Clients, gap: float) -> Iterator[Place]:
    """Means at a distance of 1/gap; two s with equal or nearly equal T."""
    return (_of_everything if isinstance(problem, GaussianMixture) else _of_means)(problem, clients, min(gap, 0.1))


def _of_means(problem: GaussianMeans, clients: Clients, gap: float) -> Iterator[Place]:
    L, p = problem.L, problem.p
    counts, first, step = np.full(L, 1.0 / L), np.zeros((L, p)), np.zeros(L)
    step[:2] = gap / L, -gap / L
    first[:, 0] = -11.0 / gap
    first[:2, 0] = 1.0 / gap, 10.0 / gap
    one = _surrogate(problem, first, counts)
    yield Place(one, _surrogate(problem, first, counts + step))
    other = first.copy()
    other[:2, 0] = 10.0 / gap, 1.0 / gap
    between = _change_of_label(problem, clients.z[-1:], one, _surrogate(problem, other, counts), gap)
    yield Place(*between)
    yield Place(_with_equal_means(problem, counts), _with_equal_means(problem, counts + step))


def _surrogate(problem: GaussianMeans, first: Array, counts: Array) -> Array:
    """s of s_1, shape (L, p), and s_2, shape (L,)."""
    return problem.flat(np.column_stack([first, counts]))


def _with_equal_means(problem: GaussianMeans, counts: Array) -> Array:
    """The s with these counts whose means are all (I + λ Σ Γ_ℓ)⁻¹E[Z], or 0 where E[Z] is not known."""
    eye, mean = np.eye(problem.p), np.zeros(problem.p)
    if isinstance(problem, PooledGaussianMeans):
        mean = np.linalg.solve(eye + problem.lam * problem.covariances.sum(axis=0), problem.mean_z)
    return _surrogate(problem, (counts[:, None, None] * eye + problem.lam * problem.covariances) @ mean, counts)


def _change_of_label(problem: GaussianMeans, z: Array, s: Array, t: Array, gap: float) -> tuple[Array, Array]:
    """Two surrogates between s and t, at most `gap` apart, on whose sides the likelier of labels 1 and 2 differs."""

    def leads(x: Array) -> bool:
        r = problem.responsibilities(z, problem.T(x))[0]
        return bool(r[0] >= r[1])

    before = leads(s)
    while float(np.linalg.norm(t - s)) > gap:
        middle = (s + t) / 2.0
        if (middle == s).all() or (middle == t).all():
            break
        s, t = (middle, t) if leads(middle) == before else (s, middle)
    return s, t


def _of_everything(problem: GaussianMixture, clients: Clients, gap: float) -> Iterator[Place]:
    """Components of equal moments, far beyond the bound on Γ, whose counts differ; and wide ones."""
    L, p = problem.L, problem.p
    M, count = np.zeros((L, p + 1, p + 1)), np.zeros((L, p + 1, p + 1))
    reach = 1.0 / (gap * math.sqrt(problem.Theta.least_precision))
    M[:, -1, -1] = 1.0 / L
    M[:, 0, -1] = M[:, -1, 0] = reach / L
    M[:, 0, 0] = 3.0 * reach**2 / L
    count[:2, -1, -1] = 0.5 / L, -0.5 / L
    s, move = svec(M).ravel(), svec(count).ravel()
    yield Place(s, s + gap**2 * move)
    yield Place(s, s + gap * move)
    wide, wider = np.zeros((L, p + 1, p + 1)), np.zeros((L, p + 1, p + 1))
    wide[:, -1, -1] = 1.0 / L
    wide[:, range(p), range(p)] = 1.0 / gap
    wider[:, range(p), range(p)] = 1.0
    yield Place(svec(wide).ravel(), svec(wide + wider).ravel())
