"""The store of a reader study: a private folder with the pairs, the readers and their journals.

    study.json            what is asked, a hash of the pairs, the owner's secret as a slow hash
    pairs.jsonl           a copy of the pairs, so that readings and texts stay together
    prefill.jsonl         what a judge proposed, if pre-filling is on
    readers/NAME.json     the order of a reader, and the secret of the reader's link as a slow hash
    journals/NAME.jsonl   everything that the reader saved

Several processes may use a store at the same time.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.io import write_jsonl
from radeval_core.io.atomic import PRIVATE
from radeval_core.io.file_lock import file_lock
from radeval_core.reading.cases import QUESTIONS, Case, StudyRow, check_questions, fingerprint, group_cases, read_rows
from radeval_core.reading.journal import Journal
from radeval_core.reading.order import Order, draw_order, reader_seed
from radeval_core.reading.store_files import make_private, read_lines, read_object, utc_now, write_object
from radeval_core.secret_hash import is_secret_of, new_secret, secret_record

FORMAT = 1
OWNER = "owner"
MAX_READERS = 1000
_STUDY, _PAIRS, _PREFILL = "study.json", "pairs.jsonl", "prefill.jsonl"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Reader:
    """Someone who reads the cases of a study.

    Attributes:
        name: a short name, chosen by the owner; a column of the export.
        order: what the reader sees, in order.
        secret: the slow hash of the secret in the reader's link.
        created: when the reader was added.
    """

    name: str
    order: Order
    secret: Mapping[str, Any] = field(repr=False)
    created: str = ""


@dataclass
class Study:
    """An open store.

    Attributes:
        folder: where it is.
        about: the content of study.json.
    """

    folder: Path
    about: Mapping[str, Any] = field(repr=False)
    _journals: dict[str, Journal] = field(default_factory=dict, repr=False)

    @property
    def asked(self) -> tuple[str, ...]:
        """What the readers are asked for."""
        return tuple(self.about["ask"])

    @property
    def prefilled_by(self) -> str | None:
        """The signatures of the metrics that fill in the first answers, or None."""
        return self.about.get("prefill")

    @property
    def session_key(self) -> bytes:
        """The key that signs what a logged-in page shows."""
        return bytes.fromhex(self.about["session_key"])

    @cached_property
    def rows(self) -> list[StudyRow]:
        rows = read_rows(self.folder / _PAIRS)
        if fingerprint(rows) != self.about["pairs"]:
            raise InputError(f"{self.folder / _PAIRS}: changed since the study began; put a backup in its place")
        return rows

    @cached_property
    def cases(self) -> dict[str, Case]:
        """The cases by key, in the order of the file."""
        return {case.key: case for case in group_cases(self.rows, self.asked)}

    @cached_property
    def proposals(self) -> dict[str, Any]:
        """What a judge proposed for each case, in the form of a reading; empty without pre-filling."""
        if self.prefilled_by is None:
            return {}
        return {row["case"]: row["reading"] for row in read_lines(self.folder / _PREFILL)}

    def readers(self) -> list[Reader]:
        """Return all readers, by name."""
        return [self._reader(path) for path in sorted((self.folder / "readers").glob("*.json"))]

    def reader(self, name: str) -> Reader:
        """Return a reader by name."""
        if not _NAME.fullmatch(name) or not (path := self._reader_path(name)).is_file():
            raise unknown_name("reader", name[:40], [reader.name for reader in self.readers()])
        return self._reader(path)

    def journal(self, name: str) -> Journal:
        """Return the journal of a reader."""
        return self._journals.setdefault(name, Journal(self.folder / "journals" / f"{name}.jsonl"))

    def add_reader(self, name: str, seed: int | None = None) -> str:
        """Add a reader, draw the order of the cases, and return the secret of the link. It is not stored.

        Args:
            name: lower-case letters, digits, - and _.
            seed: together with the name, it determines the order; random by default.
        """
        check_name(name)
        secret = new_secret()
        with self._locked():
            if self._reader_path(name).exists():
                again = f"radeval read links --store {self.folder} --readers {name} --again"
                raise InputError(f"there is already a reader {name!r}; for a new link, type: {again}")
            if len(list((self.folder / "readers").glob("*.json"))) >= MAX_READERS:
                raise InputError(f"a study has at most {MAX_READERS} readers")
            order = draw_order(list(self.cases.values()), reader_seed(name, seed))
            self._write_reader(Reader(name, order, secret_record(secret), utc_now()))
        return secret

    def renew_link(self, name: str) -> str:
        """Give a reader a new link and return its secret. The old link no longer works; the readings stay."""
        secret = new_secret()
        with self._locked():
            reader = self.reader(name)
            self._write_reader(Reader(name, reader.order, secret_record(secret), reader.created))
        return secret

    def renew_owner(self) -> str:
        """Make a new token of the owner and return it. The old one no longer works."""
        token = new_secret()
        with self._locked():
            self.about = {**read_object(self.folder / _STUDY), "owner": secret_record(token)}
            write_object(self.folder / _STUDY, self.about)
        return token

    def secret_of(self, name: str) -> Mapping[str, Any]:
        """Return the slow hash of the secret of a reader, or of the owner, as it is stored now."""
        if name == OWNER:
            return dict(read_object(self.folder / _STUDY)["owner"])
        return self.reader(name).secret

    def knows(self, name: str, secret: str) -> bool:
        """Return True if this is the secret of the reader, or of the owner. An unknown reader takes as long."""
        try:
            record = self.secret_of(name)
        except InputError:
            record = {**self.about["owner"], "hash": ""}
        return is_secret_of(secret, record)

    def _reader_path(self, name: str) -> Path:
        return self.folder / "readers" / f"{name}.json"

    def _reader(self, path: Path) -> Reader:
        stored = read_object(path)
        try:
            order = Order(int(stored["seed"]), tuple(stored["order"]), frozenset(stored["swapped"]))
            reader = Reader(str(stored["name"]), order, dict(stored["secret"]), str(stored["created"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: damaged; put a backup in its place") from error
        if set(order.cases) != set(self.cases) or reader.name != path.stem:
            raise InputError(f"{path}: is not of this study; put a backup in its place")
        return reader

    def _write_reader(self, reader: Reader) -> None:
        order = reader.order
        stored = {"name": reader.name, "created": reader.created, "seed": order.seed, "order": list(order.cases)}
        stored |= {"swapped": sorted(order.swapped), "secret": dict(reader.secret)}
        write_object(self._reader_path(reader.name), stored)

    def _locked(self) -> Any:
        return file_lock(self.folder / "lock", PRIVATE)


def create_study(
    folder: Path,
    rows: Sequence[StudyRow],
    asked: Sequence[str] = QUESTIONS,
    owner_token: str | None = None,
    prefill: tuple[str, Mapping[str, Any]] | None = None,
) -> tuple[Study, str]:
    """Make a store and return it with the owner's token, which is not stored.

    Args:
        folder: a new or empty folder.
        rows: the pairs.
        asked: what the readers are asked for.
        owner_token: the token to use; a random one by default.
        prefill: signatures of the metrics that fill in first answers, and those answers by case.
    """
    asked = check_questions(asked)
    token = owner_token or new_secret()
    make_private(folder)
    with file_lock(folder / "lock", PRIVATE):
        if (folder / _STUDY).exists():
            raise InputError(f"{folder}: another process has just made a study here; start again to use it")
        check_new_folder(folder)
        for name in ("readers", "journals"):
            make_private(folder / name)
        write_jsonl(folder / _PAIRS, (row.as_dict() for row in rows))
        if prefill:
            write_jsonl(folder / _PREFILL, ({"case": key, "reading": value} for key, value in prefill[1].items()))
        about = {
            "format": FORMAT,
            "created": utc_now(),
            "ask": list(asked),
            "pairs": fingerprint(rows),
            "prefill": prefill[0] if prefill else None,
            "owner": secret_record(token),
            "session_key": secrets.token_hex(32),
        }
        write_object(folder / _STUDY, about)  # last: a folder with it is complete
    return Study(folder, about), token


def check_name(name: str) -> None:
    """Refuse a name that cannot be a reader's: it is part of links and of file names."""
    if not _NAME.fullmatch(name) or name == OWNER:
        raise InputError(
            f"{name[:60]!r} is no name of a reader: use 1 to 40 lower-case letters, digits, - and _, not {OWNER!r}"
        )


def check_new_folder(folder: Path) -> None:
    """Refuse a folder for a new store that is a file or has anything in it."""
    if folder.is_file():
        raise InputError(f"--store {folder}: is a file, give a folder")
    if folder.is_dir() and any(path.name != "lock" for path in folder.iterdir()):
        raise InputError(f"--store {folder}: is not empty and has no study in it; give a new folder")


def is_study(folder: Path) -> bool:
    """Return True if a folder is a store."""
    return (folder / _STUDY).is_file()


def open_study(folder: Path) -> Study:
    """Open a store; fail with one line if there is none, or if a file in it is damaged."""
    path = folder / _STUDY
    if not is_study(folder):
        missing = "is a file, give a folder" if folder.is_file() else f"no study here (no {_STUDY})"
        raise InputError(f"--store {folder}: {missing}; to begin one: radeval read serve --pairs FILE --store DIR")
    about = read_object(path)
    kinds = {"format": int, "created": str, "ask": list, "pairs": str, "owner": dict, "session_key": str}
    for name, kind in kinds.items():
        if not isinstance(about.get(name), kind):
            raise InputError(f"{path}: field {name!r} is missing or wrong; put a backup in its place")
    if about["format"] > FORMAT:
        raise InputError(f"{path}: written by a newer version of radeval (format {about['format']}); update radeval")
    return Study(folder, about)


def check_same_pairs(study: Study, rows: Sequence[StudyRow], path: Path) -> None:
    """Refuse pairs that are not those of the study: readings belong to exact texts."""
    if fingerprint(rows) != study.about["pairs"]:
        raise InputError(
            f"--store {study.folder} is a study of other pairs than {path}: give the same file, or a new folder"
        )
