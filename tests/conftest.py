"""What all tests share: no time limits (machines differ), one thread per BLAS call, and no windows.

Where tests run in several processes, those that share an expensive fixture stay in one. What a test reports by
`record_property("says", …)` is printed at the end, whichever process it ran in.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest  # noqa: E402  (NumPy must not be loaded before the lines above)
from hypothesis import settings  # noqa: E402

settings.register_profile("fedmm", deadline=None, print_blob=True)
settings.load_profile("fedmm")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a fixture of a file or of the session form a group, and so do those that open ports."""
    for item in items:
        info = getattr(item, "_fixtureinfo", None)
        fixtures = [each for found in info.name2fixturedefs.values() for each in found] if info else []
        ours = {each.scope: each.argname for each in fixtures if each.baseid.startswith("tests/")}
        file = item.nodeid.split("::")[0]
        if file.startswith("tests/distributed/"):
            item.add_marker(pytest.mark.xdist_group("ports"))
        elif "session" in ours or "module" in ours:
            item.add_marker(pytest.mark.xdist_group(ours.get("session", file)))


def pytest_terminal_summary(terminalreporter) -> None:
    """What tests report."""
    for reports in map(terminalreporter.stats.get, ("passed", "failed")):
        for report in reports or ():
            for name, value in getattr(report, "user_properties", ()):
                if name == "says":
                    terminalreporter.write_line(value)
