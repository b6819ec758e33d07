"""What all tests share: no time limits (machines differ), one thread per BLAS call, and no windows.

What a test reports by `record_property("says", …)` is printed at the end, whichever process it ran in.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

from hypothesis import settings  # noqa: E402  (NumPy must not be loaded before the lines above)

settings.register_profile("fedmm", deadline=None, print_blob=True)
settings.load_profile("fedmm")


def pytest_terminal_summary(terminalreporter) -> None:
    """What tests report."""
    for reports in map(terminalreporter.stats.get, ("passed", "failed")):
        for report in reports or ():
            for name, value in getattr(report, "user_properties", ()):
                if name == "says":
                    terminalreporter.write_line(value)
