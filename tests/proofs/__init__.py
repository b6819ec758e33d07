"""The kernel of proofs."""
