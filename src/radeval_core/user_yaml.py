"""Read YAML that a user gave, within limits: a small file can ask for endless work, or crash the parser.

Aliases make a few hundred bytes stand for billions of values, and deep nesting overflows the stack of the C loader.
So the events of the file are counted first, without building anything.
"""

from __future__ import annotations

from typing import Any

import yaml

from radeval_core.errors import InputError

#: size of a file, in bytes
MOST_BYTES = 8 << 20
#: lists and mappings inside each other
MOST_DEPTH = 40
#: values, with each alias counted as all that it stands for
MOST_VALUES = 1_000_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(where: str, content: str | bytes) -> Any:
    """Return the data of a YAML text; raise an error that names the file and the line if it is wrong or too large.

    Args:
        where: the file, for errors.
        content: its content; bytes must be UTF-8.
    """
    if len(content) > MOST_BYTES:
        raise InputError(f"{where}: larger than {MOST_BYTES >> 20} MB")
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        _check(where, text)
        return yaml.load(text, Loader=_LOADER)
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 text ({error.reason})") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise InputError(f"{where}: {place}not valid YAML") from error
    except InputError:
        raise
    except (ValueError, OverflowError) as error:  # a date or a number that Python cannot hold
        raise InputError(f"{where}: not valid YAML: a date or a number is out of range") from error


def _check(where: str, text: str) -> None:
    """Raise an error if the text nests too deeply or stands for too many values."""
    sizes: dict[str, int] = {}  # values of each anchor that is complete
    open_nodes: list[tuple[str | None, int]] = []  # anchors of the lists around the event, and the count before each
    count = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise InputError(f"{where}: line {_line(event)}: alias *{event.anchor} contains itself")
            count += sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            count += 1
            if event.anchor:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append((event.anchor, count))
            count += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            if anchor:
                sizes[anchor] = count - before
        if len(open_nodes) > MOST_DEPTH:
            raise InputError(f"{where}: line {_line(event)}: nested more than {MOST_DEPTH} levels deep")
        if count > MOST_VALUES:
            raise InputError(f"{where}: line {_line(event)}: more than {MOST_VALUES:,} values")


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
