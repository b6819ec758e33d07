"""The best constants for Poisson counts and the toy of Remark 1."""

from __future__ import annotations

from functools import partial

from proofs_checks.appendix_e_constants.claims import POISSON
from proofs_checks.beyond_constants import scalar as scalar
from proofs_checks.beyond_constants import singular as singular
from proofs_checks.ledger import Claim

BEST = {"poisson": scalar.poisson_instance, "toy": scalar.toy_instance}
MATRIX = (("1/s1", "1/(lam-s2)"), ("1/(lam-s2)", "s1/(lam-s2)**2"))


def _best(case: scalar.ScalarCase, name: scalar.ConstantName, value: str, says: str, worse: dict[str, str]) -> Claim:
    """The row "the best constant of this name is `value`, and (not) attained"."""
    title = scalar.CASES[case].title
    return Claim(
        id=f"own-A7-{case}-{name.replace('_', '')}",
        lines="L 1911-1922" if case == "poisson" else "L 544-551",
        statement=f"{title}: {says}",
        hypotheses=POISSON
        if case == "poisson"
        else ("$\\mathcal{S} = [a, b]$, $0 < a < b$, $\\phi(T(s)) = -1/\\sqrt{s}$",),
        check=partial(scalar.bound, case, name, best=True),
        form={"value": value},
        non_vacuity=BEST[case],
        mutants={label: {"value": wrong} for label, wrong in worse.items()},
    )


SCALAR = [
    _best(
        "poisson",
        "v_min",
        "m/(lam+M)**2",
        "the largest $v_{min}$ is $E_\\pi[Z]/(\\lambda+M)^2$, attained at $s = -M$.",
        {"smaller": "m/(2*(lam+M)**2)", "as printed": "1/(lam+M)**2"},
    ),
    _best(
        "poisson",
        "v_max",
        "m/lam**2",
        "the smallest $v_{max}$ is $E_\\pi[Z]/\\lambda^2$, attained at $s = 0$.",
        {"larger": "2*m/lam**2", "as printed": "1/lam**2"},
    ),
    _best(
        "poisson",
        "C_star",
        "m/lam**3",
        "the smallest $C_\\star$ is $E_\\pi[Z]/\\lambda^3$, a supremum that no pair attains.",
        {"larger": "2*m/lam**3", "half": "m/(2*lam**3)"},
    ),
    _best(
        "poisson",
        "C_starstar",
        "m/lam**2",
        "the smallest $C_{\\star\\star}$ is $E_\\pi[Z]/\\lambda^2$, a supremum that no pair attains.",
        {"larger": "2*m/lam**2", "half": "m/(2*lam**2)"},
    ),
    Claim(
        id="own-A7-poisson-joint",
        lines="L 1135-1145",
        statement="Poisson, first strategy: $B(s) = [[1/s_1, 1/(\\lambda-s_2)], [1/(\\lambda-s_2), "
        "s_1/(\\lambda-s_2)^2]]$, "
        "which is singular at every $s$: A7 fails.",
        check=singular.poisson_joint,
        form={"matrix": MATRIX},
        non_vacuity=scalar.poisson_instance,
        mutants={
            "diagonal": {"matrix": (("1/s1", "0"), ("0", "s1/(lam-s2)**2"))},
            "sign": {"matrix": (("1/s1", "-1/(lam-s2)"), ("-1/(lam-s2)", "s1/(lam-s2)**2"))},
        },
        note="The second strategy, with the same iterates, satisfies A7: it is the choice of surrogate that matters.",
    ),
    _best(
        "toy",
        "v_min",
        "1/(2*sqrt_b**3)",
        "the largest $v_{min}$ is $\\frac{1}{2} b^{-3/2}$, attained at $s = b$.",
        {"at a": "1/(2*sqrt_a**3)", "half": "1/(4*sqrt_b**3)"},
    ),
    _best(
        "toy",
        "v_max",
        "1/(2*sqrt_a**3)",
        "the smallest $v_{max}$ is $\\frac{1}{2} a^{-3/2}$, attained at $s = a$.",
        {"at b": "1/(2*sqrt_b**3)", "twice": "1/sqrt_a**3"},
    ),
    _best(
        "toy",
        "C_star",
        "3/(8*sqrt_a**5)",
        "the smallest $C_\\star$ is $\\frac{3}{8} a^{-5/2}$, a supremum that no pair attains.",
        {"3/4": "3/(4*sqrt_a**5)", "1/4": "1/(4*sqrt_a**5)"},
    ),
    _best(
        "toy",
        "C_starstar",
        "1/(2*sqrt_a**3)",
        "the smallest $C_{\\star\\star}$ is $\\frac{1}{2} a^{-3/2}$, a supremum that no pair attains.",
        {"at b": "1/(2*sqrt_b**3)", "twice": "1/sqrt_a**3"},
    ),
]
