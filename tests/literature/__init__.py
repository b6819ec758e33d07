"""Surrogates of the literature, right and wrong, as data; `python -m tests.literature` keeps a record of verdicts."""

from tests.literature import components, convexity, latent, quadratic_bounds, reweighting
from tests.literature.entry import Entry

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for part in (quadratic_bounds, reweighting, latent, convexity, components)
    for entry in part.ENTRIES
}  # fmt: skip
