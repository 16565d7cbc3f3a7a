"""The reading room as a Space: a study that the environment names, or a demo with invented pairs for everybody."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

from starlette.types import ASGIApp

from radeval_core.errors import InputError
from radeval_core.reading.cases import read_rows
from radeval_core.reading.study import Study, check_same_pairs, create_study, is_study, open_study
from radeval_core.ui.reading_room.app import build_app
from radeval_core.ui.reading_room.server import bind, serve

_STORE, _PAIRS, _TOKEN = "RADEVAL_READING_STORE", "RADEVAL_READING_PAIRS", "RADEVAL_READING_TOKEN"
_DEMO = Path(__file__).parent / "demo_pairs.jsonl"
_SHORTEST = 12


def space_app() -> ASGIApp:
    """Return the app of the study in RADEVAL_READING_STORE, or of the demo if it is not set."""
    if folder := os.environ.get(_STORE):
        return build_app(_study(Path(folder)))
    temporary = tempfile.mkdtemp(prefix="radeval-reading-")
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    study, _ = create_study(Path(temporary), read_rows(_DEMO))
    return build_app(study, demo=True)


def serve_space(app: ASGIApp, host: str | None = None, port: int | None = None) -> None:
    """Serve the app where a Space of Gradio would be served, until stopped."""
    host = host or os.environ.get("GRADIO_SERVER_NAME", "127.0.0.1")
    port = port or int(os.environ.get("GRADIO_SERVER_PORT", "7860"))
    with closing(bind(host, port)) as listener:
        print(f"reading room: http://{host}:{port}/  (stop with Ctrl-C)", flush=True)
        serve(app, listener)


def _study(folder: Path) -> Study:
    pairs = os.environ.get(_PAIRS)
    rows = read_rows(Path(pairs)) if pairs else None
    if is_study(folder):
        study = open_study(folder)
        if rows and pairs:
            check_same_pairs(study, rows, Path(pairs))
        return study
    given = os.environ.get(_TOKEN, "")
    if rows is None or len(given) < _SHORTEST:
        raise InputError(
            f"{_STORE} {folder}: to begin a study here, set {_PAIRS} to a file of pairs and {_TOKEN} to a secret of at "
            f"least {_SHORTEST} characters; the owner's link is then PAGE/#owner.SECRET"
        )
    study, _ = create_study(folder, rows, owner_token=given)
    return study
