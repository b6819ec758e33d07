"""Speed, as ratios measured side by side in one process."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Before NumPy is there: idle workers of OpenBLAS spin, and the CPU time of whatever is measured would pay for them."""
