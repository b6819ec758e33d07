"""The page of worst cases of T rounds beside our bounds, from the record that `tests.numeric.worst_runs` keeps."""

from __future__ import annotations

from book.generate.text import myst, table
from tests.numeric.worst_runs import families, read

LEAD = """\
# Worst cases beside our bounds

How good can a bound be? For the quadratic surrogate ($\\rho = L = 1$) the worst case of T rounds over *all* functions
of a class, in any dimension, is the value of a semidefinite program: performance estimation, here by PEPit. Each number
below is that worst case over the bound of the theorem named, at the same start and step. One would be a bound that
cannot be improved for that T. `python -m tests.numeric.worst_runs` computes all of them again and renews this table,
where PEPit is installed; a test asks that none is above one.

Messages that are doubled or lost are unbiased with $\\omega = 1$; a is the contraction of biased ones, any of which may
come. ηL is the local step of SCAFFOLD. No projection is active, and oracles are exact.
"""
READING = """\
## What the numbers say

- **The multiplier of the decrease.** With messages in full, {{row}}`own-any-A` divides by $\\frac{{\\gamma}}{{2}}$, and
  is tight for a whole step, $\\gamma = 1$. For shorter ones it gives away $\\frac{{1}}{{2-\\gamma}}$: the better
  multiplier, $\\gamma(1-\\frac{{\\gamma}}{{2}})$, is that of {{row}}`own-projected-A` and {{row}}`own-free-A`, and with
  it the ratio tends to one.
- **Biased messages.** After ten rounds {{row}}`own-biased` is {few:.2f} times too large where a quarter gets through,
  and {most:.2f} times where nine tenths do; the ratios still rise with T. Two clients are no worse than one: the
  errors may all agree.
- **Without A7.** Over all convex f and g {{row}}`own-lip-A` is {flat:.2f} times too large, from
  $W_0-\\min W+a\\|h(\\hat S_0)\\|^2 = 1$, though runs of least squares are far below it
  ([measured over bound](beyond_theorem1.md)): what the theorem covers is that much harder than what is run.
- **Linear rates** are nearly attained, round by round: of {{row}}`own-scaffold-rate` and {{row}}`own-diana-rate` a few
  parts in a hundred are left.
- **Restarts.** Where W only grows about $\\theta_\\star$, as {{row}}`own-accelerated-restart` asks, a block of 12
  rounds comes to {growth:.2f} of its bound; where f is strongly convex the bound is {strong:.0f} times too large, as
  it forgets that within a block.
- **Theorem 1 (B)** with the best numbers that its propositions allow is {paper:.0f} times too large after four rounds,
  {{row}}`own-projected` {near:.1f} times, at a step of its own.
"""
SHOWN = (1, 2, 3, 4, 6, 8, 10, 12)


def worst_cases_page() -> str:
    """One table, a row per family, and what it says."""
    known = families()
    ratios = {name: {T: w / known[name].bound(T) for T, w in found.items()} for name, found in read().items()}

    def times(row: str, about: str, T: int) -> float:
        """How many times too large a bound is."""
        return 1.0 / next(found[T] for name, found in ratios.items() if name.startswith(row) and about in name)

    says = READING.format(
        few=times("own-biased,", "a = 0.25, 1", 10), most=times("own-biased,", "a = 0.9, 1", 10),
        flat=times("own-lip", "", 10), growth=1.0 / times("own-accelerated-restart", "grows", 12),
        strong=times("own-accelerated-restart", "strongly", 12), paper=times("own-thm1", "", 4),
        near=times("own-projected,", "lost", 4),
    )  # fmt: skip
    rows = [
        [
            f"{{row}}`{known[name].row}`",
            myst(known[name].about),
            *(f"{found[T]:.2f}" if T in found else "—" for T in SHOWN),
        ]
        for name, found in ratios.items()
    ]
    return "\n".join([LEAD, table(("Theorem", "For", *(f"T = {T}" for T in SHOWN)), rows), says])
