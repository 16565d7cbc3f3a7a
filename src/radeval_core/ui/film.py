"""Let visitors choose a film to draw boxes on. The image stays in their page and is sent with each click.

The upload is made smaller and turned into text for the page. Its file is deleted at once.
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
from radeval_core.ui.pair import guarded, page_error
from radeval_core.ui.upload_field import only_uploads
from radeval_core.ui.uploads import remove_upload

#: longest side of the film on the page in pixels, and the longest text that the page may send back
_LONGEST, _MAX_DATA = 1000, 3_000_000
_CHOOSE, _LOADED = "Draw on your own film (PNG, JPEG)", "Film is loaded: press Score"
_PREFIX = "data:image/jpeg;base64,"


def chooser() -> gr.Textbox:
    """Add a button to choose a film and one to remove it; return the hidden text box with its data."""
    data = gr.Textbox(visible=False)
    with gr.Row(elem_id="film"):
        choose = only_uploads(gr.UploadButton(_CHOOSE, file_types=[".png", ".jpg", ".jpeg"], size="sm"))
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
    """Return an uploaded image as text, small enough for a page, and delete the file."""

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
    """Return the image in a page's text, or None if the text is empty."""
    if not data:
        return None
    if len(data) > _MAX_DATA or not data.startswith(_PREFIX):
        raise page_error("the film cannot be read: choose it again")
    try:
        return open_image_bytes(base64.b64decode(data.removeprefix(_PREFIX), validate=True))
    except (InputError, binascii.Error):
        raise page_error("the film cannot be read: choose it again") from None


def open_image_bytes(content: bytes) -> Any:
    """Open an image from bytes."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(content)) as file:
            file.load()
            return open_image(file, "the film")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(f"the film cannot be read ({type(error).__name__})") from None
