"""`green`: clinically significant errors in six categories against matched findings, by a model or our comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.green import error_count, green, weighted_green
from radeval_core.judges.green.analysis import GreenAnalysis, by_category
from radeval_core.judges.green.embedded import analyse
from radeval_core.judges.green.instructions import GreenInstructions, choose_instructions
from radeval_core.judges.verdict import Verdict
from radeval_core.metrics._judged import BACKENDS, OPEN_MATCH, JudgedScorer, prompt_options
from radeval_core.metrics.base import Array, Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank
from radeval_core.patient_context import PatientContext

_PUBLISHED = {
    "radllama2-7b": ("GREEN-radllama2-7b", "the paper's model"),
    "radphi2": ("GREEN-RadPhi2", "2.7 billion parameters"),
    "phi2": ("GREEN-Phi2", "2.7 billion parameters, not trained further on radiology"),
    "mistral-7b": ("GREEN-Mistral-7b", "Mistral-v0.1"),
    "llama2-7b": ("GREEN-Llama2-7b", "LLaMA-2, not trained further on radiology"),
    "mm-radllama-7b": ("GREEN-MM-RadLLaMA-7b", "trained beyond chest X-ray"),
    "phi3": ("GREEN-Phi-3", "Phi-3"),
    "gemma-2b-mm": ("GREEN-Gemma-2b-MM", "Gemma with 2 billion parameters, trained beyond chest X-ray"),
}
#: mean counts among the results, in this order
COUNTS = ("matched", *(f"{kind}_{name}" for kind in ("significant", "insignificant") for name in CATEGORIES))

SPEC = MetricSpec(
    name="green",
    measures="matched findings against clinically significant errors, with the errors named",
    version=8,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=False,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "nothing can match a report that says nothing"),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={
        "error_count": Part(False, "number of all errors, significant or not"),
        "weighted": Part(True, "variant with clinical weights, which ranks better; only with embedded"),
    },
    configs=(
        Config("embedded", "our findings parser and comparison, no model"),
        *(
            Config(name, f"{checkpoint}: {about}", f"StanfordAIMI/{checkpoint}", "models")
            for name, (checkpoint, about) in _PUBLISHED.items()
        ),
    ),
    takes_checkpoint=True,
    citation="""@inproceedings{ostmeier2024green,
  title={{GREEN}: Generative Radiology Report Evaluation and Error Notation},
  author={Ostmeier, Sophie and Xu, Justin and Chen, Zhihong and Varma, Maya and Blankemeier, Louis and Bluethgen,
    Christian and Michalson, Arne Edward and Moseley, Michael and Langlotz, Curtis and Chaudhari, Akshay S. and
    Delbrouck, Jean-Benoit},
  booktitle={Findings of the Association for Computational Linguistics: EMNLP 2024}, year={2024}
}""",
    urls=("https://arxiv.org/abs/2405.03595",),
    backends=BACKENDS,
)


class GreenScorer(JudgedScorer[GreenAnalysis]):
    """Gets the analysis of each distinct pair and computes the numbers."""

    spec = SPEC
    options: ClassVar = {
        "summary": Option(
            False, bool, "also return the GREEN summary: how often each error occurs, with its most typical sentences"
        ),
        "plot": Option(None, str, "file name, ending in .png, for a map of the errors"),
        "encoder": Option(
            None,
            str,
            "sentence-transformers model for summary and plot, Hub id or folder; by default the embedded MiniLM",
        ),
        **prompt_options("paper (default: appendix A.1)", "none (default), invented"),
        "open_match": OPEN_MATCH,
        **JudgedScorer.model_options,
    }
    whole_run_options = ("summary", "plot")

    def prepare(self) -> None:
        super().prepare()
        if self.chosen["plot"] is not None and not self.chosen["plot"].lower().endswith(".png"):
            raise InputError(f"option green.plot must be a file name that ends in .png, got {self.chosen['plot']!r}")
        self._analyses: list[GreenAnalysis] = []  # kept for the summary alone
        self._scores: list[float] = []

    def choose_instructions(
        self, instructions: str | None, examples: str | None, shots: int | None
    ) -> GreenInstructions:
        return choose_instructions(instructions, examples, shots)

    def analyse(
        self, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None
    ) -> GreenAnalysis:
        return analyse(reference, candidate)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        verdicts = self.verdicts(pairs)
        values = {name: np.full(len(pairs), math.nan) for name in self.value_names}
        counts = np.zeros((len(pairs), len(COUNTS)))
        for i, (pair, verdict) in enumerate(zip(pairs, verdicts, strict=True)):
            analysis = verdict.analysis
            values["green"][i] = _number(pair, analysis)
            values["weighted"][i] = _weighted(analysis)
            if analysis is not None:
                values["error_count"][i] = error_count(analysis.significant_count, analysis.insignificant_count)
                counts[i] = _counts(analysis)
        if self._wants_summary:
            self._analyses += [v.analysis for v in verdicts if v.analysis is not None]
            self._scores += [s for s in values["green"].tolist() if not math.isnan(s)]
        analysed = np.array([v.analysis is not None for v in verdicts], dtype=np.float64)
        scores, errors, weighted = (values[name] for name in self.value_names)
        stats = np.column_stack([scores, scores**2, np.nan_to_num(errors), np.nan_to_num(weighted), analysed, counts])
        details = [self._detail(p, v) for p, v in zip(pairs, verdicts, strict=True)] if detailed else None
        return PairScores(values, stats, details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        mean = sums[..., 0] / n
        variance = sums[..., 1] / n - mean**2
        analysed = np.maximum(sums[..., 4], 1)
        weighted = {"weighted": sums[..., 3] / analysed} if self.embedded else {}  # a model gives no weights
        return {
            "green": mean,
            "std": np.sqrt(np.where(variance < 1e-12, 0.0, variance)),  # rounding leaves a trace of equal scores
            "error_count": sums[..., 2] / analysed,
            **weighted,
            **{name: sums[..., 5 + i] / analysed for i, name in enumerate(COUNTS)},
        }

    @property
    def pairwise(self) -> bool:
        return not self._wants_summary  # a summary is about all pairs of a run

    @property
    def _wants_summary(self) -> bool:
        return bool(self.chosen["summary"]) or self.chosen["plot"] is not None

    def report(self) -> dict[str, Any]:
        """Return the summary of the test set and draw its plot, if requested."""
        if not self._wants_summary:
            return {}
        from radeval_core.judges.green.summary import error_sentences, summarise

        sentences = error_sentences(self._analyses, self.chosen["encoder"], self.resources.device)
        if self.chosen["plot"] is not None:
            from radeval_core.judges.green.error_plot import draw_errors

            draw_errors(sentences.texts, sentences.vectors).save(self.chosen["plot"])
        if not self.chosen["summary"]:
            return {}
        return {"summary": summarise(self._analyses, self._scores, sentences).as_dict()}

    def _detail(self, pair: Pair, verdict: Verdict[GreenAnalysis]) -> dict[str, Any]:
        analysis = verdict.analysis
        detail: dict[str, Any] = {"reason": verdict.reason}
        if analysis is not None:
            detail = {
                "explanation": analysis.explanation,
                "significant": by_category(analysis.significant),
                "insignificant": by_category(analysis.insignificant),
                "matched": analysis.matched.as_dict(),
                **({"weighted": _weighted(analysis)} if analysis.weighted else {}),
                **detail,
            }
        return {**detail, **self.judge.asked(pair.reference, pair.prediction, verdict)}


def _number(pair: Pair, analysis: GreenAnalysis | None) -> float:
    """Return equation 1 for one pair; NaN if both reports say something and there is no analysis."""
    silent = (is_blank(pair.prediction), is_blank(pair.reference)) if analysis is None else analysis.silent
    if any(silent):
        return _of_silence(silent)
    return math.nan if analysis is None else green(analysis.matched.count, analysis.significant_count)


def _of_silence(silent: tuple[bool, bool]) -> float:
    """Return the score of a pair of which at least one report says nothing."""
    rule = SPEC.empty
    return rule.both if all(silent) else rule.prediction if silent[0] else rule.reference


def _weighted(analysis: GreenAnalysis | None) -> float:
    """Return the clinically weighted variant for one pair; NaN without weights, as from a model."""
    if analysis is None or not analysis.weighted:
        return math.nan
    if any(analysis.silent):
        return _of_silence(analysis.silent)
    errors = [e.weight for counted in (*analysis.significant, *analysis.insignificant) for e in counted.entries]
    matched = analysis.matched.entries
    return weighted_green([entry.weight for entry in matched], errors, [entry.lost for entry in matched])


def _counts(analysis: GreenAnalysis) -> list[int]:
    return [analysis.matched.count, *(c.count for c in (*analysis.significant, *analysis.insignificant))]


SCORER = GreenScorer
