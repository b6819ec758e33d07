"""Which rows a second, foreign kernel (Coq) has confirmed, as marks on their records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proofs_checks.report.records import Record

TEXT = "Coq, a second kernel that shares no code with ours, accepts every certificate of this row, or it as a theorem."


def marked(records: Sequence[Record], rows: Iterable[str]) -> list[Record]:
    """The records with `second_kernel` true for these rows, as far as they are proved or have a proved amendment."""
    found = set(rows)
    return [{**record, "second_kernel": record["id"] in found and _proved(record)} for record in records]


def _proved(record: Record) -> bool:
    return (record["amended"] or record)["verdict"] == "proved"
