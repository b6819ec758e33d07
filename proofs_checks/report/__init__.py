"""What comes out of a run: records for `verdicts.json`, and the page made from them."""

from proofs_checks.report.page import page, write_report
from proofs_checks.report.records import records_of, to_json

__all__ = ["page", "records_of", "to_json", "write_report"]
