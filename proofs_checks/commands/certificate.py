"""`fedmm certificate`: the certificates behind the rows, for a reader (`show`) and for Coq (`export`, `check`)."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fedmm_edu.errors import InvalidInput, as_count
from fedmm_edu.files import write_json, write_text
from fedmm_edu.text.plain import plain
from proofs_checks.index import require_listed

if TYPE_CHECKING:
    import sympy as sp

    from fedmm_edu.proofs.gram import Vector
    from fedmm_edu.proofs.recording import Certificate
    from proofs_checks.certificates import CoqFiles
    from proofs_checks.coq.falsified import Falsified

HELP = "show the proofs behind rows, or check them in Coq"
DESCRIPTION = """\
The certificates behind the rows of Appendix D and behind our own statements beyond the paper: each is an exact
identity that writes what is claimed as a sum of non-negative terms.
`check` gives them to a second, foreign kernel: Coq, which has to be installed.
"""
RESULT = "confirmed.json"
BATCH = 50
"""Certificates whose falsified versions Coq is given at once."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `fedmm certificate`."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for action, text in ((export, "write them as Coq files"), (check, "export, and let Coq judge them")):
        own = actions.add_parser(action.__name__, help=text, description=text, allow_abbrev=False)
        own.add_argument("ids", nargs="*", metavar="ID", help="only these statements (default: all of them)")
        own.add_argument("--out", metavar="DIR", default="build/coq", help="folder (default: build/coq)")
        own.set_defaults(action=action)
        if action is check:
            says = "judge only N of the falsified versions of theorems, always the same (default: all, some 400)"
            own.add_argument("--sample", type=int, metavar="N", help=says)
    own = actions.add_parser("show", help="print the certificates of one statement", allow_abbrev=False)
    own.add_argument("id", metavar="ID", help="the statement")
    own.add_argument("--latex", action="store_true", help="print LaTeX instead of plain characters")
    own.set_defaults(action=show)


def run(args: argparse.Namespace) -> int:
    """The exit status of the chosen action."""
    return args.action(args)


def export(args: argparse.Namespace) -> int:
    """Write the Coq files; the exit status is 0."""
    files = _write(args.ids, Path(args.out))
    print(f"{args.out}/{', '.join(files.texts)} (.v)")
    return 0


def check(args: argparse.Namespace) -> int:
    """Export, let Coq judge every file and mutant, and write what it accepted; 0 iff all is as it must be."""
    from fedmm_edu.proofs.coq.mutants import CONTROL
    from fedmm_edu.proofs.coq.run import STANDARD_AXIOMS, find_coqc, version
    from proofs_checks.certificates import sources
    from proofs_checks.coq.chain import rests_on

    coqc, folder = find_coqc(), Path(args.out)
    (folder / RESULT).unlink(missing_ok=True)  # an older result says nothing about this run
    files = _write(args.ids, folder)
    axioms = _compiled(coqc, folder, files)
    mutants, wrong = _falsified_certificates(coqc, folder, files)
    falsified = _falsified_theorems(coqc, folder, files, args.sample)
    taken = {file for file, _, right in falsified if not right}
    bad = {lemma for lemma, _ in wrong}
    rows = {row for row, own in files.rows.items() if not bad & {lemma.name for lemma in own}} - files.stated.keys()
    sound = {file for file in files.stated.values() if taken.isdisjoint({file, *rests_on(file, files.texts)})}
    rows |= {row for row, file in files.stated.items() if file in sound and not bad & set(files.names(row))}
    result = {"coq": version(coqc), "rows": sorted(rows), "axioms": sorted(axioms), "mutants": mutants}
    write_json(folder / RESULT, {**result, "sources": sources()})
    print(f"Coq {result['coq']} accepts {len(files.lemmas)} certificates of {len(files.rows)} rows.")
    print(f"It refuses {mutants - len(wrong)} of {mutants} falsified ones.")
    if falsified:
        print(f"It accepts as theorems: {', '.join(files.stated)}.")
        versions = [right for _, what, right in falsified if what != CONTROL]
        print(f"It refuses {sum(versions)} of {len(versions)} falsified versions of these.")
    print("All together rest on these axioms, which are those of Coq's real numbers:")
    print("\n".join(f"  {name}: {STANDARD_AXIOMS[name]}" for name in sorted(axioms)) or "  none")
    for lemma, what in wrong:
        print(f"not as it must be: {lemma}, {what}: do its conditions contradict each other?")
    print("".join(f"not as it must be: {file}, {what}\n" for file, what, right in falsified if not right), end="")
    return int(bool(wrong or taken))


def _compiled(coqc: str, folder: Path, files: CoqFiles) -> set[str]:
    """The axioms on which the files rest, all of which Coq accepts; each is read once those that it imports are."""
    from fedmm_edu.proofs.coq.run import axioms, compile_file
    from proofs_checks.coq.chain import requires

    read: dict[str, Future[str]] = {}

    def printed(name: str) -> str:
        for other in requires(files.texts[name]):
            if other in read:
                read[other].result()
        _say(f"Coq reads {name}.v")
        return compile_file(coqc, folder / f"{name}.v")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in files.texts:  # those that a file imports come before it
            read[name] = pool.submit(printed, name)
    whole = [read[name].result() for name in files.texts]
    return {
        axiom
        for text, said in zip(files.texts.values(), whole, strict=True) if "Print Assumptions" in text
        for axiom in axioms(said)
    }  # fmt: skip


def _falsified_certificates(coqc: str, folder: Path, files: CoqFiles) -> tuple[int, list[tuple[str, str]]]:
    """How many falsified certificates there are, and the (lemma, what was tried) that Coq judges wrongly."""
    from fedmm_edu.proofs.coq.mutants import CONTROL, mutant_file
    from fedmm_edu.proofs.coq.run import compile_file, wrongly_judged

    def judged(k: int) -> tuple[int, list[tuple[str, str]]]:
        text, tried = mutant_file(files.lemmas[k : k + BATCH])
        name, size = f"Mutants{k // BATCH}", sum(what != CONTROL for _, what in tried)
        _say(f"Coq reads {name}.v: {size} falsified certificates")
        write_text(folder / f"{name}.v", text)
        return size, wrongly_judged(compile_file(coqc, folder / f"{name}.v"), tried)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(judged, range(0, len(files.lemmas), BATCH)))
    return sum(size for size, _ in found), [one for _, wrong in found for one in wrong]


def _falsified_theorems(coqc: str, folder: Path, files: CoqFiles, sample: int | None) -> list[tuple[str, str, bool]]:
    """Each version of a theorem's file, or of a sample: the file, what is falsified, and whether Coq does as it must.

    It must refuse what is falsified, and accept the `CONTROL` in the same place: else that would be refused by mistake.
    """
    from fedmm_edu.proofs.coq.mutants import CONTROL
    from proofs_checks.coq.falsified import falsified_files

    every = falsified_files(files.texts)
    if sample is not None:
        wrong = [version for version in every if version.what != CONTROL]
        chosen = Random(0).sample(wrong, min(as_count("sample", sample), len(wrong)))
        files_of = {version.file for version in chosen}
        every = [x for x in every if x in chosen or (x.what == CONTROL and x.file in files_of)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda version: _accepted(coqc, folder, version), every))
    return [(x.file, x.what, taken == (x.what == CONTROL)) for x, taken in zip(every, answers, strict=True)]


def _accepted(coqc: str, folder: Path, wrong: Falsified) -> bool:
    """Whether Coq accepts all of a version, in a folder of its own beside the true modules that it needs."""
    from fedmm_edu.proofs.coq.run import accepts

    _say(f"Coq reads {wrong.file}, {wrong.what}")
    with TemporaryDirectory() as name:  # not within `folder`, all below which Coq searches
        own = Path(name)
        for module, text in wrong.texts.items():
            write_text(own / f"{module}.v", text)
        for module in wrong.needs:
            shutil.copyfile(folder / f"{module}.vo", own / f"{module}.vo")
        return all(accepts(coqc, own / f"{module}.v") for module in wrong.texts)


def show(args: argparse.Namespace) -> int:
    """Print the certificates of one row; the exit status is 0."""
    require_listed([args.id])
    from proofs_checks.certificates import certificates_of, claim_of

    found = certificates_of(claim_of(args.id))
    if not found:
        print(f"{args.id} rests on no certificate: fedmm verify {args.id} tells how it is known.")
    print("\n\n".join(as_mathematics(certificate, k, latex=args.latex) for k, certificate in enumerate(found, 1)))
    return 0


def as_mathematics(certificate: Certificate, number: int, *, latex: bool = False) -> str:
    """The certificate for a reader: what it claims, and the sum of its parts, in plain characters or in LaTeX."""
    from fedmm_edu.proofs.gram import Vector

    write, words = (in_latex, str) if latex else (in_characters, plain)
    lines = [f"Certificate {number}" + (f": {words(certificate.says)}" if certificate.says else "")]
    lines += [f"  {write(certificate.target)} {'=' if certificate.equality else '>='} 0, which is the sum of"]
    for used in certificate.used:
        sign = "=" if used.hypothesis.equality else ">="
        lines += [f"    {write(used.multiplier)}  times  {write(used.hypothesis.expr)} {sign} 0"]
        lines += [f"      ({words(used.name)}: {words(used.hypothesis.why)})"]
    for weight, base in certificate.squares:
        inside = base if not isinstance(base, Vector) else combination(base)
        lines += [f"    {write(weight)}  times the square of  {write(inside)}"]
    if not (certificate.used or certificate.squares):
        lines[-1] = lines[-1].replace("which is the sum of", "because everything cancels")
    return "\n".join(lines)


def combination(vector: Vector) -> sp.Expr:
    """The formal vector as an expression in its atoms."""
    import sympy as sp

    return sp.Add(*(c * sp.Symbol("{" + a + "}") for a, c in vector.coefficients.items()))


def in_latex(expr: sp.Expr) -> str:
    """`expr` as LaTeX between dollar signs."""
    import sympy as sp

    return f"${sp.latex(expr)}$"


def in_characters(expr: sp.Expr) -> str:
    """`expr` on one line, the names of its symbols in plain characters."""
    import sympy as sp

    return str(expr.xreplace({s: sp.Symbol(plain(f"${sp.latex(s)}$")) for s in expr.free_symbols})).replace("**", "^")


def _write(ids: Sequence[str], folder: Path) -> CoqFiles:
    require_listed(ids)
    from proofs_checks.certificates import chain, coq_files

    _say("collecting the certificates")
    files = coq_files(ids or chain())
    if not (files.rows or files.stated):
        raise InvalidInput(f"no certificate stands behind {', '.join(ids)}: nothing to export; choose other rows.")
    count = f"{len(files.lemmas)} certificates of {len(files.rows)} rows"
    print(f"Our own kernel verifies {count} in {files.seconds:.0f} s of processor time, searches included.")
    for name, text in files.texts.items():
        write_text(folder / f"{name}.v", text)
    return files


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
