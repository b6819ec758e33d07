"""What `intrinsic` makes: a function without the typing context, for use in compiled code."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

_P = ParamSpec("_P")

def intrinsic(function: Callable[Concatenate[Any, _P], Any]) -> Callable[_P, Any]: ...
