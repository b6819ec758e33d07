"""Widgets on the static site: their picture, sentence and settings, in a figure that needs no script."""

import io
import re
from base64 import b64decode

import ipywidgets as widgets
import numpy as np
import pytest
from ipywidgets.embed import embed_data
from PIL import Image

from book.generate.light import is_light, light
from book.generate.stills import setting, still
from fedmm_edu.errors import FedMMError


def drawing() -> bytes:
    """A PNG with more than 256 colours, most of it white."""
    pixels = np.full((120, 160, 3), 255, dtype=np.uint8)
    pixels[40:80, :, 0] = np.arange(160)
    pixels[40:80, :, 1] = np.arange(40)[:, None]
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", compress_level=0)
    return buffer.getvalue()


@pytest.fixture
def shown():
    """The figure of a widget as lessons make them: controls, a sentence, an image; in a box in a box."""
    controls = [widgets.FloatSlider(0.3, min=0.0, max=1.0, description="step size γ"),
                widgets.IntSlider(6, min=1, max=9, description="rounds T = 10^"),
                widgets.Dropdown(options=["8", "4"], index=1, description="bits"),
                widgets.Checkbox(True, description="project"), widgets.Play()]  # fmt: skip
    image = widgets.Image(value=drawing(), format="png")
    sentence = widgets.HTML('θ<sub>⋆</sub> &lt; 1, "so it is"')
    box = widgets.VBox([controls[-1], widgets.VBox([*controls[:-1], sentence, image])])
    state = embed_data([box])["manager_state"]["state"]
    return still(box.model_id, state, "../downloads.html")


def test_a_widget_becomes_its_picture_its_sentence_and_its_settings(shown):
    found = re.fullmatch(
        r'<figure class="still"><img src="data:image/png;base64,([\w+/=]+)" alt="([^"]*)">'
        r"<figcaption>(.*)</figcaption></figure>",
        shown,
    )
    assert found
    picture, words, caption = found.groups()
    assert Image.open(io.BytesIO(b64decode(picture))).size == (160, 120)
    assert words == "θ⋆ &lt; 1, &quot;so it is&quot;"
    assert caption == (
        '<p>θ<sub>⋆</sub> &lt; 1, "so it is"</p>'
        "<p>Shown at: step size γ = 0.3; rounds T = 10^6; bits: 4; project: yes. The picture does not move here, since "
        "Python draws it anew for each setting and a page has no Python; "
        'the controls are in <a href="../downloads.html">the notebook</a>.</p>'
    )


def test_a_widget_without_a_picture_stops_the_build():
    """A page could show nothing of it."""
    slider = widgets.IntSlider(1)
    with pytest.raises(FedMMError, match="this has \\['IntSliderModel'\\]"):
        still(slider.model_id, embed_data([slider])["manager_state"]["state"], "")


def test_what_is_no_control_is_no_setting():
    assert setting({"model_name": "HTMLModel", "state": {"value": "x", "description": "y"}}) == ""


def test_a_light_picture_has_few_colours_and_keeps_its_paper_white():
    """It looks the same: no pixel is far off, and white stays white."""
    before, after = drawing(), light(drawing())
    assert len(after) < len(before) / 3
    assert (is_light(before), is_light(after)) == (False, True)
    old, new = (np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int) for data in (before, after))
    assert (new[:40] == 255).all()
    assert np.abs(old - new).max() <= 12
    assert light(before) == after
