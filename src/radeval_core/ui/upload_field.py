"""Fields for one upload that take only files of the upload folder and leave none behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import gradio as gr
from gradio.data_classes import FileData
from gradio.utils import NamedString

from radeval_core.ui.uploads import is_upload, remove_upload

Field = TypeVar("Field", gr.File, gr.UploadButton)


def only_uploads(field: Field) -> Field:
    """Let a field take only files of the upload folder with the right ending; a refused upload is deleted at once.

    A program can send any path with its request, and Gradio checks it only on pages that `launch` started. Gradio also
    keeps files it refuses, and makes an empty file per upload. A subclass would be shorter, but Gradio writes a file
    next to the module of every subclass.
    """
    endings: list[Any] = list(field.file_types or [])

    def take(payload: FileData | None) -> NamedString | None:
        if payload is None:
            return None
        path = Path(payload.path)
        if not is_upload(path):
            raise gr.Error("the file was not uploaded to this page: upload it first", print_exception=False)
        if endings and path.suffix.lower() not in endings:
            remove_upload(path)
            raise gr.Error(f"the name must end in {' or '.join(map(str, endings))}", print_exception=False)
        return NamedString(payload.path)

    field.preprocess = take
    return field
