"""Pictures for pages: drawings need few colours, and so a third of the bytes."""

from __future__ import annotations

import io

from PIL import Image


def light(png: bytes) -> bytes:
    """A drawing with at most 256 colours of its own, as PNG."""
    buffer = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
