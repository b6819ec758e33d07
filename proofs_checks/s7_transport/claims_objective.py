"""The federated objective."""

from __future__ import annotations

from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s7_transport.clients import best_response, clients_instance, decoupled, pooled_objective, single_map
from proofs_checks.s7_transport.common import ROUND
from proofs_checks.s7_transport.networks import differentiable

OBJECTIVE = [
    Claim(
        id="ot-fed-objective",
        where="Section 7.1, (33)",
        lines="L 902-909",
        statement=r"$\sum_i \mu_i l_i(\omega, \theta) + \lambda R_Q(\omega, \theta)$ is the objective of one machine "
        r"for the mixture $P = \sum_i \mu_i P_i$.",
        hypotheses=ROUND,
        check=pooled_objective,
        non_vacuity=clients_instance,
        mutants={
            "without weights": {"weights": "1"},
            "weights that sum to 2": {"weights": "2*mu"},
            "λR_Q for each client": {"penalties": "n*lambda"},
        },
    ),
    Claim(
        id="ot-single-map",
        where="Section 7.1, the goal",
        statement=r"The single map learned from all clients transports each local $P_i$ onto $Q$.",
        hypotheses=(*ROUND, r"$m$ solves (29) for $P = \sum_i \mu_i P_i$ (row ot-fed-objective)"),
        check=single_map,
        form={"pushes": "each client"},
        reading=Reading.DEPENDS,
        context=Context(
            "“Performs well on average across all clients” (L 902): the local distribution as a part of the mixture.",
            "amended",
        ),
        non_vacuity=clients_instance,
        amended=Amended(
            kind="wording",
            statement=r"It transports the mixture $\sum_i \mu_i P_i$ onto $Q$.",
            form={"pushes": "the mixture"},
            differs="The mixture in place of each client.",
            matters=r"For the hospitals of the example, yes: a hospital whose $P_i$ differs from the mixture is sent "
            r"to a part of $Q$ only. (An injective $m$ sends all $P_i$ onto $Q$ only if they are equal.)",
        ),
        mutants={"the mixture without weights": {"pushes": "the plain mean"}},
    ),
    Claim(
        id="ot-differentiable",
        where="Section 7.1",
        lines="L 911, L 971",
        statement="When ω and θ parameterise an input convex network, (33) is differentiable in $(\\omega, \\theta)$.",
        hypotheses=("$Q$ and the $P_i$ are finite samples, as in a program",),
        check=differentiable,
        form={"activation": "relu"},
        reading=Reading.NEEDS,
        context=Context("Input convex networks are counted, and ReLU is their usual activation."),
        non_vacuity=clients_instance,
        amended=Amended(
            kind="hypothesis",
            statement=r"It is differentiable when $f_\omega(x)$ and $f_\theta(y)$ are twice continuously "
            r"differentiable in parameter and argument together.",
            form={"activation": "C2"},
            differs="Two derivatives of the activations in place of none.",
            matters="(33) holds gradients of the networks in their argument. With piecewise linear activations they "
            "jump in θ; with activations that have a kink in their first derivative (CELU, squared ReLU) (33) has "
            "kinks.",
        ),
        mutants={"squared ReLU": {"activation": "(relu^2)/2"}},
    ),
    Claim(
        id="ot-decouple",
        where="Section 7.1",
        statement=r"Once $f_\omega$ is fixed, the optimisation over θ depends only on $Q$.",
        check=decoupled,
        non_vacuity=clients_instance,
        mutants={
            "the optimisation over ω, θ fixed": {"fixed": "theta"},
            "with R under P": {"regulariser": "P"},
        },
        note=r"$W_i(\omega, \cdot)$ depends on $P_i$ by a constant free of θ, so the server can minimise without "
        r"$P_i$; in this sense ω is all that defines the client's surrogate (L 917).",
    ),
    Claim(
        id="ot-profile",
        where="Section 7.1, the client's objective",
        statement=r"$\min_{\omega, \theta} W_i$ is equivalent to $\min_\theta \mathcal{W}_i$, $\mathcal{W}_i(\theta) = "
        r"\min_\omega W_i(\omega, \theta)$.",
        hypotheses=(r"the minimum over ω exists for each θ",),
        check=best_response,
        form={"claim": "equivalent"},
        non_vacuity=clients_instance,
        mutants={"the maximum over ω": {"profile": "max"}},
        note="For the joint minimum as printed. The dual itself is a minimum over ω of a maximum over θ (row "
        "ot-two-networks), where the profile in θ would be maximised; (33) is right to minimise only for λ large "
        "against the curvature (row ot-regulariser).",
    ),
]
