"""A7 for dictionary learning of all sizes, and what holds in its place."""

from __future__ import annotations

from proofs_checks.beyond_constants import dictionary as dictionary
from proofs_checks.beyond_constants import dictionary_upper as dictionary_upper
from proofs_checks.beyond_constants import lipschitz as flat
from proofs_checks.beyond_constants import lipschitz_dictionary as flat_dictionary
from proofs_checks.ledger import Claim

FLAT_MIXTURE = {"L_T": "L*(1+R**2)*g**2/lam", "ell": "(1+m2)/2"}
FLAT_DICTIONARY = {"L_T": "2*(1+R**2)/delta", "ell": "(4*r_h**2+r_z**2)/(2*mu)"}


DICTIONARIES = [
    Claim(
        id="own-A7-dl-B",
        lines="L 1925-1943",
        statement="Dictionary learning, $g = 0$, all $p, K$: $B(s)$ maps $(U^{(1)}, U^{(2)})$ to "
        "$(-(T^\\top z + z^\\top T), 2z)$ with $z = (U^{(2)} - T U^{(1)})(s^{(1)})^{-1}$ and $T = T(s)$.",
        check=dictionary.dictionary_B_general,
        form={"first": "-1", "second": "2"},
        non_vacuity=dictionary.dictionary_instance,
        mutants={
            "sign of the first block": {"first": "1"},
            "without the factor 2": {"second": "1"},
            "z with the other sign": {"shift": "1"},
        },
        note="It vanishes on $(s^{(1)}, s^{(2)})$, where $z = 0$.",
    ),
    Claim(
        id="own-A7-dl-upper",
        lines="L 1925-1950",
        statement="Dictionary learning, $g = 0$, all $p, K$: A7(i) holds with $C_\\star = 3(1+R^2)/\\delta^2$ and "
        "$C_{\\star\\star} = 2(1+R^2)/\\delta$ on every 𝒮 on which the eigenvalues of $s^{(1)}$ are at "
        "least $\\delta$ and $\\|T(s)\\| \\leq R$ (operator norm). For $p = K = 1$ that $C_{\\star\\star}$ is the "
        "smallest, the eigenvalue of $B$ at $(\\delta, R\\delta)$.",
        hypotheses=("norms of $s$ are those of the paper's $\\langle A, B\\rangle = Trace(A^\\top B)$",),
        check=dictionary_upper.dictionary_upper,
        form={"C_star": "3*(1+R**2)/delta**2", "C_starstar": "2*(1+R**2)/delta"},
        non_vacuity=dictionary_upper.upper_instance,
        mutants={
            "a third of C_⋆": {"C_star": "(1+R**2)/delta**2"},
            "without R": {"C_starstar": "2/delta"},
            "twice C_⋆⋆": {"C_starstar": "4*(1+R**2)/delta"},
            "wrong sign of C_⋆⋆": {"C_starstar": "-2*(1+R**2)/delta"},
            "T(s) of any norm": {"without": "one"},
        },
        note="So of A7 only $v_{min}$ fails. $\\|s^{(2)}\\| \\leq r$ gives $R = r/\\delta$.",
    ),
    Claim(
        id="own-A7-dl-image",
        lines="L 1944-1950",
        statement="Dictionary learning, $g = 0$, all $p, K$: the eigenvalues of $B(s)$ other than 0 are at least "
        "$2/\\lambda_{max}(s^{(1)})$. So A7(ii) survives on the image of $B(s)$, if 𝒮 keeps $s^{(1)}$ bounded.",
        check=dictionary.dictionary_image,
        form={"bound": "2/top"},
        non_vacuity=dictionary.dictionary_instance,
        mutants={
            "4 in place of 2": {"bound": "4/top"},
            "the smallest eigenvalue of $s^{(1)}$": {"bound": "2/low"},
            "wrong sign of B": {"sign": -1},
            "eigenvalues above the largest": {"without": "H"},
        },
        note="The image moves with $s$ (for $p = K = 1$ it is spanned by $(-T(s), 1)$), and $\\phi \\circ T$ is "
        "constant along "
        "$t \\mapsto ts$: the strong monotonicity of own-A7-second does not survive.",
    ),
    Claim(
        id="own-lip-mixture",
        lines="L 1160-1215",
        statement="Mixtures of $L$ Gaussians in $R^p$, all $L, p$, satisfy what own-lip asks in place of A7: "
        "$L_T = L(1+R^2)g^2/\\lambda$ on every 𝒮 on which the means $T(s)$ have norms up to $R$ ($g$ the largest "
        "eigenvalue of a $\\Gamma_\\ell^{-1}$), and $\\ell = \\frac{1}{2}(1+E\\|Z\\|^2)$ for all means.",
        hypotheses=("$\\lambda > 0$", "$s_{2,\\ell} \\geq 0$, $\\sum_\\ell s_{2,\\ell} \\leq 1$"),
        check=flat.mixture,
        form=FLAT_MIXTURE,
        non_vacuity=flat.mixture_instance,
        mutants={
            "half of L_T": {"L_T": "L*(1+R**2)*g**2/(2*lam)"},
            "9/10 of ℓ": {"ell": "9/20*(1+m2)"},
            "wrong sign of L_T": {"L_T": "-L*(1+R**2)*g**2/lam"},
            "wrong sign of ℓ": {"ell": "-(1+m2)/2"},
            "means of any norm": {"without": "pair"},
        },
        note="A7 fails for them (own-A7-mixture). The log-odds of a sample are linear in $\\phi$, so $\\bar S$ is the "
        "softmax of a linear map of $\\phi$ times $(z, 1)$; ½ is the largest eigenvalue of its derivative.",
    ),
    Claim(
        id="own-lip-dl",
        lines="L 444-480, L 1925-1950",
        statement="Dictionary learning, $g = 0$, any convex $\\chi$, all $p, K$, satisfies what own-lip asks in place "
        "of A7: $L_T = 2(1+R^2)/\\delta$ on every 𝒮 on which the eigenvalues of $s^{(1)}$ are at least $\\delta$ and "
        "$\\|T(s)\\| \\leq R$, and $\\ell = (4r_h^2+r_z^2)/(2\\mu)$ where those of $T(s)^\\top T(s)$ are at least "
        "$\\mu > 0$, codes have norms up to $r_h$ and samples up to $r_z$.",
        hypotheses=("norms of $s$ are those of the paper's $\\langle A, B\\rangle = Trace(A^\\top B)$",),
        check=flat_dictionary.dictionary,
        form=FLAT_DICTIONARY,
        non_vacuity=flat_dictionary.dictionary_instance,
        mutants={
            "half of L_T": {"L_T": "(1+R**2)/delta"},
            "a quarter of ℓ": {"ell": "(4*r_h**2+r_z**2)/(8*mu)"},
            "wrong sign of L_T": {"L_T": "-2*(1+R**2)/delta"},
            "wrong sign of ℓ": {"ell": "-(4*r_h**2+r_z**2)/(2*mu)"},
            "$T(s)^\\top T(s)$ singular": {"without": "definite"},
        },
        note="A7 fails (A7-dl-singular). For $\\chi = \\lambda\\|h\\|_1$ one has $r_h \\leq r_z^2/\\lambda$; a term "
        "$\\mu\\|h\\|^2$ in $\\chi$ serves in place of the bound on $T(s)^\\top T(s)$, without which codes can jump. "
        "That $T(s)$ keeps the bound along a run is not shown.",
    ),
]
