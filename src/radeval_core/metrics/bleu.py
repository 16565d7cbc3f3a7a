"""`bleu`: sacrebleu's BLEU over the corpus and per pair, and the BLEU-2 inside RadCliQ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from radeval_core.functional.bleu import radcliq_bleu2
from radeval_core.metrics.base import Array, Option, PairScores, Scorer
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair

ORDERS = 4
SMOOTH = "exp"
#: sacrebleu's tokenisers that need no other package or model
TOKENIZERS = ("13a", "intl", "char", "none")

SPEC = MetricSpec(
    name="bleu",
    measures="n-gram precision with a brevity penalty",
    version=2,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=False,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 0.0, "no n-gram can match"),
    multi_reference=True,
    corpus_headline=True,
    two_pass=False,
    parts={
        **{f"bleu_{n}": Part(True, f"BLEU with n-grams of up to {n}") for n in range(1, 5)},
        "bleu_2_radcliq": Part(True, "BLEU-2 as RadCliQ computes it"),
    },
    configs=(Config("embedded", "sacrebleu, no model"),),
    takes_checkpoint=False,
    backends=(),
    citation="""@inproceedings{papineni2002bleu,
  title={BLEU: a method for automatic evaluation of machine translation},
  author={Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},
  booktitle={Proceedings of ACL}, year={2002}
}
@inproceedings{post2018call,
  title={A Call for Clarity in Reporting BLEU Scores},
  author={Post, Matt}, booktitle={Proceedings of WMT}, year={2018}
}""",
    urls=("https://aclanthology.org/P02-1040", "https://github.com/mjpost/sacrebleu"),
)


class BleuScorer(Scorer):
    """Counts matched and possible n-grams per pair; the corpus score comes from their sums."""

    spec = SPEC
    options: ClassVar = {
        "lowercase": Option(False, bool, "ignore case"),
        "tokenize": Option("13a", str, "tokeniser of sacrebleu", TOKENIZERS),
    }

    def prepare(self) -> None:
        lowercase, tokenize = self.chosen["lowercase"], self.chosen["tokenize"]
        self._bleu = BLEU(lowercase=lowercase, tokenize=tokenize, effective_order=True)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        stats = np.zeros((len(pairs), 2 + 2 * ORDERS + 1))
        for row, pair in zip(stats, pairs, strict=True):
            counts = self._bleu.sentence_score(pair.prediction, list(pair.references))
            row[:2] = counts.sys_len, counts.ref_len
            row[2 : 2 + ORDERS] = counts.counts
            row[2 + ORDERS : 2 + 2 * ORDERS] = counts.totals
            row[-1] = radcliq_bleu2(pair.prediction, pair.references)
        # sacrebleu keeps every text it has seen: that would grow with the corpus
        for kind in (type(self._bleu.tokenizer), TokenizerRegexp):
            clear = getattr(kind.__call__, "cache_clear", None)
            if clear:
                clear()
        each = [self._bleu_n(row, effective_order=True) for row in stats]
        values = {f"bleu_{n}": np.array([e[n - 1] for e in each]) for n in range(1, ORDERS + 1)}
        details = [_detail(row) for row in stats] if detailed else None
        return PairScores({"bleu": values["bleu_4"], **values, "bleu_2_radcliq": stats[:, -1]}, stats, details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        rows = sums.reshape(-1, sums.shape[-1])
        corpus = np.array([self._bleu_n(row, effective_order=False) for row in rows])
        shaped = {f"bleu_{i + 1}": corpus[:, i].reshape(sums.shape[:-1]) for i in range(ORDERS)}
        return {"bleu": shaped["bleu_4"], **shaped, "bleu_2_radcliq": sums[..., -1] / n}

    @staticmethod
    def _bleu_n(row: Array, effective_order: bool) -> list[float]:
        """Return BLEU-1 to BLEU-4 from one row of (summed) counts."""
        if not row[0] or not row[1]:
            return [0.0] * ORDERS
        sys_len, ref_len = int(row[0]), int(row[1])
        correct, total = row[2 : 2 + ORDERS].astype(int).tolist(), row[2 + ORDERS : -1].astype(int).tolist()
        percent = [
            BLEU.compute_bleu(
                correct[:n],
                total[:n],
                sys_len,
                ref_len,
                smooth_method=SMOOTH,
                effective_order=effective_order,
                max_ngram_order=n,
            ).score
            for n in range(1, ORDERS + 1)
        ]
        return [min(p / 100, 1.0) for p in percent]  # a perfect match comes out as 100.00000000000004

    def signature_fields(self) -> dict[str, object]:
        return {
            "case": "lc" if self.chosen["lowercase"] else "mixed",
            "tok": self.chosen["tokenize"],
            "smooth": SMOOTH,
            "sacrebleu": sacrebleu.__version__,
        }


def _detail(row: Array) -> dict[str, object]:
    return {
        "prediction_length": int(row[0]),
        "reference_length": int(row[1]),
        "matched_ngrams": row[2 : 2 + ORDERS].astype(int).tolist(),
        "possible_ngrams": row[2 + ORDERS : -1].astype(int).tolist(),
    }


SCORER = BleuScorer
