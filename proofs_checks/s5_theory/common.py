"""Words and instances that several rows of this section share."""

from __future__ import annotations

from fractions import Fraction as F

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.s5_theory.compressors import violates
from proofs_checks.s5_theory.noise import NOISE_LAWS
from proofs_checks.shared.tools import instance

HALF = F(1, 2)


def oracle_instance() -> Witness:
    joint = NOISE_LAWS["independent"]
    mean = [sum(w * errors[i] for errors, w in joint.items()) for i in (0, 1)]
    return instance(
        {"errors": "1 or -1, each with probability 1/2, independent", "sigma_i": 1},
        "two unbiased oracles with independent errors",
        {"unbiased": mean == [0, 0], "a law": sum(joint.values()) == 1},
    )


def identity_instance() -> Witness:
    law = [((F(1), F(2)), F(1))]
    return instance({"s": "1, 2", "Q": "identity"}, "A4(0)", {"A4(0)": violates((F(1), F(2)), law, F(0)) is None})


def interval() -> Witness:
    at, mean, step = HALF, F(1), F(1)
    return instance(
        {"S": "[0, 1]", "Shat": at, "E S_bar": mean, "gamma": step},
        "Remark 1 with $Z = 1$, on a compact set of surrogates",
        {
            "E S_bar in S": 0 <= mean <= 1,
            "Shat + gamma h in S": 0 <= at + step * (mean - at) <= 1,
            "h != 0": mean != at,
        },
    )
