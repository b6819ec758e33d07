"""The challenges: leaving 𝒮, and the projection's bias."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Claim
from proofs_checks.s5_theory.common import HALF, interval
from proofs_checks.s5_theory.compressors import quantised_psd
from proofs_checks.s5_theory.leaving import leaves, reinforced
from proofs_checks.s5_theory.projected_field import projection_bias
from proofs_checks.shared.tools import instance


def _psd() -> Witness:
    A = sp.Matrix([[1, HALF], [HALF, F(1, 4)]])
    return instance(
        {"A": A.tolist()}, "$A = vv^\\top$, $v = (1, 1/2)$", {"det": A.det() == 0, "trace > 0": A.trace() > 0}
    )


CHALLENGES = [
    Claim(
        id="leaves-S",
        where="Section 5, challenges",
        statement=r"$\hat S_{t+1/2}$ may leave $\mathcal{S}$, although $\gamma \leq 1$ and the oracles lie in "
        r"$\mathcal{S}$: partial participation alone and compression alone can do it.",
        hypotheses=("A4 and A5, no control variates ($V_{t,i} = 0$)",),
        check=leaves,
        form={"how": "may"},
        non_vacuity=interval,
        mutants={"never": {"how": "never"}, "always": {"how": "always"}},
        note=r"With full participation and without compression it never does (alg2-reduces).",
    ),
    Claim(
        id="leaves-S-cv",
        where="Section 5, challenges",
        statement=r"Control variates reinforce this: without them and without compression, $\hat S_{t+1/2} \in "
        r"\mathcal{S}$ for all $\gamma \leq p$, whoever is active; with them no $\gamma > 0$ is small enough.",
        hypotheses=(r"$\mathcal{S}$ is convex, the oracles lie in it, $p \in (0, 1]$",),
        check=reinforced,
        form={"variates": "0", "gamma_max": "p"},
        non_vacuity=interval,
        mutants={
            "with control variates, too": {"variates": "any"},
            "steps up to 1": {"gamma_max": "1"},
            "compressed": {"compressor": "factor 0 or 2"},
        },
        note=r"Algorithm 2 leaves the $V_{0,i}$ free; with them, $V_t$ alone moves the iterate out when nobody is "
        r"active.",
    ),
    Claim(
        id="psd-quant",
        where="Section 5, challenges",
        statement="A scalar quantisation of a positive semidefinite matrix may fail to be positive semidefinite.",
        hypotheses=("unbiased random rounding of each entry, off-diagonal entries once for both sides",),
        check=quantised_psd,
        form={"stays": "may leave"},
        non_vacuity=_psd,
        mutants={"never": {"stays": "never leaves"}, "always": {"stays": "always leaves"}},
    ),
    Claim(
        id="proj-bias",
        where="Section 5, challenges",
        statement=r"The projection introduces a bias, roughly $E[\Pi(\hat S, B)] \neq \Pi(E[\hat S], B)$: unless "
        r"$\mathcal{S}$ is an affine subspace, they differ for ‹laws: some=some; every=every› law of $\hat S$.",
        hypotheses=(r"$\mathcal{S}$ is closed and convex, $B \succ 0$ is fixed",),
        check=projection_bias,
        form={"unless": "an affine subspace"},
        non_vacuity=interval,
        mutants={
            "unless 𝒮 is the whole space": {"unless": "the whole space"},
            "never for convex 𝒮": {"unless": "convex"},
        },
    ),
]
