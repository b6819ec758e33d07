"""Section 5: assumptions and the theorem: its claims, beside the checks that judge them."""
