"""What a reader sees of each row, piece by piece, and what keeps each piece: the form, the row's data, or a seal.

A seal binds the words that are no slot to the form that is judged with them: whoever changes the one without the other
reads both again, and runs `python -m tests.ledger.words`, which writes the seals and the list of ids. Beside each seal
would stand the numbers and the names of hypotheses that nothing else keeps, for they are not in the data of the row.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Set
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from proofs_checks import SECTIONS, sections
from proofs_checks.index import IDS
from proofs_checks.ledger import Claim
from proofs_checks.wording import SLOT, arguments, entries

SEALS = Path(__file__).with_name("words.txt")
ROWS = {claim.id: claim for _, claims in sections() for claim in claims if not claim.id.startswith("example-")}
"""The rows of the examples are made from models, words and all."""
FORMULA = re.compile(r"\$(.+?)\$")
LABEL = re.compile(
    r"[_^]\{[^{}]*\}|[_^]\S|\(\d+\)|L \d+(?:-\d+)?|\d+:\d+"
    r"|(?:Section|Appendix|Proposition|Theorem|Lemma|Example|Remark|Algorithm|Corollary)s? [A-Z]?\.?[\d.]+"
)
"""Where a digit counts nothing: indices, powers, and numbers of lines and results."""
NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?")
HYPOTHESIS = re.compile(r"(?<![\w-])(?:A[1-8]|MM-[12])(?![\d-])")

WITHOUT = re.compile(r"\b[Ww]ithout (A[1-8]|MM-[12])\b")
PROPOSITIONS = re.compile(r"Propositions? (\d+(?:(?:, | and |, and )\d+)*)")


class Piece(NamedTuple):
    """A piece of the words as it is read, and as it is written: a slot, or the same words."""

    text: str
    source: str

    @property
    def slot(self) -> bool:
        return self.text != self.source


def pieces(claim: Claim) -> Iterator[Piece]:
    """The statement and the hypotheses, cut at the slots."""
    for template in claim.template:
        end = 0
        for match in SLOT.finditer(template):
            before, shown = template[end : match.start()], entries((match[0],), claim.check, claim.form)
            yield from (Piece(before, before), Piece("; ".join(shown), match[0]))
            end = match.end()
        yield Piece(template[end:], template[end:])


def named(text: str) -> set[str]:
    """The numbers in formulas, 0 and 1 apart, and the names of hypotheses."""
    formulas = " ".join(LABEL.sub(" ", formula) for formula in FORMULA.findall(text))
    return (set(NUMBER.findall(formulas)) - {"0", "1"}) | set(HYPOTHESIS.findall(text))


def unjudged(claim: Claim) -> set[str]:
    """Numbers and hypotheses of the words that are no slot, and are not in the row's judged data.

    A hypothesis may also be one of a row that the words name, as own-any names own-variates; "without A7" is judged
    where A7 is not among the hypotheses.
    """
    free = " ".join(SLOT.sub(" ", text) for text in claim.template)
    data, given = judged(claim), WITHOUT.sub(" ", repr(arguments(claim.check, claim.form)))
    around = " ".join([data, *(_judged_row(name) for name in sorted(rests_on(free) - {claim.id}))])
    assumed = {name for name in WITHOUT.findall(free) if _has(given, name)}
    kept = named(WITHOUT.sub(" ", free))
    return assumed | {name for name in kept if not _has(around if HYPOTHESIS.fullmatch(name) else data, name)}


def rests_on(text: str) -> set[str]:
    """The rows that words name, by id or as Propositions 2, 3 and 4."""
    ids = {name for name in re.findall(r"[A-Za-z0-9][\w.+-]*\w", text) if not HYPOTHESIS.fullmatch(name)}
    ids |= {f"prop{number}" for number in re.findall(r"\d+", " ".join(PROPOSITIONS.findall(text)))}
    return ROWS.keys() & ids


def _has(data: str, name: str) -> bool:
    """Whether the name, or the number as a fraction, stands in the data."""
    ways = [re.escape(name)]
    if "." in name:
        ways.append("/ ?".join(map(str, Fraction(name).as_integer_ratio())))
        ways.append(r"F\({}, {}\)".format(*Fraction(name).as_integer_ratio()))
    return any(re.search(rf"(?<![\w.]){way}(?![\w.]\d|\d)", data) for way in ways)


@cache
def _sources(module_name: str) -> dict[str, ast.stmt]:
    """The statements of a module by the names that they bind, without docstrings."""
    found: dict[str, ast.stmt] = {}
    for statement in ast.parse(inspect.getsource(sys.modules[module_name])).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found[statement.name] = statement
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            found |= {node.id: statement for node in ast.walk(statement) if isinstance(node, ast.Name)}
    for statement in found.values():
        for node in ast.walk(statement):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) and len(node.body) > 1:
                node.body = node.body[1:]
    return found


class Read(NamedTuple):
    """A statement of a module: the names in it, and what it says."""

    names: Set[str]
    code: str


@cache
def _read(module_name: str, name: str) -> Read:
    statement = _sources(module_name)[name]
    return Read({node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}, ast.unparse(statement))


def judged(claim: Claim) -> str:
    """The arguments that the row's check is given, and what the check itself does with them, in its module."""
    check = claim.check
    while isinstance(check, partial):
        check = check.func
    check = inspect.unwrap(check)
    module = check.__module__
    own, given = _sources(module), vars(sys.modules[module])
    seen, todo = set(), {check.__name__}
    while todo:
        name = todo.pop()
        seen.add(name)
        if name in own:
            todo |= _read(module, name).names - seen
    code = " ".join(_read(module, name).code for name in sorted(seen) if name in own)
    code += " ".join(repr(given[name]) for name in sorted(seen - own.keys()) if isinstance(given.get(name), Mapping))
    forms = " ".join(repr(arguments(claim.check, form)) for form in claim.forms.values())
    return f"{forms} {code}"


@cache
def _judged_row(name: str) -> str:
    return judged(ROWS[name])


def seal(claim: Claim) -> str:
    """The hash of the words that are no slot, and of the form that is judged with them."""
    amended = claim.amended
    words = (*claim.template, claim.differs, amended and (amended.statement, amended.differs, amended.form))
    context = claim.context and (claim.context.says, claim.charitable)
    bound = repr((words, context, claim.word, claim.expected, sorted(claim.form.items(), key=str)))
    return hashlib.sha256(bound.encode()).hexdigest()[:16]


def lines() -> list[str]:
    """A line for each row: its id, its seal, and what only the seal keeps."""
    return [" ".join((name, seal(claim), *sorted(unjudged(claim)))) for name, claim in ROWS.items()]


def folders() -> dict[str, str]:
    """The folder of each row, by its id, sorted."""
    modules = {name: import_module(f"proofs_checks.{name}.claims") for name in SECTIONS}
    found = {claim.id: name for name, module in modules.items() for claim in module.CLAIMS}
    return dict(sorted(found.items()))


if __name__ == "__main__":
    IDS.write_text("".join(f"{name} {folder}\n" for name, folder in folders().items()), encoding="utf-8")
    old = SEALS.read_text(encoding="utf-8").split("\n") if SEALS.is_file() else []
    new = lines()
    SEALS.write_text("\n".join([*new, ""]), encoding="utf-8")
    print(*(line for line in new if line not in old), sep="\n")
