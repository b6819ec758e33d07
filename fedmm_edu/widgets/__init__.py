"""Interactive figures for notebooks: sliders bound to the functions of `fedmm_edu.figures`. Needs the extra `lab`.

In a notebook a cell that ends with `drag.view` shows the figure; a slider is an attribute, which code may move, too:

>>> from fedmm_edu.figures import readings
>>> from fedmm_edu.widgets import DragMajoriser
>>> drag = DragMajoriser(readings(), tau=2.0)
>>> drag.tau.value = 0.0
>>> before, after = drag.scene.objective([drag.tau.value, drag.next])
>>> bool(after < before)
True
"""

from fedmm_edu.errors import needs
from fedmm_edu.lazy import attach

with needs("lab", "an interactive figure"):
    import ipywidgets  # noqa: F401

__getattr__, __dir__, __all__ = attach(__name__)  # pyright: ignore[reportUnsupportedDunderAll]
