"""The glossary: the paper's symbol, its name in code, what it means, and where the paper introduces it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from book.generate.sources import defined
from book.generate.text import raw, table


@dataclass(frozen=True)
class Term:
    """One line: `names` are names in code as `module:attribute.path`; `lines` are those of the paper's source."""

    symbol: str
    means: str
    names: tuple[str, ...]
    lines: str
    label: str = ""


_SURROGATE = "fedmm_edu.surrogate:Surrogate"
_FEDMM = "fedmm_edu.algorithms:FedMM"
_STATE = "fedmm_edu.algorithms:State"
_CONSTANTS = "fedmm_edu.theory:Constants"

TERMS = (
    Term(r"$\theta \in \Theta$", "parameter", (f"{_SURROGATE}.T",), "L 202", "eq:opt"),
    Term(r"$\ell(Z, \theta)$, $f$", "loss of a sample, and its mean over the data",
         (f"{_SURROGATE}.loss", "fedmm_edu:objective"), "L 202", "eq:opt"),
    Term(r"$g$", "penalty, or indicator of a constraint", (f"{_SURROGATE}.g",), "L 202", "eq:opt"),
    Term(r"$\psi$, $\phi$", "the two functions that span all surrogates: $\\psi - \\langle s, \\phi\\rangle$",
         (f"{_SURROGATE}.psi", f"{_SURROGATE}.phi"), "L 259", "eq:defMM:surrogate"),
    Term(r"$\bar S(Z, \tau)$", "the surrogate at $\\tau$ of one sample, a point of $\\mathcal{S}$",
         (f"{_SURROGATE}.S_bar", f"{_SURROGATE}.mean_S_bar"), "L 259", "eq:defMM:surrogate"),
    Term(r"$s \in \mathcal{S} \subset \mathbb{R}^q$", "mirror parameter: which surrogate it is",
         ("fedmm_edu:ConvexSet", f"{_SURROGATE}.contains"), "L 259", "eq:defMM:surrogate"),
    Term(r"$\mathsf{T}(s)$", "the minimiser of $g + \\psi - \\langle s, \\phi\\rangle$",
         (f"{_SURROGATE}.T",), "L 334", "eq:MM:Tspace"),
    Term(r"$\mathsf{h}(s)$", "mean field: $E_\\pi[\\bar S(Z, T(s))] - s$; its roots are what MM looks for",
         ("fedmm_edu:mean_field",), "L 347", "eq:def:meanfield"),
    Term(r"$\gamma_t$", "step size", (f"{_FEDMM}.gamma",), "L 386", "line:SSMM:updateS"),
    Term(r"$S_{t+1}$, $S_{t+1,i}$", "oracle: an unbiased estimate of the mean of $\\bar S$",
         ("fedmm_edu.federation:Oracle",), "L 372, L 580", "line:SampleSk"),
    Term(r"$\hat S_t$", "the server's surrogate", (f"{_STATE}.x",), "L 598", "line:hatS:temp"),
    Term(r"$\mu_i$", "weight of client $i$", ("fedmm_edu.federation:Clients.mu",), "L 516", "eq:opt-fed"),
    Term(r"$p$", "probability with which a client takes part",
         ("fedmm_edu.federation:Bernoulli",), "L 701", "assumption:PP"),
    Term(r"$\mathrm{Quant}$, $\omega$", "unbiased compression and its relative variance",
         ("fedmm_edu.federation:Compressor.compress", "fedmm_edu.federation:Compressor.omega"), "L 685", "hyp:URVB"),
    Term(r"$\omega_p$", "the same for compression and participation together",
         ("fedmm_edu.federation:WithParticipation",), "L 1244", "eq:adjusted_quant_omega"),
    Term(r"$\alpha$", "step of the control variates", (f"{_FEDMM}.alpha",), "L 584", "line:upV"),
    Term(r"$V_{t,i}$, $V_t$", "control variates of client and server; $V_t = \\sum_i \\mu_i V_{t,i}$ always",
         (f"{_STATE}.V_clients", f"{_STATE}.V_server"), "L 584, L 603", "line:upV_central"),
    Term(r"$\Pi(s, B)$, $B(s)$", "projection onto $\\mathcal{S}$ in the norm of $B$, and A7's matrix",
         (f"{_SURROGATE}.project", f"{_SURROGATE}.B"), "L 733", "eq:projector:Pi"),
    Term(r"$v_{\min}$, $v_{\max}$, $C_\star$, $C_{\star\star}$",
         "the constants of A7 (the labels of Appendix E say A8)",
         (f"{_CONSTANTS}.v_min", f"{_CONSTANTS}.v_max", f"{_CONSTANTS}.C_star", f"{_CONSTANTS}.C_star_star"),
         "L 718", "hyp:DL2"),
    Term(r"$L_i$, $\sup\|\mathsf{h}\|$", "Lipschitz constant of $\\mathsf{h}_i$, bound of the mean field",
         (f"{_CONSTANTS}.L", f"{_CONSTANTS}.sup_h"), "L 713", "hyp:lipschitz"),
    Term(r"$\sigma_i^2$", "variance of client $i$'s oracle", (f"{_CONSTANTS}.sigma",), "L 672", "hyp:oracle"),
    Term(r"$\bar E_t$", "what Theorem 1 bounds: how far $\\hat S_t$ is from a root of $\\mathsf{h}$",
         ("fedmm_edu.theory:bound",), "L 735-745"),
)  # fmt: skip
ASSUMPTIONS = (
    Term("A1", "$\\psi - \\langle s, \\phi\\rangle$ is convex", (), "L 353", "hyp:surrogate:convexC1"),
    Term("A2", "$f$ is continuously differentiable", (), "L 355", "hyp:objective:C1"),
    Term("A3", "unbiased oracles of bounded variance", (), "L 672", "hyp:oracle"),
    Term("A4($\\omega$)", "unbiased compression", (), "L 685", "hyp:URVB"),
    Term("A5($p$)", "independent participation", (), "L 701", "assumption:PP"),
    Term("A6", "(i) $\\mathsf{h}_i$ is Lipschitz; (ii) $\\mathsf{h}$ is bounded", (), "L 713", "hyp:lipschitz"),
    Term(
        "A7",
        "$\\phi\\circ\\mathsf{T}$ is nearly linear, with slopes between $v_{\\min}$ and $v_{\\max}$",
        (),
        "L 718",
        "hyp:DL2",
    ),
    Term(
        "A8",
        "$\\mathcal{S}$ closed and convex; the projection uses $B(\\hat S_t)$",
        (),
        "L 730",
        "assumption:projection",
    ),
    Term("MM-1", "the surrogate touches at $\\tau$ and lies nowhere below", (), "L 259", "eq:defMM:surrogate"),
    Term("MM-2", "every $s \\in \\mathcal{S}$ has exactly one minimiser $\\mathsf{T}(s)$", (), "L 262-268"),
)
LEAD = """\
# Glossary

One symbol, one name in code, one place in the paper. “L 202” is line 202 of the paper's LaTeX source; labels are those
of its `\\label` commands.
"""


def glossary_page() -> str:
    """Symbols, then assumptions in the order in which LaTeX counts them."""
    symbols = [[term.symbol, term.means, ", ".join(map(_name, term.names)), _where(term)] for term in TERMS]
    assumptions = [[term.symbol, term.means, _where(term)] for term in ASSUMPTIONS]
    return "\n".join([
        LEAD, table(["paper", "meaning", "name in code", "where"], symbols),
        raw('<span id="assumptions"></span>'), "## The assumptions\n",
        "Numbered as LaTeX counts them.\n", table(["number", "says", "where"], assumptions),
    ])  # fmt: skip


def _name(path: str) -> str:
    module, _, attribute = path.partition(":")
    return f"{{src}}`{attribute} <{place(module, attribute)}>`"


def place(module: str, attribute: str) -> str | None:
    """`file:line` of what a name of the glossary stands for; of its class, where it is a field."""
    import_module(module)
    return defined(module, attribute) or defined(module, attribute.rpartition(".")[0])


def _where(term: Term) -> str:
    return term.lines + (f", `{term.label}`" if term.label else "")
