"""Section 2.1: MM as root finding, Proposition 1 and its proof in Appendix B.

Every check tries its statement exactly on the instances of `mm_instances` that satisfy the statement's hypotheses, and
derives it for all dimensions; a derivation and a counterexample that contradict each other raise an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.ledger import Amended, Claim, Context
from proofs_checks.reading import Reading
from proofs_checks.s2_1_root_finding import prop1
from proofs_checks.s2_1_root_finding.mm_sequences import (
    check_descent,
    check_fixed_point_to_root,
    check_limits,
    check_majoriser,
    check_root,
    check_root_to_fixed_point,
)
from proofs_checks.shared.mm_instances import ALL, INTERIOR, sound_instance

SECTION = "Section 2.1 and Appendix B: MM as root finding"


def without(name: str, hypotheses: Sequence[str]) -> tuple[str, ...]:
    return tuple(other for other in hypotheses if other != name)


SETTING = ("MM-1", "MM-2")
PROP1 = ("MM-1", "MM-2", "A1", "A2", r"$g$ proper, lower semicontinuous and convex with domain $\Theta$")
NEXT = r"T(E_\pi[\bar S(Z, \theta_\star)])"
TRANSPOSE = r"$J_\phi$ is $q \times d$ (L 246), so it is $J_\phi^\top$ that acts on mirror parameters."
TRIED = (
    "Derived for every dimension; tried exactly on instances whose hypotheses z3 decides for all parameters: a "
    "least-squares "
    r"loss with an $\ell_1$ penalty, the toy loss of Remark 1, a plane with a non-symmetric Jacobian, $q = 2 > d = "
    r"1$, and "
    "three with bad behaviour at one point."
)

CLAIMS = [
    Claim(
        id="majorizer-f+g",
        where="Section 2.1, first display",
        statement=r"For $\tau \in \Theta$, on $\Theta$: $(f+g)(\cdot) \leq f(\tau) + \psi(\cdot) - \psi(\tau) - "
        r"\langle E_\pi[\bar S(Z,\tau)], \phi(\cdot) - \phi(\tau) \rangle + g(\cdot)$, with equality at $\tau$.",
        check=check_majoriser,
        mutants={"MM-1 is not assumed": {"hypotheses": without("MM-1", ALL)}, "g is left out": {"penalty": 0}},
        non_vacuity=sound_instance,
        hypotheses=("MM-1",),
        note="MM-2 is not needed here.",
    ),
    Claim(
        id="mm-theta-descent",
        where="Section 2.1, after (7)",
        lines="L 334-337",
        statement=r"$(f+g)(\theta_{t+1}) \leq (f+g)(\theta_t)$ for $\theta_{t+1} = T(E_\pi[\bar S(Z,\theta_t)])$.",
        check=check_descent,
        form={"space": "theta"},
        mutants={f"{name} is not assumed": {"space": "theta", "hypotheses": without(name, ALL)} for name in SETTING},
        non_vacuity=sound_instance,
        hypotheses=(*SETTING, r"$\theta_0 \in \Theta$"),
        note=r"Neither convexity nor smoothness is used. That $T$ is defined at $E_\pi[\bar S(Z,\theta_t)]$ needs this "
        r"mean to lie in $\mathcal{S}$, which holds by convexity of $\mathcal{S}$.",
    ),
    Claim(
        id="mm-s-descent",
        where="Section 2.1, after (8)",
        lines="L 339-344",
        statement=r"$(f+g)(T(s_{t+1})) \leq (f+g)(T(s_t))$ for $s_{t+1} = E_\pi[\bar S(Z,T(s_t))]$.",
        check=check_descent,
        form={"space": "s"},
        mutants={f"{name} is not assumed": {"space": "s", "hypotheses": without(name, ALL)} for name in SETTING},
        non_vacuity=sound_instance,
        hypotheses=SETTING,
        note=r"Holds from every $s_0 \in \mathcal{S}$; that $s_0$ be of the form $E_\pi[\bar S(Z,\tau)]$ (L 340) is "
        r"not needed.",
    ),
    Claim(
        id="cor-limits",
        where="Section 2.1, before (9)",
        statement=r"The limiting points of the two MM methods are equivalent: with $s_t = E_\pi[\bar S(Z,\theta_t)]$, "
        r"a limit $\theta_\star$ of $(\theta_t)$ goes with the limit $s_\star = E_\pi[\bar S(Z,\theta_\star)]$ of "
        r"$(s_t)$, $T(s_\star) = \theta_\star$ and $h(s_\star) = 0$.",
        check=check_limits,
        reading=Reading.DEPENDS,
        context=Context(
            "“Equivalent” passes from one sequence to the other by the map $E_\\pi[\\bar S(Z, \\cdot)]$, "
            "which is continuous in the paper's examples.",
            "amended",
        ),
        amended=Amended(
            kind="hypothesis",
            statement=r"If $E_\pi[\bar S(Z,\cdot)]$ is continuous inside $\Theta$: $\theta_t \to \theta_\star \in "
            r"\mathrm{int} \, \Theta$ implies $s_t \to s_\star = E_\pi[\bar S(Z,\theta_\star)]$, $T(s_\star) = "
            r"\theta_\star$ and $h(s_\star) = 0$; and $s_t \to s_\star \in \mathcal{S}$ with $T(s_\star) \in "
            r"\mathrm{int} \, \Theta$ implies $\theta_t \to T(s_\star)$ and $h(s_\star) = 0$.",
            form={"hypotheses": (*INTERIOR, "continuous")},
            differs=r"Continuity of $\tau \mapsto E_\pi[\bar S(Z,\tau)]$ is added. (42) gives it only for $J_\phi^\top "
            r"E_\pi[\bar S]$, which says nothing in the kernel of $J_\phi^\top$ when $q > d$. $T$ needs no assumption: "
            r"it is continuous at $s$ when $T(s) \in \mathrm{int} \, \Theta$, by A1 and uniqueness.",
            matters=r"Without it the mirror sequence can converge to a point that is no root of $h$. Fixed points do "
            r"correspond "
            "(Proposition 1); limits need continuity. Theorem 1 asks for it elsewhere (A6).",
        ),
        mutants={"no continuity, limits inside": {"hypotheses": INTERIOR}},
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=r"In the witness $\theta_t = 2^{-t}$ and $\bar S(Z,\tau) = (\tau, 1)$, but $(0, 0)$ at $\tau = 0$: MM-1 "
        r"leaves the second "
        "entry, a curvature, free in $[0, 1]$. About limits of whole sequences; for limits along a subsequence $t_k$ "
        "the same "
        r"lines give $\theta_{t_k} \to \theta_\star \Rightarrow s_{t_k} \to E_\pi[\bar S(Z,\theta_\star)]$ and "
        r"$s_{t_k} \to s_\star "
        r"\Rightarrow \theta_{t_k+1} \to T(s_\star)$.",
    ),
    Claim(
        id="meanfield-root",
        where="Section 2.1, (9)",
        lines="L 347-351",
        statement=r"$h(s) = E_\pi[\bar S(Z,T(s))] - s$ vanishes exactly at the fixed points of $s_{t+1} = E_\pi[\bar "
        r"S(Z,T(s_t))]$.",
        check=check_root,
        mutants={"minus 2s": {"coefficient": 2}, "plus s": {"coefficient": -1}},
        non_vacuity=sound_instance,
        hypotheses=("MM-2",),
    ),
    Claim(
        id="prop1-i",
        where="Proposition 1, (10)",
        lines="L 358-361, L 1092-1100",
        statement=r"For $\tau \in \mathrm{int} \, \Theta$: $0 \in \nabla f(\tau) + \partial g(\tau)$ if and only if "
        r"$T(E_\pi[\bar S(Z,\tau)]) = \tau$.",
        check=prop1.check_10,
        mutants={
            **{
                f"{name} is not assumed": {"hypotheses": without(name, INTERIOR)}
                for name in ("MM-1", "MM-2", "A1", "interior")
            },
            "the sign of the gradient": {"gradient_sign": -1},
        },
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=TRIED
        + " Our derivation is elementary: it uses no sum rule and no lower semicontinuity, so the gaps of Appendix B "
        "do not touch the result. In the proof, L 1096 has an $s$ that is not defined there: read "
        r"$E_\pi[\bar S(Z,\tau)]$.",
    ),
    Claim(
        id="prop1-ii",
        where="Proposition 1, (11)",
        lines="L 362-364, L 1102-1109",
        statement=r"$-J_\phi(T(s)) \, h(s) \in \nabla f(T(s)) + \partial g(T(s))$ for $s \in \mathcal{S}$ with "
        r"$T(s) \in \mathrm{int} \, \Theta$.",
        check=prop1.check_11,
        reading=Reading.SLIP,
        form={"transpose": False},
        amended=Amended(
            statement=r"$-J_\phi(T(s))^\top h(s) \in \nabla f(T(s)) + \partial g(T(s))$ for $s \in \mathcal{S}$ with "
            r"$T(s) \in \mathrm{int} \, \Theta$.",
            form={"transpose": True},
            differs=TRANSPOSE,
            matters="A slip of notation for the paper, whose later results do not use it; for a program it is a wrong "
            "vector (or a "
            r"product that does not exist, for $q \neq d$).",
        ),
        mutants={
            "the printed formula": {"transpose": False},
            "the sign of h": {"sign": 1},
            **{
                f"{name} is not assumed": {"transpose": True, "hypotheses": without(name, INTERIOR)}
                for name in ("MM-1", "MM-2", "interior")
            },
        },
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=TRIED + " The proof's last line (L 1107) cites (40) where it uses (41).",
    ),
    Claim(
        id="prop1-iii",
        where="Proposition 1, last part, from a root",
        lines="L 365, L 1111",
        statement=rf"If $h(s_\star) = 0$ and $T(s_\star) \in \mathrm{{int}} \, \Theta$, then $\theta_\star = "
        rf"T(s_\star)$ satisfies "
        rf"${NEXT} = \theta_\star$.",
        check=check_root_to_fixed_point,
        mutants={"no root": {"hypotheses": INTERIOR}, "the mean of S_bar fixes theta": {"conclusion": "S_bar"}},
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=r"Substitution only: A1, A2 and $T(s_\star) \in \mathrm{int} \, \Theta$ are not needed, nor are (10) and "
        r"(11), to which "
        "the paper's proof appeals.",
    ),
    Claim(
        id="prop1-iv",
        where="Proposition 1, last part, to a root",
        lines="L 365, L 1112-1113",
        statement=rf"If ${NEXT} = \theta_\star$ and $\theta_\star \in \mathrm{{int}} \, \Theta$, then $s_\star = "
        r"E_\pi[\bar S(Z,\theta_\star)]$ satisfies $h(s_\star) = 0$.",
        check=check_fixed_point_to_root,
        mutants={"no fixed point": {"hypotheses": INTERIOR}, "another mirror parameter": {"mirror": "phi"}},
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=r"Substitution only, as for the converse; $\theta_\star$ may lie on the boundary.",
    ),
    Claim(
        id="prop1-38",
        where="Appendix B, (38)",
        statement=r"$0 \in \partial (g + \psi - \langle s, \phi \rangle)(T(s))$ for every $s \in \mathcal{S}$.",
        check=prop1.check_38,
        mutants={"MM-2 is not assumed": {"hypotheses": without("MM-2", ALL)}},
        non_vacuity=sound_instance,
        hypotheses=SETTING,
        note="The definition of a subgradient; no convexity.",
    ),
    Claim(
        id="prop1-lsc",
        where="Appendix B, before (39)",
        statement=r"Under A1, $\psi - \langle s, \phi \rangle$ is a proper lower semicontinuous convex function.",
        check=prop1.check_lsc,
        reading=Reading.NEEDS,
        context=Context(
            "MM-1, MM-2, A2 and the convexity of $g$ are counted; none speaks of ψ and φ at boundary points."
        ),
        form={"where": "everywhere"},
        amended=Amended(
            kind="hypothesis",
            statement=r"Under A1, $\psi - \langle s, \phi \rangle$ is proper convex, and continuous on $\mathrm{int} "
            r"\, \Theta$.",
            form={"where": "inside"},
            differs=r"A1 says nothing about $\psi$ and $\phi$ at boundary points of $\Theta$, where a convex function "
            r"may jump up.",
            matters="The theorem cited for (39) asks for lower semicontinuity. The result survives: in finite "
            "dimension the sum rule holds without it, and at interior points it is elementary.",
        ),
        mutants={"A1 alone, up to the boundary": {"where": "everywhere", "hypotheses": ("A1",)}},
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=r"The witness satisfies MM-1, MM-2, A1 and A2: $f$ and $\psi$ jump up together at the end point 0 of "
        r"$\Theta = [0, 1]$. A second gap: for an open $\Theta$, the extension by $+\infty$ is not lower "
        r"semicontinuous unless it grows at the boundary.",
    ),
    Claim(
        id="prop1-39",
        where="Appendix B, (39)",
        statement=r"$\partial (g + \psi - \langle s, \phi \rangle)(\tau) = \partial g(\tau) + \partial (\psi - \langle "
        r"s, \phi \rangle)(\tau)$ for every $\tau \in \Theta$.",
        check=prop1.check_39,
        mutants={"domains that meet at one boundary point": {"hypotheses": ALL}},
        non_vacuity=sound_instance,
        hypotheses=("A1", r"both functions have domain $\Theta$, with $\mathrm{int} \, \Theta \neq \emptyset$"),
        note="Cites Rockafellar, Theorem 23.8, instead of a theorem that asks for lower semicontinuity; tried on every "
        "one-dimensional instance by one-sided derivatives, boundary points included.",
    ),
    Claim(
        id="prop1-40",
        where="Appendix B, (40)",
        statement=r"$\partial (\psi - \langle s, \phi \rangle)(\tau) = \{ \nabla \psi(\tau) - J_\phi(\tau) \, s \}$ "
        r"for every $\tau \in \Theta$.",
        check=prop1.check_40,
        reading=Reading.NEEDS,
        context=Context(
            "With the transpose, which is meant, it still fails at boundary points of Θ.", {"transpose": True}
        ),
        form={"transpose": False},
        amended=Amended(
            statement=r"$\partial (\psi - \langle s, \phi \rangle)(\tau) = \{ \nabla \psi(\tau) - J_\phi(\tau)^\top s "
            r"\}$ for every $\tau \in \mathrm{int} \, \Theta$.",
            form={"transpose": True, "hypotheses": INTERIOR},
            differs=TRANSPOSE
            + r" At boundary points the normal cone of $\Theta$ is added, or the gradient does not exist.",
            matters=r"No for Proposition 1, which looks at interior points only; yes for a reader who uses (40) on a "
            r"constrained $\Theta$.",
            same_as="prop1-ii",
        ),
        mutants={
            "with the transpose, boundary included": {"hypotheses": ALL},
            "inside, without the transpose": {"transpose": False},
        },
        non_vacuity=sound_instance,
        hypotheses=PROP1,
    ),
    Claim(
        id="prop1-41",
        where="Appendix B, (41)",
        statement=r"$J_\phi(T(s)) \, s - \nabla \psi(T(s)) \in \partial g(T(s))$ for every $s \in \mathcal{S}$.",
        check=prop1.check_41,
        reading=Reading.SLIP,
        form={"transpose": False},
        amended=Amended(
            statement=r"$J_\phi(T(s))^\top s - \nabla \psi(T(s)) \in \partial g(T(s))$ for $s \in \mathcal{S}$ with "
            r"$T(s) \in \mathrm{int} \, \Theta$.",
            form={"transpose": True, "hypotheses": INTERIOR},
            differs=TRANSPOSE + r" And $T(s)$ must be interior for $\nabla \psi(T(s))$ to exist.",
            matters="No for Proposition 1, which looks at interior points only; a program that tests stationarity by "
            "(41) would use a wrong vector, or one that does not exist.",
            same_as="prop1-ii",
        ),
        mutants={
            "inside, without the transpose": {"transpose": False},
            "MM-2 is not assumed": {"hypotheses": without("MM-2", INTERIOR)},
        },
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=r"At the boundary the gradients need not exist: on $\Theta = [0, 1]$ take $f(\theta) = \theta^2$, "
        r"$\psi(\theta) = \theta^2 - "
        r"\sqrt{\theta}$, $\phi(\theta) = -\sqrt{\theta}$, $\bar S = 1$, $\mathcal{S} = [0, 1]$; then $T(1) = 0$.",
    ),
    Claim(
        id="prop1-42",
        where="Appendix B, (42)",
        statement=r"$\nabla f(\tau) - \nabla \psi(\tau) + J_\phi(\tau) \, E_\pi[\bar S(Z,\tau)] = 0$ for $\tau \in "
        r"\mathrm{int} \, \Theta$.",
        check=prop1.check_42,
        reading=Reading.SLIP,
        form={"transpose": False},
        amended=Amended(
            statement=r"$\nabla f(\tau) - \nabla \psi(\tau) + J_\phi(\tau)^\top E_\pi[\bar S(Z,\tau)] = 0$ for $\tau "
            r"\in \mathrm{int} \, \Theta$.",
            form={"transpose": True},
            differs=TRANSPOSE,
            matters="A slip of notation that runs through the proof of (11): the displays of L 1093-1099 and L "
            "1103-1108 have it, too. In a program it is a wrong vector.",
            same_as="prop1-ii",
        ),
        mutants={
            "the printed formula": {"transpose": False},
            **{
                f"{name} is not assumed": {"transpose": True, "hypotheses": without(name, INTERIOR)}
                for name in ("MM-1", "interior")
            },
        },
        non_vacuity=sound_instance,
        hypotheses=PROP1,
        note=r"For $q \neq d$ the printed product does not exist. At a boundary point MM-1 gives only an inequality "
        r"of slopes: last "
        "mutant.",
    ),
]
