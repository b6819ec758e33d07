"""The server's half of a secure sum: it carries keys and sealed shares between nodes, and learns the sum alone.

See `veil` for the protocol. A node that does not answer a step in time is out of this sum. One that is out after it has
shared its secrets leaves masks behind in the others' terms, which are taken off with its key, rebuilt from shares.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

import numpy as np

from fedmm_edu.arrays import Indices, Words
from fedmm_edu.distributed.identities import Identities
from fedmm_edu.distributed.masks import SEED, mask_between, mask_of, secret_of
from fedmm_edu.distributed.messages import SumPart, SumStep
from fedmm_edu.distributed.plan import Plan
from fedmm_edu.errors import InvalidInput
from fedmm_edu.federation.packing import unpack_bits, with_sign

NO_BLOBS = np.zeros((0, 0), dtype=np.uint8)


@dataclass(eq=False)
class Gathering:
    """One secure sum of the plan while it is made. members: who may answer the step that is open."""

    plan: Plan
    tag: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    step: SumStep = SumStep.KEYS
    members: list[int] = field(init=False)
    _identities: Identities = field(init=False)
    _had: dict[SumStep, dict[int, np.ndarray]] = field(init=False)

    def __post_init__(self) -> None:
        self.members, self._had = list(range(len(self.plan.nodes))), {step: {} for step in SumStep}
        self._identities = Identities(self.plan.key, self.plan.clients.identities)

    @property
    def missing(self) -> list[int]:
        """Who has not answered the open step."""
        return [k for k in self.members if k not in self._had[self.step]]

    @property
    def enough(self) -> bool:
        """Whether the sum can go on with those who have answered."""
        return len(self._had[self.step]) >= self.plan.threshold

    @property
    def terms(self) -> list[int]:
        """Whose terms are in the sum."""
        return sorted(self._had[SumStep.TERMS])

    def content(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The nodes and blobs of what node k is asked in the open step."""
        after = self.step > SumStep.TERMS
        nodes, blobs = np.array(self.terms if after else self.members, dtype=np.int64), NO_BLOBS
        if self.step is SumStep.KEYS:
            nodes = nodes[:0]
        elif self.step is SumStep.SHARES:
            blobs = np.concatenate([self._had[SumStep.KEYS][j] for j in self.members])
        elif self.step is SumStep.OPEN:
            place = sorted(self._had[SumStep.KEYS]).index(k)
            shared, agreed = self._had[SumStep.SHARES], self._had[SumStep.AGREE]
            blobs = np.array([shared[j][place] for j in sorted(shared)])
            unsigned = np.zeros((1, self._identities.width), np.uint8)
            signatures = np.concatenate([agreed.get(j, unsigned) for j in sorted(shared)])
            blobs = np.hstack([blobs, signatures])
        return nodes, blobs

    def take(self, part: SumPart) -> None:
        """What a node gives; `InvalidInput` where it is none of this step."""
        shared = len(self._had[SumStep.SHARES])
        one = {SumStep.KEYS: 1, SumStep.AGREE: 1}
        rows = {**one, SumStep.SHARES: len(self.members), SumStep.OPEN: shared}.get(self.step, -1)
        if part.tag != self.tag or part.step != self.step or part.node not in self.members:
            raise InvalidInput("it answers another step of a secure sum than the one that is open: it is late.")
        if len(part.blobs) != rows or not part.blobs.size:
            raise InvalidInput(f"it gives {len(part.blobs)} rows in a step of a secure sum, expected {rows}.")
        others = self._had[self.step].values()
        if self.step is not SumStep.OPEN and any(part.blobs.shape[1] != other.shape[1] for other in others):
            raise InvalidInput("its keys or shares have another length than those of others: use one version.")
        if self.step in (SumStep.KEYS, SumStep.AGREE):
            self._require_signed(part)
        self._had[self.step][part.node] = part.blobs

    def _require_signed(self, part: SumPart) -> None:
        """`InvalidInput` where the others would not take it for that node's."""
        what, signature = self._identities.cut(part.blobs)
        said = np.array(self.terms, dtype=np.int64).tobytes() if self.step is SumStep.AGREE else what.tobytes()
        if not self._identities.has_signed(part.node, part, self.step, said, signature.tobytes()):
            raise InvalidInput(f"its signature is not that of node {part.node} in the plan: check its identity.")

    def take_term(self, k: int, raw: bytes) -> None:
        """Take the masked term of node k; `InvalidInput` where it is not the time for it, or no row of integers."""
        if self.step is not SumStep.TERMS or k not in self.members:
            raise InvalidInput("its term comes when no terms are waited for: it is late.")
        q, width = self.plan.dim, self.plan.width
        if len(raw) != (q * width + 7) // 8:
            raise InvalidInput(f"{len(raw)} bytes for {q} numbers of {width} bits: use one plan.")
        self._had[SumStep.TERMS][k] = unpack_bits(raw, q, width)

    def go_on(self) -> bool:
        """Close the step with those who have answered; whether another one follows."""
        self.members = sorted(self._had[self.step])
        later = [step for step in self.plan.steps if step > self.step]
        self.step = later[0] if later else self.step
        return bool(later)

    def total(self) -> Indices:
        """The sum of the terms, as integers with their signs; `InvalidInput` where the shares do not open it."""
        q, width = self.plan.dim, self.plan.width
        shared, terms, opened = (self._had[step] for step in (SumStep.SHARES, SumStep.TERMS, SumStep.OPEN))
        keys = {k: self._identities.cut(row)[0] for k, row in self._had[SumStep.KEYS].items()}
        total: Words = np.add.reduce(list(terms.values()), dtype=np.uint64)
        for place, j in enumerate(sorted(shared)):
            given = [opened[k][place] for k in sorted(opened)[: self.plan.threshold]]
            if j in terms:
                total = total - mask_of(_seed([row.tobytes() for row in given]), q, width)
                continue
            private = secret_of([row.tobytes() for row in given])
            for i in terms:  # what node i has added for j
                public = keys[i].tobytes()
                mask = mask_between(private, public[len(public) // 2 :], q, width)
                total = total - mask if j > i else total + mask
        return with_sign(np.bitwise_and(total, np.uint64((1 << width) - 1)), width)


def _seed(shares: list[bytes]) -> bytes:
    """A seed from shares that were filled with zeros to the length of those of keys."""
    length = 4 + 16 * (SEED // 16 + 1)
    found = secret_of([share[:length] for share in shares])
    if len(found) != SEED:
        raise InvalidInput("shares of a seed that is none: the sum is not opened.")
    return found
