"""Reads images from files or memory as RGB."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from radeval_core.errors import InputError, needs_extra

if TYPE_CHECKING:
    from PIL.Image import Image

#: modes with more than 8 bits per grey value, which Pillow would clip instead of scaling
_DEEP_MODES = ("I", "F", "I;16", "I;16B", "I;16L")


def open_image(given: Any, where: str) -> Image:
    """Return an RGB image from a path or a PIL image. Deep grey values are scaled from their range to 8 bits."""
    try:
        from PIL import Image
    except ImportError as error:
        raise needs_extra("models", "reading images") from error
    if isinstance(given, (str, Path)):
        with _opened(given, where) as file:
            image: Image.Image = file.copy()
    elif isinstance(given, Image.Image):
        image = given
    else:
        raise InputError(f"{where} must be the path of an image file or a PIL image, got {type(given).__name__}")
    if image.mode in _DEEP_MODES:
        values = np.asarray(image, dtype=np.float64)
        low, high = float(values.min()), float(values.max())
        image = Image.fromarray(np.round((values - low) * (255 / max(high - low, 1e-9))).astype(np.uint8))
    return image.convert("RGB")


def image_size(path: str | Path, where: str) -> tuple[int, int]:
    """Return width and height of an image file from its header; the pixels are not read."""
    with _opened(path, where) as file:
        return file.size


@contextmanager
def _opened(path: str | Path, where: str) -> Iterator[Image]:
    """Open an image file; turn a damaged or missing one into an error that says where it is named."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise needs_extra("models", "reading images") from error
    try:
        with Image.open(path) as file:
            yield file
    except FileNotFoundError:
        raise InputError(f"{where}: no such file") from None
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        kind = type(error).__name__
        raise InputError(f"{where} cannot be read as an image ({kind}): give a PNG or JPEG file") from None
