"""What `fedmm run NAME` runs, and what `fedmm reproduce NAME` makes: each name with the module that has it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Listed:
    """An experiment, whose module is imported when it is run: there it is called `EXPERIMENT`."""

    module: str
    help: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options of the experiment."""
        self._found().add_arguments(parser)

    def main(self, options: Namespace) -> int:
        """Run it; the exit status."""
        return self._found().main(options)

    def _found(self) -> Any:
        return import_module(self.module).EXPERIMENT


EXPERIMENTS: Mapping[str, Listed] = {
    "quadratic": Listed(
        "fedmm_edu.studies.quadratic", "ℓ1-regularised regression on the diabetes data: aggregate in 𝒮 or in Θ?"
    ),
    "theorem": Listed(
        "fedmm_edu.studies.theorem", "Theorem 1 against runs, and what happens where an assumption fails"
    ),
    "transport": Listed(
        "fedmm_edu.studies.transport.demo", "a transport map learned by clients that differ: FedMM-OT and FedAdam"
    ),
}
_SECTIONS = {
    "fedmm_edu.studies.dictionary.study": ("fig1", "fig2", "ablation", "effects", "central", "ratings", "metric"),
    "fedmm_edu.studies.transport.study": ("fig3", "fig3-ablation", "fig3-long"),
}
REPRODUCIBLE: Mapping[str, str] = {name: module for module, names in _SECTIONS.items() for name in names}
"""Each name of `fedmm reproduce`, with the module whose `STUDY` has it among its parts."""
