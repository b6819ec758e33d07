"""Every system that the paper names or cites, and those that users ask for, is an entry or says what is missing."""

import re

import pytest

from fedmm_edu.relatives import ELSEWHERE, relatives

NAMED: dict[str, str] = {
    # the paper's own words, and what it cites
    "FedMM": "fedmm", "parameter aggregation": "naive", "FedAvg": "fedavg", "local SGD": "fedavg",
    "FedPAQ": "fedavg", "QSGD": "qsgd", "GDCI": "gdci", "DIANA": "diana", "prox-DIANA": "prox-diana",
    "EF21": "ef21", "MARINA": "marina", "EF-signSGD": "ef-sgd", "MCM": "mcm", "STC": "stc",
    "SCAFFOLD": "scaffold", "Scaffnew": "scaffnew", "ProxSkip": "proxskip", "RandProx-FL": "randprox",
    "FedDualAvg": "feddualavg", "FedMiD": "fedmid", "FedAdam": "fedadam", "FedYogi": "fedyogi",
    "FedAdagrad": "fedadagrad", "FedAvgM": "fedavgm", "FedEM": "fedem", "VR-FedEM": "vr-fedem", "FIEM": "vr-fedem",
    "SPIDER-EM": "vr-fedem", "sEM-vr": "vr-fedem", "FedEM of Marfoq": "marfoq", "FedGrEM": "fedgrem", "FMLR": "fmlr",
    "FedMAvg": "fedmavg", "FedMGS": "fedmgs", "federated Newton": "newton", "NewtonLearn": "fednl",
    "pFedMe": "pfedme", "FedU": "fedu", "L2GD": "l2gd", "IFCA": "ifca", "clustered learning": "ifca",
    "matrix factorisation": "factorisation",
    # not cited
    "FedProx": "fedprox", "FedDyn": "feddyn", "Böhning and Lindsay": "newton", "FedNL": "fednl",
    "one-shot averaging": "one-shot", "CHOCO-SGD": "choco", "EF21-PP": "ef21", "Artemis": "mcm",
    # ours
    "accelerated FedMM": "accelerated", "Marfoq's model in 𝒮": "marfoq-in-s",
}  # fmt: skip
"""Names as the literature has them, each with the key of its entry or of its row."""
ROWS = {each.key: each for each in ELSEWHERE}


def said(key: str) -> str:
    """All that is said of a system."""
    if key in ROWS:
        return " ".join((ROWS[key].name, ROWS[key].source, ROWS[key].missing))
    entry = relatives()[key]
    return " ".join((entry.name, entry.source, entry.equals, *(bug.says for bug in entry.bugs)))


@pytest.mark.parametrize(("name", "key"), NAMED.items(), ids=NAMED.keys())
def test_a_named_system_is_an_entry_or_says_what_is_missing(name, key):
    assert (key in relatives()) != (key in ROWS)
    assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said(key))


def test_nothing_is_listed_twice():
    keys = [*relatives(), *(each.key for each in ELSEWHERE)]
    assert len(keys) == len(set(keys))
    assert all(each.missing and each.source for each in ELSEWHERE)
