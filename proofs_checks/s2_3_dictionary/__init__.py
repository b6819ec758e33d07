"""Section 2.3: dictionary learning: its claims, beside the checks that judge them."""
