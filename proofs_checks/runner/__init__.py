"""Running the ledger: every judgement in a worker process of its own, with a time limit."""

from proofs_checks.runner.run import Interrupted, Row, run

__all__ = ["Interrupted", "Row", "run"]
