"""Presets: the numbers of a published table, under its names and with its settings.

A preset runs the embedded configs unless the published checkpoints are asked for. It says of each number whether it can
be compared with the published table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.errors import unknown_name
from radeval_core.registry import get_spec
from radeval_core.shown_values import ShownValue, metrics_of, shown_value

_FILE = Path(__file__).with_name("presets.yaml")
Options = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class PublishedConfig:
    """The config with the weights that a source used.

    Attributes:
        config: its name.
        options: options that only this config takes.
    """

    config: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Preset:
    """The numbers of a published table.

    Attributes:
        name: what the user types.
        about: one line for help texts.
        source: where the names and settings come from.
        values: the numbers, in the order of the source; `comparable` is False if a number differs even with the
            published weights.
        published: by metric, the config with the weights that the source used.
        options: options by metric, for every config.
        notes: what differs from the source, or is not available.
    """

    name: str
    about: str
    source: str
    values: tuple[ShownValue, ...]
    published: Mapping[str, PublishedConfig]
    options: Options
    notes: tuple[str, ...]

    def settings(
        self, configs: Mapping[str, str] | None, options: Options | None, published: bool
    ) -> tuple[tuple[ShownValue, ...], dict[str, str], dict[str, dict[str, Any]]]:
        """Return the numbers, marked as comparable or not, and the configs and options to compute them with.

        Args:
            configs: configs the user chose; they win.
            options: options the user chose; they win.
            published: use the published configs for all other metrics.
        """
        chosen = {name: found.config for name, found in self.published.items() if published} | dict(configs or {})
        mine = self._options(chosen)
        given = {name: dict(found) for name, found in (options or {}).items()}
        changed = {name for name, found in given.items() if {**mine.get(name, {}), **found} != mine.get(name, {})}
        as_published = {
            name: name not in changed and chosen.get(name, _default(name)) == self._expected(name)
            for name in metrics_of(self.values)
        }
        used = {name: {**mine.get(name, {}), **given.get(name, {})} for name in dict.fromkeys((*mine, *given))}
        values = tuple(replace(v, comparable=as_published[v.metric] and bool(v.comparable)) for v in self.values)
        return values, chosen, used

    def warning(self, values: Sequence[ShownValue]) -> str:
        """Return which numbers cannot be compared with the published table, or nothing."""
        unlike = [value.name for value in values if not value.comparable]
        if not unlike:
            return ""
        never = {value.name for value in self.values if not value.comparable}
        advice = "--published uses the weights and options of the source" if set(unlike) - never else "see the notes"
        return f"not comparable with the published table: {', '.join(unlike)}; {advice}"

    def _expected(self, metric: str) -> str:
        return self.published[metric].config if metric in self.published else _default(metric)

    def _options(self, configs: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """Return the options of this preset for the chosen configs."""
        found = {name: dict(options) for name, options in self.options.items()}
        for name, published in self.published.items():
            if configs.get(name) == published.config and published.options:
                found.setdefault(name, {}).update(published.options)
        return found


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets."""
    return tuple(_presets())


def get_preset(name: str) -> Preset:
    """Return a preset by name."""
    if name not in _presets():
        raise unknown_name("preset", name, preset_names())
    return _presets()[name]


@cache
def _presets() -> dict[str, Preset]:
    return {name: _read(name, entry) for name, entry in yaml.safe_load(_FILE.read_text("utf-8")).items()}


def _read(name: str, entry: Mapping[str, Any]) -> Preset:
    return Preset(
        name=name,
        about=entry["about"],
        source=" ".join(entry["source"].split()),
        values=tuple(_value(**value) for value in entry["values"]),
        published={metric: PublishedConfig(**found) for metric, found in entry.get("published", {}).items()},
        options=entry.get("options", {}),
        notes=tuple(" ".join(note.split()) for note in entry.get("notes", ())),
    )


def _value(name: str, value: str, better: str = "higher", inverse: bool = False, comparable: bool = True) -> ShownValue:
    up = better == "higher"
    return replace(shown_value(value), name=name, higher_is_better=up, inverse=inverse, comparable=comparable)


def _default(metric: str) -> str:
    return get_spec(metric).default_config.name
