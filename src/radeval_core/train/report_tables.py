"""Turn the results of any training run into tables, without knowing what it trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core.train.judge.figures import MEASURES

#: values of a log that are no figures of the model
_TECHNICAL = ("loss", "runtime", "_per_second", "flos", "grad_norm", "learning_rate", "epoch", "num_tokens", "entropy")
#: curves that fit into one plot
_MOST = 6


@dataclass(frozen=True)
class SectionTable:
    """A table of a page.

    Attributes:
        key: its anchor.
        title: its heading.
        columns: names of the columns.
        rows: cells: texts, numbers or None.
    """

    key: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def measured_names(log: Sequence[Mapping[str, Any]], kind: str) -> dict[str, str]:
    """Return the figures in a log that are worth a curve, with their labels."""
    if kind == "judge":
        return MEASURES
    names = [name for line in log for name in line if name.startswith("eval_")]
    kept = [name for name in dict.fromkeys(names) if not any(part in name for part in _TECHNICAL)]
    return {name: _words(name.removeprefix("eval_")) for name in kept[:_MOST]}


def any_tables(results: Mapping[str, Any], title: str = "Results") -> list[SectionTable]:
    """Return nested results as tables: single values first, then one table per group of values.

    A group of groups, such as figures by type, becomes a table with a row per group if its values are single ones.
    """
    single = [(_words(name), _value(value)) for name, value in results.items() if not isinstance(value, Mapping)]
    tables = [SectionTable(_key(title), title, ("", "value"), single)] if single else []
    for name, group in results.items():
        if not isinstance(group, Mapping) or not group:
            continue
        heading = _words(name) if title == "Results" else f"{title}: {_words(name)}"
        if all(isinstance(value, Mapping) and value and not _nested(value) for value in group.values()):
            columns = list(dict.fromkeys(key for value in group.values() for key in value))
            rows = [(_words(key), *(_value(value.get(c)) for c in columns)) for key, value in group.items()]
            tables.append(SectionTable(_key(heading), heading, ("", *map(_words, columns)), rows))
        else:
            tables += any_tables(group, heading)
    return tables


def _nested(group: Mapping[str, Any]) -> bool:
    return any(isinstance(value, Mapping) for value in group.values())


def _value(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _words(name: str) -> str:
    return str(name).replace("_", " ")


def _key(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower())
