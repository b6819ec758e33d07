"""Maps by two convex potentials: duality, the two networks, the penalty."""

from __future__ import annotations

from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s7_transport.common import POTENTIALS, RICH
from proofs_checks.s7_transport.networks import cycle, regularised, two_networks
from proofs_checks.s7_transport.plans import conjugate_gradient, makkuva, primal_dual, quadratic_instance

LAWS = (
    "$P$ and $Q$ admit continuous densities",
    "finite second moments, as in the definition of the Wasserstein-2 distance",
)
L = r"E_P[f_\omega(X)] + E_Q[\langle \nabla f_\theta(Y), Y \rangle - f_\omega(\nabla f_\theta(Y))]"
CURVED = r"every $f_\omega$ is β-strongly convex and $\lambda > 1/(2\beta)$"
MIN_MAX = "min over omega of max over theta"


DUALITY = [
    Claim(
        id="ot-primal-dual",
        where="Section 7, (29) and (30)",
        lines="L 869-877",
        statement=r"If $f^*$ maximises $-E_P f - E_Q f^c$ over convex $f$, then $m^* = \nabla f^*$ solves (29), the "
        r"least $E_P \|X - m(X)\|^2$ with $m \circ P = Q$, and $(m^*)^{-1} = \nabla (f^*)^c$.",
        hypotheses=LAWS,
        differs="The two formulations, (29) and (30), are written out. Second moments are added to the densities.",
        check=primal_dual,
        non_vacuity=quadratic_instance,
        mutants={
            "the minimiser instead": {"extremum": "argmin"},
            "the gradient of the conjugate": {"transport": "grad f^c"},
            "the inverse is the gradient of f*": {"inverse": "grad f"},
            "without second moments": {"hypotheses": ("densities",)},
            "without densities": {"hypotheses": ("second moments",)},
        },
        note="That a map of the form $\\nabla f_0$ exists is Brenier's theorem, which is cited; the rest is derived. "
        "Second moments are not spelled out in the paper. Without them every $f$ may solve (30), as the mutant shows.",
    ),
    Claim(
        id="ot-makkuva",
        where="Section 7, the parametric problem",
        statement=r"$\mathrm{argmin}_\omega E_{P,Q}[f_\omega(X) + \max_x \{\langle x, Y \rangle - f_\omega(x)\}]$ is "
        r"(30) over the family $(f_\omega)$.",
        hypotheses=POTENTIALS,
        check=makkuva,
        non_vacuity=quadratic_instance,
        mutants={
            "an inner minimum": {"inner_extremum": "min"},
            "an outer maximum": {"outer": "argmax"},
            "minus the inner maximum": {"sign": -1},
        },
        note="The inner maximum must be read as a supremum: see row ot-conj-grad.",
    ),
    Claim(
        id="ot-conj-grad",
        where="Section 7, after (31)",
        statement=r"The convex conjugate of a strictly convex function satisfies $\nabla f^c(u) = \mathrm{argmax}_x "
        r"(\langle u, x \rangle - f(x))$.",
        hypotheses=(r"$f: \mathbb{R}^d \to \mathbb{R}$ is strictly convex",),
        check=conjugate_gradient,
        form={"where": "everywhere"},
        reading=Reading.NEEDS,
        context=Context("That $f$ is an input convex network bounds its growth from above, not from below."),
        non_vacuity=quadratic_instance,
        amended=Amended(
            kind="hypothesis",
            statement=r"This holds at each $u$ in the interior of the domain of $f^c$; so at every $u$ if $f$ grows "
            r"faster than linearly, for example if $f$ is strongly convex.",
            form={"where": "interior"},
            differs="Strict convexity gives uniqueness of the maximiser, not its existence.",
            matters="An input convex network with piecewise linear activations is neither strictly convex nor of fast "
            "growth; a small quadratic added to it gives both.",
        ),
        mutants={
            "convex, not strictly": {"strict": False},
            "the argmin": {"extremum": "argmin"},
        },
    ),
    Claim(
        id="ot-two-networks",
        where="Section 7, (31)",
        statement=rf"The dual over the family is solved by $(\omega^*, \theta^*) \in \mathrm{{argmin}}_{{\omega, "
        rf"\theta}} {L}$.",
        hypotheses=(*POTENTIALS, RICH),
        check=two_networks,
        form={"extremum": "argmin"},
        reading=Reading.SLIP,
        non_vacuity=quadratic_instance,
        amended=Amended(
            kind="result",
            statement=rf"It is solved by $\min_\omega \max_\theta {L}$: for each $\omega$ the maximum over $\theta$ is "
            r"$E_P f_\omega + E_Q f_\omega^c$, attained where $\nabla f_\theta = \nabla f_\omega^c$.",
            form={"extremum": MIN_MAX},
            differs="A maximum over θ in place of the minimum.",
            matters=r"Decisive. Replacing the inner maximum of the problem before it by the value at $\nabla "
            r"f_\theta(Y)$ gives a lower bound on it, which θ has to push up. As printed the objective has no lower "
            r"bound, and a program that descends in θ diverges.",
        ),
        mutants={
            "the joint argmax": {"extremum": "argmax"},
            "a family without the conjugates": {"rich": False},
        },
        note="Even then $f_\\theta$ is the conjugate only up to its gradient, Q-a.e. (mutant of row ot-R).",
    ),
    Claim(
        id="ot-R",
        where="Section 7, the regulariser",
        statement=r"$R_Q(\omega, \theta) = E_Q \|\nabla f_\omega \circ \nabla f_\theta(Y) - Y\|^2$ is 0 if and only if "
        r"$\nabla f_\omega \circ \nabla f_\theta = \mathrm{id}$ Q-a.e.",
        hypotheses=POTENTIALS,
        check=cycle,
        non_vacuity=quadratic_instance,
        mutants={
            "f_θ is the conjugate of f_ω": {"conclusion": "conjugate"},
            "P-a.e.": {"measure": "P"},
            "everywhere": {"measure": "everywhere"},
        },
        note="So R_Q does not make $f_\\theta$ the conjugate of $f_\\omega$ (L 889), only its gradient, Q-a.e.",
    ),
    Claim(
        id="ot-regulariser",
        where="Section 7, (32) and (33)",
        lines="L 893-896, L 902-909",
        statement=rf"With $R_Q$ added (coefficient 1 in (32), λ in (33)), $\mathrm{{argmin}}_{{\omega, \theta}} {L} "
        rf"+ \lambda R_Q$ is a solution "
        r"$\omega^*$ of (30) over the family, with $\nabla f_{\theta^*} = \nabla f_{\omega^*}^c$ Q-a.e.",
        hypotheses=(*POTENTIALS, RICH, "(30) has a solution in the family"),
        check=regularised,
        form={"condition": "none"},
        reading=Reading.NEEDS,
        context=Context("Convex potentials and a rich family are counted."),
        non_vacuity=quadratic_instance,
        amended=Amended(
            kind="result",
            statement=f"This holds if {CURVED}.",
            form={"condition": "> 1/2"},
            differs="A lower bound on the curvature of every $f_\\omega$, and a λ that is large against it.",
            matters=r"For quadratic potentials the objective is $E_P f_\omega + E_Q f_\omega^c + (\lambda - "
            r"1/(2a))(ab - 1)^2 E_Q[Y^2]$ with $a, b$ the curvatures: bounded below in $b$ only if $a \geq "
            r"1/(2\lambda)$. No λ saves a family with arbitrarily small curvature; with the coefficient 1 of (32) "
            r"the curvature must exceed 1/2.",
        ),
        mutants={
            "λβ = 1/4": {"condition": ">= 1/4"},
            "λβ = 1/2, no other minimiser": {"condition": ">= 1/2"},
        },
        note=r"The certificate: $f_\omega(t) + f_\omega^c(y) - \langle t, y \rangle \leq \|\nabla f_\omega(t) - "
        r"y\|^2 / (2\beta)$. At $\lambda\beta = 1/2$ the minimum is still right, but minimisers that are no "
        r"conjugates may appear.",
    ),
]
