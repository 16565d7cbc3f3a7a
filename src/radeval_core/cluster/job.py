"""What is to be scored: plain values that are sent to every worker, and the digest that tells one job from another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from radeval_core import __version__, api
from radeval_core.errors import InputError
from radeval_core.io import PairColumns, PairFile
from radeval_core.metrics.base import Scorer
from radeval_core.pairs import Pair
from radeval_core.registry import get_spec


@dataclass(frozen=True)
class ScoringJob:
    """Metrics with their settings, and the columns of the files.

    Attributes:
        metrics: names of metrics.
        configs: config by metric.
        options: options by metric.
        device: device of models; chosen by each worker if not given.
        batch_tokens: token budget of a batch.
        cache: folder of the annotation cache, seen by every worker.
        lexicon: YAML files for the findings parser, seen by every worker.
        section: the section to score, or empty.
        columns: the columns of prediction, reference and id that the user named.
    """

    metrics: tuple[str, ...]
    configs: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    device: str | None = None
    batch_tokens: int | None = None
    cache: str | None = None
    lexicon: tuple[str, ...] = ()
    section: str = ""
    columns: tuple[str | None, str | None, str | None] = (None, None, None)

    def make_scorers(self) -> list[Scorer]:
        """Return a new scorer per metric; refuse options that need all pairs in one process."""
        resources = api.make_resources(
            self.device, self.batch_tokens, self.cache, False, self.lexicon or None, self.section or None
        )
        scorers = [
            api.make_scorer(name, self.configs.get(name), resources, dict(self.options.get(name, {})))
            for name in self.metrics
        ]
        api.check_lexicon(scorers)
        for scorer in scorers:
            for option in scorer.whole_run_options:
                if scorer.chosen[option] not in (None, False):
                    raise InputError(
                        f"option {scorer.spec.name}.{option} needs all pairs in one process: leave out --engine ray"
                    )
        return scorers

    def reader(self, path: str, scorers: Sequence[Scorer], start: int = 0, count: int | None = None) -> PairFile:
        """Return a reader of some pairs of a file. Rows without an id get none: their place in the corpus is not known.

        Args:
            path: the file.
            scorers: the scorers; they say which further columns are read.
            start: number of pairs to pass over.
            count: number of pairs to read; all by default.
        """
        further = tuple(dict.fromkeys(column for scorer in scorers for column in scorer.columns))
        return PairFile(Path(path), count, PairColumns(*self.columns), further, start, numbered=False)

    def digest(self, observed: str = "") -> str:
        """Return a digest of everything that can move a score of a pair.

        Args:
            observed: digest of what the first pass gathered, if there was one.
        """
        settings = {key: value for key, value in asdict(self).items() if key != "cache"}
        versions = {name: get_spec(name).version for name in self.metrics}
        files = {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in self.lexicon}
        return text_digest([settings, versions, __version__, files, observed])


def text_digest(value: Any) -> str:
    """Return a digest of plain values."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:32]


def pairs_digest(pairs: Sequence[Pair]) -> str:
    """Return a digest of the content of pairs."""
    rows = [[p.prediction, p.references, p.id, p.context and p.context.as_dict()] for p in pairs]
    return text_digest(rows)
