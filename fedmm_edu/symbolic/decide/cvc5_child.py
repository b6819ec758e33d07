"""Run as a script: read an SMT-LIB problem from standard input, let cvc5 decide it, print its answer.

cvc5 does not always stop at its own time limit, so it works in a process that its parent can end.
"""

import sys

import cvc5


def main(milliseconds: str) -> None:
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", milliseconds)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), "problem")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        print(command.invoke(solver, symbols).strip())


if __name__ == "__main__":
    main(sys.argv[1])
