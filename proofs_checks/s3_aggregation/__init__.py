"""Section 3.1: where to aggregate: its claims, beside the checks that judge them."""
