"""Rewards for OpenRLHF (0.11.2): `reward_func`, which it loads from a file given with `--reward.remote_url`.

The file needs two lines: `from radeval_core.rewards.openrlhf import make_reward_func` and
`reward_func = make_reward_func("radgraph_f1")`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.errors import InputError
from radeval_core.rewards.reward import Reward, make_reward
from radeval_core.rewards.single import check_unscored, rate_one

#: special tokens of common chat formats: <s>, </s>, <pad>, <unk>, <|im_end|>, <|eot_id|>, <｜end▁of▁sentence｜>,
#: <end_of_turn>, [PAD], [EOS]
_SPECIAL = r"<(?:/?s|pad|unk|bos|eos|(?:start|end)_of_turn|[|｜][^<>\s]{1,60}[|｜])>|\[(?:PAD|EOS|BOS|UNK|CLS|SEP)\]"
_AT_THE_ENDS = re.compile(rf"\A(?:\s*(?:{_SPECIAL}))+|(?:(?:{_SPECIAL})\s*)+\Z")


def completion_of(query: str, prompt: str, special_tokens: Sequence[str] = ()) -> str:
    """Return the generated report of a query, which is prompt and report decoded with special tokens.

    Special tokens are removed at both ends of the report only: inside it they were written by the model.

    Args:
        query: what OpenRLHF passes.
        prompt: its prompt. A tokenizer may have put a special token before it.
        special_tokens: further special tokens of the tokenizer.

    Raises:
        InputError: the query does not contain the prompt.
    """
    start = query.find(prompt)
    if start < 0:
        raise InputError(
            "a query does not contain its prompt, so its report cannot be found: the prompt was truncated, or the "
            "tokenizer does not decode it to the same text. Raise --data.max_len, or check the chat template"
        )
    text = query[start + len(prompt) :]
    ends = [re.escape(token) for token in special_tokens]
    own = re.compile(rf"\A(?:\s*(?:{'|'.join(ends)}))+|(?:(?:{'|'.join(ends)})\s*)+\Z") if ends else None
    while True:
        cut = _AT_THE_ENDS.sub("", text)
        cut = own.sub("", cut) if own else cut
        if cut == text:
            return text.strip()
        text = cut


class OpenRLHFReward:
    """The function that OpenRLHF calls as `reward_func(queries, prompts, labels)`, in a thread, with lists of one."""

    def __init__(self, reward: Reward, unscored: float | None = None, special_tokens: Sequence[str] = ()) -> None:
        self.reward = reward
        self.unscored = check_unscored(unscored)
        if isinstance(special_tokens, str):
            raise InputError("special_tokens must be a list of texts: write special_tokens=['<|end|>']")
        self.special_tokens = tuple(special_tokens)
        self.__name__ = reward.__name__

    def __call__(self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]) -> dict[str, Any]:
        """Return `rewards`, `scores` and `extra_logs`: numbers for one query, lists for several.

        A label is the reference, a text or a list of texts; or a mapping with the reference and the patient's context.
        """
        if not len(queries) == len(prompts) == len(labels):
            raise InputError(
                "queries, prompts and labels must have the same length: "
                f"got {len(queries)}, {len(prompts)} and {len(labels)}"
            )
        rated = [
            rate_one(self.reward, completion_of(query, prompt, self.special_tokens), _label(label), None, self.unscored)
            for query, prompt, label in zip(queries, prompts, labels, strict=True)
        ]
        rewards = [score for score, _ in rated]
        logs = {name: [values[name] for _, values in rated] for name in (m.name for m in self.reward.metrics)}
        if len(rated) == 1:
            return {"rewards": rewards[0], "scores": rewards[0], "extra_logs": {k: v[0] for k, v in logs.items()}}
        return {"rewards": rewards, "scores": list(rewards), "extra_logs": logs}


def make_reward_func(
    metrics: str | Mapping[str, float] | Reward,
    *,
    unscored: float | None = None,
    special_tokens: Sequence[str] = (),
    **settings: Any,
) -> OpenRLHFReward:
    """Return a `reward_func` for OpenRLHF.

    Args:
        metrics: a metric, a mapping from metrics to weights, or a `Reward`.
        unscored: the number for a completion that cannot be scored. OpenRLHF takes no None, so without a number such a
            completion is an error.
        special_tokens: special tokens of the tokenizer that are not among the common ones.
        settings: further arguments of `make_reward`.
    """
    reward = metrics if isinstance(metrics, Reward) else make_reward(metrics, **settings)
    return OpenRLHFReward(reward, unscored, special_tokens)


def _label(label: Any) -> Any:
    if label == "" or label is None:
        raise InputError("a row has no label: name the column of the references with --data.label_key")
    return label
