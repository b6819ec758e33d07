"""What the campaigns counted when they were last made in full, as JSON beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from fedmm_edu.files import write_json
from tests.campaigns.campaign import Tally

RECORD = Path(__file__).with_name("counts.json")


@dataclass(frozen=True)
class Counts:
    """Of one campaign: tried = held + out of time + failed. seconds: of one processor."""

    seed: int
    tried: int
    held: int
    slow: int
    failed: int
    seconds: int

    @staticmethod
    def of(tally: Tally, seed: int, seconds: float) -> Counts:
        """The counts of a campaign that is over."""
        return Counts(seed, tally.tried, tally.held, len(tally.slow), len(tally.failed), round(seconds))

    @property
    def add_up(self) -> bool:
        """Whether each try is counted once."""
        return self.tried == self.held + self.slow + self.failed


def read() -> dict[str, Counts]:
    """The record as it is kept; empty where there is none yet."""
    if not RECORD.is_file():
        return {}
    return {name: Counts(**entry) for name, entry in json.loads(RECORD.read_text(encoding="utf-8")).items()}


def write(found: Mapping[str, Counts]) -> None:
    """Keep the counts of these campaigns; those of others stay."""
    write_json(RECORD, {name: asdict(counts) for name, counts in (read() | dict(found)).items()})
