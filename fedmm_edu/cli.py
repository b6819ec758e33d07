"""The command `fedmm`: verify the paper's statements, check a model of your own, derive its constants, experiment.

Exit status: 0 all is as expected, 1 a verdict is not, 2 the input is wrong (one line on stderr), 130 interrupted,
141 the reader of the output went away, 143 terminated.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module

from fedmm_edu.announced import commands as announced_commands
from fedmm_edu.errors import FedMMError, InvalidInput

__all__ = ["main"]

DESCRIPTION = "Learn, check and use federated majorize-minimization (FedMM)."
EXAMPLES = """\
examples:
  fedmm verify                        all statements; writes report/index.html and report/verdicts.json
  fedmm verify --list                 the statements and their ids, without judging them
  fedmm verify ID --mutants           one statement, and the falsified versions its check must refute
  fedmm check my_model.py             your own model, given as a SymPy definition
  fedmm constants toy --S=a:b         the constants B, v_min, v_max, C_⋆, C_⋆⋆ of an example or of your own model
  fedmm compare quadratic:l1          FedMM beside FedAvg, SCAFFOLD, ProxSkip …: what an accuracy costs
  fedmm federate --faults 0.3         many nodes in this process, with faults; real ones with --engine
  fedmm attack                        what the messages of a run say of the data on the nodes
  fedmm class                         the phones in a room are the clients; --alone 12 without a room
  fedmm run --help                    the experiments
  fedmm reproduce --quick             the figures of Section 6, and whether what is said about them holds

“fedmm COMMAND --help” tells more about each command.
"""
COMMANDS = {
    "check": "judge a surrogate of your own",
    "constants": "derive the constants of assumption A7",
    "theorem": "what Theorem 1 promises for a problem",
    "compare": "FedMM beside its relatives, on one problem",
    "reproduce": "repeat the experiments of Section 6",
    "federate": "run FedMM over nodes: in memory, simulated, or real processes",
    "attack": "rebuild from the messages of a run what its nodes did not send",
    "class": "make the people in a room the clients of a federation",
}
"""Each is a file of `fedmm_edu.commands` with `DESCRIPTION`, perhaps `EXAMPLES`, `add_arguments` and `run`. The ledger
announces further ones."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or stream.closed:  # as after `>&-`: there is nowhere to print to
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows "?" instead of failing
            stream.reconfigure(errors="replace")
    try:
        with _terminable():
            status = _called(sys.argv[1:] if arguments is None else list(arguments))
            sys.stdout.flush()
        return status
    except FedMMError as error:
        print(f"fedmm: {_line(str(error))}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has seen enough, as in `fedmm verify --list | head`
        _silence()
        return 141
    except OSError as error:  # a full disk, an output that was closed, a file that went away
        _silence()
        where = f" {error.filename}" if error.filename else ""
        with suppress(OSError, ValueError):
            print(f"fedmm: the system says: {error.strerror or error}{where}", file=sys.stderr)
        return 2
    except _Terminated:
        print("fedmm: terminated", file=sys.stderr)
        return 143
    except KeyboardInterrupt:
        print("fedmm: interrupted", file=sys.stderr)
        return 130


def _called(arguments: Sequence[str]) -> int:
    if any("\0" in word for word in arguments):
        raise InvalidInput("an argument holds the character NUL, which no name of a file has: leave it out.")
    for word in arguments:
        if word.startswith("--") and word.endswith("=--"):  # argparse would take it for a list of no values
            raise InvalidInput(f"{word} has no value: write {word[:-2]}VALUE.")
    if arguments[:1] == ["run"]:
        return _run(arguments[1:])
    args = _parser(arguments[:1]).parse_args(arguments)
    return args.run(args)


class _Terminated(KeyboardInterrupt):
    """SIGTERM: it ends a command and its children as Ctrl-C does."""


@contextmanager
def _terminable() -> Iterator[None]:
    """Within, SIGTERM is raised as `_Terminated`, once, unless somebody else handles it."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def terminate(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is being ended is ended in peace
        raise _Terminated

    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _line(text: str, most: int = 2000) -> str:
    """A text on one line that can be printed; what is too long loses its middle."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return line if len(line) <= most else f"{line[: most // 2]} … {line[-most // 2 :]}"


def _silence() -> None:
    """Send what is still to be printed nowhere: else the interpreter's last flush complains."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(chosen: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, in which only the chosen command has its options: no other is imported."""
    parser = _subparser(argparse.ArgumentParser, prog="fedmm", description=DESCRIPTION, epilog=EXAMPLES)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    announced = {} if chosen and chosen[0] in COMMANDS else announced_commands()
    for name in (*announced, *COMMANDS):
        module = announced[name].load() if name in announced else None
        text = COMMANDS[name] if module is None else module.HELP
        if name not in chosen:
            commands.add_parser(name, help=text)
            continue
        module = module or import_module(f"fedmm_edu.commands.{name}")
        about = {"description": module.DESCRIPTION, "epilog": getattr(module, "EXAMPLES", None)}
        own = _subparser(commands.add_parser, name, help=text, **about)
        module.add_arguments(own)
        own.set_defaults(run=module.run)
    commands.add_parser("run", help="run an experiment")  # listed here, parsed by `_run`
    return parser


def _subparser(factory, *args, **settings) -> argparse.ArgumentParser:
    """A parser that keeps the line breaks of its texts and takes no abbreviated options."""
    return factory(*args, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **settings)


class _Version(argparse.Action):
    """Reads the version where the installer wrote it, and only when asked."""

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        from importlib.metadata import version

        parser.exit(message=f"fedmm-edu {version('fedmm-edu')}\n")


def _run(arguments: Sequence[str]) -> int:
    """Hand over to an experiment, whose options are its own."""
    from fedmm_edu.studies import EXPERIMENTS

    parser = _subparser(argparse.ArgumentParser, prog="fedmm run", description="Run an experiment.")
    names = parser.add_subparsers(title="experiments", metavar="NAME", required=True)
    for name, (module, says) in EXPERIMENTS.items():
        own = _subparser(names.add_parser, name, help=says, description=says)
        if name in arguments[:1]:  # only what is run is imported: another experiment may need another extra
            experiment = import_module(module).EXPERIMENT
            experiment.add_arguments(own)
            own.set_defaults(main=experiment.main)
    chosen = parser.parse_args(arguments)
    return chosen.main(chosen)
