"""Batched sparse coding: the codes M(Z, θ) of dictionary learning (`eq:MF:tool1`), certified by their optimality."""

from fedmm_edu.sparse_coding.problem import CodePenalty, Codes, kkt_violation
from fedmm_edu.sparse_coding.solve import codes

__all__ = ["CodePenalty", "Codes", "codes", "kkt_violation"]
