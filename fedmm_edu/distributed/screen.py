"""What a reply may be: a robust rule by which one wrong number does no lasting harm.

𝒮 bounds S̄ in some problems only, and the server knows no V_i, so a reply is measured against what nodes send. The size
of a reply is its largest row ‖Quant(Δ_i)‖. The server keeps the largest size that it accepted of each node. A reply is
turned away if it exceeds `FACTOR` times the (lower) median, over all nodes heard so far, of the largest size of each,
this round's among them.

While fewer than half of the nodes that were heard are wrong, this median is at most the largest size that an honest
node has sent: nothing accepted is larger than `FACTOR` times that, in however many rounds it creeps up, and V loses no
more digits by it than `FACTOR` has. A server that has heard one node alone, or nothing but zeros from half of them or
more, has nothing to compare with, and believes what it hears.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fedmm_edu.arrays import Array

FACTOR = 1e6
"""How far a reply may exceed what is usual. Honest nodes differ by the scale of their data and by its square (Gram
matrices), so that data in thousandths and in units go together; V keeps ten digits."""


def sizes_of(rows: Array, mu: Array, opening: bool) -> float:
    """The size of a reply with these rows; in the opening, where Σ μ_i V_i of clients with the weights mu is sent, that
    of its mean."""
    with np.errstate(over="ignore"):  # an infinite size is too large
        size = float(np.linalg.norm(rows, axis=1).max())
    return size / float(mu.sum()) if opening else size


def too_large(now: Mapping[int, float], before: Array) -> Iterator[tuple[int, str]]:
    """The nodes whose replies are turned away, with the reason.

    now: the sizes of this round's; before: the largest accepted of each node, NaN where there is none.
    """
    heard = before.copy()
    for k, size in now.items():
        heard[k] = np.fmax(heard[k], size)
    usual = np.sort(heard[~np.isnan(heard)])
    median = float(usual[(len(usual) - 1) // 2]) if len(usual) else 0.0
    most = FACTOR * median
    for k, size in sorted(now.items()):
        if size > most > 0.0:
            why = f"its reply has a row of norm {size:.1e}, and {most:.1e} is the most that is taken"
            yield k, f"{why} ({FACTOR:.0e} times what is usual): look at its data."
