"""Build the signature of a score: one line with everything that can change it, modelled on sacrebleu's."""

from __future__ import annotations

from collections.abc import Mapping

import radeval_core


def signature(name: str, config: str, fields: Mapping[str, object], refs: str, version: int) -> str:
    """Build a signature such as `bleu|config:embedded|tok:13a|refs:1|metric:1|core:0.1.0`.

    Args:
        name: the metric.
        config: the config's name.
        fields: everything else that can change the score, in a fixed order (model and revision, dtype, options).
        refs: references per pair, `1` or a range such as `1-3`.
        version: the metric's version.
    """
    parts = {"config": config, **fields, "refs": refs, "metric": version, "core": radeval_core.__version__}
    return "|".join([name, *(f"{key}:{_plain(value)}" for key, value in parts.items())])


def refs_text(fewest: int, most: int) -> str:
    """Return the number of references per pair as text: `1`, or `1-3` if it varies."""
    return str(fewest) if fewest == most else f"{fewest}-{most}"


def _plain(value: object) -> str:
    text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return text.replace("|", "_").replace("\n", " ")
