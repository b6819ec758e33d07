"""Section 2.2: stochastic surrogates: its claims, beside the checks that judge them."""
