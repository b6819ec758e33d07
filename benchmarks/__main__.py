"""`make bench`: every comparison, one after the other; `make bench ARGS="codes round"` runs some of them.

Absolute times belong to the machine; the ratios are what to compare between versions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import clients, codes, dictionary, engine, examples, grid, mixture, recording, sizes, transport, widgets
from benchmarks.figure import draw
from benchmarks.history import remember
from benchmarks.report import Row, table, write
from benchmarks.timing import machine

SECTIONS: dict[str, tuple[str, str, Callable[[], list[Row]]]] = {
    "codes": (
        "Sparse codes, one thread",
        "CPU milliseconds, medians. Ours and SPAMS are certified to 1e-10; scikit-learn has no tolerance to ask for. "
        "SPAMS has no warm start: SPAMS/warm divides its cold time. The last setting was set aside while tuning.",
        lambda: codes.rows(1),
    ),
    "grid": (
        "Sparse codes over a grid",
        grid.__doc__.split("\n\n")[1].replace("\n", " "),
        grid.rows,
    ),
    "codes2": (
        "Sparse codes, two threads",
        "The same by the clock on the wall, two threads for ours and SPAMS. Of itself, ours takes one for batches that "
        "are as small as the first two, which gain nothing from another.",
        lambda: codes.rows(2, clock="wall"),
    ),
    "round": (
        "A round of the paper's size",
        dictionary.__doc__.split("\n\n")[1].replace("\n", " ") + " CPU seconds, one thread.",
        dictionary.round_of_section_6,
    ),
    "examples": (
        "Rounds of every example against their floor",
        examples.__doc__.split("\n\n", 1)[1].replace("\n", " "),
        examples.every_example,
    ),
    "floor": (
        "Rounds of sparse regression against their floor",
        "Half of the n clients, 8 bits, control variates. CPU seconds, one thread; the floor is the gradients of the "
        "active clients, gathered or one after the other, whichever is sooner; draws and messages are not in it.",
        clients.quadratic_rounds,
    ),
    "slopes": (
        "Rounds against q and the samples of a client",
        "Sparse regression, 20 clients, half of them active, 8 bits, control variates; CPU seconds, one thread. Slope "
        "1 is proportional growth.",
        clients.slopes,
    ),
    "clients": (
        "A round of the Gaussian mixture against the number of clients",
        "L = 3, p = 2, 10 points a client, half of them active, 8 bits, control variates. Seconds, one thread; bytes "
        "of memory at the peak, data included, beyond those of a process that imports the same.",
        clients.many_clients,
    ),
    "sizes": (
        "Time and memory of a round over size",
        sizes.__doc__.split("\n\n", 1)[1].replace("\n", " "),
        sizes.growth,
    ),
    "recording": (
        "What recording costs",
        recording.__doc__.split("\n\n", 1)[1].replace("\n", " "),
        recording.costs,
    ),
    "unequal": (
        "Clients of unequal sizes",
        "A round over 10⁶ clients of 5 to 15 samples of 5 numbers, and over as many of 10 each; half of them active, 8 "
        "bits, control variates. CPU seconds, one thread.",
        clients.unequal_clients,
    ),
    "em": (
        "One EM step of the full mixture",
        "CPU seconds, one thread: weights, means and covariances from the same parameters.",
        mixture.em_passes,
    ),
    "nodes": (
        "Rounds over nodes",
        "One round of `FedMM.step`, and the same through the protocol of `fedmm_edu.distributed` with 10 nodes in this "
        "process: milliseconds of CPU.",
        engine.rounds_in_process,
    ),
    "server": (
        "The server over nodes",
        "The server's part of a round for other numbers of nodes: CPU seconds, the answers given.",
        engine.rounds_over_nodes,
    ),
    "simulation": (
        "Rounds on Flower's simulation",
        "Elapsed milliseconds, medians; CPU time of the same round with all nodes in one process; the difference.",
        engine.rounds_simulated,
    ),
    "transport": (
        "A round of FedMM-OT",
        transport.__doc__.split("\n\n")[1].replace("\n", " ") + " CPU milliseconds, one thread.",
        transport.rounds,
    ),
    "redraw": (
        "A move of a slider in a lesson",
        "Seconds from a new value of the slider to the new picture, without the browser.",
        widgets.redraws,
    ),
    "compressors": (
        "Compressors",
        "One message of 10⁶ numbers, its difference from the control variate and its draws included: CPU nanoseconds a "
        "coordinate, one thread.",
        clients.compressors,
    ),
    "draws": (
        "Named draws",
        "Seconds for `size` uniforms for each of n clients, against NumPy generators.",
        clients.named_draws,
    ),
}


def main(names: list[str]) -> None:
    """Run the named sections (all by default), print their tables, and write results, page, figures and history."""
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}: choose from {', '.join(SECTIONS)}.")
    found = {}
    for name in names or SECTIONS:
        title, says, run = SECTIONS[name]
        found[title] = (says, run())
        print(f"{title}\n{table(found[title][1])}\n", flush=True)
    write(machine(), found)
    draw()
    remember({title: {"rows": rows} for title, (_, rows) in found.items()})
    if "nodes" in (names or SECTIONS):
        engine.write_page()


if __name__ == "__main__":
    main(sys.argv[1:])
