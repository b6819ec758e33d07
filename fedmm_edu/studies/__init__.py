"""What `fedmm run NAME` runs, and what `fedmm reproduce NAME` makes: each name with the module that has it."""

from __future__ import annotations

from collections.abc import Mapping

EXPERIMENTS: Mapping[str, tuple[str, str]] = {
    "quadratic": (
        "fedmm_edu.studies.quadratic",
        "ℓ1-regularised regression on the diabetes data: aggregate in 𝒮 or in Θ?",
    ),
    "tables": (
        "fedmm_edu.studies.tables",
        "real tables cut into unequal clients: federated, lossy, naive, local, pooled",
    ),
    "theorem": (
        "fedmm_edu.studies.theorem",
        "Theorem 1 against runs, and what happens where an assumption fails",
    ),
    "bounds": (
        "fedmm_edu.studies.bounds",
        "every theorem against runs: measured over bound",
    ),
    "transport": (
        "fedmm_edu.studies.transport.demo",
        "a transport map learned by clients that differ: FedMM-OT and FedAdam",
    ),
}
"""The module of each, imported when it is run, where it is called `EXPERIMENT`; and its help."""
_SECTIONS = {
    "fedmm_edu.studies.dictionary.study": ("fig1", "fig2", "ablation", "effects", "central", "ratings", "metric"),
    "fedmm_edu.studies.relatives.study": ("relatives",),
    "fedmm_edu.studies.transport.study": ("fig3", "fig3-ablation", "fig3-long"),
    "fedmm_edu.studies.transport.schedules": ("fig3-schedules", "fig3-hour"),
}
REPRODUCIBLE: Mapping[str, str] = {name: module for module, names in _SECTIONS.items() for name in names}
"""Each name of `fedmm reproduce`, with the module whose `STUDY` has it among its parts."""
