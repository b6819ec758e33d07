"""The score of the experiments."""

from __future__ import annotations

from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s7_transport.score import constant_score, normaliser, score_instance
from proofs_checks.s7_transport.statements import ROWS

SCORES = [
    Claim(
        id="ot-uvp",
        where="Section 7.2, the normaliser",
        lines="L 962-965",
        statement=r"The variance that is or is not explained (row ot-uvp-const), "
        r"$\mathrm{Var}(Q) = E_Q \|Y - E_Q Y\|^2$, is the $L_1$ norm of the covariance matrix.",
        hypotheses=(r"the $L_1$ norm of a matrix is the sum of the absolute values of its entries",),
        check=normaliser,
        form={"norm": "L1 of the entries"},
        reading=Reading.DEPENDS,
        context=Context("“The $L_1$ norm of the covariance matrix” may be that of its eigenvalues.", "amended"),
        non_vacuity=score_instance,
        amended=Amended(
            statement=r"$\mathrm{Var}(Q) = E_Q \|Y - E_Q Y\|^2$ is the trace of the covariance matrix.",
            form={"norm": "trace"},
            differs="The trace (the $L_1$ norm of the eigenvalues) in place of the $L_1$ norm of the matrix.",
            matters="Scores come out too low, and depend on the choice of axes, when coordinates are correlated. "
            "Numbers computed with the benchmark's public code are not affected: it sums the variances of the "
            "coordinates.",
        ),
        mutants={
            "the largest column sum": {"norm": "largest column sum"},
            "the largest eigenvalue": {"norm": "largest eigenvalue"},
        },
        note="The largest column sum is what an induced 1-norm would be; the nuclear norm is the trace here.",
    ),
    Claim(
        id="ot-uvp-const",
        where="Section 7.2, calibration of the score",
        lines="L 962-967",
        statement=r"The constant map $m = E_Q[Y]$ scores exactly 100.",
        hypotheses=(r"$\mathrm{Var}(Q)$ is the trace of the covariance (row ot-uvp)", r"$m^* \circ P = Q$"),
        check=constant_score,
        non_vacuity=score_instance,
        mutants={
            "Var(Q) as printed": {"norm": "L1 of the entries"},
            "another constant": {"constant": "0.5 off"},
        },
        note="Not a statement of the paper: it fixes the scale, as 0 is the true map. Every other constant scores "
        "more.",
    ),
    *ROWS,
]
