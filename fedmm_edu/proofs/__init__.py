"""What counts as a proof: verdicts with their evidence, and a small kernel that accepts certificates."""
