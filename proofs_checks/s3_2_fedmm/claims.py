"""Section 3.2: FedMM, Algorithm 2, and its description."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction as F

from fedmm_edu.proofs.verdict import Witness
from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.shared.fedmm_rounds import BOTH, FIRST, MU, Setting, State, conserves, play, reduces, stationary
from proofs_checks.shared.participation import (
    LAWS,
    inclusion,
    local_estimate,
    participation,
    properties,
    unbiased_direction,
)
from proofs_checks.shared.tools import instance

SECTION = "Section 3.2: FedMM, a federated majorize-minimization algorithm"


def _read(values: Iterable[F]) -> str:
    return ", ".join(map(str, values))


def _bernoulli() -> Witness:
    share, law = LAWS["each client independently"]
    return instance(
        {"n": 2, "p": share, "P(i active)": _read(inclusion(law))},
        "two clients, each active with probability 1/2, independently",
        {"A5": "A5" in properties(share, law), "mean number np": sum(inclusion(law)) == 2 * share},
    )


def _same_share() -> Witness:
    share, law = LAWS["one client, at random"]
    found = properties(share, law)
    return instance(
        {"n": 2, "p": share, "active": "one of two, at random"},
        "the same probability for each client, though not independent",
        {"same p": "same p" in found, "not A5": "A5" not in found},
    )


def _round() -> Witness:
    before = State.start(F(1, 2), (F(1), F(-1)))
    after = play(before, FIRST, (F(1), F(0)), (F(2), F(1)), Setting(p=F(1, 2), gamma=F(1, 4)))
    return instance(
        {
            "mu": _read(MU),
            "V_i": _read(before.clients),
            "V_i after": _read(after.clients),
            "V": before.server,
            "V after": after.server,
        },
        "a round with one active client and a compressed message",
        {"something moved": after != before, "mu sums to 1": sum(MU) == 1, "Shat in [0, 1]": 0 <= after.s <= 1},
    )


def _full_round() -> Witness:
    oracles, before = (F(1), F(1, 4)), State.start(F(1, 2), (F(1), F(-1)))
    after = play(before, BOTH, oracles, (F(1), F(1)), Setting(alpha=F(3), gamma=F(1, 2)))
    mean = sum(w * o for w, o in zip(MU, oracles, strict=True))
    return instance(
        {"mu": _read(MU), "S_i": _read(oracles), "alpha": 3, "gamma": "1/2", "Shat": after.s},
        "a round with full participation, without compression, with heterogeneous clients",
        {"an SA-SSMM step": after.s == (F(1, 2) + mean) / 2, "heterogeneous": oracles[0] != oracles[1]},
    )


def _root() -> Witness:
    means, root = (F(1), F(1, 4)), F(1, 2)
    pooled = sum(w * x for w, x in zip(MU, means, strict=True))
    return instance(
        {"mu": _read(MU), "E_i S_bar": _read(means), "s": root},
        "a root of h that is no root of any $h_i$, as for two clients of Remark 1",
        {"h(s) = 0": pooled == root, "h_i(s) != 0": root not in means},
    )


ORACLES = "‹oracle: blind=A3, the oracles not depending on who is selected›"
COMPRESSION = r"‹compressor: unbiased=A4($\omega$), given the oracles and the selection›"
SERVER = r"‹server: sum=$V_t = \sum_i \mu_i V_{t,i}$ (Proposition 5)›"

CLAIMS = [
    Claim(
        id="alg2-fixed-point",
        where="Section 3.2",
        lines="L 563",
        statement=r"At a root $s_\star$ of $h$, each client on its own has $h_i(s_\star) \neq 0$ in general. Control "
        r"variates correct for it: with $V_{t,i} = h_i(s_\star)$ and exact oracles, no round moves "
        r"$\hat S_t = s_\star$, whoever is active and whatever compressor is used.",
        hypotheses=("A4", r"$V_t = \sum_i \mu_i V_{t,i}$"),
        check=stationary,
        form={"variates": "h_i"},
        non_vacuity=_root,
        mutants={
            "no control variates": {"variates": "0"},
            "twice too large": {"variates": "2*h_i"},
            "a compressor that adds noise at 0": {"additive_noise": True},
        },
        note=r"The paper says it in words. A4 is what makes $Q(0) = 0$: its variance is relative to $\|s\|^2$.",
    ),
    Claim(
        id="alg2-mean-active",
        where="Section 3.2, Algorithm 2 and its description",
        lines="L 570, L 606, L 610",
        statement=r"If the active clients are drawn from a distribution on the subsets of $\{1, \dots, n\}$ such that "
        r"the mean number of active clients is $np$, then $H_{t+1}$ is an (unbiased) oracle of $h(\hat S_t)$.",
        hypotheses=(
            ORACLES,
            COMPRESSION,
            SERVER,
        ),
        check=participation,
        form={"law": "mean np"},
        reading=Reading.NEEDS,
        context=Context(
            "A5 gives each client the same probability, but comes in Section 5 and for the analysis only; "
            "Algorithm 2 takes any law of the active set."
        ),
        non_vacuity=_same_share,
        amended=Amended(
            kind="result",
            statement=r"If each client is active with the same probability $p$, then the mean number of active clients "
            r"is $np$ and $H_{t+1}$ is an unbiased oracle of $h(\hat S_t)$.",
            form={"law": "same p"},
            differs="The same probability $p$ for each client, in place of its average over clients.",
            matters=r"Clients that are selected more often than others pull $\hat S_t$ to their own fixed points. "
            r"Independence (A5) is not needed here: drawing $pn$ clients without replacement is unbiased, too. With "
            r"unequal probabilities $p_i > 0$, dividing client $i$'s message by $p_i$ in place of $p$ repairs it.",
        ),
        mutants={
            "only the mean number is known": {"law": "mean np"},
            "not divided by p": {"scale": "1"},
            "a biased compressor": {"compressor": "shrinking"},
            "oracles that depend on the selection": {"oracle": "sees the selection"},
            "V is not the mean of the V_i": {"server": "free"},
        },
    ),
    Claim(
        id="alg2-unbiased",
        where="Section 3.2, and Proposition 3 (51)",
        statement=r"$E[H_{t+1} \mid F_t] = h(\hat S_t)$.",
        hypotheses=(
            "‹law: A5=A5($p$), where the “past” contains the oracles $S_{t+1,i}$, as in (45)›",
            ORACLES,
            COMPRESSION,
            SERVER,
        ),
        check=unbiased_direction,
        form={"law": "A5"},
        non_vacuity=_bernoulli,
        mutants={
            "the sum is not divided by p": {"scale": "1"},
            "V is not added": {"server": "zero"},
            "V is not the mean of the V_i": {"server": "free"},
            "a biased compressor": {"compressor": "shrinking"},
            "oracles that depend on the selection": {"oracle": "sees the selection"},
            "only the mean number of active clients is np": {"law": "mean np"},
        },
        note="Algorithm 2 selects before it samples. A3 and A5 read in that order would let an oracle depend on who "
        "was selected, and then (51) fails (see the mutant); the filtration of Appendix D.3 excludes it.",
    ),
    Claim(
        id="alg2-conserves",
        where="Section 3.2, Algorithm 2",
        lines="L 571, L 584, L 600-603",
        statement=r"A round leaves $V_t - \sum_i \mu_i V_{t,i}$ unchanged, whoever is active and whatever is sent; it "
        r"starts "
        "at 0.",
        check=conserves,
        non_vacuity=_round,
        mutants={
            "the server averages with equal weights": {"server": "alpha/(n*p)"},
            "the server forgets 1/p": {"server": "mu_i*alpha"},
            "a client's own update is lost": {"lost": True},
        },
        note=r"The difference is conserved, not contracted: an error made once, such as a lost update, stays for ever "
        r"and shifts $E[H_{t+1}]$ by as much.",
    ),
    Claim(
        id="alg2-local-bias",
        where="Section 3.2, description of Algorithm 2",
        statement=r"Due to data heterogeneity ($\pi_i \neq \pi_j$), the local estimate $S_{t+1,i} - \hat S_t$ is a "
        r"biased estimator of $h(\hat S_t)$.",
        hypotheses=("A3",),
        check=local_estimate,
        form={"biased": "the laws differ"},
        reading=Reading.DEPENDS,
        context=Context("“Due to heterogeneity” is said of the general case, $h_i \\neq h$.", "amended"),
        non_vacuity=_root,
        amended=Amended(
            kind="wording",
            statement=r"$S_{t+1,i} - \hat S_t$ has mean $h_i(\hat S_t)$: it is a biased estimator of $h(\hat S_t)$ "
            r"exactly when $h_i(\hat S_t) \neq h(\hat S_t)$.",
            form={"biased": "h_i != h"},
            differs=r"$h_i \neq h$ in place of heterogeneity.",
            matters=r"Laws that differ only in what $\bar S$ does not see, as in Remark 1 clients with the same mean, "
            r"do no "
            "harm.",
        ),
        mutants={"for every client": {"biased": "always"}, "whenever the laws differ": {"biased": "the laws differ"}},
    ),
    Claim(
        id="alg2-reduces",
        where="Section 3.2 and Section 4",
        lines="L 565-604, L 657",
        statement=r"With full participation ($p = 1$) and no compression ($\omega = 0$), FedMM is SA-SSMM with the "
        r"oracle "
        r"$S_{t+1} = \sum_i \mu_i S_{t+1,i}$, for every $\alpha$ and all $V_{0,i}$; the projection changes nothing.",
        hypotheses=(
            r"$V_0 = \sum_i \mu_i V_{0,i}$, $\gamma_t \in (0, 1]$ (Algorithm 2)",
            r"$\mathcal{S}$ is convex and the oracles lie in it",
        ),
        check=reduces,
        non_vacuity=_full_round,
        mutants={
            "half of the clients": {"share": "1/2"},
            "compressed": {"compressor": "random factor"},
            "V_0 is not the mean of the V_{0,i}": {"start": "free"},
            "steps above 1": {"gamma_max": "3/2"},
            "oracles outside 𝒮": {"oracle_inside": False},
        },
    ),
]
