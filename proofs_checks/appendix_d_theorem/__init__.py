"""Appendix D: Theorem 1: its claims, beside the checks that judge them."""
