"""Section 4: related work: its claims, beside the checks that judge them."""
