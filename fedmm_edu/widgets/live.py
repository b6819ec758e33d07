"""What the figures of the lessons share: a way to show one, and controls above a picture."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import ipywidgets as widgets
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

WIDE = {"style": {"description_width": "12em"}, "layout": {"width": "36em"}, "continuous_update": True}
"""How sliders look: `FloatSlider(..., **WIDE)`."""

MENU = {"style": {"description_width": "12em"}, "layout": {"width": "36em"}}
"""How menus look."""


def shown(figure: Figure) -> Figure:
    """The figure, given up by pyplot: as the last line of a cell it is displayed once, whatever the backend does."""
    plt.close(figure)
    return figure


class Live:
    """Controls, a sentence and a picture; `draw()` returns the last two and is called whenever a control changes.

    The picture is an image of its own, so that it needs no notebook: `sentence.value` and `image.value` hold what is
    shown. `view` is the widget to display.
    """

    def __init__(self, controls: Mapping[str, widgets.Widget], draw: Callable[[], tuple[Figure, str]]) -> None:
        self._draw = draw
        self.sentence = widgets.HTML()
        self.image = widgets.Image(format="png")
        self.view = widgets.VBox([*controls.values(), self.sentence, self.image])
        for control in controls.values():
            control.observe(self.redraw, names="value")
        self.redraw()

    def redraw(self, change: object = None) -> None:
        """Draw again from the controls' values."""
        figure, self.sentence.value = self._draw()
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=100)
        plt.close(figure)
        self.image.value = buffer.getvalue()
