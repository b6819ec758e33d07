"""Certificates in a file: what they claim and their proofs as JSON, read back and judged by the kernel alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.components import ProvenSum, SumClaim, statement_in_words
from fedmm_edu.proofs.kernel import Fact, Refused, accept

FORMAT = "fedmm certificates 2"
"""The number is that of the rules: it grows when a rule of the kernel goes or changes its meaning."""


@dataclass(frozen=True)
class Proven:
    """`goal` for all real numbers that satisfy `given`, with its proof."""

    given: tuple[Fact, ...]
    goal: Fact
    proof: Any

    @property
    def in_words(self) -> str:
        """The statement on one line."""
        return statement_in_words(self.given, self.goal)

    def accept(self) -> None:
        """Let the kernel follow the proof; `Refused` at the first step that does not hold."""
        accept(self.given, self.goal, self.proof)


Stored = Proven | ProvenSum
"""Of a statement about numbers, or of one about the components of a sum."""


def to_json(certificates: Mapping[str, Sequence[Stored]]) -> str:
    """The certificates of each row, by its name; numbers are written "p/q" so that nothing is rounded."""
    rows = {
        name: [{key: _plain(value) for key, value in _parts(c).items()} for c in found]
        for name, found in certificates.items()
    }
    return json.dumps({"format": FORMAT, "rows": rows}, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> dict[str, tuple[Stored, ...]]:
    """What `to_json` wrote; `InvalidInput` for anything else. Whether a proof holds is for `Proven.accept`."""
    try:
        found = json.loads(text)
        said = found["format"]
        if said != FORMAT and re.fullmatch(r"fedmm certificates [0-9]+", str(said)):
            raise InvalidInput(
                f"the file says {said!r}, and this kernel knows the rules of {FORMAT!r}: write it anew from the model "
                "with `fedmm check my_model.py --certificates out.json`."
            )
        if said != FORMAT:
            raise ValueError(f"its format is {said!r}")
        return {name: tuple(map(_certificate, claims)) for name, claims in found["rows"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError) as error:
        raise InvalidInput(
            f"this is no file of certificates ({error}): `fedmm check --certificates` writes one."
        ) from error


def _parts(certificate: Stored) -> dict[str, Any]:
    if isinstance(certificate, Proven):
        return vars(certificate)
    return {**vars(certificate.claim), "proof": certificate.proof}


def _certificate(one: Mapping[str, Any]) -> Stored:
    given, goal, proof = (
        tuple(Fact(*_data(fact)) for fact in one["given"]),
        Fact(*_data(one["goal"])),
        _data(one["proof"]),
    )
    if "totals" not in one:
        return Proven(given, goal, proof)
    own, totals = (_data(one[key]) for key in ("own", "totals"))
    return ProvenSum(SumClaim(own, totals, given, tuple(Fact(*_data(f)) for f in one["somewhere"]), goal), proof)


def refused(certificates: Mapping[str, Sequence[Stored]]) -> dict[str, str]:
    """The rows whose certificates the kernel does not accept, and why."""
    reasons = {}
    for name, found in certificates.items():
        try:
            for certificate in found:
                certificate.accept()
        except Refused as reason:
            reasons[name] = str(reason)
    return reasons


def _plain(value: Any) -> Any:
    """Nested lists; a rational number becomes {"q": "p/q"}, so that it is no name."""
    if isinstance(value, Fraction):
        return {"q": str(value)}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _data(value: Any) -> Any:
    if isinstance(value, dict):
        if not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value["q"]):  # Fraction reads "1e999999999", too, for ever
            raise ValueError(f"{value['q']!r} is no fraction")
        return Fraction(value["q"])
    return tuple(map(_data, value)) if isinstance(value, list) else value
