"""What work costs, in nanoseconds of one machine, to which this was fitted: ratios are what counts."""

from __future__ import annotations

from fedmm_edu.sparse_coding.inside import small


@small
def look_work(s, stride):
    """A look at a start of s atoms."""
    return s * stride / 8.0 + 25.0


@small
def move_work(stride):
    """One move of a single coefficient."""
    return 0.26 * stride + 30.0


@small
def solve_work(s, stride):
    """One solve on a pattern of s atoms, with its test of optimality."""
    return s * (s * s / 60.0 + 1.8 * s + 36.0) + s * stride / 8.0 + 0.1 * stride + 35.0


@small
def path_work(events, s, stride):
    """A path of so many events to a pattern of s atoms, and the solve at its end."""
    return events * (s * s / 12.5 + s * stride / 18.0 + 0.6 * stride + 8.0 * s + 45.0) + solve_work(s, stride)


@small
def cold_work(s, stride, moves):
    """A code of s atoms without a start: by so many moves and solves, or by the path."""
    path = path_work(s, s, stride)
    return min(path, 2.5 * s * move_work(stride) + 1.5 * solve_work(s, stride)) if moves else path
