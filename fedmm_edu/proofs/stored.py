"""Certificates in a file: what they claim and their proofs as JSON, read back and judged by the kernel alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedmm_edu.errors import InvalidInput
from fedmm_edu.proofs.kernel import Fact, Refused, accept

FORMAT = "fedmm certificates 2"
"""The number is that of the rules: it grows when a rule of the kernel goes or changes its meaning."""


@dataclass(frozen=True)
class Proven:
    """`goal` for all real numbers that satisfy `given`, with its proof."""

    given: tuple[Fact, ...]
    goal: Fact
    proof: Any

    def accept(self) -> None:
        """Let the kernel follow the proof; `Refused` at the first step that does not hold."""
        accept(self.given, self.goal, self.proof)


def to_json(certificates: Mapping[str, Sequence[Proven]]) -> str:
    """The certificates of each row, by its name; numbers are written "p/q" so that nothing is rounded."""
    rows = {
        name: [{"given": _plain(c.given), "goal": _plain(c.goal), "proof": _plain(c.proof)} for c in found]
        for name, found in certificates.items()
    }
    return json.dumps({"format": FORMAT, "rows": rows}, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> dict[str, tuple[Proven, ...]]:
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
        return {
            name: tuple(
                Proven(
                    tuple(Fact(*_data(fact)) for fact in one["given"]), Fact(*_data(one["goal"])),
                    _data(one["proof"]),
                )
                for one in claims
            )
            for name, claims in found["rows"].items()
        }  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError) as error:
        raise InvalidInput(
            f"this is no file of certificates ({error}): `fedmm check --certificates` writes one."
        ) from error


def refused(certificates: Mapping[str, Sequence[Proven]]) -> dict[str, str]:
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
