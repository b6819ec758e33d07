"""MovieLens 1M (Harper and Konstan, 2015), read from its official files, which this project may not ship.

Its licence forbids redistribution without permission. Fetch `ml-1m.zip` from
https://grouplens.org/datasets/movielens/1m/ , unpack it, and name the folder with `--data-dir` or the environment
variable `FEDMM_DATA` (the folder `ml-1m`, or the one that holds it).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from fedmm_edu.arrays import Array, Indices
from fedmm_edu.errors import InvalidInput, as_count

RATINGS, USERS, MOVIES, RATED = 1_000_209, 6_040, 3_952, 3_706
"""Rows of `ratings.dat`, the largest user and movie numbers, and the movies that have a rating."""
VARIABLE = "FEDMM_DATA"
WHERE = (
    "MovieLens 1M is free for research, but its licence forbids redistribution: fetch ml-1m.zip from "
    "https://grouplens.org/datasets/movielens/1m/ , unpack it, and give its folder with --data-dir or "
    f"in the environment variable {VARIABLE}"
)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Rating `value[k]`, 1 to 5, of user `user[k]` for movie `movie[k]`, with the numbers of the files."""

    user: Indices
    movie: Indices
    value: Indices

    def matrix(
        self, users: int = 5000, movies: int = 500, *, choose: Literal["most", "random"] = "most", seed: int = 0
    ) -> Array:
        """Ratings of some users for some movies, 0 where there is none: shape (users, movies).

        "most": the movies with most ratings, then the users with most ratings of these (ties: the smaller number);
        "random": uniform draws among the rated movies, then among the users who rated one of these.
        """
        if choose not in ("most", "random"):
            raise InvalidInput(f"choose = {choose!r}: take 'most' or 'random'.")
        rng = np.random.default_rng(seed)

        def pick(counts: Indices, size: int, name: str) -> Indices:
            as_count(name, size, high=int((counts > 0).sum()))
            if choose == "random":
                return np.sort(rng.choice(np.flatnonzero(counts), size, replace=False))
            return np.sort(np.argsort(-counts, kind="stable")[:size])

        columns = pick(np.bincount(self.movie), movies, "movies")
        kept = np.isin(self.movie, columns)
        rows = pick(np.bincount(self.user[kept]), users, "users")
        kept &= np.isin(self.user, rows)
        z = np.zeros((users, movies))
        z[np.searchsorted(rows, self.user[kept]), np.searchsorted(columns, self.movie[kept])] = self.value[kept]
        return z


def find(folder: str | Path | None = None) -> Path | None:
    """`ratings.dat` in `folder`, else in that of `FEDMM_DATA`; None where none is named; `InvalidInput`: not there."""
    given = folder or os.environ.get(VARIABLE)
    if not given:
        return None
    for path in (Path(given) / "ratings.dat", Path(given) / "ml-1m" / "ratings.dat"):
        if path.is_file():
            return path
    raise InvalidInput(f"{given} holds neither ratings.dat nor ml-1m/ratings.dat. {WHERE}.")


def load_movielens(path: str | Path, *, expected: tuple[int, int, int] | None = (RATINGS, USERS, RATED)) -> Ratings:
    """Read `ratings.dat` (lines `user::movie::rating::timestamp`), and compare the counts with the official ones.

    `expected`: ratings, users and rated movies (None: any). A foreign or damaged file gets an error with line and
    reason.
    """
    try:
        lines = Path(path).read_text(encoding="latin-1").splitlines()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}. {WHERE}.") from error
    if not lines:
        raise InvalidInput(f"{path} is empty. {WHERE}.")
    found = np.empty((len(lines), 3), dtype=np.int64)
    for k, line in enumerate(lines):
        parts = line.split("::")
        if len(parts) != 4 or not all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts):
            raise InvalidInput(
                f"{path}, line {k + 1}: {line[:60]!r} is not user::movie::rating::timestamp with four whole numbers: "
                "the file is not ratings.dat of ml-1m, or is damaged; unpack it again."
            )
        found[k] = parts[:3]
    _check(path, found)
    counts = (len(lines), len(np.unique(found[:, 0])), len(np.unique(found[:, 1])))
    if expected is not None and counts != expected:
        raise InvalidInput(
            f"{path} has {counts[0]} ratings by {counts[1]} users of {counts[2]} movies, MovieLens 1M has "
            f"{expected[0]}, {expected[1]} and {expected[2]}: the file is cut or another one. {WHERE}."
        )
    return Ratings(*found.T)


def _check(path: str | Path, found: Indices) -> None:
    """Numbers in their ranges, and no user who rates a movie twice."""
    for column, (name, high) in enumerate((("user", USERS), ("movie", MOVIES), ("rating", 5))):
        wrong = np.flatnonzero((found[:, column] < 1) | (found[:, column] > high))
        if wrong.size:
            k = int(wrong[0])
            raise InvalidInput(
                f"{path}, line {k + 1}: {name} {found[k, column]} is not in 1 to {high}: unpack it again."
            )
    key = found[:, 0] * (MOVIES + 1) + found[:, 1]
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if twice.size:
        k = int(order[twice + 1].min())
        raise InvalidInput(
            f"{path}, line {k + 1}: user {found[k, 0]} rates movie {found[k, 1]} a second time: unpack it again."
        )
