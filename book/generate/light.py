"""Pictures for pages: drawings need few colours, and so a quarter of the bytes."""

from __future__ import annotations

import io

from PIL import Image

COLOURS = 64
"""Lines, their paler edges, and the shades of a heat map: more are not seen, and weigh."""


def light(png: bytes) -> bytes:
    """A drawing with at most so many colours, of its own, as PNG."""
    buffer = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(
        buffer, "PNG", optimize=True
    )
    return buffer.getvalue()


def is_light(png: bytes) -> bool:
    """Whether it has a palette, as what `light` gives has: the colour type in its header says so."""
    return png[25] == 3
