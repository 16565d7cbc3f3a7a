"""Ask a judge about held-out pairs with the metric's own question and reader, and compare its counts with the gold."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radeval_core.api import make_resources, make_scorer
from radeval_core.engine.processes import running_processes
from radeval_core.io import write_jsonl
from radeval_core.judges.backends.base import Answer, Backend, Request
from radeval_core.judges.engine import judge_pairs
from radeval_core.judges.model_judge import ModelJudge
from radeval_core.judges.verdict import Case, Judge, Verdict
from radeval_core.metrics._judged import JudgedScorer
from radeval_core.train.answer_forms import FORMS, ErrorCounts
from radeval_core.train.judge.figures import Judged, figures
from radeval_core.train.rows import TrainingRow

#: in a run's folder: the held-out pairs with both answers. It contains report text: private, never uploaded
ANSWERS = "answers.jsonl"


@dataclass(frozen=True)
class Evaluation:
    """What a judge answered about held-out pairs.

    Attributes:
        figures: see `figures.figures`.
        cost: seconds, and tokens of questions and answers, per 1,000 pairs; tokens only for a model.
        answers: per pair its id, reports, both counts and the judge's answer.
    """

    figures: dict[str, Any]
    cost: dict[str, float]
    answers: list[dict[str, Any]]


def evaluate_model(backend: Backend, rows: Sequence[TrainingRow], progress: bool = True) -> Evaluation:
    """Ask a model about pairs of one metric, as the metric asks it."""
    counted = _TokenCount(backend)
    found = evaluate_judge(ModelJudge(FORMS[rows[0].metric].instructions(), counted), rows, progress)
    mine = (counted.prompt_tokens, counted.answer_tokens)
    processes = running_processes()  # they share the questions
    prompts, answers = map(sum, zip(*(processes.gather([mine]) if processes else [mine]), strict=True))
    tokens = {"prompt_tokens": 1000 * prompts / len(rows), "answer_tokens": 1000 * answers / len(rows)}
    return Evaluation(found.figures, {**found.cost, **tokens}, found.answers)


def evaluate_embedded(rows: Sequence[TrainingRow], progress: bool = True) -> Evaluation:
    """Compare the metric's embedded judge, which runs no model, with the gold."""
    scorer = make_scorer(rows[0].metric, "embedded", make_resources(progress=False), {})
    assert isinstance(scorer, JudgedScorer)
    return evaluate_judge(scorer.judge, rows, progress)


def evaluate_silence(rows: Sequence[TrainingRow]) -> Evaluation:
    """Return the figures of a judge that never counts an error: what is worth nothing, as most counts are 0."""
    judged = [Judged(row.counts, ErrorCounts()) for row in rows]
    return Evaluation(figures(judged, FORMS[rows[0].metric].categories), {}, [])


def evaluate_judge(judge: Judge[Any], rows: Sequence[TrainingRow], progress: bool = True) -> Evaluation:
    """Let a judge analyse pairs of one metric, and compare its counts with those of the training file."""
    form = FORMS[rows[0].metric]
    start = time.perf_counter()
    verdicts = judge_pairs(judge, [Case(row.reference, row.prediction, row.patient) for row in rows], progress)
    seconds = time.perf_counter() - start
    counts = [None if verdict.analysis is None else form.count(verdict.analysis) for verdict in verdicts]
    judged = [Judged(row.counts, found) for row, found in zip(rows, counts, strict=True)]
    return Evaluation(
        figures(judged, form.categories),
        {"seconds": 1000 * seconds / len(rows)},
        [_answer(*each) for each in zip(rows, counts, verdicts, strict=True)],
    )


def write_answers(folder: Path, evaluation: Evaluation) -> None:
    """Write the answers about the held-out pairs, readable only for their owner."""
    write_jsonl(folder / ANSWERS, iter(evaluation.answers))


def _answer(row: TrainingRow, counts: ErrorCounts | None, verdict: Verdict[Any]) -> dict[str, Any]:
    return {
        "id": row.id,
        "heuristic": row.heuristic,
        "reference": row.reference,
        "prediction": row.prediction,
        "teacher": row.counts.model_dump(),
        "judge": counts.model_dump() if counts else None,
        "reason": verdict.failure,
        "answer": verdict.answer,
        "teacher_answer": row.answer,
    }


class _TokenCount:
    """A backend that counts the tokens of its questions and answers."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.prompt_tokens = self.answer_tokens = 0

    @property
    def identity(self) -> str:
        return self.backend.identity

    @property
    def fields(self) -> dict[str, object]:
        return self.backend.fields

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        for place, answer in self.backend.answers(requests):
            self.prompt_tokens += answer.prompt_tokens
            self.answer_tokens += answer.answer_tokens
            yield place, answer
