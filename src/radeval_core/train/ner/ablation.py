"""The paper's data ablation (table 7): train on each source alone and on all, and measure on the whole test part."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.train.ner.read_data import NerData
from radeval_core.train.ner.run import NerSettings
from radeval_core.train.run_folder import RUN, read_run

#: name of the run on all sources
ALL_SOURCES = "all"


def ablation_parts(data: NerData, settings: NerSettings) -> dict[str, NerSettings]:
    """Return the settings of each run by the name of its folder."""
    if len(data.sources) < 2:
        raise InputError(
            f"--ablate needs data of two or more sources, and this has {len(data.sources)}: name them in a column "
            "'source'"
        )
    for name in data.sources:
        data.only([name])  # a source without dev sentences is an error before the first run
    parts = {_folder(name): replace(settings, sources=(name,)) for name in data.sources}
    if len(parts) < len(data.sources) or ALL_SOURCES in parts:
        raise InputError("--ablate: two sources need the same folder name; rename one in the column 'source'")
    return {**parts, ALL_SOURCES: settings}


def finished(out: Path, record: Mapping[str, Any]) -> bool:
    """Return True if a folder has a complete run with these settings; an ablation does not repeat it."""
    if not (out / RUN).exists():
        return False
    before = read_run(out)
    return before.get("results") is not None and before["settings"] == json.loads(json.dumps(record))


def _folder(source: str) -> str:
    return re.sub(r"[^\w-]+", "_", source.lower()) or "_"
