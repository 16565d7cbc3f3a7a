"""Read the XML files of Open-i from an archive, a wheel or a folder. Archives are read in memory, never unpacked."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from radeval_core.errors import InputError

ARCHIVE = "NLMCXR_reports.tgz"
#: the publisher's files are about 10 kB; anything far larger is something else
LARGEST_FILE, LARGEST_ARCHIVE, MOST_FILES = 2**20, 2**28, 100_000


def xml_reports(source: Path) -> Iterator[tuple[str, Element]]:
    """Yield the name (for messages) and the root element of every XML file.

    Args:
        source: the archive, a wheel or zip file that contains it, or a folder with the archive or with XML files.
    """
    if source.is_dir():
        if (source / ARCHIVE).is_file():
            yield from xml_reports(source / ARCHIVE)
            return
        for path in sorted(source.rglob("*.xml")):
            with path.open("rb") as file:
                yield str(path), _parse(str(path), file)
    elif zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as wheel:
            held = [member for member in wheel.infolist() if member.filename.rpartition("/")[2] == ARCHIVE]
            if len(held) != 1:
                raise InputError(f"{source}: expected one {ARCHIVE} in it, found {len(held)}")
            if held[0].file_size > LARGEST_ARCHIVE:
                raise InputError(f"{source}: {held[0].filename} is too large: not the publisher's archive")
            yield from _archive(f"{source}: {ARCHIVE}", io.BytesIO(wheel.read(held[0])))
    else:
        with source.open("rb") as file:
            yield from _archive(str(source), file)


def _archive(name: str, file: IO[bytes]) -> Iterator[tuple[str, Element]]:
    try:
        with tarfile.open(fileobj=file, mode="r:*") as archive:
            for count, member in enumerate(archive):
                if count > MOST_FILES:
                    raise InputError(f"{name}: more than {MOST_FILES} files: not the publisher's archive")
                content = archive.extractfile(member) if member.isreg() and member.name.endswith(".xml") else None
                if content:
                    yield f"{name}: {member.name}", _parse(f"{name}: {member.name}", content)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{name}: expected {ARCHIVE}, got a file that is not a readable archive ({error})") from error


def _parse(name: str, file: IO[bytes]) -> Element:
    data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise InputError(f"{name}: larger than {LARGEST_FILE} bytes: not a report")
    try:
        root: Element = ElementTree.fromstring(data, forbid_dtd=True)
    except (ParseError, DefusedXmlException) as error:
        raise InputError(f"{name}: not plain XML ({error or type(error).__name__})") from error
    return root
