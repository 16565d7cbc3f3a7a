"""Open text files in UTF-8, Latin-1 or UTF-16, plain or gzip, as streams of text. Bytes are read once, so pipes work.

UTF-16 is recognised by its byte order mark, or by the zero bytes of plain letters. A file that is ASCII up to a byte
that is not valid UTF-8 is read as Latin-1 (with the additions of Windows-1252). Both are announced in a note.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TextIO

from radeval_core.errors import InputError
from radeval_core.io.notes import Notes

_BLOCK = 1 << 16
_LATIN = "cp1252"
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
#: first bytes of files that are no text, and how such a file is read
_OTHER_FILES = {
    b"PAR1": "a Parquet file: its name must end in .parquet",
    b"PK\x03\x04": "a zip archive or an Excel sheet: save it as .csv",
    b"\x1f\x8b": "a gzip file: its name must end in .gz",
}


def open_text(path: Path, notes: Notes, newline: str = "\n") -> TextIO:
    """Open a file for reading as text.

    Args:
        path: the file; gzip if its name ends in `.gz`.
        notes: receives a note if the file is not UTF-8.
        newline: what ends a line, as in `open`. By default only a line feed does: reports may contain other characters
            that Python would take for line ends.
    """
    try:
        source: IO[bytes] = gzip.open(path, "rb") if path.suffix.lower() == ".gz" else open(path, "rb")  # type: ignore[assignment]  # noqa: SIM115
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return io.TextIOWrapper(
        io.BufferedReader(_Utf8Bytes(source, path, notes), _BLOCK), encoding="utf-8", newline=newline
    )


def numbered_lines(path: Path, notes: Notes) -> Iterator[tuple[int, str]]:
    """Yield each line without its line end, with its number from 1."""
    with open_text(path, notes) as file:
        for number, line in enumerate(file, start=1):
            yield number, line.removesuffix("\n").removesuffix("\r")


class _Utf8Bytes(io.RawIOBase):
    """The content of a file as UTF-8, whatever its own encoding is."""

    def __init__(self, source: IO[bytes], path: Path, notes: Notes) -> None:
        self._source, self._path, self._notes = source, path, notes
        self._decoder: codecs.IncrementalDecoder | None = None
        self._encoding = "utf-8"
        self._may_be_latin = True  # as long as nothing but ASCII was read
        self._line = 1
        self._ready = b""
        self._end = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready and not self._end:
            self._ready = self._next().encode()
        part, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        self._source.close()
        super().close()

    def _next(self) -> str:
        """Return the text of the next block."""
        data = self._read()
        if self._decoder is None:
            while 0 < len(data) < 4 and (more := self._read()):
                data += more
            data = data[self._recognise(data) :]
        else:
            self._end = not data
        return self._decode(data)

    def _read(self) -> bytes:
        try:
            return self._source.read1(_BLOCK)  # type: ignore[attr-defined]
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{self._path}: not a complete gzip file ({error})") from error
        except OSError as error:
            raise InputError(f"{self._path}: cannot be read: {error.strerror or error}") from error

    def _recognise(self, start: bytes) -> int:
        """Choose the encoding by the first bytes of the file; return the length of its byte order mark."""
        for magic, what in _OTHER_FILES.items():
            if start.startswith(magic):
                raise InputError(f"{self._path}: not a text file but {what}")
        mark = next((mark for mark in _MARKS if start.startswith(mark)), b"")
        zeros = tuple(byte == 0 for byte in start[:4])
        if mark:
            self._encoding, self._may_be_latin = _MARKS[mark], False
        elif zeros in ((False, True, False, True), (True, False, True, False)):
            self._encoding, self._may_be_latin = ("utf-16-be" if zeros[0] else "utf-16-le"), False
        if self._encoding != "utf-8":
            self._notes.say(f"{self._path}: read as UTF-16")
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        return len(mark)

    def _decode(self, data: bytes) -> str:
        assert self._decoder is not None
        try:
            text = self._decoder.decode(data, self._end)
        except UnicodeDecodeError as error:
            whole, before = error.object, error.object[: error.start]
            line = self._line + before.count(b"\n")
            if not (self._may_be_latin and before.isascii()):
                names = {"utf-8": "UTF-8", _LATIN: "UTF-8 and not Latin-1"}
                name = names.get(self._encoding, "UTF-16")
                raise InputError(f"{self._path}: line {line}: not {name} text ({error.reason})") from None
            self._notes.say(f"{self._path}: not UTF-8 from line {line} on, so it is read as Latin-1 (Windows-1252)")
            self._encoding, self._may_be_latin = _LATIN, False
            self._decoder = codecs.getincrementaldecoder(_LATIN)()
            return self._decode(whole)
        self._may_be_latin = self._may_be_latin and text.isascii()
        self._line += text.count("\n")
        return text
