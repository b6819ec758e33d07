"""Section 1: the introduction: its claims, beside the checks that judge them."""
