"""The folder of a training run: its settings, its log and its checkpoints. A run that was killed goes on from here.

run.json       what was asked for: the kind of model, its settings, its data, the versions of the libraries
log.jsonl      one line per logged step: the numbers behind the curves
checkpoints/   what a killed run goes on from; only those with the file `whole` are used
curves.png     the training curves
README.md      the card of the model
…              the model itself, in the layout that `--config METRIC=FOLDER` reads
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, OutputError
from radeval_core.io import write_text
from radeval_core.io.atomic import lock_file, sync_folder, writing

RUN, LOG, CHECKPOINTS = "run.json", "log.jsonl", "checkpoints"
#: in a checkpoint's folder: all of its files are written
_WHOLE = "whole"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


class RunFolder:
    """A training run on disk.

    Args:
        path: the folder.
        settings: everything that decides what the run computes, as JSON values. A run goes on only with the same.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.settings = dict(settings)

    @property
    def checkpoints(self) -> Path:
        return self.path / CHECKPOINTS

    def last_checkpoint(self) -> Path | None:
        """Return the newest checkpoint that was written to its end, or None."""
        whole = [folder for folder in self._all_checkpoints() if (folder / _WHOLE).is_file()]
        return max(whole, key=_step, default=None)

    @property
    def last_step(self) -> int:
        """Return the step of the newest whole checkpoint; 0 if there is none."""
        last = self.last_checkpoint()
        return _step(last) if last else 0

    def remove_broken_checkpoints(self) -> None:
        """Delete the checkpoints that a killed process did not finish."""
        for folder in self._all_checkpoints():
            if not (folder / _WHOLE).is_file():
                shutil.rmtree(folder)

    def mark_whole(self, step: int) -> None:
        """Record that a checkpoint is written to its end and on disk."""
        folder = self.checkpoints / f"checkpoint-{step}"
        with writing(folder):
            for file in folder.iterdir():
                _sync(file)
            (folder / _WHOLE).touch()
            _sync(folder / _WHOLE)
        sync_folder(folder)

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Add a line to the log."""
        with writing(self.path / LOG), open(self.path / LOG, "a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, **values}) + "\n")

    def logged(self) -> list[dict[str, Any]]:
        """Return the lines of the log in order of their steps."""
        return read_log(self.path)

    def cut_log(self, step: int) -> None:
        """Remove the lines after a step: a run that goes on from an earlier checkpoint writes them again."""
        if (self.path / LOG).exists():
            kept = [line for line in self.logged() if line["step"] <= step]
            write_text(self.path / LOG, [json.dumps(line) + "\n" for line in kept])

    def finish(self, results: Mapping[str, Any]) -> None:
        """Record the results of a run that is complete, and delete its checkpoints."""
        self._record({"results": dict(results)})
        shutil.rmtree(self.checkpoints, ignore_errors=True)

    @property
    def results(self) -> dict[str, Any] | None:
        """Return the results of a run that is complete, or None."""
        found: dict[str, Any] | None = read_run(self.path).get("results")
        return found

    def _record(self, further: Mapping[str, Any]) -> None:
        text = json.dumps({"settings": self.settings, **further}, indent=2, ensure_ascii=False) + "\n"
        write_text(self.path / RUN, text)

    def _all_checkpoints(self) -> list[Path]:
        if not self.checkpoints.is_dir():
            return []
        return [folder for folder in self.checkpoints.iterdir() if _CHECKPOINT.fullmatch(folder.name)]


@contextmanager
def open_run(path: Path, settings: Mapping[str, Any], needed_bytes: int = 0) -> Iterator[RunFolder]:
    """Open a new folder for a run, or the folder of a killed run with the same settings, which goes on.

    Only one process at a time may train into a folder.

    Args:
        path: the folder.
        settings: everything that decides what the run computes, as JSON values.
        needed_bytes: disk space that the run needs.

    Raises:
        InputError: the folder contains something else, a run with other settings, or a run that is complete.
        OutputError: the disk has not enough space.
    """
    settings = json.loads(json.dumps(settings))
    if path.exists() and not path.is_dir():
        raise InputError(f"--out {path} is a file; give a folder")
    if path.is_dir() and any(path.iterdir()):
        _check_same_run(path, settings)
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    check_disk(path, needed_bytes)
    with writing(path), open(path / ".lock", "w") as lock:
        if lock_file(lock.fileno()) is False:
            raise InputError(f"another process trains into {path}: wait for it, or give another --out")
        run = RunFolder(path, settings)
        if not (path / RUN).exists():
            run._record({})
        run.remove_broken_checkpoints()
        yield run


def check_disk(path: Path, needed_bytes: int) -> None:
    """Raise an error if a folder's disk has less free space than needed."""
    free = shutil.disk_usage(path).free
    if free < needed_bytes:
        raise OutputError(
            f"{path} has {free / 1e9:.1f} GB free, and the run needs about {needed_bytes / 1e9:.1f} GB: free some "
            "space, or give --out on another disk"
        )


def read_run(path: Path) -> dict[str, Any]:
    """Return the content of `run.json`: `settings`, and `results` once the run is complete."""
    try:
        found = json.loads((path / RUN).read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path} has no {RUN}: give the --out folder of `radeval train`") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path / RUN}: cannot be read: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("settings"), dict):
        raise InputError(f"{path / RUN}: not the record of a training run")
    return found


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a run's log in order of their steps; a line that a kill cut off is left out."""
    if not (path / LOG).exists():
        return []
    lines = []
    for text in (path / LOG).read_text("utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:  # the last line of a killed process
            continue
    return sorted(lines, key=lambda line: int(line["step"]))


def _check_same_run(path: Path, settings: Mapping[str, Any]) -> None:
    """Raise an error unless a folder has a run with these settings that is not complete."""
    if not (path / RUN).exists():
        raise InputError(f"--out {path} has other files; give a new folder")
    before = read_run(path)
    for name in sorted({*before["settings"], *settings}):
        old, new = before["settings"].get(name), settings.get(name)
        if old != new:
            raise InputError(
                f"--out {path} has a run with another {name}: {_short(old)}, now {_short(new)}; to go on with that "
                "run, use its settings; for a new run, give another folder"
            )
    if before.get("results") is not None:
        raise InputError(f"--out {path} has a run that is complete; for a new run, give another folder")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _step(folder: Path) -> int:
    found = _CHECKPOINT.fullmatch(folder.name)
    return int(found[1]) if found else -1


def _sync(path: Path) -> None:
    if path.is_file():
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
