"""A round of FedMM-OT: client step, invariants, server step."""

from __future__ import annotations

from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s7_transport.clients import best_response, client_step, clients_instance, server_step
from proofs_checks.s7_transport.common import POTENTIALS, RICH, ROUND
from proofs_checks.s7_transport.rounds import (
    invariant,
    linear_exact,
    not_a_majorizer,
    round_instance,
    server_above,
    unbiased,
)

ROUNDS = [
    Claim(
        id="ot-client-step",
        where="Section 7.1 and Algorithm 3, the client's step",
        lines="L 915, L 932",
        statement=r"The best response $\omega_i(\theta_t) = \mathrm{argmin}_\omega W_i(\omega, \theta_t)$ is one "
        r"point.",
        hypotheses=(*POTENTIALS, r"$\lambda > 0$", r"$X$, $Y$ and $\nabla f_{\theta_t}(Y)$ have second moments"),
        check=client_step,
        form={"claim": "unique"},
        reading=Reading.NEEDS,
        context=Context("Convexity of the potentials and $\\lambda > 0$ are counted."),
        non_vacuity=clients_instance,
        amended=Amended(
            kind="hypothesis",
            statement=r"$W_i(\cdot, \theta_t)$ is bounded below over all convex potentials, for every $\lambda > 0$.",
            form={"claim": "bounded"},
            differs="Bounded below, in place of a unique minimiser.",
            matters="A constant added to $f_\\omega$ (the bias of the last layer) changes nothing, and neurons can be "
            "permuted: clients may return different parameters of one potential, whose average is another potential. "
            "Fix such freedoms, or start all clients from $\\omega_t$, before averaging.",
        ),
        mutants={"λ = 0": {"penalty": ">= 0"}},
        note="Without $R_Q$ the client's objective is linear in $f_\\omega$. Existence needs more, such as a compact "
        "Θ and continuity.",
    ),
    Claim(
        id="ot-tangent",
        where="Section 7.1, property (1)",
        statement=r"$U_{i,t}(\theta) = W_i(\omega_i(\theta_t), \theta)$ satisfies $U_{i,t}(\theta_t) = "
        r"\mathcal{W}_i(\theta_t)$.",
        hypotheses=(r"$\omega_i(\theta_t) \in \mathrm{argmin}_\omega W_i(\omega, \theta_t)$",),
        check=best_response,
        form={"claim": "tangent"},
        non_vacuity=clients_instance,
        mutants={
            "any ω in place of the best response": {"response": "any"},
            "the maximum over ω": {"profile": "max"},
        },
    ),
    Claim(
        id="ot-majorize",
        where="Section 7.1, property (2)",
        statement=r"$U_{i,t}(\theta) \geq \mathcal{W}_i(\theta)$ for all θ.",
        hypotheses=(r"$\mathcal{W}_i(\theta) = \min_\omega W_i(\omega, \theta)$",),
        check=best_response,
        form={"claim": "above"},
        non_vacuity=clients_instance,
        mutants={
            "the maximum over ω": {"profile": "max"},
            "below": {"claim": "below"},
        },
        note="Best response or not: $W_i(\\omega, \\cdot) \\geq \\mathcal{W}_i$ for every ω. Only tangency needs it.",
    ),
    Claim(
        id="ot-alg3-invariant",
        where="Algorithm 3",
        lines="L 919-948",
        statement=r"$V_t = \sum_i \mu_i V_{t,i}$ for all $t$; and with $p = 1$, before the projection, $\omega_{t+1} "
        r"= (1 - \gamma_{t+1}) \omega_t + \gamma_{t+1} \sum_i \mu_i \omega_i(\theta_t)$.",
        hypotheses=ROUND,
        check=invariant,
        non_vacuity=round_instance,
        mutants={
            "the server uses α in place of α/p": {"server": "alpha*mu_i"},
            "the server forgets μ_i": {"server": "alpha/p"},
            "V_0 = 0": {"start": "0"},
            "half the correction": {"recursion": "mu_i/2"},
            "p = 1/2, all active": {"full": False},
        },
        note="The $V_{t,i}$ are differences of parameters: that they start in Θ (L 924) means nothing unless Θ is a "
        "linear space.",
    ),
    Claim(
        id="ot-alg3-unbiased",
        where="Algorithm 3, partial participation",
        lines="L 929-942",
        statement=r"$H_{t+1}$ is an unbiased oracle of $\sum_i \mu_i \omega_i(\theta_t) - \omega_t$, given the past.",
        hypotheses=(
            *ROUND,
            "‹inclusion: p=each client is active with probability $p$ (A5)›",
            r"$V_t = \sum_i \mu_i V_{t,i}$",
        ),
        check=unbiased,
        non_vacuity=round_instance,
        mutants={"without 1/p": {"recursion": "mu_i"}, "active with probability p/2": {"inclusion": "p/2"}},
    ),
    Claim(
        id="ot-server-step",
        where="Algorithm 3, the server's step",
        lines="L 944-945, L 950-951",
        statement=r"$\theta_{t+1} \in \mathrm{argmin}_\theta W(\omega_{t+1}, \theta)$ exists.",
        hypotheses=(*POTENTIALS, RICH, r"$\lambda > 0$"),
        check=server_step,
        form={"condition": "none"},
        reading=Reading.NEEDS,
        context=Context("Convexity, a rich family and $\\lambda > 0$ are counted."),
        non_vacuity=clients_instance,
        amended=Amended(
            kind="result",
            statement=r"If $f_{\omega_{t+1}}$ is β-strongly convex and $\lambda > 1/(2\beta)$, it exists and is "
            r"where $\nabla f_\theta = \nabla f_{\omega_{t+1}}^c$ Q-a.e.",
            form={"condition": "> 1/2"},
            differs="The condition on λ of row ot-regulariser, for the potential at hand.",
            matters="In the witness the first round, with exact steps and one client, leads to a server problem "
            "without solution. A few gradient steps, as in practice, hide this.",
        ),
        mutants={"λβ = 1/4": {"condition": ">= 1/4"}, "λβ = 1/2": {"condition": ">= 1/2"}},
        note="Under the amended condition the server's step computes a conjugate, exactly: no trace of λ is left.",
    ),
    Claim(
        id="ot-server-surrogate",
        where="Section 7.1, after Algorithm 3",
        statement=r"The server's surrogate $W(\omega_{t+1}, \cdot)$ is not guaranteed to be a majorising surrogate "
        r"of the global objective $\mathcal{W}(\theta) = \min_\omega W(\omega, \theta)$ in the sense of (1) and (2): "
        r"Algorithm 3 is no MM algorithm.",
        hypotheses=(r"$\gamma = p = 1$, exact steps, clients that differ",),
        differs="The global objective is named $\\mathcal{W}$; “not guaranteed” is made an instance: its step, its "
        "participation, and clients that differ.",
        check=not_a_majorizer,
        non_vacuity=clients_instance,
        mutants={
            "even if the potentials are linear in ω": {"potentials": "linear"},
            "even if the clients are equal": {"clients": "equal"},
            "because it is not above": {"fails": "above"},
        },
        note="Proved by an exact instance, in which the global objective grows. What fails is tangency (1), never "
        "the bound (2): see the next row.",
    ),
    Claim(
        id="own-ot-server-above",
        where="Section 7.1, after Algorithm 3",
        lines="L 954",
        statement=r"For every ω, $W(\omega, \cdot) \geq \sum_i \mu_i \mathcal{W}_i$; likewise $W(\omega, \cdot) \geq "
        r"\min_\omega W(\omega, \cdot)$ (row ot-majorize).",
        hypotheses=(r"$\mathcal{W}_i(\theta) = \min_\omega W_i(\omega, \theta)$", r"$\mu_i \geq 0$"),
        check=server_above,
        non_vacuity=clients_instance,
        mutants={"equality": {"claim": "tangent"}, "profiles by a maximum": {"pick": "max"}},
        note='Sharpens the paper\'s sentence, which says "not guaranteed to be a majorizing function".',
    ),
    Claim(
        id="own-ot-linear-exact",
        where="Section 7.1, when Algorithm 3 is exact",
        lines="L 917, L 954",
        statement=r"If $f_\omega = \sum_k \omega_k b_k$ with $\omega \in \mathbb{R}^k$ free, and $\gamma = p = 1$, "
        r"then $\omega_{t+1} = \sum_i \mu_i \omega_i(\theta_t)$ minimises $W(\cdot, \theta_t)$: Algorithm 3 is an "
        r"exact MM algorithm on $\mathcal{W}$.",
        hypotheses=(*ROUND, "the minimisers of the clients and of the server exist", "one common $Q$"),
        check=linear_exact,
        non_vacuity=clients_instance,
        mutants={
            "potentials that are not linear in ω": {"potentials": "1/omega"},
            "γ = 1/2": {"gamma": "1/2"},
            "parameters constrained to be >= 0": {"parameters": ">= 0"},
            "each client its own target Q_i": {"target": "own"},
        },
        note="Not a statement of the paper: it says when its principle, to aggregate surrogates, is exact here too. "
        r"$W_i$ is then quadratic in ω with a curvature that only $Q$ and $\theta_t$ determine, and linear in $P_i$.",
    ),
]
