"""Ask one or two teachers about pairs, and turn the answers of the first into training rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from radeval_core.errors import RadevalError
from radeval_core.io import write_jsonl
from radeval_core.judges.engine import failures_text
from radeval_core.judges.verdict import UnreadableAnswer
from radeval_core.train.annotate.journal import AnswerJournal, journal_path, open_journal
from radeval_core.train.annotate.source import AskedPair, Selection
from radeval_core.train.annotate.teacher import TaughtPair, Teacher
from radeval_core.train.answer_forms import ErrorCounts
from radeval_core.train.rows import TrainingRow
from radeval_core.train.splits import PROPORTIONS, split_of

#: why an answer is dropped that its teacher's judge could read: written anew, the metric reads other counts
_OTHER_COUNTS = "the metric reads other counts in the answer than the judge gave"
_UNREADABLE = "the answer is unreadable"
#: what the datasheet says about rows from a teacher
LIMITS = (
    "The answers are a model's opinion, not a radiologist's. A judge trained on them inherits its errors: measure it "
    "against experts with `radeval bench` before you use it.",
    "Answers that the metric's reader cannot read are left out, so pairs that the teacher finds hard are rarer here.",
    "Counts are those that the metric reads in the answer.",
)


@dataclass(frozen=True)
class Dropped:
    """A pair without a row.

    Attributes:
        id: id of the pair.
        reason: why, without anything that a teacher or a server wrote.
        detail: why, as the metric's reader says it; may quote the answer.
        answer: the unreadable answer; empty if there is none.
    """

    id: str
    reason: str
    detail: str = ""
    answer: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return it as a row of the side file."""
        return {"id": self.id, "reason": self.reason, "detail": self.detail, "answer": self.answer}


@dataclass
class Annotated:
    """The outcome of a run.

    Attributes:
        rows: the training rows, in the order of the pairs.
        dropped: the pairs without a row.
        teachers: signatures of the teachers.
        disagreements: how the counts of two teachers differ; empty with one.
    """

    rows: list[TrainingRow]
    dropped: list[Dropped]
    teachers: list[str]
    disagreements: dict[str, Any] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, int]:
        """Return the number of dropped pairs by reason."""
        return dict(Counter(dropped.reason for dropped in self.dropped))


def annotate(
    selection: Selection,
    teachers: Sequence[Teacher],
    out: Path,
    seed: int = 0,
    proportions: Sequence[float] = PROPORTIONS,
    rewrite: bool = False,
    progress: bool = True,
) -> Annotated:
    """Ask the teachers, and return the rows. Answers are kept in the journal of `out` as they arrive.

    Args:
        selection: the pairs to ask about.
        teachers: one or two; the first gives the answers, the second is compared with it.
        out: the training file that will be written; its journal lies beside it.
        seed: seed of the splits.
        proportions: shares of the splits.
        rewrite: write each answer anew in the metric's form: without fences, thoughts and remarks around it.
        progress: show a bar on a terminal.

    Raises:
        RadevalError: the first teacher gave no usable answer at all.
        OutputError: an answer cannot be kept, as on a full disk.
    """
    pairs = selection.pairs
    with ExitStack() as stack:
        journal = None
        if not all(teacher.embedded for teacher in teachers):
            journal = stack.enter_context(open_journal(journal_path(out)))
        taught = [_taught(teacher, pairs, journal, progress) for teacher in teachers]
    rows: list[TrainingRow] = []
    dropped = [Dropped(name, reason) for name, reason in selection.dropped]
    teacher = teachers[0]
    signature = teacher.signature
    counts = [_counts(teacher, pairs, taught[0], rewrite)]
    for place, asked in enumerate(pairs):
        found = counts[0][place]
        if isinstance(found, Dropped):
            dropped.append(found)
            continue
        context = asked.pair.context.as_dict() if asked.pair.context else {}
        rows.append(
            TrainingRow(
                id=asked.id,
                study=asked.study,
                split=split_of(asked.study, seed, proportions),
                metric=teacher.metric,
                reference=asked.pair.reference,
                prediction=asked.pair.prediction,
                answer=found[0],
                counts=found[1],
                teacher=signature,
                heuristic=asked.heuristic,
                context=context,
            )
        )
    result = Annotated(rows, dropped, [each.signature for each in teachers])
    if not rows:
        raise RadevalError(f"no pair got a usable answer: {failures_text(result.reasons)}")
    if len(teachers) == 2:
        counts.append(_counts(teachers[1], pairs, taught[1], rewrite))
        result.disagreements = compare_counts(teacher.form.categories, *map(_readable, counts))
    return result


def compare_counts(
    categories: Sequence[str], first: Mapping[int, ErrorCounts], second: Mapping[int, ErrorCounts]
) -> dict[str, Any]:
    """Return how the counts of two teachers differ, about the pairs that both answered."""
    both = sorted(first.keys() & second.keys())
    found: dict[str, Any] = {}
    for kind in ("significant", "insignificant"):
        for category in categories:
            gaps = [
                abs(getattr(first[p], kind).get(category, 0) - getattr(second[p], kind).get(category, 0)) for p in both
            ]
            found[f"{category}, {kind}"] = _gaps(gaps)
    stated = [p for p in both if first[p].matched is not None and second[p].matched is not None]
    if stated:
        found["matched findings"] = _gaps([abs(first[p].matched - second[p].matched) for p in stated])  # type: ignore[operator]
    return {"pairs": len(both), "equal": sum(first[p] == second[p] for p in both), "categories": found}


def write_dropped(out: Path, dropped: Sequence[Dropped]) -> Path | None:
    """Write the dropped pairs beside the training file, for its owner alone; remove the file of an earlier run."""
    path = out.with_suffix(".dropped.jsonl")
    if not dropped:
        path.unlink(missing_ok=True)
        return None
    write_jsonl(path, (each.as_dict() for each in dropped))
    return path


def _taught(
    teacher: Teacher, pairs: Sequence[AskedPair], journal: AnswerJournal | None, progress: bool
) -> list[TaughtPair]:
    """Return what a teacher says about each pair."""
    found: dict[int, TaughtPair] = {}
    bar = tqdm(total=len(pairs), desc="annotating", unit="pair", leave=False, disable=None if progress else True)
    with bar:
        teacher.scorer.judge.watch(lambda text: bar.set_postfix_str(text))
        for taught in teacher.teach(pairs, journal):
            found[taught.place] = taught
            bar.update()
    return [found[place] for place in range(len(pairs))]


def _counts(
    teacher: Teacher, pairs: Sequence[AskedPair], taught: Sequence[TaughtPair], rewrite: bool
) -> list[tuple[str, ErrorCounts] | Dropped]:
    """Return the answer and its counts for each pair, or why there is none."""
    return [_checked(teacher, asked, said, rewrite) for asked, said in zip(pairs, taught, strict=True)]


def _checked(teacher: Teacher, asked: AskedPair, said: TaughtPair, rewrite: bool) -> tuple[str, ErrorCounts] | Dropped:
    if not said.answer:
        return Dropped(asked.id, said.failure)
    form, texts = teacher.form, (asked.pair.reference, asked.pair.prediction)
    try:
        analysis = form.instructions().read(*texts, said.answer)
        counts = form.count(analysis)
        answer = form.write(analysis) if rewrite else said.answer
        if form.counts_in(*texts, answer) != counts:
            return Dropped(asked.id, _OTHER_COUNTS, answer=said.answer)
    except UnreadableAnswer as error:
        return Dropped(asked.id, said.failure or _UNREADABLE, str(error), said.answer)
    return answer, counts


def _readable(counts: Sequence[tuple[str, ErrorCounts] | Dropped]) -> dict[int, ErrorCounts]:
    return {place: found[1] for place, found in enumerate(counts) if not isinstance(found, Dropped)}


def _gaps(gaps: Sequence[int]) -> dict[str, float]:
    mean = round(sum(gaps) / len(gaps), 4) if gaps else 0.0
    return {"pairs": len(gaps), "differ": sum(map(bool, gaps)), "mean_difference": mean}
