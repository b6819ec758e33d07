"""Section 7: optimal transport: its claims, beside the checks that judge them."""
