"""How much Gaussian noise hides a row for T rounds, and what rounds spend: the accountant that others keep.

A client whose statistic moves by at most D when one of its rows is exchanged, and which adds Gaussian noise of standard
deviation zD to each number of each message, is (ε, δ)-private for T rounds together, where z is `noise_multiplier` of
(ε, δ, T): Rényi accounting of T Gaussian mechanisms, as dp-accounting does it (Mironov 2017). The noise is the σ_i² of
A3, q z² D². Needs the extra `private`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedmm_edu.errors import InvalidInput, as_count, in_interval, needs

if TYPE_CHECKING:
    import dp_accounting as dp


def noise_multiplier(epsilon: float, delta: float, rounds: int) -> float:
    """z, the noise of a round over its sensitivity, with which so many rounds are (ε, δ)-private.

    `InvalidInput` where no noise that the accountant tries is enough.
    """
    in_interval("epsilon", epsilon, low=0.0, high=1e6, open_low=True)
    in_interval("delta", delta, low=0.0, high=0.5, open_low=True)
    as_count("rounds", rounds)
    with needs("private", "an ε"):
        import dp_accounting as dp
        from dp_accounting.mechanism_calibration import NoBracketIntervalFoundError
        from dp_accounting.rdp import RdpAccountant

    start = dp.LowerEndpointAndGuess(1e-4, 1.0)
    try:
        found = dp.calibrate_dp_mechanism(RdpAccountant, lambda z: _rounds(z, rounds), epsilon, delta, start, tol=1e-9)
    except NoBracketIntervalFoundError as error:
        raise InvalidInput(f"epsilon = {epsilon:g}, delta = {delta:g} over {rounds} rounds ask for more noise than is "
                           "of any use: choose larger ones, or fewer rounds.") from error  # fmt: skip
    return float(found) * (1.0 + 1e-6)


def spent_epsilon(multiplier: float, delta: float, rounds: int) -> float:
    """ε of so many rounds with noise of this multiplier."""
    with needs("private", "an ε"):
        from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant()
    accountant.compose(_rounds(multiplier, rounds))
    return float(accountant.get_epsilon(delta))


def _rounds(multiplier: float, rounds: int) -> dp.DpEvent:
    import dp_accounting as dp

    return dp.SelfComposedDpEvent(dp.GaussianDpEvent(multiplier), rounds)
