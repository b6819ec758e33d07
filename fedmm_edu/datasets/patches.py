"""Real data for dictionary learning that scikit-learn ships: patches of two photographs, and handwritten digits.

scikit-learn takes a second to import, which only those who want these data should wait for.
"""

from __future__ import annotations

import numpy as np

from fedmm_edu.arrays import Array
from fedmm_edu.errors import as_count, needs

SIDE = 8


def load_patches(N: int = 5000, *, seed: int = 0) -> Array:
    """N grey patches of 8 × 8 pixels, half of a temple and half of a flower: shape (N, 64).

    Each patch has mean zero; all are divided by one number, such that the mean square of a pixel is one.
    """
    with needs("studies", "load_patches"):
        from sklearn.datasets import load_sample_images

    as_count("N", N)
    rng = np.random.default_rng(seed)
    parts = []
    images = load_sample_images().images
    for k, image in enumerate(images):
        grey = np.asarray(image, dtype=np.float64).mean(axis=2)
        count = N * (k + 1) // len(images) - N * k // len(images)
        windows = np.lib.stride_tricks.sliding_window_view(grey, (SIDE, SIDE))
        rows, columns = (rng.integers(0, size, count) for size in windows.shape[:2])
        parts.append(windows[rows, columns].reshape(count, -1))
    z = np.concatenate(parts)
    z -= z.mean(axis=1, keepdims=True)
    return z / np.sqrt((z**2).mean())


def load_digits() -> Array:
    """1,797 digits of 8 × 8 pixels, from 0 to 1: shape (1797, 64)."""
    with needs("studies", "load_digits"):
        from sklearn import datasets

    return datasets.load_digits().data / 16.0
