"""A federation on one machine over Flower's own simulation engine (Ray): `flwr[simulation]`."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fedmm_edu.errors import MissingExtra

if TYPE_CHECKING:
    from fedmm_edu.distributed.flower import RunConfig

QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1", "RAY_USAGE_STATS_ENABLED": "0"}
"""Nothing asks the network: no telemetry, no look for updates, no usage statistics."""


def require_simulation() -> None:
    """`MissingExtra` where the simulation engine is not installed (it is not among the extras: 200 MB)."""
    if find_spec("ray") is None or find_spec("flwr") is None:
        raise MissingExtra("a simulation needs Flower's simulation engine: pip install 'flwr[simulation]==1.41.0'.")


def simulate(settings: RunConfig, show: Callable[[str], object] = print) -> None:
    """Run the job of `settings` with one virtual node per node of the plan; the result is the server's checkpoint."""
    require_simulation()
    os.environ.update(QUIET)
    from flwr.simulation import run_simulation

    from fedmm_edu.distributed.flower import make_client_app, make_server_app

    run_simulation(
        make_server_app(settings, show),
        make_client_app(settings),
        num_supernodes=settings.nodes,
        backend_config={"client_resources": {"num_cpus": 1.0, "num_gpus": 0.0}},
    )
