"""A1 to A8 for mixtures of regressions: the cells of all EM mixtures, with what the kernel says of its own."""

from fedmm_edu.examples.mixture.assumptions import cells, places

__all__ = ["cells", "places"]
