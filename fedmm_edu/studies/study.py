"""A study: a plan, whose tasks are run, recorded and judged; what is found are parts, and the parts make a page.

`fedmm run NAME` makes one part of a plan that its options fill in; `fedmm reproduce` those that are named of a section
of the paper, with a cache of finished runs, a record of the curves, and the page on the results.
"""

from __future__ import annotations

import os
import platform
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_type_hints

from threadpoolctl import threadpool_limits

from fedmm_edu.errors import InvalidInput
from fedmm_edu.figures import save_png
from fedmm_edu.figures.transport import save_gif
from fedmm_edu.files import write_json, write_text
from fedmm_edu.studies.judging import Judged, counted
from fedmm_edu.studies.record import Line, write_lines
from fedmm_edu.studies.tasks import Pool

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from matplotlib.figure import Figure

P = TypeVar("P", bound="DataclassInstance")
N = TypeVar("N", int, float)


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture, drawn when it is saved as PNG; with `frames` an animation, of which draw(k) makes frame k.

    alt: what is drawn, for who does not see it. caption: what to see in it, which stands below.
    """

    file: str
    alt: str
    draw: Callable[..., Figure]
    frames: int | None = None
    caption: str = ""

    def save(self, folder: Path, dpi: int) -> None:
        """Write it."""
        if self.frames is None:
            save_png(self.draw(), folder / self.file, dpi=dpi)
        else:
            save_gif(self.draw, self.frames, folder / self.file)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Pictures side by side, on a phone one below the other, and what to see in them."""

    pictures: Sequence[Picture]
    caption: str


Block = str | Picture | SideBySide
"""A block of a page: Markdown, a picture, or some of them."""


@dataclass(frozen=True, eq=False)
class Part:
    """What was found: blocks of a page, plain values for `name`.json, lines of a record, words for the terminal.

    answer, lead, unexpected: what stands above all else on a page, in a sentence, in pictures and as items of a list;
    judged: the sentences that are counted there. status: 1 where something is not as it must be.
    """

    name: str
    page: Sequence[Block] = ()
    numbers: Any = None
    record: Sequence[Line] = ()
    text: str = ""
    status: int = 0
    answer: str = ""
    lead: Sequence[Picture] = ()
    unexpected: Sequence[str] = ()
    judged: Sequence[Judged] = ()

    @property
    def pictures(self) -> list[Picture]:
        """Those of the page."""
        found = list(self.lead)
        for block in self.page:
            found += block.pictures if isinstance(block, SideBySide) else [block] if isinstance(block, Picture) else []
        return found

    @property
    def words(self) -> list[str]:
        """What is written on the page."""
        return [block for block in self.page if isinstance(block, str)]

    def write(self, folder: Path, *, dpi: int = 130) -> list[str]:
        """Write pictures and numbers; their names."""
        for picture in self.pictures:
            picture.save(folder, dpi)
        names = [picture.file for picture in self.pictures]
        if self.numbers is not None:
            write_json(folder / f"{self.name}.json", self.numbers)
            names.append(f"{self.name}.json")
        return names

    def show(self, folder: Path, *, dpi: int = 130) -> None:
        """Write all, and print the words and what was written."""
        names = self.write(folder, dpi=dpi)
        if self.text:
            print(self.text)
        if names:
            print(f"wrote {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))} to {folder}")


def markdown(blocks: Sequence[Block], pictures: str) -> str:
    """A page in MyST Markdown; `pictures`: the way to their folder."""
    return "\n\n".join(_written(block, pictures) for block in blocks) + "\n"


def _written(block: Block, folder: str) -> str:
    match block:
        case Picture(caption=""):
            return f"![{block.alt}]({folder}/{block.file})"
        case Picture():
            return f":::{{figure}} {folder}/{block.file}\n:alt: {block.alt}\n\n{block.caption}\n:::"
        case SideBySide(pictures=pictures):
            columns = 3 if len(pictures) % 3 == 0 else 2
            cells = (f":::{{grid-item}}\n{_written(picture, folder)}\n:::" for picture in pictures)
            return "\n".join(
                [f"::::{{grid}} 1 1 {columns} {columns}", ":gutter: 2", "", *cells, "::::", "", block.caption]
            )
    return block


def _all_parts(plan: Any, parts: Sequence[Part]) -> list[Block]:
    return [block for part in parts for block in part.page]


def opening(title: str, made: str, parts: Sequence[Part], section: str, notes: Sequence[str] = ()) -> list[Block]:
    """How the page on a section begins: what comes out, in sentences and a picture, then what is not so.

    made: the command that writes the page. notes: what a reader must know before the sentences.
    """
    judged = [one for part in parts for one in part.judged]
    items = [item for part in parts for item in part.unexpected]
    return [
        f"# {title}",
        f"% Made by `{made}`; do not edit.",
        *notes,
        " ".join([counted(judged, section), *(part.answer for part in parts if part.answer)]),
        *(picture for part in parts for picture in part.lead),
        "## What these runs do not show",
        "\n".join(items) if items else "Nothing: all that is said holds in every setting.",
    ]


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""

    def line(cells: Sequence[object]) -> str:
        return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"

    return "\n".join([line(header), "|---" * len(header) + "|", *map(line, rows)])


@dataclass(frozen=True)
class Study(Generic[P]):
    """The experiments of a section: each of `parts` makes what one name of `fedmm reproduce` stands for.

    plan: from the options. page: its blocks, from the parts that were made. figures: what a page and a record are
    about; recorded: the first line of the record. alone: CPU seconds are a result, so that one process works at a time.
    within: where work is done. out: the folder by default.
    """

    out: Path
    plan: Callable[[Namespace], P]
    parts: Mapping[str, Callable[[P, Pool], Part]]
    figures: Sequence[str]
    page: Callable[[P, Sequence[Part]], Sequence[Block]] = _all_parts
    recorded: Callable[[P], Line] = lambda plan: {}
    alone: bool = False
    within: Callable[[], AbstractContextManager] = nullcontext

    def reproduce(self, names: Sequence[str], args: Namespace) -> None:
        """Run what is missing, draw, write, print; `names` are some of `parts`."""
        if (args.page or args.record) and not set(names) & set(self.figures):
            raise InvalidInput(f"--page and --record describe figures: name {' or '.join(self.figures)}, too.")
        plan, out, began = self.plan(args), args.out or self.out, _clock()
        jobs = 1 if self.alone else args.jobs or processors()
        parts: list[Part] = []
        pool = Pool(args.cache or out / "runs", jobs=jobs, folder=args.data_dir)
        with pool, threadpool_limits(1), self.within():  # else the last digit of a sum depends on the number of threads
            for name in names:
                parts.append(self.parts[name](plan, pool))
                parts[-1].show(out, dpi=160)
        if args.record:
            write_text(args.record, write_lines(self.recorded(plan), [line for part in parts for line in part.record]))
            print(f"wrote {args.record}")
        if args.page:
            folder = Path(os.path.relpath(out, args.page.parent)).as_posix()
            write_text(args.page, markdown(self.page(plan, parts), folder))
            print(f"wrote {args.page}")
        wall, cpu = (round(now - then, 1) for now, then in zip(_clock(), began, strict=True))
        print(f"{pool.made} runs and {pool.found} from the cache: {wall:.0f} s, processors {cpu:.0f} s")
        if pool.made and not self.alone:
            took = {"names": list(names), "wall_s": wall, "cpu_s": cpu, "jobs": jobs, "runs": pool.made}
            took |= {"runs_from_cache": pool.found, "processors": processors(), "machine": platform.machine()}
            write_json(out / "time.json", took)


def _clock() -> tuple[float, float]:
    """Wall time, and time of the processors in this process and in those that it has ended (Windows: in this one)."""
    return time.perf_counter(), sum(os.times()[:4])


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def differences(plan: DataclassInstance, full: DataclassInstance, *, but: Sequence[str] = ()) -> list[str]:
    """Where a plan is not the full one, in words."""
    given, default = asdict(plan), asdict(full)
    return [f"{k} = {v} (full: {default[k]})" for k, v in given.items() if v != default[k] and k not in but]


@dataclass(frozen=True)
class Experiment(Generic[P]):
    """What `fedmm run NAME` does: the fields of `plan` are its options, `make` finds a part, written into `out`.

    A field says what it is: `rounds: Annotated[int, "number of rounds"] = 400`.
    """

    plan: type[P]
    make: Callable[[P], Part]
    out: Path

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        hints = get_type_hints(self.plan, include_extras=True)
        for f in fields(self.plan):
            flag, text = f"--{f.name.replace('_', '-')}", hints[f.name].__metadata__[0]
            if f.default is False:
                parser.add_argument(flag, action="store_true", help=text)
            elif f.default is None:
                parser.add_argument(flag, type=Path, help=text)
            else:
                parser.add_argument(flag, type=type(f.default), default=f.default, help=f"{text} (default {f.default})")
        parser.add_argument("--out", type=Path, default=self.out, help="folder for pictures and numbers")

    def main(self, options: Namespace) -> int:
        """Find, write, print; the exit status."""
        found = self.make(self.plan(**{f.name: getattr(options, f.name) for f in fields(self.plan)}))
        found.show(options.out)
        return found.status


def given(plan: type[DataclassInstance], args: Namespace) -> dict[str, Any]:
    """The options of a plan that were named."""
    named = {f.name: getattr(args, f.name, None) for f in fields(plan)}
    return {name: value for name, value in named.items() if value is not None}


def listed(flag: str, text: str, kind: type[N], such_as: str) -> tuple[N, ...]:
    """The numbers of an option's value, with commas between them; `InvalidInput` for anything else."""
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError as error:
        whole = "whole numbers" if kind is int else "numbers"
        raise InvalidInput(f"{flag} {text}: give {whole} with commas between them, as in {such_as}.") from error


def versions(*packages: str) -> dict[str, str]:
    """Python's version, and those of the packages."""
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
