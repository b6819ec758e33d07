"""Widgets on the static site: without a kernel a widget is its picture, its sentence, and how its controls stand.

So no page needs the scripts that would draw dead sliders: 4 MB, loaded before anything shows. What a widget shows is
read from the state that the execution of a lesson leaves in its notebook.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import Any

from book.generate.light import light
from fedmm_edu.errors import FedMMError
from proofs_checks.report.markup import Html, el

Model = Mapping[str, Any]
State = Mapping[str, Model]


def still(view: str, state: State, notebooks: str) -> Html:
    """The figure in the place of the widget `view`; `notebooks` is the address of a page with notebooks to run."""
    parts = list(_leaves(view, state))
    found = {part["model_name"]: part for part in parts}
    if not {"ImageModel", "HTMLModel"} <= set(found):
        raise FedMMError(
            f"a page shows a widget as a picture and a sentence, as `Live` has them; this has {list(found)}."
        )
    picture, sentence = found["ImageModel"]["buffers"][0]["data"], found["HTMLModel"]["state"]["value"]
    words = escape(unescape(re.sub(r"<[^>]*>", "", sentence)))
    settings = "; ".join(filter(None, map(setting, parts)))
    return el(
        "figure",
        Html(f'<img src="data:image/png;base64,{b64encode(light(b64decode(picture))).decode()}" alt="{words}">'),
        el("figcaption", el("p", Html(sentence)),
           el("p", f"Shown at: {settings}. The picture does not move here, since Python draws it anew for each setting "
              "and a page has no Python; the controls are in ", el("a", "the notebook", href=notebooks), ".")),
        class_="still",
    )  # fmt: skip


def _leaves(name: str, state: State) -> Iterator[Model]:
    """The models of a box and of the boxes in it, in their order."""
    model = state[name.removeprefix("IPY_MODEL_")]
    if "children" not in model["state"]:
        yield model
    for child in model["state"].get("children", ()):
        yield from _leaves(child, state)


def setting(model: Model) -> str:
    """How a control stands, in words; nothing for what is no setting.

    >>> setting({"model_name": "FloatSliderModel", "state": {"description": "γ", "value": 0.30000000000000004}})
    'γ = 0.3'
    """
    found = model["state"]
    name = found.get("description", "")
    match model["model_name"]:
        case "FloatSliderModel" | "IntSliderModel":
            return f"{name}{found['value']}" if name.endswith("^") else f"{name} = {found['value']:.4g}"
        case "DropdownModel":
            return f"{name}: {found['_options_labels'][found['index']]}"
        case "CheckboxModel":
            return f"{name}: {'yes' if found['value'] else 'no'}"
    return ""
