"""A1 to A8 for dictionary learning on 𝒮 = 𝓜_K⁺ × ℝ^{p×K}, K ≥ 2: φ∘T = c(−TᵀT, 2T), δ = η/c > 0.

T(s) over a convex Θ moves by at most ‖V − T U‖/δ when s moves by (U, V). What is particular to a penalty on codes or
atoms stands in its class.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.dictionary.kernel import DictionaryLearning
from fedmm_edu.federation import Clients
from fedmm_edu.theory.assumptions import Cell, Place, worst_mean

GROWS = "T and the derivatives of TᵀT grow with s₂ (row own-A7-dl-upper: bounded where T is)"


def cells(problem: DictionaryLearning, clients: Clients) -> dict[str, Cell]:
    """Each quantity's bound on 𝒮; `InvalidInput` for a combination that is not worked out."""
    if problem.K < 2 or problem.atoms.eta == 0.0:
        raise InvalidInput(f"K = {problem.K}, eta = {problem.atoms.eta}: worked out are K >= 2 with eta > 0.")
    bounded, delta = problem.atoms.reach < math.inf, problem.atoms.eta / problem.c
    steep = 2.0 * problem.c * (1 + problem.K * problem.atoms.reach**2) / delta
    lipschitz = "‖T‖² ≤ K·reach², so φ∘T has the constant 2c√(1 + ‖T‖²) in T and T has √(1 + ‖T‖²)/δ in s"
    return {
        "A1": Cell(0.0, "c Tr(θᵀθs₁) − 2c Tr(θᵀs₂) with s₁ ⪰ 0"),
        "A2": _smoothness(problem),
        "A3": _variance(problem, clients),
        "A6(i)": _field(problem, clients),
        "A6(ii)": Cell(math.inf, "𝒮 is unbounded, and s + h(s) = E[S̄] is bounded by the data"),
        "A7: C_star": Cell(math.inf, f"T has a kink {problem.atoms.kink}" if bounded else GROWS),
        "A7: C_star_star": Cell(steep, lipschitz if bounded else GROWS),
        "A7: 1/v_min": Cell(math.inf, "q > d: T is constant where s₂ = θ(s₁ + δI)"),
        "A8": Cell(0.0, "a closed convex cone times ℝ^{p×K}, with its nearest point"),
    }


def places(problem: DictionaryLearning, clients: Clients, gap: float) -> Iterator[Place]:
    """Where two codes compete; T of length 1/gap; an atom that reaches length 1; two s with the same T."""
    gap, unit = min(gap, 0.1), np.zeros((problem.p, problem.K))
    weights = clients.pooled()[1] * np.linalg.norm(clients.z, axis=1)
    z = clients.z[np.argmax(weights)]
    unit[:, 0] = z / float(np.linalg.norm(z))
    zero, eye = np.zeros((problem.K, problem.K)), np.eye(problem.K)
    yield from _competing(problem, z, gap)
    one = _lift(problem, zero, _longest_code(problem, z, unit))
    yield Place(one, one + gap * np.concatenate([eye.ravel(), -unit.ravel()]))
    if problem.atoms.reach < math.inf:
        yield _steepest(problem, problem.atoms.reach * unit[:, :1], gap)
    yield Place(_lift(problem, eye, unit / 2), _lift(problem, (1.0 + gap) * eye, unit / 2))
    yield Place(_lift(problem, zero, (1.0 - gap) * unit), _lift(problem, zero, (1.0 + gap) * unit))
    far = _lift(problem, zero, np.abs(unit) / gap)
    yield Place(far, far + np.concatenate([gap * eye.ravel(), np.zeros(problem.d)]))


def _competing(problem: DictionaryLearning, z: Array, gap: float) -> Iterator[Place]:
    """Two dictionaries on both sides of one at which the code of z is not unique; for unique codes, another case.

    That case: atom 1 catches a residual with one negative coordinate j, atom 2 is e_j/gap, which codes h ≥ 0 never use.
    Where s₁ couples the two by the gap, atom 1 moves by e_j.
    """
    eye, tied = np.eye(problem.K), problem.coder.tied(z, problem.K, gap)
    if tied is not None:
        theta, move, one, other = tied
        parameters = theta.ravel(), (theta + 0.1 * move).ravel()
        yield Place(_lift(problem, eye, one), _lift(problem, eye, other), parameters)
    elif problem.p > 1:
        theta, couple = np.zeros((problem.p, problem.K)), np.zeros((problem.K, problem.K))
        length, j = float(np.linalg.norm(z)), int(np.argmin(z))
        theta[:, 0], theta[j, 1] = z + length * np.eye(problem.p)[j], 1.0 / gap
        couple[0, 1] = couple[1, 0] = -gap
        s = _lift(problem, eye, theta)
        yield Place(s, s + np.concatenate([couple.ravel(), np.zeros(problem.d)]))


def _steepest(problem: DictionaryLearning, atom: Array, gap: float) -> Place:
    """Where ⟨move, φ∘T⟩ is steepest: s₁ near 0, all atoms the same and of length almost 1, U against V."""
    K, delta = problem.K, problem.atoms.eta / problem.c
    t = _lift(problem, np.zeros((K, K)), (1.0 - gap) * atom @ np.ones((1, K)))
    U, V = np.ones((K, K)) / math.sqrt(K), -atom @ np.ones((1, K)) / math.sqrt(K)
    return Place(t + 0.1 * gap * delta * np.concatenate([U.ravel(), V.ravel()]), t)


def _lift(problem: DictionaryLearning, s1: Array, theta: Array) -> Array:
    """The s with this first block and T(s) = θ, for θ in Θ."""
    return np.concatenate([s1.ravel(), (theta @ (s1 + problem.atoms.eta / problem.c * np.eye(problem.K))).ravel()])


def _longest_code(problem: DictionaryLearning, z: Array, unit: Array) -> Array:
    """The dictionary of one atom a z/‖z‖ for which the code of z has length H: a = ‖z‖/(2H)."""
    return unit * float(np.linalg.norm(z)) / (2.0 * float(_longest(problem, z[None])[0]))


def _longest(problem: DictionaryLearning, z: Array) -> Array:
    """H of each sample: shape (N,)."""
    return problem.coder.longest(problem.c * (z**2).sum(axis=1))


def _smoothness(problem: DictionaryLearning) -> Cell:
    if problem.coder.tie:
        return Cell(math.inf, f"f has a kink where {problem.coder.tie}")
    return Cell(0.0, "the code is unique and continuous, so ∇f(θ) = −2c E[(Z − θh)hᵀ] (row dl-A2)")


def _variance(problem: DictionaryLearning, clients: Clients) -> Cell:
    size, H = (clients.z**2).sum(axis=1), _longest(problem, clients.z)
    return Cell(
        worst_mean(clients, H**4 + size * H**2), "‖S̄‖² = ‖h‖⁴ + ‖Z‖²‖h‖² with ‖h‖ ≤ H, which the penalty bounds"
    )


def _field(problem: DictionaryLearning, clients: Clients) -> Cell:
    """h_i moves with the codes, and these with T."""
    if problem.coder.tie:
        return Cell(math.inf, "the code jumps where two atoms compete for it")
    if problem.p > 1 and problem.coder.nonnegative and problem.atoms.nonnegative:
        return Cell(math.inf, "T has unbounded slopes along s₁ while an atom that no code uses grows")
    if problem.p > 1 or problem.atoms.kink:
        raise InvalidInput("A6 is not worked out for these codes and atoms: with κ > 0, give p = 1 or NMF.")
    z, delta = clients.z, problem.atoms.eta / problem.c
    slope = np.sqrt(4.0 * _longest(problem, z) ** 2 + z[:, 0] ** 2) * np.hypot(
        *problem.coder.change(z, problem.c, problem.K, delta)
    )
    return Cell(1.0 + worst_mean(clients, slope), "the derivative of the code along a move of s, piece by piece")
