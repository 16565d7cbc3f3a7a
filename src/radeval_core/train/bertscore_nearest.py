"""Find the nearest other report by BERTScore, as the GREEN paper does (section 3.1.1, heuristic iv)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from radeval_core.api import make_scorer
from radeval_core.data.pairing import FindNearest
from radeval_core.data.similarity import most_similar_several
from radeval_core.engine.annotations import AnnotationStore
from radeval_core.engine.cache import cache_from
from radeval_core.errors import InputError
from radeval_core.metrics.base import Resources
from radeval_core.pairs import Pair

#: BERTScores computed together
_TOGETHER = 4096


def bertscore_nearest(
    config: str | None = None,
    candidates: int = 100,
    device: str | None = None,
    cache: str | None = None,
    progress: bool = False,
) -> FindNearest:
    """Return a function that finds the text with the highest BERTScore F1; the first one if several tie.

    Args:
        config: config of the metric `bertscore`, or a Hub id or folder of an encoder; the embedded encoder by default.
        candidates: compare each text only with so many others, those nearest by TF-IDF; 0 compares it with all. The
            paper does not say how it searched 174,329 reports.
        device: see `choose_device`.
        cache: folder that keeps token vectors between runs.
        progress: show a bar on a terminal.
    """
    if candidates < 0:
        raise InputError(f"--candidates must be 0 or more, got {candidates}")
    resources = Resources(AnnotationStore(cache_from(cache)), device, progress=progress)
    scorer = make_scorer("bertscore", config, resources, {})

    def nearest(texts: Sequence[str], wanted: Sequence[int]) -> Iterator[int | None]:
        if candidates:
            compared = most_similar_several(texts, wanted, candidates)
        else:
            compared = ([other for other in range(len(texts)) if other != place] for place in wanted)
        for place, others in zip(wanted, compared, strict=True):
            best: tuple[float, int] | None = None
            for start in range(0, len(others), _TOGETHER):
                some = others[start : start + _TOGETHER]
                pairs = [Pair(texts[other], (texts[place],)) for other in some]
                scores = scorer.score(pairs, detailed=False).values["f1"]
                first = int(np.argmax(scores))
                if best is None or scores[first] > best[0]:
                    best = (float(scores[first]), some[first])
            yield None if best is None else best[1]

    return nearest
