"""The first pass over a file of pairs: check and count it, and gather what some metrics need of the whole corpus.

What it gathers may quote reports (CIDEr counts their n-grams), so it leaves a worker encrypted.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from radeval_core.cluster.job import ScoringJob, pairs_digest, text_digest
from radeval_core.errors import InputError
from radeval_core.io import write_text
from radeval_core.metrics.base import Scorer
from radeval_core.pairs import Pair, check_references, is_blank
from radeval_core.runner import chunks

_NONCE = 12
_KEY = "first-pass.key"


@dataclass(frozen=True)
class Survey:
    """What the first pass found in one file.

    Attributes:
        path: the file.
        sizes: number of pairs of each chunk. A chunk becomes one part.
        digests: digest of the content of each chunk.
        references: the least and the most references of a pair; 0 and 0 for an empty file.
        empty_predictions: number of pairs whose prediction is empty.
        empty_references: number of pairs whose references are all empty.
        section: what the section cutter counted; empty for whole reports.
        observed: sealed results of the first pass by metric.
    """

    path: str
    sizes: tuple[int, ...]
    digests: tuple[str, ...]
    references: tuple[int, int] = (0, 0)
    empty_predictions: int = 0
    empty_references: int = 0
    section: Mapping[str, Any] = field(default_factory=dict)
    observed: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def pairs(self) -> int:
        return sum(self.sizes)


def survey_file(job: ScoringJob, path: str, key: bytes) -> Survey:
    """Read a file once and check every pair of it.

    Args:
        job: the job.
        path: the file.
        key: seals what the first pass gathers.
    """
    scorers = job.make_scorers()
    observing = [scorer for scorer in scorers if scorer.two_pass]
    single = next((s.spec.name for s in scorers if not s.spec.multi_reference), None)
    cutter = scorers[0].resources.cutter
    reader = job.reader(path, scorers)
    sizes: list[int] = []
    digests: list[str] = []
    counts: Counter[str] = Counter()
    references: set[int] = set()
    checked = _checked(reader, path, single)
    for chunk in chunks(cutter.pairs(checked) if cutter else checked):
        for scorer in observing:
            scorer.observe(chunk)
        sizes.append(len(chunk))
        digests.append(pairs_digest(chunk))
        references.update(len(pair.references) for pair in chunk)
        counts["predictions"] += sum(is_blank(pair.prediction) for pair in chunk)
        counts["references"] += sum(all(map(is_blank, pair.references)) for pair in chunk)
    return Survey(
        path,
        tuple(sizes),
        tuple(digests),
        (min(references, default=0), max(references, default=0)),
        counts["predictions"],
        counts["references"],
        cutter.counts() if cutter else {},
        {scorer.spec.name: seal(scorer.observed(), key) for scorer in observing},
    )


def _checked(pairs: Iterable[Pair], path: str, single: str | None) -> Iterator[Pair]:
    """Yield pairs; refuse those that cannot be scored in parts or by a metric that takes a single reference."""
    for number, pair in enumerate(pairs, start=1):
        if single and len(pair.references) > 1:
            check_references(f"{path}: row {number}", pair.references, single, False)
        if pair.boxes is not None or pair.image is not None:
            raise InputError(
                f"{path}: row {number}: boxes and images are read in order by one process: leave out --engine ray"
            )
        yield pair


def add_up(scorers: Sequence[Scorer], surveys: Sequence[Survey], key: bytes) -> dict[str, bytes]:
    """Return what the first pass gathered in all files, sealed, by metric; scorers without one have no entry."""
    whole = {}
    for scorer in scorers:
        if scorer.two_pass:
            for survey in surveys:
                scorer.add_observed(unseal(survey.observed[scorer.spec.name], key))
            whole[scorer.spec.name] = seal(scorer.observed(whole=True), key)
    return whole


def observed_digest(scorers: Sequence[Scorer], observed: Mapping[str, bytes], key: bytes) -> str:
    """Return a digest of what the first pass gathered; empty without one."""
    found = {s.spec.name: unseal(observed[s.spec.name], key) for s in scorers if s.spec.name in observed}
    return text_digest(found) if found else ""


def joined_sections(surveys: Sequence[Survey]) -> dict[str, Any]:
    """Return what the section cutters of all files counted together."""
    found = [survey.section for survey in surveys if survey.section]
    if not found:
        return {}
    return {
        key: value if isinstance(value, str) else {side: sum(f[key][side] for f in found) for side in value}
        for key, value in found[0].items()
    }


@contextmanager
def new_key(folder: Path) -> Iterator[bytes]:
    """Write a new key into the folder of the parts, which only its owner can read, while the block runs."""
    path = folder / _KEY
    key = AESGCM.generate_key(128)
    write_text(path, key.hex(), private=True)
    try:
        yield key
    finally:
        path.unlink(missing_ok=True)


def read_key(folder: Path) -> bytes:
    """Return the key of the run that is going on."""
    return bytes.fromhex((folder / _KEY).read_text("utf-8"))


def seal(value: Any, key: bytes) -> bytes:
    """Return plain values compressed and encrypted."""
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, zlib.compress(json.dumps(value).encode(), 1), None)


def unseal(data: bytes, key: bytes) -> Any:
    """Return what `seal` was given."""
    return json.loads(zlib.decompress(AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], None)))
