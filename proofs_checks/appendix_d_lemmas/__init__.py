"""Appendix D: the lemmas: its claims, beside the checks that judge them."""
