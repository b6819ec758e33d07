"""Interactive figures for notebooks: sliders bound to the functions of `fedmm_edu.figures`. Needs the `lab` extra."""

try:
    import ipywidgets  # noqa: F401
except ImportError as error:
    from fedmm_edu.errors import MissingExtra

    raise MissingExtra("interactive figures need ipywidgets: pip install 'fedmm-edu[lab]'") from error

from fedmm_edu.widgets.aggregation import MixtureAggregation, ToyAggregation
from fedmm_edu.widgets.atoms import AtomPlayer
from fedmm_edu.widgets.bounds import BoundSliders
from fedmm_edu.widgets.judgements import CertificateOrWitness, WitnessExplorer
from fedmm_edu.widgets.live import shown
from fedmm_edu.widgets.majorizers import Descent, DragMajoriser, Families, NoMinimiser, StepTooLong
from fedmm_edu.widgets.rounds import RoundPlayer
from fedmm_edu.widgets.rows import row
from fedmm_edu.widgets.spaces import OracleBias, TwoSpaces
from fedmm_edu.widgets.stochastic import Memory, OnlineEM

__all__ = [
    "AtomPlayer",
    "BoundSliders",
    "CertificateOrWitness",
    "Descent",
    "DragMajoriser",
    "Families",
    "Memory",
    "MixtureAggregation",
    "NoMinimiser",
    "OnlineEM",
    "OracleBias",
    "RoundPlayer",
    "StepTooLong",
    "ToyAggregation",
    "TwoSpaces",
    "WitnessExplorer",
    "row",
    "shown",
]
