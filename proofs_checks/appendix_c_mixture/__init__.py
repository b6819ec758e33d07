"""Appendix C: Gaussian mixtures: its claims, beside the checks that judge them."""
