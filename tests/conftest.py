"""What all tests share: no time limits (machines differ), one thread per BLAS call, and no windows.

What a test reports by `record_property("says", …)` is printed at the end, whichever process it ran in.
"""

import gc
import os
import signal
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")
gc.set_threshold(100_000, 20, 100)  # thousands of tests leave much that lives on: a tenth of the time goes into it else
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell lets what it runs in the background ignore Ctrl-C; what tests start and interrupt must not inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pytest  # noqa: E402  (NumPy must not be loaded before the lines above)
from hypothesis import settings  # noqa: E402

# Each promise is tried on every example, so that few draws of each are many; `--hypothesis-profile=long` tries more.
settings.register_profile("fedmm", deadline=None, print_blob=True, max_examples=50)
settings.register_profile("long", deadline=None, print_blob=True, max_examples=1000)
settings.load_profile("fedmm")

ROOT = Path(__file__).parents[1]
LONGEST = (
    "test_lessons.py", "ledger/test_ledger.py", "test_recipes.py", "symbolic/test_constants.py",
    "numeric/test_surrogates.py", "estimators/test_conventions.py", "test_theorem_command.py",
    "symbolic/test_equations.py", "transport/test_fig3.py", "distributed/test_faults.py", "numeric/test_fedmm.py",
    "estimators/test_channels.py", "symbolic/test_check.py", "test_constants_command.py", "proofs/test_certificates.py",
    "test_extras.py", "estimators/test_howto.py", "transport/test_experiment.py", "campaigns/test_campaigns.py",
)  # fmt: skip
"""The files that take longest, in this order: a file stays in one process, and none should wait for a long one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, the others in their order."""
    rank = {ROOT / "tests" / name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


OWN_TOY = """
import sympy as sp
from fedmm_edu import Model
theta, s, z = sp.symbols("theta s z", positive=True)
model = Model(theta=theta, z=z, s=s, loss=z*theta + 1/theta, psi=1/theta, phi=-theta, S_bar=z, Theta=theta > 0)
"""
"""A person's file: the toy of Remark 1, without T."""


def found(verdict):
    """The witness that a refutation carries."""
    assert verdict.witness is not None
    return verdict.witness


@pytest.fixture
def narrow_folder(tmp_path, monkeypatch):
    """The test runs in an empty folder and a terminal of 90 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    return tmp_path


def pytest_terminal_summary(terminalreporter) -> None:
    """What tests report."""
    for reports in map(terminalreporter.stats.get, ("passed", "failed")):
        for report in reports or ():
            for name, value in getattr(report, "user_properties", ()):
                if name == "says":
                    terminalreporter.write_line(value)
