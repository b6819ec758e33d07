"""Run as a script: read SMT-LIB problems from standard input, let cvc5 decide each, print a line with each answer.

A problem comes after a line with the steps that cvc5 may take, and with its length. cvc5 counts no steps inside some
algebraic computations, which may take for ever: it works in a process that the system ends after `PROCESSOR_SECONDS`
with one problem. All problems of the ledger that it can solve need about a second or less.
"""

import contextlib
import sys
import time

import cvc5

PROCESSOR_SECONDS = 3


def main() -> None:
    while first := sys.stdin.readline():
        steps, size = first.split()
        with contextlib.suppress(ImportError):  # Windows has no such limit; there the parent's clock is the only one
            import resource

            hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + PROCESSOR_SECONDS, hard))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        print(decided(sys.stdin.read(int(size)), steps), flush=True)


def decided(script: str, steps: str) -> str:
    """The last word of cvc5 on a problem."""
    solver, said = cvc5.Solver(), "unknown"
    try:
        solver.setOption("rlimit-per", steps)
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "problem")
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            said = command.invoke(solver, symbols).strip() or said
    except RuntimeError:  # what it cannot read, it does not decide
        return "unknown"
    return said.splitlines()[-1]


if __name__ == "__main__":
    main()
