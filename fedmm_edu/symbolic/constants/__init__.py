"""The constants of assumption A7 (`hyp:DL2`; the paper's labels say “A8”) on a box 𝒮: exact, enclosed, or why none."""
