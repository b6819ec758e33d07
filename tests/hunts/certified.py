"""`python -m tests.hunts.certified`: which of the rows that are called proved have a certificate for the kernel.

The models are those of the examples and random right ones of `families`; each row without a certificate is named.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.registry import find_examples
from fedmm_edu.symbolic import Model, check_model
from fedmm_edu.symbolic.certify import certificates
from fedmm_edu.symbolic.hypotheses.mm2 import with_T
from tests.hunts.families import samples


def uncertified(model: Model, counts: Counter) -> Iterator[str]:
    """The proved rows without a certificate; how many there are of each kind is added to `counts`."""
    judged = check_model(model)
    with suppress(InvalidInput):  # without a T the rows of MM-2 are open
        model = with_T(model)
    for row, verdict in judged.items():
        if verdict.status == "proved":
            certified = certificates(model, row) is not None
            counts[row, certified] += 1
            if not certified:
                yield f"{row} ({verdict.method})"


def models(random: int, seed: int) -> Iterator[tuple[str, Model]]:
    """The examples' models, then random ones."""
    for example in find_examples():
        for name, model in example.models().items():
            yield f"{example.name}: {name}", model
    for k, sample in enumerate(islice(samples(seed), random)):
        yield f"{seed} {k}: {sample.family}", sample.model


def main() -> None:
    """Print the rows without a certificate, and how many of each kind have one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=40, help="random models beside the examples' (default 40)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    counts: Counter = Counter()
    for name, model in models(args.models, args.seed):
        for row in uncertified(model, counts):
            print(f"no certificate: {name}: {row}", flush=True)
    for row in dict.fromkeys(row for row, _ in counts):
        print(f"{row}: {counts[row, True]} of {counts[row, True] + counts[row, False]} proved rows have a certificate")


if __name__ == "__main__":
    main()
