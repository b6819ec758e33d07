"""Interactive figures for notebooks: sliders bound to the functions of `fedmm_edu.figures`. Needs the extra `lab`."""

from fedmm_edu.errors import needs
from fedmm_edu.lazy import attach

with needs("lab", "an interactive figure"):
    import ipywidgets  # noqa: F401

__getattr__, __dir__, __all__ = attach(__name__)  # pyright: ignore[reportUnsupportedDunderAll]
