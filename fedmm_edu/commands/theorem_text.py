"""What `fedmm theorem` prints: hypotheses and constants as tables, then the conclusions in words; or all as JSON."""

from __future__ import annotations

import math
from typing import Any

from fedmm_edu.text.tables import marked, table, terminal_width

WHY = {
    "sharper": "the smaller numbers of row own-thm1-B-best in the ledger, which the paper's own propositions give",
    "printed": "the numbers that the paper prints",
}


def without_infinity(value: Any) -> Any:
    """JSON has no infinity: it is written as text."""
    if isinstance(value, dict):
        return {key: without_infinity(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [without_infinity(entry) for entry in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def as_text(found: dict[str, Any]) -> str:
    """What a person reads: hypotheses, constants, and what follows."""
    columns = terminal_width()
    parts = as_tables(found, columns)
    if "why_not" in found:
        return "\n".join([*parts, found["why_not"]])
    return "\n".join([*parts, *_conclusions(found)])


def as_tables(found: dict[str, Any], columns: int) -> list[str]:
    """The hypotheses and the constants, as tables."""
    rows = [(r["name"], marked(r["status"]), r["why"]) for r in found["hypotheses"]]
    parts = [f"Theorem 1 for {found['problem']}"]
    parts += list(found["notes"]) + ([found["privacy"]["says"]] if "privacy" in found else [])
    parts += ["", table(("assumption", "status", "why"), rows, columns=columns, shares=(12, 12, 76)), ""]
    numbers = {**found["numbers"], "Δ": found["gap"], "G_0": found["variates"]}
    cells = [(n, "not known" if v["value"] is None else f"{v['value']:.6g}", v["how"]) for n, v in numbers.items()]
    return [*parts, table(("constant", "value", "how"), cells, columns=columns, shares=(14, 16, 70)), ""]


def _conclusions(found: dict[str, Any]) -> list[str]:
    B = found["bound"]
    lines = [
        f"case {'A: no compression, everyone takes part' if found['omega_p'] == 0 else 'B'}: ω = {found['omega']:.6g}, "
        f"p = {found['p']:.6g}, ω_p = {found['omega_p']:.6g}; constants: {found['version']}, {WHY[found['version']]}",
        *([] if found["alpha"] is None else [f"α = {found['alpha']:.6g}, at most {found['largest_alpha']:.6g}"]),
        f"γ = {found['gamma']:.6g}, must be below {found['largest_gamma']:.6g}",
        f"after T = {found['rounds']} rounds the mean of E[Ē_t] is at most {B['total']:.6g}",
        f"    = {B['initial']:.6g} (initial gap) + {B['control_variates']:.6g} (control variates) + "
        f"{B['noise']:.6g} (noise)",
    ]
    if "privacy" in found:
        lines.append(f"together: {B['total']:.6g} after {found['rounds']} rounds, {found['bits']:.4g} bits up, "
                     f"ε = {found['privacy']['epsilon']:g}, δ = {found['privacy']['delta']:g}")  # fmt: skip
    if found["rests_on"]:
        words = "; ".join(f"{name} ({how})" for name, how in found["rests_on"].items())
        lines.insert(0, f"NOT PROVED: the bound below rests on what is not proved: {words}")
    reach = found["rounds_for_target"]
    lines.append(f"target {found['target']:.6g}: " + (f"T = {reach} rounds with this γ" if reach else
                 "never with this γ, as the noise term is above it"))  # fmt: skip
    for name, says in (("chosen", "with these messages"), ("none", "uncompressed, everyone")):
        cost = found["price"].get(name)
        if cost is not None:
            what = "not reached" if cost["rounds"] is None else f"{cost['rounds']} rounds, {cost['bits']:.4g} bits up"
            what += "" if cost["gamma"] is None else f" (γ = {cost['gamma']:.4g})"
            lines.append(f"    {says}: {what}" + (f", ε = {cost['epsilon']:.4g}" if cost.get("epsilon") else ""))
    prices = found["price"]
    if prices and all(prices[name]["rounds"] for name in prices):
        rounds, bits = (prices["chosen"][key] / prices["none"][key] for key in ("rounds", "bits"))
        lines.append(f"    that is {rounds:.3g} times the rounds and {bits:.3g} times the bits, by the bound")
    return lines
