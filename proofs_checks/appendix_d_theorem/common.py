"""Words and instances that several rows of this section share."""

from __future__ import annotations

from proofs_checks.appendix_d_theorem.stated import AGENTS

PROPOSITIONS = f"Propositions 2, 3 and 4, under MM-1, MM-2 and A3 to A8 as they use them, {AGENTS}"
RANGE = "$0 < \\alpha \\leq 1/(1+\\omega)$ and $\\omega > 0$"
SMALL = "$\\gamma_{t+1} < v_{\\min}/(2\\bar C)$"


def combined(G: str, errors: str, noise: str) -> dict[str, str]:
    return {"G": G, "Ebar": errors, "noise_": noise}


PRINTED = combined(
    "gamma*(rho_next/gamma*beta*(1-alpha+2*omega/(beta-1)*vmax/vmin*L2n*gamma**2)"
    "+(1-C/vmin*gamma)*omega*vmax-rho_t/gamma)",
    "gamma/4*(1-2*C/vmin*gamma-8*beta/(beta-1)/vmin*L2n*rho_next*gamma)",
    "gamma*(rho_next/gamma*beta*(alpha+2*(1+omega)/(beta-1)*vmax/vmin*L2n*gamma**2)+(1-C/vmin*gamma)*(1+omega)*vmax)",
)
