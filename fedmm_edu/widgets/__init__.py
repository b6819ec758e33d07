"""Interactive figures for notebooks: sliders bound to the functions of `fedmm_edu.figures`. Needs the `lab` extra."""

try:
    import ipywidgets  # noqa: F401
except ImportError as error:
    from fedmm_edu.errors import MissingExtra

    raise MissingExtra("interactive figures need ipywidgets: pip install 'fedmm-edu[lab]'") from error

from fedmm_edu.widgets.aggregation import ToyAggregation

__all__ = ["ToyAggregation"]
