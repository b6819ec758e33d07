"""What the figures of the lessons share: a way to show one, and controls above a picture."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import ipywidgets as widgets
import matplotlib.pyplot as plt
from IPython.core.getipython import get_ipython
from IPython.display import Javascript, display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import AutoLocator

from fedmm_edu.figures.style import panels

WIDE = {"style": {"description_width": "15em"}, "layout": {"width": "39em"}, "continuous_update": True}
"""How sliders look: `FloatSlider(..., **WIDE)`."""

MENU = {"style": {"description_width": "15em"}, "layout": {"width": "39em"}}
"""How menus look."""


ROOM = 0.2
"""Inches at the sides of a panel that labels may grow into."""


def shown(figure: Figure) -> Figure:
    """The figure, given up by pyplot: as the last line of a cell it is displayed once, whatever the backend does."""
    plt.close(figure)
    return figure


NAMES = Path(__file__).with_name("names.js")
"""Gives sliders and pictures on a page their names for screen readers."""


class Live:
    """Controls, a sentence and a picture; `draw(ax, …)` fills panels of this size whenever a control changes.

    What it returns is the sentence. The picture is an image of its own, so that it needs no notebook: `sentence.value`
    and `image.value` hold what is shown. `view` is the widget to display.
    """

    _formulas: ClassVar[Any] = None
    """What sets formulas in all drawings: it remembers those that it has set, which a new one would do again."""

    def __init__(
        self, draw: Callable[..., str], *controls: widgets.Widget, columns: int = 1, width: float, height: float
    ) -> None:
        self._draw, self._panels = draw, partial(panels, columns, width=width, height=height)
        self._legends, self._places = None, []
        self.sentence = widgets.HTML()
        self.image = widgets.Image(format="png")
        self.view = widgets.VBox([*controls, self.sentence, self.image])
        for control in controls:
            control.observe(self.redraw, names="value")
        if get_ipython() is not None:
            display(Javascript(NAMES.read_text(encoding="utf-8")))
        self.redraw()

    def redraw(self, change: object = None) -> None:
        """Draw again from the controls' values."""
        figure, buffer = self.drawn(), io.BytesIO()
        canvas = FigureCanvasAgg(figure)
        renderer = canvas.get_renderer()
        Live._formulas = renderer.mathtext_parser = Live._formulas or renderer.mathtext_parser
        canvas.print_png(buffer, pil_kwargs={"compress_level": 1})  # `savefig` would draw twice
        plt.close(figure)
        self.image.value = buffer.getvalue()

    def drawn(self) -> Figure:
        """The figure, laid out as the one before.

        A layout takes most of the time of a drawing. So it is made once, with some room for longer labels, and anew
        where panels or entries of their legends are more or fewer.
        """
        figure, axes = self._panels()
        self.sentence.value = self._draw(*axes)
        figure.set_dpi(100)
        for ax in figure.axes:
            low, high = ax.get_ylim()
            if ax.get_yscale() == "log" and high > 100.0 * low:
                ax.yaxis.minorticks_off()  # a quarter of the time of a drawing
            for locator in (ax.xaxis.get_major_locator(), ax.yaxis.get_major_locator()):
                if isinstance(locator, AutoLocator):
                    locator.set_params(nbins=5)  # ticks take most of the time of a drawing
            ax.set_title(ax.get_title(loc="left"), loc="left", y=1.0)  # where it is; to look for it takes as long
        legends = [len(legend.get_texts()) if (legend := ax.get_legend()) else 0 for ax in figure.axes]
        if legends != self._legends:
            figure.set_layout_engine("constrained", w_pad=ROOM, h_pad=ROOM / 2)
            figure.draw_without_rendering()
            self._legends, self._places = legends, [ax.get_position(original=True) for ax in figure.axes]
        figure.set_layout_engine("none")
        for ax, place in zip(figure.axes, self._places, strict=True):
            ax.set_position(place)
        return figure
