"""Certificates as Coq lemmas: a second kernel, which shares no code with the first, checks each of them."""
