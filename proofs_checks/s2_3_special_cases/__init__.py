"""Section 2.3: gradient methods and EM: its claims, beside the checks that judge them."""
