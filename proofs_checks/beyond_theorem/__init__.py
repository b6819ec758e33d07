"""Beyond the paper: theorems: its claims, beside the checks that judge them."""
