"""Beyond the paper: constants: its claims, beside the checks that judge them."""
