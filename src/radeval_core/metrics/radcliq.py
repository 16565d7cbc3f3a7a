"""`radcliq`: RadGraph, BERTScore, CheXbert similarity and BLEU-2, weighted to predict radiologists' error counts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from radeval_core.functional.radcliq import (
    PARTS,
    LinearModel,
    bertscore_text,
    contributions,
    line_name,
    lines,
    radcliq,
    read_line,
)
from radeval_core.metrics._weights import read_weights_file
from radeval_core.metrics.base import Array, Option, PairScores, Scorer
from radeval_core.metrics.bertscore import BertScorer
from radeval_core.metrics.bleu import BleuScorer
from radeval_core.metrics.chexbert_f1 import ChexbertScorer
from radeval_core.metrics.configs import resolve_config
from radeval_core.metrics.radgraph_f1 import RadgraphF1Scorer
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank

log = logging.getLogger(__name__)

#: scorer of each part, its per-pair value, and its config in the paper
SOURCES: dict[str, tuple[type[Scorer], str, str]] = {
    "radgraph": (RadgraphF1Scorer, "combined", "radgraph"),
    "bertscore": (BertScorer, "f1", "distilroberta-base"),
    "semb": (ChexbertScorer, "similarity", "chexbert"),
    "bleu": (BleuScorer, "bleu_2_radcliq", "embedded"),
}
#: how much farther from 1 the published model's value lies than the embedded one's, where it does: least squares on
#: 295 IU X-ray pairs with the published models' scores (MoERad). Equal reports keep 1 in every part.
STRETCH = {"bertscore": 1.6, "semb": 1.2}
_NOTHING_IN_COMMON = float(radcliq(np.zeros(len(PARTS)), "v1"))
_ALL_IN_COMMON = float(radcliq(np.ones(len(PARTS)), "v1"))

SPEC = MetricSpec(
    name="radcliq",
    measures="composite fitted to radiologists' error counts (RadCliQ-v1)",
    version=7,
    higher_is_better=False,
    bounds=(-1.4407, None),
    symmetric=True,
    identity=_ALL_IN_COMMON,
    empty=EmptyRule(
        _NOTHING_IN_COMMON, _NOTHING_IN_COMMON, _NOTHING_IN_COMMON, "nothing is in common: all four parts are 0"
    ),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={
        "v0": Part(False, "RadCliQ-v0, about a number of errors"),
        "radgraph": Part(True, "its input: mean of entity and relation F1"),
        "bertscore": Part(True, "its input: BERTScore"),
        "semb": Part(True, "its input: cosine of CheXbert vectors"),
        "bleu": Part(True, "its input: BLEU-2"),
    },
    configs=(
        Config("embedded", "its four parts embedded, on the scale of the published ones", extra="models"),
        Config("paper", "RadGraph, distilroberta-base, CheXbert and BLEU-2", "StanfordAIMI/RRG_scorers", "models"),
    ),
    takes_checkpoint=False,
    backends=(),
    citation="""@article{yu2023evaluating,
  title={Evaluating progress in automatic chest X-ray radiology report generation},
  author={Yu, Feiyang and Endo, Mark and Krishnan, Rayan and Pan, Ian and Tsai, Andy and Reis, Eduardo Pontes and
    Fonseca, Eduardo Kaiser Ururahy Nunes and Lee, Henrique Min Ho and Abad, Zahra Shakeri Hossein and Ng, Andrew Y.
    and Langlotz, Curtis P. and Venugopal, Vasantha Kumar and Rajpurkar, Pranav},
  journal={Patterns}, volume={4}, number={9}, year={2023}
}""",
    urls=("https://doi.org/10.1016/j.patter.2023.100802",),
)


class RadcliqScorer(Scorer):
    """Runs four scorers that share the run's annotations, and combines them linearly."""

    spec = SPEC
    options: ClassVar = {
        "radgraph": Option(None, str, "config, Hub id or folder for the RadGraph part, instead of the config's"),
        "bertscore": Option(None, str, "config, Hub id or folder for the BERTScore part, instead of the config's"),
        "chexbert": Option(None, str, "config, Hub id or folder for the CheXbert part, instead of the config's"),
        "idf": Option(False, bool, "weigh the tokens of BERTScore by how rare they are among the references"),
        "weights": Option("v1", str, "weights of the parts: v1, v0, or a file written by `radeval fit radcliq`"),
    }

    def prepare(self) -> None:
        self.line, self.version, self._fitted_on = read_weights(self.chosen["weights"] or "v1")
        given = {"radgraph": "radgraph", "bertscore": "bertscore", "semb": "chexbert"}
        self.scorers: dict[str, Scorer] = {}
        for part, (kind, _, published) in SOURCES.items():
            wanted = self.chosen[given[part]] if part in given else None
            config = wanted or (published if self.config.name == "paper" else "embedded")
            options: dict[str, Any] = {"idf": self.chosen["idf"]} if part == "bertscore" else {}
            chosen, checkpoint = resolve_config(kind.spec, config)
            self.scorers[part] = kind(chosen, self.resources, checkpoint, **options)

    @property
    def reads_findings(self) -> bool:
        return any(scorer.reads_findings for scorer in self.scorers.values())

    @property
    def two_pass(self) -> bool:
        return any(scorer.two_pass for scorer in self.scorers.values())

    def observe(self, pairs: Sequence[Pair]) -> None:
        for part, scorer in self.scorers.items():
            if scorer.two_pass:
                scorer.observe(_input(part, pairs))

    def observed(self, whole: bool = False) -> dict[str, Any]:
        return {part: scorer.observed(whole) for part, scorer in self.scorers.items() if scorer.two_pass}

    def add_observed(self, observed: Any) -> None:
        for part, found in observed.items():
            self.scorers[part].add_observed(found)

    def warm_up(self) -> None:
        for scorer in self.scorers.values():
            scorer.warm_up()
        if self._fitted_on and self._fitted_on != self.part_models():
            log.warning("radcliq: the weights %s were fitted on parts of other models or lexicons", self.version)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        whole = [i for i, pair in enumerate(pairs) if not is_blank(pair.prediction) and not is_blank(pair.reference)]
        parts = np.zeros((len(pairs), len(PARTS)))
        if whole:
            written = [pairs[i] for i in whole]
            parts[whole] = np.column_stack([self._part(part, written) for part in PARTS])
        values = {
            "radcliq": radcliq(parts, self.line),
            "v0": radcliq(parts, "v0"),
            **{part: parts[:, i] for i, part in enumerate(PARTS)},
        }
        return PairScores(values, details=[self._detail(row) for row in parts] if detailed else None)

    def _detail(self, parts: Array) -> dict[str, Any]:
        """Return the parts of one pair and what each adds to both published versions and to the chosen one."""
        versions = {**lines(), self.version: self.line}
        return {
            "parts": dict(zip(PARTS, parts.tolist(), strict=True)),
            "contributions": {
                name: dict(zip(PARTS, contributions(parts, line).tolist(), strict=True))
                for name, line in versions.items()
            },
        }

    def _part(self, part: str, pairs: Sequence[Pair]) -> Array:
        """Return one part of each pair, on the scale of the published models."""
        scorer = self.scorers[part]
        values = scorer.score(_input(part, pairs), False).values[SOURCES[part][1]]
        if scorer.config.name == "embedded":
            values = 1 - STRETCH.get(part, 1.0) * (1 - values)
        return values

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        means = super().summarise(sums, n)
        added = contributions(np.stack([means[part] for part in PARTS], axis=-1), self.line)
        return {**means, **{f"contribution_{part}": added[..., i] for i, part in enumerate(PARTS)}}

    def signature_fields(self) -> dict[str, object]:
        fields = {"version": self.version, **self.part_models(), "max_tokens": self._part_limits()}
        return {**fields, "idf": self.chosen["idf"], "dtype": "fp32"}

    def _part_limits(self) -> str:
        """Return how many tokens of a report each part with a limit reads, or reads at once."""
        fields = {part: scorer.signature_fields() for part, scorer in self.scorers.items()}
        limits = {part: found.get("max_tokens") or found.get("window") for part, found in fields.items()}
        return "+".join(f"{part}-{limit}" for part, limit in limits.items() if limit)

    def part_models(self) -> dict[str, object]:
        """Return what the parts are computed with, each with a hash or commit; BLEU needs no model."""
        fields: dict[str, object] = {}
        for part, scorer in self.scorers.items():
            if part != "bleu":
                of_part = scorer.signature_fields()
                fields[part] = of_part.get("model") or f"lexicon-{of_part['lexicon']}"
        return fields


def _input(part: str, pairs: Sequence[Pair]) -> Sequence[Pair]:
    """Return the pairs as the scorer of a part gets them."""
    if part != "bertscore":
        return pairs
    return [Pair(bertscore_text(p.prediction), tuple(map(bertscore_text, p.references)), p.id) for p in pairs]


def read_weights(wanted: str) -> tuple[LinearModel, str, dict[str, object] | None]:
    """Return a line, its name in signatures, and the models its parts were computed with, if its file says so.

    Args:
        wanted: `v1`, `v0`, or the path of a JSON or YAML file that `radeval fit radcliq` wrote.
    """
    known = lines()
    if wanted.lower() in known:
        return known[wanted.lower()], wanted.lower(), None
    _, data = read_weights_file("radcliq", wanted, known)
    line = read_line(data, f"weights of radcliq: {wanted}")
    provenance = data.get("provenance")
    fitted_on = provenance.get("part_models") if isinstance(provenance, dict) else None
    return line, line_name(line), fitted_on


SCORER = RadcliqScorer
