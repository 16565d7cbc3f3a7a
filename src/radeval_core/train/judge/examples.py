"""Turn the rows of a training file into token ids: the question as the judge will be asked it, then the answer.

The question is rendered by the code that asks the finished judge, so both are the same to the last token. Only the
tokens of the answer, and the token that ends it, have labels: the loss ignores the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.errors import CheckpointError, InputError
from radeval_core.judges.backends.prompts import PromptMaker
from radeval_core.train.answer_forms import FORMS
from radeval_core.train.rows import TrainingRow

#: label of a token that the loss ignores
IGNORED = -100
#: how many rows a message names
_NAMED = 3


@dataclass(frozen=True)
class JudgeExample:
    """A question and its answer as the model sees them.

    Attributes:
        row: id of the row.
        prompt: token ids of the question.
        answer: token ids of the answer, with the end token.
    """

    row: str
    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    @property
    def ids(self) -> list[int]:
        """Return all token ids."""
        return [*self.prompt, *self.answer]

    @property
    def labels(self) -> list[int]:
        """Return the token ids the model learns to write, and `IGNORED` for those of the question."""
        return [IGNORED] * len(self.prompt) + list(self.answer)

    def __len__(self) -> int:
        return len(self.prompt) + len(self.answer)


@dataclass(frozen=True)
class Examples:
    """The rows that fit into the model.

    Attributes:
        kept: rows that fit.
        too_long: ids of those that do not.
        limit: most tokens a row may have.
    """

    kept: tuple[JudgeExample, ...]
    too_long: tuple[str, ...]
    limit: int

    def checked(self, drop_long: bool) -> Examples:
        """Return the same; raise an error if rows do not fit and the user did not ask to leave them out.

        Raises:
            InputError: rows are too long, or none is left.
        """
        if self.too_long and not drop_long:
            named = ", ".join(map(repr, self.too_long[:_NAMED])) + (", ..." if len(self.too_long) > _NAMED else "")
            raise InputError(
                f"{len(self.too_long)} of {len(self.kept) + len(self.too_long)} rows have more than {self.limit} "
                f"tokens with their answer: {named}; add --drop-long to leave them out, or raise --max-tokens up to "
                "the model's context"
            )
        if not self.kept:
            raise InputError(f"no row has at most {self.limit} tokens with its answer: raise --max-tokens")
        return self


def judge_examples(rows: Sequence[TrainingRow], maker: PromptMaker, max_tokens: int) -> Examples:
    """Return the rows as token ids.

    Args:
        rows: rows of one metric.
        maker: renders questions for the model that is trained.
        max_tokens: most tokens of a question and its answer; the model and the metric may allow fewer.

    Raises:
        InputError: the metric asks in a chat and the model has no chat template, or no end token.
    """
    tokenizer = maker.tokenizer
    if tokenizer.eos_token_id is None:
        raise InputError(f"{maker.name} has no end token, so it cannot learn to end an answer: choose another --base")
    kept: list[JudgeExample] = []
    too_long: list[str] = []
    limit = min(max_tokens, maker.context)
    for row in rows:
        request = FORMS[row.metric].instructions().request(row.reference, row.prediction, row.patient)
        try:
            prompt = maker.prompt(request)
        except CheckpointError:
            raise InputError(
                f"{maker.name} has no chat template, and {row.metric} asks its judge in a chat: choose an instruction-"
                "tuned --base. Only green has a form without a template"
            ) from None
        # special tokens inside an answer are text, as they are inside a report
        written = tokenizer(maker.inert(row.answer.strip()), add_special_tokens=False)["input_ids"]
        example = JudgeExample(row.id, prompt.ids, (*written, tokenizer.eos_token_id))
        limit = min(limit, prompt.room)
        if len(example) > limit or len(example.answer) > request.max_tokens:
            too_long.append(row.id)
        else:
            kept.append(example)
    return Examples(tuple(kept), tuple(too_long), limit)
