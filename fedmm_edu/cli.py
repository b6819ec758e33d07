"""The command `fedmm`: verify the paper's statements, check a model of your own, derive its constants, experiment.

Exit status: 0 all is as expected, 1 a verdict is not, 2 the input is wrong (one line on stderr), 130 interrupted,
141 the reader of the output went away.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

from fedmm_edu.errors import FedMMError

DESCRIPTION = "Learn, check and use federated majorize-minimization (FedMM)."
EXAMPLES = """\
examples:
  fedmm verify                        all statements; writes report/index.html and report/verdicts.json
  fedmm verify --list                 the statements and their ids, without judging them
  fedmm verify ID --mutants           one statement, and the falsified versions its check must refute
  fedmm check my_model.py             your own model, given as a SymPy definition
  fedmm constants toy --S=a:b         the constants B, v_min, v_max, C_⋆, C_⋆⋆ of an example or of your own model
  fedmm federate --faults 0.3         many nodes in this process, with faults; real ones with --engine
  fedmm run --help                    the experiments
  fedmm reproduce --quick             the figures of Section 6, and whether what is said about them holds

“fedmm COMMAND --help” tells more about each command.
"""
VERIFY = """\
Judge the paper's statements, print a table and write a report page.

Each verdict is one of four words: proved (exact evidence), refuted (an exact point at which the statement fails as
printed; the amended statement beside it is proved), supported (numbers found no counterexample), open.
The exit status is 0 when every verdict is the expected one, else 1; the rows that differ are then listed with reasons.
"""
CHECK = """\
Judge a surrogate of your own. FILE.py, which is executed, defines one `fedmm_edu.Model` or several: the SymPy
expressions of the loss ℓ, of φ, ψ, S̄, g and of the sets Θ and 𝒮. The answer names each hypothesis of MM-1 and MM-2,
its verdict, how we know it, and a witness where it fails.
The exit status is 0 when nothing is refuted, else 1.
"""
CONSTANTS = """\
Derive the constants of assumption A7 (`hyp:DL2`; the paper's labels say "A8"): the matrix B(s), which is the
derivative of φ∘T, the largest v_min, the smallest v_max, C_⋆ and C_⋆⋆ on 𝒮, each exact or enclosed, whether a point or
a pair attains it, and why where there is none.
The exit status is 0 when all exist (or are open), else 1.
"""
CONSTANTS_EXAMPLE = """\
examples:
  fedmm constants toy --S=1:4
  fedmm constants "poisson:printed, strategy 2" --S=-M:0
  fedmm constants "poisson:printed, strategy 1" --set lambda=1 --S=1:2 --S=-1:0
  fedmm constants my_model.py --S=0:oo --json
"""
THEOREM = """\
What Theorem 1 (`theo:main`) promises: which of its assumptions hold as far as known, the largest step sizes, the bound
with its three terms, the rounds for an accuracy, and what compression and partial participation cost.
The constants come from flags, or from an example or your own model with data: exact or enclosed where that is possible.
The exit status is 0 when there is a bound and all it rests on is proved or given, else 1.
"""
THEOREM_EXAMPLE = """\
examples:
  fedmm theorem toy --S=1/10:5 --batch 4 --p 0.5
  fedmm theorem "quadratic:least squares, ridge" --set rho=1/2 --set lambda=1 --p 0.5 --figure bound.png
  fedmm theorem --v-min 1 --v-max 2 --C-star 0 --C-star-star 2 --L 1 --sigma 0.1 --gap 1 --omega 1 --p 0.5
"""
REPRODUCE = """\
Repeat the dictionary-learning experiments of Section 6: fig1, the impact of the aggregation space, and fig2, that of
control variates. Draws each figure over rounds and over bits, judges each sentence about it by a criterion, and
writes a manifest. Finished runs are kept: an interrupted command goes on where it was, with identical numbers.
"""
REPRODUCE_EXAMPLE = """\
examples:
  fedmm reproduce --quick
  fedmm reproduce fig1 --data-dir ~/ml-1m --jobs 2
  fedmm reproduce fig1 --real digits --betas 0.01,0.05,0.5 --out results/larger-steps
"""
CERTIFICATE = """\
The certificates behind the rows of Appendix D and behind our own statements beyond the paper: each is an exact
identity that writes what is claimed as a sum of non-negative terms.
`check` gives them to a second, foreign kernel: Coq, which has to be installed.
"""
FEDERATE = """\
Run FedMM where the data sits on several nodes, which send compressed messages only. The engine is this process,
Flower's simulation, or Flower with real processes on this machine; the trajectory is the same. The result is compared
with the fault-free run in one process.
The exit status is 0 when the error is within the tolerance, else 1.
"""
FEDERATE_EXAMPLE = """\
examples:
  fedmm federate --faults 0.3 --rounds 80
  fedmm federate --engine simulation
  fedmm federate --engine processes --kill 1:4
  fedmm federate my_module:my_job --engine processes
"""
CHECK_EXAMPLE = """\
example of FILE.py:
  import sympy as sp
  from fedmm_edu import Model
  theta, s = sp.symbols("theta s", positive=True)
  z = sp.Symbol("z", positive=True)
  model = Model(theta=theta, z=z, s=s, loss=z*theta + 1/theta, psi=1/theta, phi=-theta, S_bar=z)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a character shows "?" instead of failing
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if arguments[:1] == ["run"]:
            return _run(arguments[1:])
        args = _parser().parse_args(arguments)
        status = args.command(args)
        sys.stdout.flush()
        return status
    except FedMMError as error:
        print(f"fedmm: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has seen enough, as in `fedmm verify --list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter's last flush complains
        return 141
    except KeyboardInterrupt:
        print("fedmm: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _subparser(argparse.ArgumentParser, prog="fedmm", description=DESCRIPTION, epilog=EXAMPLES)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_verify(commands)
    _add_check(commands)
    _add_constants(commands)
    _add_certificate(commands)
    _add_theorem(commands)
    _add_reproduce(commands)
    _add_federate(commands)
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


def _add_verify(commands) -> None:
    parser = _subparser(
        commands.add_parser, "verify", help="judge every checkable statement of the paper", description=VERIFY
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="judge only these statements (default: all)")
    parser.add_argument("--mutants", action="store_true", help="also run each statement's falsified versions")
    parser.add_argument("--list", action="store_true", help="list the statements and stop")
    parser.add_argument("--json", metavar="FILE", help="also write the verdicts to FILE")
    parser.add_argument("--report", metavar="DIR", default="report", help="folder of the report (default: report)")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per processor)")
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds for one judgement (default: 120)")
    parser.add_argument(
        "--ledger",
        metavar="MODULE",
        default="proofs_checks",
        help="another ledger: a module with a function sections()",
    )
    parser.set_defaults(command=_verify)


def _verify(args: argparse.Namespace) -> int:
    from fedmm_edu.commands.verify import verify

    return verify(args)


def _add_check(commands) -> None:
    parser = _subparser(
        commands.add_parser,
        "check",
        help="judge a surrogate of your own",
        description=CHECK,
        epilog=CHECK_EXAMPLE,
    )
    parser.add_argument("file", metavar="FILE.py", help="a Python file that defines `model = Model(...)`")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(command=_check)


def _check(args: argparse.Namespace) -> int:
    from fedmm_edu.commands.check import check

    return check(args)


def _add_constants(commands) -> None:
    parser = _subparser(
        commands.add_parser,
        "constants",
        help="derive the constants of assumption A7",
        description=CONSTANTS,
        epilog=CONSTANTS_EXAMPLE,
    )
    parser.add_argument("what", metavar="EXAMPLE[:MODEL] | FILE.py", help="an example, one of its models, or a file")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant's exact value")
    parser.add_argument(
        "--S", action="append", default=[], metavar="LOW:HIGH", help="𝒮, once per coordinate (write --S=-1:0)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(command=_constants)


def _constants(args: argparse.Namespace) -> int:
    from fedmm_edu.commands.constants import run

    return run(args)


def _add_theorem(commands) -> None:
    from fedmm_edu.commands.theorem import add_arguments

    parser = _subparser(
        commands.add_parser,
        "theorem",
        help="what Theorem 1 promises for a problem",
        description=THEOREM,
        epilog=THEOREM_EXAMPLE,
    )
    add_arguments(parser)
    parser.set_defaults(command=_theorem)


def _theorem(args: argparse.Namespace) -> int:
    from fedmm_edu.commands.theorem import run

    return run(args)


def _add_reproduce(commands) -> None:
    from fedmm_edu.commands.reproduce import add_arguments

    parser = _subparser(
        commands.add_parser,
        "reproduce",
        help="repeat the experiments of Section 6",
        description=REPRODUCE,
        epilog=REPRODUCE_EXAMPLE,
    )
    add_arguments(parser)
    parser.set_defaults(command=_reproduce)


def _reproduce(args: argparse.Namespace) -> int:
    from fedmm_edu.commands.reproduce import run

    return run(args)


def _add_certificate(commands) -> None:
    parser = _subparser(
        commands.add_parser, "certificate", help="show the proofs behind rows, or check them in Coq",
        description=CERTIFICATE,
    )  # fmt: skip
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for name, text in (("export", "write them as Coq files"), ("check", "export, and let Coq judge them")):
        action = _subparser(actions.add_parser, name, help=text, description=CERTIFICATE)
        action.add_argument("ids", nargs="*", metavar="ID", help="only these statements (default: all of them)")
        action.add_argument("--out", metavar="DIR", default="build/coq", help="folder (default: build/coq)")
        action.set_defaults(command=_certificate, action=name)
    action = _subparser(actions.add_parser, "show", help="print the certificates of one statement")
    action.add_argument("id", metavar="ID", help="the statement")
    action.add_argument("--latex", action="store_true", help="print LaTeX instead of plain characters")
    action.set_defaults(command=_certificate, action="show")


def _certificate(args: argparse.Namespace) -> int:
    from fedmm_edu.commands import certificate

    return getattr(certificate, args.action)(args)


def _add_federate(commands) -> None:
    from fedmm_edu.commands.federate import add_arguments

    parser = _subparser(
        commands.add_parser,
        "federate",
        help="run FedMM over nodes: in memory, simulated, or real processes",
        description=FEDERATE,
        epilog=FEDERATE_EXAMPLE,
    )
    add_arguments(parser)
    parser.set_defaults(command=_federate)


def _federate(args: argparse.Namespace) -> int:
    from fedmm_edu.commands.federate import run

    return run(args)


def _run(arguments: Sequence[str]) -> int:
    """Hand over to an experiment, whose options are its own."""
    from fedmm_edu.experiments import EXPERIMENTS

    parser = _subparser(argparse.ArgumentParser, prog="fedmm run", description="Run an experiment.")
    names = parser.add_subparsers(title="experiments", metavar="NAME", required=True)
    for name, experiment in EXPERIMENTS.items():
        own = _subparser(names.add_parser, name, help=experiment.help, description=experiment.help)
        if name in arguments[:1]:  # only what is run is imported: another experiment may need another extra
            experiment.add_arguments(own)
        own.set_defaults(main=experiment.main)
    chosen = parser.parse_args(arguments)
    return chosen.main(chosen)
