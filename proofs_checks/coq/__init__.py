"""Theorem 1 put together in Coq from the certificates."""
