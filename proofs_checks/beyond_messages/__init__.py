"""Theorems for messages that are biased, for linear rates and for local steps."""
