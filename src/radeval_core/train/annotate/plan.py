"""What a run of teachers would ask, before it asks anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from radeval_core.train.annotate.journal import journal_path, kept_answers
from radeval_core.train.annotate.source import Selection
from radeval_core.train.annotate.teacher import Teacher

#: characters per token of English text, if no tokenizer is given
_CHARACTERS = 4
#: assumptions of the estimated time: seconds per answer, and answers at the same time from a server by default
_SECONDS, _AT_ONCE = 5.0, 8


@dataclass(frozen=True)
class TeacherPlan:
    """What one teacher would be asked.

    Attributes:
        config: the config as the user named it.
        questions: number of questions; an upper limit for a model on this machine, which is not loaded to plan.
        kept: answers that are already in the journal.
        prompt_tokens: tokens of all questions together, estimated without a tokenizer.
        answer_tokens: the most tokens of all answers together.
        hours: estimated time, if an answer takes five seconds.
        sends_reports_to: model and server that get the reports; None if they stay on this machine.
    """

    config: str
    questions: int
    kept: int
    prompt_tokens: int
    answer_tokens: int
    hours: float
    sends_reports_to: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def plan_teachers(
    selection: Selection,
    teachers: Sequence[Teacher],
    configs: Sequence[str],
    out: Path,
    tokens: Callable[[str], int] | None = None,
) -> list[TeacherPlan]:
    """Return what each teacher would be asked. Nothing is sent and no model is loaded."""
    kept = kept_answers(journal_path(out))
    return [_plan(selection, teacher, config, kept, tokens) for teacher, config in zip(teachers, configs, strict=True)]


def _plan(
    selection: Selection, teacher: Teacher, config: str, kept: Any, tokens: Callable[[str], int] | None
) -> TeacherPlan:
    if teacher.embedded:
        return TeacherPlan(config, 0, 0, 0, 0, 0.0, None)
    pairs = selection.pairs
    missing = [asked for asked in pairs if not teacher.is_quick_to_make or teacher.key(asked) not in kept]
    measure = tokens or (lambda text: len(text) // _CHARACTERS)
    prompt = answer = 0
    for asked in missing:
        case = teacher.scorer.case(asked.pair)
        request = teacher.scorer.instructions.request(*case)
        prompt += sum(measure(message.content) for message in request.messages)
        answer += request.max_tokens
    at_once = int(teacher.scorer.chosen["concurrency"] or _AT_ONCE) if teacher.server else 1
    hours = round(len(missing) * _SECONDS / at_once / 3600, 2)
    return TeacherPlan(config, len(missing), len(pairs) - len(missing), prompt, answer, hours, teacher.server or None)
