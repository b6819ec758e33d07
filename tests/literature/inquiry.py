"""A question about each surrogate, asked in a process of its own within a time, and a record of the answers."""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from fedmm_edu.files import write_text
from tests.literature import ENTRIES

Reply = TypeVar("Reply")


def recorded(record: Path, kind: Callable[..., Reply]) -> dict[str, Reply]:
    """The replies in the file; none where there is none yet."""
    if not record.is_file():
        return {}
    return {name: kind(**entry) for name, entry in json.loads(record.read_text(encoding="utf-8")).items()}


@dataclass(frozen=True)
class Inquiry(Generic[Reply]):
    """`python -m module`: `ask` of each of the names, and what stands for a reply that did not come in time.

    `limit`: seconds of processor time. `say`: a reply in a few words. A reply is a dataclass with a `digest`.
    """

    module: str
    record: Path
    kind: Callable[..., Reply]
    names: Sequence[str]
    ask: Callable[[str], Reply]
    given_up: Callable[[str], Reply]
    say: Callable[[Reply], str]
    limit: int

    def run(self, about: str | None) -> dict[str, Reply] | None:
        """Ask what the command line wants; all that is known then, or None in the process that asks one."""
        parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("names", nargs="*", help="beginnings of names (default: all)")
        parser.add_argument("--new", action="store_true", help="only those without a record of their present form")
        parser.add_argument("--one", metavar="NAME", help="ask one here, and print JSON")
        args = parser.parse_args()
        if args.one is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (self.limit, self.limit + 5))
            print(json.dumps(vars(self.ask(args.one))))
            return None
        known = recorded(self.record, self.kind)
        wanted = [name for name in self.names if not args.names or name.startswith(tuple(args.names))]
        if args.new:
            wanted = [name for name in wanted if getattr(known.get(name), "digest", "") != ENTRIES[name].digest]
        for k, name in enumerate(wanted, 1):
            known[name] = self._apart(name)
            self._keep(known)
            print(f"{k}/{len(wanted)} {name}: {self.say(known[name])}", file=sys.stderr, flush=True)
        return {name: known[name] for name in self.names if name in known}

    def _apart(self, name: str) -> Reply:
        """The reply of another process."""
        command = [sys.executable, "-m", self.module, "--one", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return self.kind(**json.loads(done.stdout))
        if done.returncode not in (-signal.SIGXCPU, -signal.SIGKILL) and "StoppedByClock" not in done.stderr:
            raise RuntimeError(f"{name}: {done.stderr}")
        return self.given_up(name)

    def _keep(self, known: Mapping[str, Reply]) -> None:
        kept = {name: vars(known[name]) for name in self.names if name in known}
        write_text(self.record, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
