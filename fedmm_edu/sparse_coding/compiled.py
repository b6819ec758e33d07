"""The compiled method: the batch cut into pieces, each solved by `kernel.solve_rows` in a thread of its own.

Threads of Python, which the kernel lets run at once: no thread pool of a compiler's runtime stays behind, so a process
may fork later. Memory beside the result: N numbers and N integers, K² for the Gram matrix, pK for θ in panels, and 2K²
per thread; about 8 MB of it is kept for the next call of the same thread.
"""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba.core import event

from fedmm_edu.arrays import Array, Indices, as_array
from fedmm_edu.sparse_coding import kernel
from fedmm_edu.sparse_coding.lanes import LANES
from fedmm_edu.sparse_coding.problem import CodePenalty, Codes, check_samples
from fedmm_edu.sparse_coding.scratch import VECTORS
from fedmm_edu.sparse_coding.shared import TOGETHER

_WORTH_A_THREAD = 4_000_000  # N K² below which starting a thread costs more than it saves
_FEW, _SMALL = 20, 64  # one sample, or fewer than K/_FEW and K > _SMALL: rows of the Gram matrix as they are needed
_LARGE = 1_000_000  # numbers, 8 MB, beyond which scratch is given back after a call
_NONE = np.empty(0, np.int64)


class _Announcement(event.Listener):
    """Says, once in a process and on a terminal, that the kernel is being compiled: seconds without a sign of life."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: event.Event) -> None:
        data: Any = event.data
        ours = data["dispatcher"].py_func.__module__ == kernel.__name__
        if ours and not self.said and sys.stderr.isatty():
            self.said = True
            print("fedmm: compiling the sparse coder, some ten seconds of CPU, once: numba keeps it", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        pass


_ANNOUNCEMENT = _Announcement()
event.register("numba:compile", _ANNOUNCEMENT)


def _aligned(size: int) -> Array:
    """Fresh memory that begins where a line of the cache does: eight numbers, which the kernel reads at once."""
    numbers = np.empty(size + LANES)
    first = -(numbers.ctypes.data // 8) % LANES
    return numbers[first : first + size]


class _Kept(threading.local):
    """Scratch of this thread that the next call takes again: fresh memory costs a page fault for each 4 kB.

    Four arrays, each of its own, as a part of an array costs time to name.
    """

    def __init__(self) -> None:
        self.arrays = _aligned(0), np.empty(0, np.int64), _aligned(0), np.empty(0, np.int64)

    def room(self, shared: int, known: int, floats: int, integers: int) -> tuple[Array, Indices, Array, Indices]:
        """At least so many numbers, integers, numbers and integers; what is large is not kept."""
        have = self.arrays
        if shared <= have[0].size and known <= have[1].size and floats <= have[2].size and integers <= have[3].size:
            return have
        small = shared + floats <= _LARGE
        if small:  # nothing becomes smaller
            shared, known = max(shared, have[0].size), max(known, have[1].size)
            floats, integers = max(floats, have[2].size), max(integers, have[3].size)
        found = _aligned(shared), np.empty(known, np.int64), _aligned(floats), np.empty(integers, np.int64)
        if small:
            self.arrays = found
        return found


_KEPT = _Kept()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _plain(array: Any) -> Any:
    """The same memory, which the kernel only reads, as writable: numba compiles for read-only arrays anew."""
    if array.flags.writeable:
        return array
    shared = SimpleNamespace(__array_interface__={**array.__array_interface__, "data": (array.ctypes.data, False)})
    shared.owner = array
    return np.asarray(shared)


def solve(
    samples: Any,
    theta: Array,
    penalty: CodePenalty,
    start: Array | None,
    tol: float,
    limit: int,
    threads: int | None,
) -> Codes:
    """Codes of checked input, but that whether all its entries are finite is seen here."""
    rows, (p, size) = samples.shape[0], theta.shape
    atoms = _plain(theta if theta.flags.c_contiguous else np.ascontiguousarray(theta))
    if threads is None and rows * size * size <= _WORTH_A_THREAD:
        threads = 1
    if threads != 1:
        threads = min(threads or _processors(), _processors())
    dense = not sp.issparse(samples)
    whole = rows > 1 and (threads > 1 or rows * _FEW > size or size <= _SMALL)
    panelled = whole or (dense and rows >= LANES)
    used = start is not None and whole  # else the rows of the Gram matrix that it needs cost more than it saves
    if start is not None and not used:
        as_array("start", start, shape=(rows, size))
    if dense:
        data, indices, indptr = _plain(samples.ravel()), _NONE, _NONE
    else:
        data, indices, indptr = map(_plain, (samples.data, samples.indices, samples.indptr))
        indices, indptr = indices.astype(np.int64, copy=False), indptr.astype(np.int64, copy=False)
    h, violation, solves = np.empty((rows, size)), np.empty(rows), np.empty(rows, np.int64)
    first, stride = h if start is None else _plain(start), (size + 7) // 8 * 8
    pitch = stride + LANES
    floats, integers = 2 * pitch * pitch + (VECTORS + TOGETHER) * pitch + p, 3 * pitch + p
    shared, known, room, places = _KEPT.room((p + stride + 2) * stride, stride + 3, floats, integers)
    settings = panelled, whole, penalty.ridge, penalty.lam, penalty.nonnegative

    def all_rows(trusted: bool) -> bool:
        return kernel.solve_rows(
            data, indices, indptr, atoms, shared, known, False, trusted, *settings,
            first, used, tol, limit, room, places, h, violation, solves,
        )  # fmt: skip

    def piece(begin: int, end: int, ready: bool, trusted: bool, room: Array, places: Indices) -> bool:
        part, cut = slice(begin, end), indptr if dense else indptr[begin : end + 1]
        values = data[begin * p : end * p] if dense else data
        return kernel.solve_rows(
            values, indices, cut, atoms, shared, known, ready, trusted, *settings,
            first[part], used, tol, limit, room, places, h[part], violation[part], solves[part],
        )  # fmt: skip

    def in_pieces(trusted: bool) -> bool:
        if not piece(0, 0, False, trusted, room, places):
            return False
        cuts = np.linspace(0, rows, min(4 * threads, rows) + 1).astype(int)

        def one(begin: int, end: int) -> bool:
            return piece(begin, end, True, trusted, _aligned(floats), np.empty(integers, np.int64))

        with ThreadPoolExecutor(threads) as pool:
            return all(list(pool.map(one, cuts[:-1], cuts[1:])))

    ways = in_pieces if threads > 1 and rows > 1 else all_rows
    if not ways(False):  # an entry is not finite, or a product that tells it is not
        check_samples(samples, theta)
        if start is not None:
            as_array("start", start, shape=h.shape)
        ways(True)
    return Codes(h, violation, solves)
