"""Appendix C: Poisson counts: its claims, beside the checks that judge them."""
