"""A federation on one machine over Flower's own simulation engine (Ray): `flwr[simulation]`."""

from __future__ import annotations

import os

from fedmm_edu.errors import MissingExtra

QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1", "RAY_USAGE_STATS_ENABLED": "0"}
"""Nothing asks the network: no telemetry, no look for updates, no usage statistics."""


def simulate(settings, show=print) -> None:
    """Run the job of `settings` with one virtual node per node of the plan; the result is the server's checkpoint."""
    os.environ.update(QUIET)
    from fedmm_edu.distributed.flower import make_client_app, make_server_app

    try:
        import ray  # noqa: F401  # pyright: ignore[reportMissingImports]  (not among the extras: 200 MB)
        from flwr.simulation import run_simulation
    except ImportError as error:
        raise MissingExtra(
            "a simulation needs Flower's simulation engine: pip install 'flwr[simulation]==1.41.0'."
        ) from error
    run_simulation(
        make_server_app(settings, show),
        make_client_app(settings),
        num_supernodes=settings.nodes,
        backend_config={"client_resources": {"num_cpus": 1.0, "num_gpus": 0.0}},
    )
