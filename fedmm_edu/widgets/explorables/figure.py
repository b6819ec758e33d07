"""A figure that runs in the browser: one ES module of this folder and the state it starts from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from fedmm_edu.errors import needs
from fedmm_edu.widgets.bundle import bundled


@dataclass(frozen=True)
class Explorable:
    """The module `name`.js with its first `state`, names to JSON values.

    Shown as HTML it needs no kernel, no other file and no network; `widget()` is the same figure, tied to Python.
    """

    name: str
    state: Mapping[str, Any]

    def _repr_html_(self) -> str:
        return self.html("This figure moves with JavaScript, which is switched off.")

    def html(self, still: str) -> str:
        """The figure as HTML; `still`: HTML for readers without JavaScript."""
        state = escape(json.dumps(dict(self.state), allow_nan=False))
        return (
            f'<div class="explorable" data-explorable="{self.name}" data-state="{state}">'
            f"<noscript>{still}</noscript></div>\n"
            f'<script type="module">\n{bundled("page.js", f"{self.name}.js")}\n'
            f'mount("{self.name}", {{ render }});\n</script>'
        )

    def widget(self) -> Any:
        """An `anywidget.AnyWidget` with a trait for each name of the state: read it, set it, observe it."""
        with needs("lab", "a figure tied to Python"):
            import anywidget
            import traitlets
        traits = {name: traitlets.Any(value).tag(sync=True) for name, value in self.state.items()}
        return type(self.name, (anywidget.AnyWidget,), {"_esm": bundled(f"{self.name}.js"), **traits})()
