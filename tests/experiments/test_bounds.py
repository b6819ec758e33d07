"""The recorded figure of measured over bound: what a run gives, and nothing above one."""

from pathlib import Path

from fedmm_edu.commands.theorem_own import DEMANDS
from fedmm_edu.studies.benchmarks import BENCHMARKS
from fedmm_edu.studies.bounds import Found, claims, measured, recorded, table_of
from proofs_checks.beyond_messages.claims import CLAIMS as MESSAGES
from proofs_checks.beyond_theorem.claims import CLAIMS as BEYOND

RECORD = Path(__file__).parents[2] / "book" / "figures" / "bounds" / "bounds.json"


def test_every_theorem_is_tried_on_three_problems_and_none_is_passed():
    found = recorded(RECORD)
    tried = {name: {one.problem for one in found if one.theorem == name} for name in {one.theorem for one in found}}
    assert min(map(len, tried.values())) >= 3
    assert all(0.0 < one.ratio <= 1.0 for one in found)
    ours = {claim.id for claim in (*BEYOND, *MESSAGES)}
    assert tried.keys() <= ours | {"own-thm1-B-best"}
    assert DEMANDS.keys() & ours | {"own-accelerated-message"} <= tried.keys()
    table = table_of(found)
    assert all(f"| {name} |" in table for name in tried)


def test_the_record_is_what_a_run_gives():
    """Two linear rates of the toy, anew with the recorded settings."""
    case, found = BENCHMARKS["toy on [1, 4]"](), {(one.theorem, one.problem): one for one in recorded(RECORD)}
    for name in ("own-diana-rate", "own-biased-linear"):
        claimed = claims(case, 200)[name]
        again = Found(name, "toy on [1, 4]", claimed.gamma, measured(case, claimed, 8), float(claimed.rounds), True)
        assert again == found[name, "toy on [1, 4]"]
