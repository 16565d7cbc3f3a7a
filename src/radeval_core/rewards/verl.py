"""Rewards for verl (0.9.1): `compute_score`, which verl calls in threads with one completion at a time.

verl finds it with `reward.custom_reward_function.path=pkg://radeval_core.rewards.verl`, and its settings in
`reward.custom_reward_function.reward_kwargs`, such as `metrics: radgraph_f1`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from radeval_core.engine.fork_safe_lock import ForkSafeLock
from radeval_core.errors import InputError
from radeval_core.rewards.reward import Reward, make_reward
from radeval_core.rewards.single import check_unscored, rate_one

_REWARDS: dict[str, Reward] = {}
_LOCK = ForkSafeLock()


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    *,
    metrics: str | Mapping[str, float] | Reward | None = None,
    unscored: float | None = None,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
    **settings: Any,
) -> dict[str, float]:
    """Return `{"score": reward, METRIC: its own value}`; verl logs the further values per sample.

    Args:
        data_source: not used.
        solution_str: the generated report.
        ground_truth: the reference, a text or a list of texts.
        extra_info: `age`, `sex`, `indication` and `history` are read, for metrics that use them.
        metrics: a metric, a mapping from metrics to weights, or a `Reward`; give it in `reward_kwargs`.
        unscored: the number for a completion that cannot be scored. verl takes no None, so without a number such a
            completion is an error.
        reward_router_address: not used; verl passes it when it also runs a reward model.
        reward_model_tokenizer: not used.
        settings: further arguments of `make_reward`.
    """
    if metrics is None:
        raise InputError("name a metric: +reward.custom_reward_function.reward_kwargs.metrics=radgraph_f1")
    reward = metrics if isinstance(metrics, Reward) else _made(metrics, settings)
    score, values = rate_one(reward, solution_str, ground_truth, extra_info, check_unscored(unscored))
    return {"score": score, **values}


def _made(metrics: Any, settings: dict[str, Any]) -> Reward:
    """Return the reward with these settings, made once: verl passes them with every call."""
    # verl reads settings from YAML with OmegaConf, whose mappings are no dicts
    plain = metrics if isinstance(metrics, str) else {str(k): v for k, v in dict(metrics).items()}
    key = json.dumps([plain, settings], sort_keys=True, default=_plain)
    with _LOCK:
        if key not in _REWARDS:
            _REWARDS[key] = make_reward(plain, **settings)
        return _REWARDS[key]


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else repr(value)
