"""Section 6: the experiments: its claims, beside the checks that judge them."""
