"""`python -m tests.hunts.certified`: which of the rows that are called proved have a certificate for the kernel.

The models are those of the examples and random right ones of `families`; each row without a certificate is named. A
false row of a broken model must have none: the exit status is 1 when the kernel accepts one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.registry import find_examples
from fedmm_edu.symbolic import Model, check_model
from fedmm_edu.symbolic.hypotheses.certificates import certificates
from fedmm_edu.symbolic.hypotheses.mm2 import with_T
from tests.hunts.families import Sample, samples


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


def wrongly_certified(sample: Sample) -> Iterator[str]:
    """The breaks of a right model whose false row has a certificate all the same."""
    for broken in sample.breaks:
        model = broken.model
        with suppress(InvalidInput):
            model = with_T(model)
        if certificates(model, broken.row) is not None:
            yield f"{sample.family}, {broken.what}: {broken.row}: {model}"


def main() -> int:
    """Print the rows without a certificate, and how many of each kind have one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=40, help="random models beside the examples' (default 40)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    counts: Counter = Counter()
    random = list(islice(samples(args.seed), args.models))
    right = [(f"{example.name}: {name}", m) for example in find_examples() for name, m in example.models().items()]
    right += [(f"{args.seed} {k}: {sample.family}", sample.model) for k, sample in enumerate(random)]
    for name, model in right:
        for row in uncertified(model, counts):
            print(f"no certificate: {name}: {row}", flush=True)
    false = [mistake for sample in random for mistake in wrongly_certified(sample)]
    for mistake in false:
        print(f"FALSE, AND ACCEPTED: {mistake}")
    for row in dict.fromkeys(row for row, _ in counts):
        print(f"{row}: {counts[row, True]} of {counts[row, True] + counts[row, False]} proved rows have a certificate")
    print(f"{sum(len(sample.breaks) for sample in random)} false rows, {len(false)} of them with a certificate")
    return int(bool(false))


if __name__ == "__main__":
    sys.exit(main())
