"""Small convex networks to draw from, and seeds."""

from hypothesis import strategies as st

from fedmm_edu.transport import ICNN

networks = st.builds(
    ICNN,
    d=st.integers(1, 4),
    widths=st.tuples(*[st.integers(1, 6)] * 3),
    rank=st.integers(1, 2),
    kappa=st.sampled_from([0.0, 0.01, 1.0]),
)
seeds = st.integers(0, 2**32 - 1)
