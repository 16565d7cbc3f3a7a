"""Metrics as rewards of a training loop: TRL, verl, OpenRLHF and ms-swift."""

from radeval_core.rewards.length_guard import LengthGuard
from radeval_core.rewards.reward import Rating, Reward, make_reward

__all__ = ["LengthGuard", "Rating", "Reward", "make_reward"]
