"""Section 4: related work in federated learning, in the words of MM-1 and MM-2."""

from __future__ import annotations

from fractions import Fraction as F

import sympy as sp

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim
from proofs_checks.reading import Reading
from proofs_checks.s4_related.composite import distinct, kinked, skipping, subgradient_bound
from proofs_checks.s4_related.neighbours import clusters_instance, kmeans, mirror_descent, mirror_instance
from proofs_checks.s4_related.related import averages_of_sparse, fmf_inner, fmf_oracles, newton, no_projection
from proofs_checks.shared.tools import instance

SECTION = "Section 4: related work"


def _samples() -> Witness:
    counts = (1, 2)
    weights = [F(n, sum(counts)) for n in counts]
    return instance(
        {"N_i": counts, "h": "1; 2, 3", "Z": "1; 2, 3"},
        "two clients with different numbers of samples",
        {"weights sum to 1": sum(weights) == 1, "every client has a sample": min(counts) >= 1},
    )


def _curved() -> Witness:
    theta = sp.Symbol("theta")
    f = (theta**2 / 2 + theta**4 / 4, (theta - 3) ** 2)
    bend = sum(sp.diff(x, theta, 2).subs(theta, 1) for x in f) / 2
    return instance({"f_i": f, "mu": "1/2, 1/2", "theta": 1}, "two different clients", {"invertible": bend != 0})


def _soft() -> Witness:
    return instance({"g": "|theta|_1", "rho": 1, "s": 3, "T(s)": 2}, "a soft threshold", {"prox": 3 - 1 == 2})


CLAIMS = [
    Claim(
        id="fco-distinct",
        where="Section 4, federated composite optimization",
        statement=r"Scaffnew with $0 < p < 1$ makes rounds that are not those of FedMM: where two of its clients aim "
        "there is no quadratic surrogate, with a common ρ, that aims there.",
        check=distinct,
        form={"chance": "0 < p < 1"},
        mutants={
            "clients that bend alike": {"bends": "equal"},
            "without skipping": {"chance": "0 < p <= 1"},
        },
        non_vacuity=skipping,
        differs="The premise of a method is judged by its rounds; “periodic randomized consensus enforcement” is "
        "$p < 1$.",
        note=r"With $p = 1$, which Scaffnew admits, nothing is skipped, and it is FedMM with the quadratic surrogate "
        r"of ρ = γ. In the aggregation space $\mathbb{R}^d$ ProxSkip is FedMM's loop with other local work: row "
        "own-scaffold with everyone and a random K.",
    ),
    Claim(
        id="fco-sparsity",
        where="Section 4, federated composite optimization",
        statement=r"Averaging in $\Theta$ the clients' models, each after a proximal step for $g = \|\cdot\|_1$, may "
        r"lose sparsity.",
        check=averages_of_sparse,
        form={"quantifier": "may"},
        mutants={"never": {"quantifier": "never"}},
        non_vacuity=_soft,
        note="An existence statement, proved by an exact instance with two clients.",
    ),
    Claim(
        id="fco-dual-upper",
        where="Section 4, federated composite optimization",
        statement=r"The subgradient u of $|\theta|$ at $\theta_t \neq 0$ is the slope there of an upper bound on it, "
        r"in each coordinate: $|\theta| \leq |\theta_t| + u(\theta - \theta_t) + (\theta - \theta_t)^2/(2|\theta_t|)$.",
        check=subgradient_bound,
        form={"bound": "parabola above"},
        mutants={
            "the plane alone": {"bound": "plane above"},
            "the opposite slope": {"slope": "-1"},
            "a slope of 2": {"slope": "2"},
        },
        non_vacuity=kinked,
        differs="“A particular type of surrogate or upper bound” is the parabola of reweighting.",
        note=r"The plane alone, $|\theta_t| + u(\theta - \theta_t)$, is a lower bound; it is what a dual average "
        r"aggregates: $(z_t - \theta_t)/(\eta t) \in \partial g(\theta_t)$ (row own-feddualavg).",
    ),
    Claim(
        id="fedem-projection",
        where="Section 4, federated EM",
        statement=r"With the unconstrained $\mathcal{S} = \mathbb{R}^q$, line 13 of Algorithm 2 does nothing: "
        r"$\mathrm{argmin}_s (s - \hat s)^\top B (s - \hat s) = \hat s$ for a positive definite $B$.",
        check=no_projection,
        form={"space": "R^q", "definite": True},
        mutants={
            "B only positive semidefinite": {"definite": False},
            "a half-line": {"space": "half-line"},
        },
        non_vacuity=_samples,
        note=r"MM-2 on all of $\mathbb{R}^q$ is a strong demand on an EM model: Appendix C.1 does not meet it.",
    ),
    Claim(
        id="fmf-problem",
        where="Section 4, eq. (23)",
        lines="L 640-643",
        statement=r"(23), $N^{-1} \sum_i \sum_j \mathrm{argmin}_h \{\|Z_{ij} - \theta h\|^2 + \chi(h)\} + g(\theta)$, "
        r"is problem (14) for the pooled samples.",
        check=fmf_inner,
        form={"inside": "argmin"},
        reading=Reading.SLIP,
        amended=Amended(
            kind="wording",
            statement=r"It is with $\min_h$ in place of $\mathrm{argmin}_h$, when all $\mathcal{H}_i$ are equal.",
            form={"inside": "min"},
            differs=r"The printed sum adds codes, not values; for $K > 1$ it would add vectors to numbers.",
            matters="A slip of the pen; the method is that of the amended problem.",
        ),
        mutants={"the value at h = 0": {"inside": "zero"}},
        non_vacuity=_samples,
        note=r"With different $\mathcal{H}_i$ the loss depends on the client, which Section 3.1 excludes but the proof "
        r"of MM-1 allows: it is used for each $f_i$ alone.",
    ),
    Claim(
        id="fmf-oracles",
        where="Section 4, federated matrix factorization",
        statement=r"$E_{\pi_i}[\bar S(Z, T(\hat S_t))] = (N_i^{-1}\sum_j h_{ij}h_{ij}^\top, N_i^{-1}\sum_j "
        r"Z_{ij}h_{ij}^\top)$, and with $\mu_i = N_i/N$ their mean is that of all samples.",
        check=fmf_oracles,
        form={"normaliser": "1/N_i", "weight": "N_i/N"},
        mutants={
            "1/N": {"normaliser": "1/N"},
            "equal weights": {"weight": "1/n"},
            "1/n": {"normaliser": "1/n"},
        },
        non_vacuity=_samples,
        hypotheses=(r"$\pi_i = N_i^{-1} \sum_j \delta_{Z_{ij}}$, $N_i \geq 1$",),
        note="That MM-2 is satisfied here, too, needs a condition on $g$: see dl-mm2.",
    ),
    Claim(
        id="fmf-kmeans",
        where="Section 4, FedMGS",
        statement=r"$K$-means is a special case of (23): with $\mathcal{H}_i = \{e_1, \dots, e_K\}$ and $\chi = g = "
        r"0$ the code (24) picks the nearest centre, and $T$ of the averaged $\bar S$ moves each centre to the mean of "
        r"its cluster, over all clients (Lloyd's step).",
        check=kmeans,
        mutants={
            "codes in the simplex": {"codes": "simplex"},
            "sums divided by all samples": {"divide_by": "all"},
        },
        non_vacuity=clusters_instance,
        hypotheses=(
            "‹clusters: every=every; some=some› cluster has a sample: else $s^{(1)}$ is singular and MM-2 fails "
            "(row dl-mm2)",
            "no sample is equally far from two centres: else $M(Z, \\theta)$ is not unique",
        ),
        note="The paper says 'through specific choices'; these are the choices. An empty cluster is where programs for "
        "$K$-means need a rule of their own.",
    ),
    Claim(
        id="newton-aggregation",
        where="Section 4, aggregation of functional approximations",
        statement=r"Aggregating the clients' gradients and Hessians at $\theta_t$ and then taking Newton's step is "
        r"Newton's step on $\sum_i \mu_i f_i$.",
        check=newton,
        form={"sent": "models", "points": "common"},
        mutants={
            "averaging the clients' Newton steps": {"sent": "steps"},
            "each client at its own θ": {"points": "own"},
            "other weights for the Hessians": {"weights": "different"},
        },
        non_vacuity=_curved,
        hypotheses=(
            r"all clients use the same $\theta_t$ and the same weights for gradients and Hessians",
            r"$\sum_i \mu_i \nabla^2 f_i(\theta_t)$ is invertible, so that the step exists",
        ),
        note=r"Unlike in MM the quadratic models need not lie above $f_i$; the step is the model's minimiser only if "
        r"the aggregated Hessian is positive definite.",
    ),
    Claim(
        id="mm-mirror-descent",
        where="Section 8, link with mirror descent",
        statement=r"If $\phi(\theta) = \theta$ and $g = 0$, MM (7) is mirror descent with the mirror map $\psi$ and "
        r"step 1: $\nabla \psi(\theta_{t+1}) = \nabla \psi(\theta_t) - \nabla f(\theta_t)$.",
        check=mirror_descent,
        mutants={"any φ": {"phi": "any"}, "step 1/2": {"step": "1/2"}},
        non_vacuity=mirror_instance,
        hypotheses=("MM-1, MM-2, A1 and A2", r"$\theta_t$ and $\theta_{t+1}$ lie in $\mathrm{int} \, \Theta$"),
        note=r"In the conclusion the paper recalls this for EM. For other $\phi$ the two Jacobians, at $\theta_t$ and "
        r"at $\theta_{t+1}$, differ: this is where the canonical parameterisation is used.",
    ),
]
