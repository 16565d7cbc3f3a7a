"""`meteor`: METEOR 1.5, by its own program, or without its tables of synonyms and paraphrases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from radeval_core.engine.meteor_jar import MeteorJar, find_jar
from radeval_core.errors import InputError, RadevalError
from radeval_core.functional.meteor import (
    COUNTS,
    MAX_WORDS,
    MODULES,
    align,
    count,
    meteor,
    without_perfect_chunk,
    words,
)
from radeval_core.metrics.base import Array, Option, PairScores, Scorer
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec
from radeval_core.pairs import Pair, is_blank

_PROGRAM = "meteor-1.5"

SPEC = MetricSpec(
    name="meteor",
    measures="aligned words and their order (METEOR 1.5)",
    version=1,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=False,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 0.0, "no word can match"),
    multi_reference=True,
    corpus_headline=True,
    two_pass=False,
    parts={},
    configs=(
        Config("embedded", "METEOR 1.5 with equal words and equal stems; no synonyms and paraphrases, no Java"),
        Config(_PROGRAM, "METEOR 1.5 itself: needs Java and `pip install pycocoevalcap`"),
    ),
    takes_checkpoint=False,
    backends=(),
    citation="""@inproceedings{denkowski2014meteor,
  title={Meteor Universal: Language Specific Translation Evaluation for Any Target Language},
  author={Denkowski, Michael and Lavie, Alon},
  booktitle={Workshop on Statistical Machine Translation}, year={2014}
}""",
    urls=("https://aclanthology.org/W14-3348/", "https://www.cs.cmu.edu/~alavie/METEOR/"),
)


class MeteorScorer(Scorer):
    """Counts matches and chunks of each pair; the headline is the score of the summed counts, as in METEOR."""

    spec = SPEC
    options: ClassVar = {
        "jar": Option(None, str, "meteor-1.5.jar to run with config meteor-1.5; by default that of pycocoevalcap")
    }
    corpus_numbers = ("mean",)

    def prepare(self) -> None:
        if self.chosen["jar"] is not None and self.config.name != _PROGRAM:
            raise InputError(f"option meteor.jar is for config {_PROGRAM!r}: add --config meteor={_PROGRAM}")

    @cached_property
    def _program(self) -> MeteorJar:
        return MeteorJar(find_jar(self.chosen["jar"]))

    def warm_up(self) -> None:
        if self.config.name == _PROGRAM:
            _ = self._program

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        counts = np.array([self._counts(pair) for pair in pairs])
        scores = meteor(counts)
        details = [_detail(row) for row in counts] if detailed else None
        return PairScores({"meteor": scores}, np.column_stack([counts, scores]), details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        return {"meteor": meteor(sums[..., :COUNTS]), "mean": sums[..., COUNTS] / n}

    def _counts(self, pair: Pair) -> Array:
        """Return the counts with the reference that gives the best score."""
        references = [text for text in pair.references if not is_blank(text)]
        if is_blank(pair.prediction) or not references:
            return np.zeros(COUNTS)
        if self.config.name == _PROGRAM:
            found = np.array(self._program.counts(pair.prediction, references))
            if found.shape != (COUNTS,):
                raise RadevalError(f"METEOR 1.5 gave {found.size} counts, not {COUNTS}: is the jar of another version?")
            return without_perfect_chunk(found)
        mine = words(pair.prediction)
        each = [count(mine, theirs, align(mine, theirs)) for theirs in map(words, references)]
        return max(each, key=lambda row: float(meteor(row)))

    def signature_fields(self) -> dict[str, object]:
        if self.config.name == _PROGRAM:
            return {"modules": "+".join(MODULES), "norm": "yes"}
        return {"modules": "exact+stem", "max_words": MAX_WORDS}


def _detail(counts: Array) -> dict[str, Any]:
    """Return the words, the matches by module, and the chunks of a pair; both sides of a match count."""
    sides = {"prediction": 0, "reference": 1}
    return {
        "words": {side: int(counts[i]) for side, i in sides.items()},
        "matched": {
            name: {side: int(counts[4 + 4 * m + i] + counts[6 + 4 * m + i]) for side, i in sides.items()}
            for m, name in enumerate(MODULES)
        },
        "chunks": int(counts[-3]),
    }


SCORER = MeteorScorer
