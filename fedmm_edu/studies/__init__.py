"""What `fedmm run NAME` runs: each experiment names its help, its options and its main function."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True)
class Experiment:
    """An experiment in a module of this package, imported when it is run."""

    name: str
    help: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options of the experiment."""
        self._part("add_arguments")(parser)

    def main(self, options: Namespace) -> int:
        """Run it; the exit status."""
        return self._part("main")(options)

    def _part(self, name: str) -> Callable:
        return getattr(import_module(f"fedmm_edu.studies.{self.name}"), name)


EXPERIMENTS: Mapping[str, Experiment] = {
    e.name: e
    for e in (
        Experiment("quadratic", "ℓ1-regularised regression on the diabetes data: aggregate in 𝒮 or in Θ?"),
        Experiment("theorem", "Theorem 1 against runs, and what happens where an assumption fails"),
        Experiment("transport", "a transport map learned by clients that differ: FedMM-OT and FedAdam"),
    )
}
