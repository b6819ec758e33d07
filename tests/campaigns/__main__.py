"""`python -m tests.campaigns [NAME ...] --seed 1`: each campaign in full; the exit status is 1 when anything failed."""

from __future__ import annotations

import argparse
import sys
import time

from tests.campaigns import FULL
from tests.campaigns.campaign import Tally, run
from tests.campaigns.record import Counts, write


def main() -> int:
    """Run the named campaigns, and print a row of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FULL)} (default: all)")
    parser.add_argument("--count", type=int, help="tries of each (default: the full number)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="keep the counts, of which a page of the site is made")
    args = parser.parse_args()
    if unknown := set(args.names) - set(FULL):
        parser.error(f"there is no campaign {', '.join(sorted(unknown))}: choose of {', '.join(FULL)}")
    if args.record and args.count is not None:
        parser.error("--record keeps full numbers only: leave --count out")
    failed = 0
    print("| campaign | tried | held | out of time | failed | processor seconds |\n|---|---|---|---|---|---|")
    for name in args.names or FULL:
        campaign = FULL[name]
        began, tally, said = time.process_time(), Tally(), 0
        for tally in run(campaign.tries, args.count or campaign.full, args.seed):
            for mistake in tally.failed[said:]:
                print(f"{name}: {mistake}", file=sys.stderr, flush=True)
            said = len(tally.failed)
        counts = Counts.of(tally, args.seed, time.process_time() - began)
        if args.record:
            write({name: counts})
        numbers = counts.tried, counts.held, counts.slow, counts.failed, counts.seconds
        print(f"| {name} | {' | '.join(map(str, numbers))} |", flush=True)
        for what in tally.slow:
            print(f"{name}: out of time: {what}", file=sys.stderr)
        failed += said
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
