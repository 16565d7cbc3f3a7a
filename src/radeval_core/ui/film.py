"""A film to draw boxes on: the visitor's image, which stays in their page and is sent along with each click.

The upload is made small and turned into text for the page, and its file is deleted at once.
"""

from __future__ import annotations

import base64
import binascii
import io
from pathlib import Path
from typing import Any

import gradio as gr

from radeval_core.engine.images import open_image
from radeval_core.errors import InputError
from radeval_core.ui.batch import remove_upload
from radeval_core.ui.pair import guarded, page_error

#: metrics whose view draws on a film
METRICS = ("ffl_rq",)
#: longest side of the film on the page, and the most text it may come back as
_LONGEST, _MAX_DATA = 1000, 3_000_000
_CHOOSE, _LOADED = "Draw on a film of your own (PNG, JPEG)", "Film is loaded: press Score"
_PREFIX = "data:image/jpeg;base64,"


def chooser() -> gr.Textbox:
    """A button to choose a film, one to take it away, and the hidden text that holds it."""
    data = gr.Textbox(visible=False)
    with gr.Row():
        choose = gr.UploadButton(_CHOOSE, file_types=[".png", ".jpg", ".jpeg"], size="sm")
        remove = gr.Button("Back to the standard chest", size="sm", visible=False)
    choose.upload(
        lambda path: (to_data(path), gr.Button(visible=True), gr.UploadButton(label=_LOADED)),
        choose,
        [data, remove, choose],
        api_visibility="private",
    )
    remove.click(
        lambda: ("", gr.Button(visible=False), gr.UploadButton(label=_CHOOSE)),
        None,
        [data, remove, choose],
        api_visibility="private",
    )
    return data


def to_data(path: str) -> str:
    """An uploaded image as text, small enough for a page. The file is deleted."""

    def read() -> str:
        try:
            image = open_image(path, "the film")
        finally:
            remove_upload(Path(path))
        image.thumbnail((_LONGEST, _LONGEST))
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=85)
        return _PREFIX + base64.b64encode(buffer.getvalue()).decode("ascii")

    return guarded("film", read, "this image could not be read")


def from_data(data: str | None) -> Any:
    """The image of a page's text, or None if there is none."""
    if not data:
        return None
    if len(data) > _MAX_DATA or not data.startswith(_PREFIX):
        raise page_error("the film cannot be read: choose it again")
    try:
        return open_image_bytes(base64.b64decode(data.removeprefix(_PREFIX), validate=True))
    except (InputError, binascii.Error):
        raise page_error("the film cannot be read: choose it again") from None


def open_image_bytes(content: bytes) -> Any:
    """An image from memory."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(content)) as file:
            file.load()
            return open_image(file, "the film")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(f"the film cannot be read ({type(error).__name__})") from None
