"""The part of ipywidgets that this project uses: pyright knows no types of its traits."""

from collections.abc import Callable, Sequence
from typing import Any

class Widget:
    model_id: str
    def __init__(self, *args: Any, **traits: Any) -> None: ...
    def observe(self, handler: Callable[..., Any], names: str = "value") -> None: ...
    def unobserve(self, handler: Callable[..., Any], names: str = "value") -> None: ...

class Checkbox(Widget):
    value: bool
    description: str

class Dropdown(Widget):
    """`value` is one of the options, whatever these are."""

    value: Any
    options: Any
    description: str

class FloatSlider(Widget):
    value: float
    min: float
    max: float
    step: float
    description: str

class IntSlider(Widget):
    value: int
    min: int
    max: int
    step: int
    description: str

class Play(Widget):
    value: int
    min: int
    max: int

class HTML(Widget):
    value: str

class Image(Widget):
    value: bytes

class VBox(Widget):
    children: tuple[Widget, ...]
    def __init__(self, children: Sequence[Widget] = (), **traits: Any) -> None: ...

class link:
    def __init__(self, source: tuple[Widget, str], target: tuple[Widget, str]) -> None: ...
