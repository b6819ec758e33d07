"""Appendix E: the constants: its claims, beside the checks that judge them."""
