"""Section 2.1: fixed points as roots: its claims, beside the checks that judge them."""
