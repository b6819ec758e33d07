"""Section 3.2: FedMM: its claims, beside the checks that judge them."""
