"""Section 2: MM-1 and MM-2: its claims, beside the checks that judge them."""
