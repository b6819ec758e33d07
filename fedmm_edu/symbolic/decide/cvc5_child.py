"""Run as a script: read an SMT-LIB problem from standard input, let cvc5 decide it, print its answer.

cvc5 counts no steps inside some algebraic computations, which may take for ever: it works in a process that the
system ends after `PROCESSOR_SECONDS`. All problems of the ledger that it can solve need about a second or less.
"""

import contextlib
import sys

import cvc5

PROCESSOR_SECONDS = 3


def main(steps: str) -> None:
    with contextlib.suppress(ImportError):  # Windows has no such limit; there the parent's clock is the only one
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    solver = cvc5.Solver()
    solver.setOption("rlimit-per", steps)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), "problem")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        print(command.invoke(solver, symbols).strip())


if __name__ == "__main__":
    main(sys.argv[1])
