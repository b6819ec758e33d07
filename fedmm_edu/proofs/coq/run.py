"""Running Coq on an export: what it accepts, on which axioms that rests, and what it refuses."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from fedmm_edu.errors import FedMMError, InvalidInput
from fedmm_edu.proofs.coq.mutants import ACCEPTED, CONTROL, REFUSED

STANDARD_AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec": "a sequence of decidable properties holds throughout or fails somewhere",
    "ClassicalDedekindReals.sig_not_dec": "excluded middle for negations",
    "FunctionalExtensionality.functional_extensionality_dep": "functions with the same values are equal",
}
"""The axioms on which Coq's library of real numbers rests; an export may use no others."""
LIMIT = 600.0  # seconds for one file


class CoqRefuses(FedMMError):
    """Coq does not accept a file, or accepts it on an axiom that the real numbers do not need."""


def find_coqc() -> str:
    """The path of `coqc`, or `InvalidInput` that says how to get it."""
    found = shutil.which("coqc")
    if found is None:
        hint = "“apt-get install --no-install-recommends coq” (Debian, Ubuntu), “brew install coq”, or coq.inria.fr"
        raise InvalidInput(f"there is no program coqc in the PATH: install Coq 8.16 or newer ({hint}) and try again.")
    return found


def version(coqc: str) -> str:
    """The version that coqc reports, such as "8.16.1"."""
    return _run([coqc, "--print-version"], Path.cwd()).split()[0]


def compile_file(coqc: str, file: Path) -> str:
    """What Coq prints on this file, whose imports lie compiled beside it; `CoqRefuses` with its message if it fails."""
    return _run([coqc, "-q", "-R", ".", "Fedmm", file.name], file.parent)


def accepts(coqc: str, file: Path) -> bool:
    """Whether Coq accepts this file; one that takes too long counts as accepted, so that nobody relies on it."""
    try:
        compile_file(coqc, file)
    except CoqRefuses as refusal:
        return "was not done" in str(refusal)
    return True


def _run(command: Sequence[str], folder: Path) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise CoqRefuses(f"{' '.join(command)} was not done after {LIMIT:.0f} s: look at its file.") from error
    if done.returncode:
        raise CoqRefuses(f"Coq refuses {command[-1]}: {' '.join((done.stderr or done.stdout).split())}")
    return done.stdout


def axioms(printed: str) -> tuple[str, ...]:
    """The axioms that `Print Assumptions` lists; `CoqRefuses` if it printed nothing or one is not standard."""
    if "Closed under the global context" in printed:
        return ()
    if "Axioms:" not in printed:
        raise CoqRefuses("Coq printed no list of axioms: the file must end with Print Assumptions.")
    found = re.findall(r"^([A-Za-z_][\w.']*)\s*:", printed.split("Axioms:", 1)[1] + "\n", flags=re.MULTILINE)
    names = re.findall(r"^([A-Za-z_][\w.']*)$", printed.split("Axioms:", 1)[1], flags=re.MULTILINE)
    every = tuple(sorted({*found, *names}))
    other = [name for name in every if name not in STANDARD_AXIOMS]
    if other or not every:
        raise CoqRefuses(f"the proofs rest on {other or 'an empty list'}, which the real numbers do not need.")
    return every


def wrongly_judged(printed: str, tried: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The (lemma, what was tried) where Coq did not do as it must: accept what is unchanged, refuse every mutant."""
    answers = dict(_answers(printed.splitlines()))
    if sorted(answers) != list(range(len(tried))):
        raise CoqRefuses(f"Coq answered {len(answers)} of {len(tried)} trials: look at the file of mutants.")
    return [what for k, what in enumerate(tried) if (answers[k] == ACCEPTED) != (what[1] == CONTROL)]


def _answers(lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    for line in lines:
        if found := re.fullmatch(rf"({ACCEPTED}|{REFUSED}) (\d+)", line):
            yield int(found[2]), found[1]
