"""Section 2.2: SA-SSMM, Ŝ_{t+1} = Ŝ_t + γ_{t+1}(S_{t+1} − Ŝ_t), and the oracles S_{t+1} it may use."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.shared.iterates import ORACLES, START, STEPS, closed_form, run
from proofs_checks.shared.mm_damped import check_descent
from proofs_checks.shared.mm_instances import sound_instance
from proofs_checks.shared.oracles import MAPS, average_of_biased, bias, minibatch, online, stays_inside, unbiased
from proofs_checks.shared.tools import instance

SECTION = "Section 2.2: A stochastic surrogate MM algorithm"

HALF = sp.Rational(1, 2)


def _oracle_instance() -> Witness:
    """Example 1 with f = ½(θ − 1)², g = 0, ρ = 1/2: T(s) = s, S̄(z, τ) = τ − (τ − z)/2 with Z ∈ {0, 2}."""
    at = sp.Rational(3)
    atoms = [at - (at - z) / 2 for z in (0, 2)]
    mean, field = HALF * sum(atoms), at - (at - 1) / 2
    return instance(
        {"f": "(theta-1)**2/2", "Z": "0 or 2, each with probability 1/2", "rho": "1/2", "s": at, "oracle": atoms},
        "a one-sample oracle whose mean is $E_\\pi[\\bar S(Z, T(s))]$",
        {"E[S] = E_pi S_bar(Z, T(s))": mean == field, "rho <= 1/L": HALF <= 1, "not constant": atoms[0] != atoms[1]},
    )


def _bias_instance() -> Witness:
    T = MAPS["indicator of [0, oo)"]
    return instance(
        {"T": "max(s, 0)", "S": "-1 or 1, each with probability 1/2"},
        "the proximal map of the indicator of $[0, \\infty)$ is not affine, and this law shows it",
        {
            "minimises g + theta^2/2 - s theta at s = -1": T(sp.Integer(-1)) == 0,
            "at s = 1": T(sp.Integer(1)) == 1,
            "biased": HALF * (T(sp.Integer(-1)) + T(sp.Integer(1))) != T(sp.Integer(0)),
        },
    )


def _average_instance() -> Witness:
    """Remark 1: the two oracles T(S) = 1 and 1/7, each with probability 1/2, and θ_⋆ = 1/5."""
    samples, images = (1, 49), (sp.S.One, sp.Rational(1, 7))
    mean = HALF * sum(samples)
    return instance(
        {"Z": "1 or 49, each with probability 1/2", "T(Z)": images, "theta_star": sp.Rational(1, 5)},
        "an unbiased oracle of $E_\\pi[Z]$ whose image under $T$ is a biased one",
        {
            "T(z) = 1/sqrt(z)": all(x**2 * z == 1 for z, x in zip(samples, images, strict=True)),
            "theta_star = T(E Z)": sp.Rational(1, 5) ** 2 * mean == 1,
            "biased": HALF * sum(images) != sp.Rational(1, 5),
        },
    )


def _run_instance(steps: tuple[sp.Rational, ...]) -> Witness:
    iterates = run(lambda k: steps[k - 1], START, ORACLES)
    return instance(
        {"Shat_0": START, "S": ORACLES, "gamma": steps, "Shat": iterates},
        "an exact run of the algorithm on 𝒮 = ℝ",
        {"gamma in (0, 1]": all(0 < g <= 1 for g in steps), "the iterates move": len(set(iterates)) > 1},
    )


def _batch_instance() -> Witness:
    return instance(
        {"N": 3, "b": 2, "x": (1, 4, 16)},
        "three samples, each in two of the three batches of size 2",
        {"equal inclusion": all(sum(k in B for B in combinations(range(3), 2)) == 2 for k in range(3))},
    )


CONSTANT = {"step": "c", "initial": "(1-c)**t", "weight": "c*(1-c)**(t-j)", "last": "c"}
MEAN = {"step": "1/t", "initial": "0", "weight": "1/t", "last": "1/t"}

CLAIMS = [
    Claim(
        id="ssmm-unbiased",
        where="Section 2.2",
        statement="If $S$ is an unbiased oracle of $E_\\pi[\\bar S(Z, T(s))]$, then $S - s$ is an unbiased oracle "
        "of $h(s)$.",
        hypotheses=("$E[S \\mid \\text{past}] = E_\\pi[\\bar S(Z, T(s))] = m$, so that $h(s) = m - s$",),
        check=unbiased,
        form={"oracle": "S - s", "target": "m - s"},
        non_vacuity=_oracle_instance,
        mutants={
            "wrong sign": {"oracle": "s - S"},
            "s counted twice": {"oracle": "S - 2*s"},
            "not affine in S": {"oracle": "S**2 - s", "target": "m**2 - s"},
        },
    ),
    Claim(
        id="ssmm-T-bias",
        where="Section 2.2",
        statement="If $S$ is an unbiased oracle of $E_\\pi[\\bar S(Z, \\tau)]$, then $T(S) - \\tau$ is a biased oracle "
        "of $\\chi(\\tau) = T(E_\\pi[\\bar S(Z, \\tau)]) - \\tau$, except when $T$ is linear.",
        hypotheses=("$E\\|S\\| < \\infty$",),
        check=bias,
        form={"unless": "linear", "laws": "every"},
        reading=Reading.DEPENDS,
        context=Context(
            "“Linear” is often said of what is affine, and “biased” of what is biased in general, not always.",
            "amended",
        ),
        non_vacuity=_bias_instance,
        amended=Amended(
            kind="wording",
            statement="$T(S) - \\tau$ is an unbiased oracle of $\\chi(\\tau)$ for every law of $S$ on the convex "
            "set 𝒮 with mean "
            "$E_\\pi[\\bar S(Z, \\tau)]$ if $T$ is affine on 𝒮; if $T$ is not affine, some law makes it biased.",
            form={"unless": "affine", "laws": "some"},
            differs='"Affine" in place of "linear", and "biased for some law" in place of "biased".',
            matters="A ridge penalty centred away from 0 has an affine $T$ with no bias; and a non-affine $T$ (a soft "
            "threshold) has none as long as all oracles fall on one affine piece of it.",
        ),
        mutants={
            "affine, but biased for every law": {"laws": "every"},
            "linear, biased for some law": {"unless": "linear"},
        },
    ),
    Claim(
        id="ssmm-bias-ruins",
        where="Section 2.2",
        statement="Biased oracles may ruin the convergence: in Remark 1, $T(s) = 1/\\sqrt{s}$, with one fresh sample "
        "per step and $\\gamma_t = 1/t$, the Θ-valued scheme $\\theta_{t+1} = \\theta_t + \\gamma_{t+1}(T(S_{t+1}) - "
        "\\theta_t)$ converges to a point that is not $\\theta_\\star = T(E_\\pi[Z])$.",
        hypotheses=("$S_t = Z_t$ i.i.d., equal to 1 or 49 with probability 1/2", "the law of large numbers (cited)"),
        check=average_of_biased,
        form={"space": "Theta"},
        non_vacuity=_average_instance,
        mutants={
            "the 𝒮-valued scheme": {"space": "S"},
            "an affine T": {"T": "(s + 1)/2"},
        },
        note="An existence statement, proved by an exact instance. The 𝒮-valued scheme with the same samples and steps "
        "has the mirror $T(t^{-1} \\sum_j S_j) \\to \\theta_\\star$ (first mutant).",
    ),
    Claim(
        id="ssmm-online",
        where="Section 2.2, online learning",
        statement="Given a new example $Z_{t+1}$, $S_{t+1} = \\bar S(Z_{t+1}, T(\\hat S_t))$ is an unbiased oracle of "
        "$E_\\pi[\\bar S(Z, T(\\hat S_t))]$.",
        hypotheses=("$Z_{t+1}$ has law $\\pi$ and is independent of the past",),
        check=online,
        form={"fresh": True},
        non_vacuity=_oracle_instance,
        mutants={"the last sample used again": {"fresh": False}},
    ),
    Claim(
        id="ssmm-minibatch",
        where="Section 2.2, batch learning",
        statement="$S_{t+1} = b^{-1} \\sum_{j \\in B_{t+1}} \\bar S(Z_j, T(\\hat S_t))$ is an unbiased oracle when "
        "$B_{t+1}$ is a mini-batch of size $b$ sampled at random in $[N]$.",
        hypotheses=('"at random" means uniformly: every subset of size $b$ is as likely as any other',),
        check=minibatch,
        form={"normaliser": "1/b", "draw": "uniform subset"},
        non_vacuity=_batch_instance,
        mutants={
            "samples drawn with unequal probabilities": {"draw": "unequal draws"},
            "divided by N": {"normaliser": "1/N"},
            "divided by b + 1": {"normaliser": "1/(b+1)", "draw": "uniform draws"},
        },
        note="Uniform draws with replacement are unbiased too; what is needed is that each $j$ is drawn equally "
        "often on average.",
    ),
    Claim(
        id="ssmm-in-S",
        where="Section 2.2",
        statement="Since 𝒮 is convex and $\\gamma_{t+1} \\in (0, 1]$, $\\hat S_t + \\gamma_{t+1}(S_{t+1} - \\hat "
        "S_t) \\in$ 𝒮.",
        hypotheses=("$\\hat S_0 \\in$ 𝒮 and every oracle $S_{t+1} \\in$ 𝒮",),
        check=stays_inside,
        non_vacuity=partial(_run_instance, STEPS),
        mutants={
            "steps up to 2": {"gamma_max": "2"},
            "𝒮 not convex": {"convex": False},
            "oracles outside 𝒮": {"oracle_inside": False},
        },
    ),
    Claim(
        id="ssmm-const-step",
        where="Section 2.2",
        statement="For constant steps $\\gamma$, "
        "$\\hat S_{t+1} = (1-\\gamma)^{t+1} \\hat S_0 + \\gamma \\sum_{j=0}^t (1-\\gamma)^j \\hat S_{t+1-j}$.",
        hypotheses=("Algorithm 1 with $\\gamma_t = \\gamma$ for all t",),
        check=closed_form,
        form={**CONSTANT, "term": "iterate"},
        reading=Reading.SLIP,
        non_vacuity=partial(_run_instance, (HALF,) * 4),
        amended=Amended(
            statement="$\\hat S_{t+1} = (1-\\gamma)^{t+1} \\hat S_0 + \\gamma \\sum_{j=0}^t (1-\\gamma)^j S_{t+1-j}$.",
            form=CONSTANT,
            differs="The sum is over the oracles $S_{t+1-j}$, not over the iterates $\\hat S_{t+1-j}$.",
            matters="The printed line has $\\hat S_{t+1}$ on both sides: at $t = 0$ it says $(1-\\gamma)(\\hat S_1 "
            "- \\hat S_0) = 0$, "
            "so nothing would ever move. It is the past oracles that are forgotten at a geometric rate.",
        ),
        mutants={
            "without the factor γ": {"weight": "(1-c)**(t-j)", "last": "1"},
            "Ŝ_0 forgotten one step late": {"initial": "(1-c)**(t-1)"},
            "weights in the wrong order": {"weight": "c*(1-c)**(j-1)", "last": "c*(1-c)**(t-1)"},
        },
    ),
    Claim(
        id="ssmm-mean",
        where="Section 2.2",
        statement="When $\\gamma_{t+1} = 1/(t+1)$, $\\hat S_{t+1} = (t+1)^{-1} \\sum_{j=1}^{t+1} S_j$.",
        hypotheses=("Algorithm 1, from any $\\hat S_0$",),
        check=closed_form,
        form=MEAN,
        non_vacuity=partial(_run_instance, tuple(sp.Rational(1, k) for k in (1, 2, 3, 4))),
        mutants={
            "γ_{t+1} = 1/(t+2)": {"step": "1/(t+1)"},
            "Ŝ_0 counted as an oracle": {"initial": "1/(t+1)", "weight": "1/(t+1)", "last": "1/(t+1)"},
        },
        note="$\\gamma_1 = 1$, so the result does not depend on $\\hat S_0$.",
    ),
    Claim(
        id="own-ssmm-descent",
        where="Section 2.2 (not stated in the paper)",
        lines="L 344, L 396, L 836",
        statement="Without noise the algorithm descends with every step, not only with MM's $\\gamma = 1$: with "
        "$S_{t+1} = E_\\pi[\\bar S(Z, T(\\hat S_t))]$ and any $\\gamma_{t+1} \\in (0, 1]$, "
        "$(f+g)(T(\\hat S_{t+1})) \\leq (f+g)(T(\\hat S_t))$.",
        hypotheses=("MM-1 and MM-2", "exact oracles"),
        check=check_descent,
        non_vacuity=sound_instance,
        mutants={
            "steps up to 3": {"largest": "3"},
            "any oracle": {"oracle": "any"},
            "MM-1 dropped": {"hypotheses": ("MM-2",)},
            "MM-2 dropped": {"hypotheses": ("MM-1",)},
        },
        note="FedMM with all clients active, exact oracles and no compression is this algorithm (row alg2-reduces). So "
        "where the objective of a run of FedMM grows, it is the noise of mini-batches, participation or compression; "
        "row dl-monotone shows such a round.",
    ),
]
