"""What all tests share: no time limits (machines differ), one thread per BLAS call, and no windows."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

from hypothesis import settings  # noqa: E402  (NumPy must not be loaded before the lines above)

settings.register_profile("fedmm", deadline=None, print_blob=True)
settings.load_profile("fedmm")
