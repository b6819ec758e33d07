"""What takes time to compute, kept as long as nothing that it came from has changed: verdicts, pages from SymPy."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

from book.generate.tree import BOOK, BUILD, ROOT
from fedmm_edu.errors import FedMMError
from fedmm_edu.files import write_text
from proofs_checks.report.records import Record
from proofs_checks.runner.kept import key

REPORT = BUILD / "report"
CODE = tuple(ROOT / name for name in ("fedmm_edu", "proofs_checks"))
Pages = dict[str, str]


def verdicts() -> list[Record]:
    """The ledger's records, judged now or by an earlier build of the same code; `FedMMError` if one is unexpected."""
    command = [sys.executable, "-m", "fedmm_edu", "verify", "--report", str(REPORT)]
    found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode:
        raise FedMMError(f"fedmm verify ended with status {found.returncode}:\n{found.stdout[-2000:]}")
    return json.loads((REPORT / "verdicts.json").read_text(encoding="utf-8"))


def kept(name: str, make: Callable[[], Pages]) -> Pages:
    """What `make` returns, from the file of an earlier build where the code is still the same."""
    path, now = BUILD / "computed" / f"{name}.json", key((*CODE, BOOK / "generate"))
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["digest"] == now:
            return found["pages"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there is none yet, or it is damaged
    pages = make()
    write_text(path, json.dumps({"digest": now, "pages": pages}))
    return pages
