"""The examples, hypothesis by hypothesis: its claims, beside the checks that judge them."""
