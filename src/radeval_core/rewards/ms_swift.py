"""Rewards for ms-swift (4.6.0): a class for its table `orms`, in a plugin file given with `--external_plugins`.

The file sets `orms["radgraph_f1"] = make_orm("radgraph_f1")`; then `--reward_funcs radgraph_f1` names the reward.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.errors import InputError
from radeval_core.rewards.reward import Reward, make_reward


class RadevalORM:
    """An outcome reward as ms-swift makes and calls it; `make_orm` returns a subclass with a reward.

    ms-swift asks for no common base class: it makes the class with `args=` and calls the object.
    """

    reward: Reward

    def __init__(self, args: Any = None, **kwargs: Any) -> None:
        self.args = args

    def __call__(self, completions: Any, **kwargs: Any) -> list[float | None]:
        """Return one reward per completion; ms-swift leaves out those that are None."""
        return self.reward(completions, **kwargs)


def make_orm(
    metrics: str | Mapping[str, float] | Reward, reference_column: str = "reference", **settings: Any
) -> type[RadevalORM]:
    """Return a class for `orms`. ms-swift logs a reward by the name of its class, which is the name of the reward.

    Args:
        metrics: a metric, a mapping from metrics to weights, or a `Reward`.
        reference_column: column of the references; not used with a `Reward`.
        settings: further arguments of `make_reward`.
    """
    if isinstance(metrics, Reward) and settings:
        raise InputError(f"give {', '.join(settings)} to make_reward: make_orm got a finished reward")
    reward = metrics if isinstance(metrics, Reward) else make_reward(metrics, reference_column, **settings)
    return type(reward.__name__, (RadevalORM,), {"reward": reward, "__doc__": f"The reward {reward.__name__}."})
