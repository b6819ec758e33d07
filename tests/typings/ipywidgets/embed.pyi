from collections.abc import Sequence
from typing import Any

from ipywidgets import Widget

def embed_data(views: Sequence[Widget]) -> dict[str, Any]: ...
