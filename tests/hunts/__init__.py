"""Hunts for mistakes of the checkers on random surrogates whose truth is known by how they are built."""
