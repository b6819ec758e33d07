"""`fedmm federate`: a job over nodes in this process, in Flower's simulation, or in real processes on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fedmm_edu.errors import InvalidInput, as_count, in_interval, read_count

if TYPE_CHECKING:
    from fedmm_edu.distributed.jobs import Job
    from fedmm_edu.distributed.loopback import Kill
    from fedmm_edu.distributed.state import ServerState
    from fedmm_edu.studies.faults.survival import Reference

DESCRIPTION = """\
Run FedMM where the data sits on several nodes, which send compressed messages only. The engine is this process,
Flower's simulation, or Flower with real processes on this machine; the trajectory is the same. The result is compared
with the fault-free run in one process.
The exit status is 0 when the error is within the tolerance (with --exact: and the run is the same bit for bit), else 1.
"""
EXAMPLES = """\
examples:
  fedmm federate --faults 0.3 --rounds 80
  fedmm federate --engine simulation
  fedmm federate --engine processes --kill 1:4
  fedmm federate --engine processes --kill server:4
  fedmm federate my_module:my_job --engine processes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm federate`."""
    add = parser.add_argument
    add("job", nargs="?", default="dictionary", help="dictionary (default), regression, or module:function")
    add("--engine", choices=ENGINES, default="memory", help="; ".join(f"{k}: {v.says}" for k, v in ENGINES.items()))
    add("--nodes", type=int, default=4, help="number of nodes (default 4)")
    add("--rounds", type=int, default=12, help="number of rounds (default 12)")
    add("--attempts", type=int, default=2, help="how often a silent node is asked in a round (default 2)")
    add("--timeout", type=float, default=40.0, help="seconds to wait for answers each time (default 40)")
    add(
        "--faults",
        type=float,
        default=0.0,
        metavar="RATE",
        help="memory: share of the messages that meet a fault, in the first three quarters of the rounds",
    )
    add("--seed", type=int, default=0, help="memory: seed of the faults")
    add("--kill", metavar="NODE:ROUND", help="processes: kill -9 a node, “server” or “all” in this round")
    add("--wipe", action="store_true", help="processes: the killed node also loses its state")
    add("--tolerance", type=float, default=1e-6, help="largest error against the fault-free limit (default 1e-6)")
    add("--exact", action="store_true", help="fail unless the run is the fault-free one bit for bit")
    add("--out", type=Path, default=Path("results/federate"), help="folder of states and logs")
    add("--app", type=Path, metavar="DIR", help="only write the Flower app of this run to DIR, for `flwr run DIR`")
    add("--report", type=Path, metavar="DIR", help="only write pictures and tables of many faults to DIR (2 minutes)")
    add("--anew", action="store_true", help="start anew: remove the run that --out holds, and nothing that no run made")


def run(args: argparse.Namespace) -> int:
    """Federate, compare with the fault-free run in this process, and print both; 1 when the error is too large."""
    from fedmm_edu.distributed.jobs import full_name, job_of
    from fedmm_edu.studies.faults.jobs import JOBS
    from fedmm_edu.studies.faults.survival import reference

    _checked(args)
    if args.report is not None:
        from fedmm_edu.studies.faults.report import write_report

        write_report(args.report, print)
        return 0
    args.job = full_name(args.job, JOBS)
    job = job_of(args.job, args.nodes)
    if args.app is not None:
        from fedmm_edu.distributed.loopback import write_app

        print(f"wrote {write_app(args.app, _settings(args))}")
        return 0
    name = args.job.rpartition(":")[2]
    print(f"{name}: {len(job.plan.clients)} clients on {args.nodes} nodes, {args.rounds} rounds, engine: {args.engine}")
    return _compare(args, reference(job, args.rounds), ENGINES[args.engine].run(args, job))


def _compare(args: argparse.Namespace, fault_free: Reference, state: ServerState) -> int:
    error, same = fault_free.error(state.x), np.array_equal(state.x, fault_free.x)
    exact = "bit for bit the same" if same else f"differs by {fault_free.error(state.x, fault_free.x):.1e}"
    missed = ", NOT bit for bit the same, as --exact asks" if args.exact and not same else ""
    near = error <= args.tolerance
    print(f"sent up {state.bytes_up / 1e3:.1f} kB ({state.rows_up / 1e3:.2f} kB of it compressed rows), "
          f"down {state.bytes_down / 1e3:.1f} kB")  # fmt: skip
    print(f"against the fault-free run after {state.t} rounds: {exact}{missed}")
    print(f"against the fault-free limit: error {error:.1e}, {'within' if near else 'NOT within'} {args.tolerance:.0e}")
    return 1 if missed or not near else 0


def _checked(args: argparse.Namespace) -> None:
    as_count("nodes", args.nodes)
    as_count("rounds", args.rounds)
    as_count("attempts", args.attempts)
    as_count("seed", args.seed, low=0)
    in_interval("faults", args.faults, low=0.0, high=1.0)
    in_interval("tolerance", args.tolerance, low=0.0, high=np.inf, open_low=True)
    in_interval("timeout", args.timeout, low=0.0, high=3600.0, open_low=True)
    for option in sorted(set().union(*(engine.takes for engine in ENGINES.values())) - ENGINES[args.engine].takes):
        if getattr(args, option):
            those = " or ".join(name for name, engine in ENGINES.items() if option in engine.takes)
            raise InvalidInput(f"--{option} belongs to --engine {those}: leave it out with --engine {args.engine}.")
    _kill(args)
    only = [f"--{name}" for name in ("app", "report") if getattr(args, name) is not None]
    told = [f"--{name}" for name in ("faults", "kill", "wipe", "anew", "exact") if getattr(args, name)]
    told += ["--engine"] if args.engine != "memory" else []
    if len(only) > 1 or (only and told):
        raise InvalidInput(
            f"{', '.join(only[1:] + told)}: {only[0]} writes files and runs nothing; leave the others out."
        )


def _memory(args: argparse.Namespace, job: Job) -> ServerState:
    """Nodes in this process; with --faults, every kind of fault, then a quarter of clean rounds."""
    from fedmm_edu.studies.faults.survival import survive

    found = survive(job, args.faults, args.rounds, attempts=args.attempts, seed=args.seed)
    for fault, times in sorted(found.injected.items(), key=lambda item: -item[1]):
        print(f"  {times:5d} × {fault.value}")
    if found.injected:
        total = sum(found.injected.values())
        print(f"  {total:5d} faults; {found.refused} answers refused, {found.rebased} re-basings")
    return found.state


def _settings(args: argparse.Namespace):
    from fedmm_edu.distributed.flower import RunConfig

    out = args.out.resolve()
    return RunConfig(
        job=args.job, nodes=args.nodes, rounds=args.rounds, attempts=args.attempts, timeout=args.timeout,
        state=str(out), checkpoint=str(out / "server"),
    )  # fmt: skip


def _simulation(args: argparse.Namespace, job: Job) -> ServerState:
    from fedmm_edu.distributed.simulation import require_simulation, simulate
    from fedmm_edu.distributed.workspace import claim

    require_simulation()
    settings = _settings(args)
    claim(args.out, anew=args.anew)
    if _reached(args, job).t < args.rounds:
        simulate(settings)
    return _reached(args, job)


def _processes(args: argparse.Namespace, job: Job) -> ServerState:
    from fedmm_edu.distributed.loopback import run_processes
    from fedmm_edu.distributed.workspace import claim

    settings, kill = _settings(args), _kill(args)
    claim(args.out, anew=args.anew)
    if _reached(args, job).t < args.rounds:
        run_processes(args.out, settings, kill)
    return _reached(args, job)


def _kill(args: argparse.Namespace) -> Kill | None:
    """What --kill asks for."""
    if not args.kill:
        if args.wipe:
            raise InvalidInput("--wipe says what the killed node loses: say which with --kill, or leave it out.")
        return None
    from fedmm_edu.distributed.loopback import Kill

    node, _, round_ = args.kill.partition(":")
    if not (node in ("server", "all") or node.isdecimal()) or not round_.isdecimal():
        raise InvalidInput(f"--kill {args.kill:.100}: write NODE:ROUND, as in 1:4, server:4 or all:4.")
    who = read_count("the node to kill", node, low=0, high=args.nodes - 1) if node.isdecimal() else node
    return Kill(who, read_count("the round to kill in", round_, low=2, high=args.rounds), wipe=args.wipe)


def _reached(args: argparse.Namespace, job: Job) -> ServerState:
    """Where the run in --out stands."""
    from fedmm_edu.distributed.state import load_checkpoint

    state = load_checkpoint(args.out.resolve() / "server", job.plan, job.start)
    if state.t > args.rounds:
        raise InvalidInput(
            f"{args.out} holds a run of {state.t} rounds, more than --rounds {args.rounds}: ask for {state.t}, choose "
            "another folder with --out, or say --anew."
        )
    return state


class Choice(NamedTuple):
    """An engine: what it is, how it runs a job, and the options that it takes beside those of all."""

    says: str
    run: Callable[[argparse.Namespace, Job], ServerState]
    takes: frozenset[str] = frozenset()


ENGINES = {
    "memory": Choice("nodes in this process; needs no engine, and can misbehave on purpose (--faults)",
                     _memory, frozenset({"faults"})),
    "simulation": Choice("Flower's simulation engine (needs flwr[simulation])", _simulation, frozenset({"anew"})),
    "processes": Choice("a superlink and supernodes as processes on this machine (needs the extra `distributed`)",
                        _processes, frozenset({"kill", "wipe", "anew"})),
}  # fmt: skip
