"""Put several short examples into one sequence, and make sure that none of them sees another."""

from __future__ import annotations

from typing import Any

import torch
from datasets import Dataset
from datasets.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

from radeval_core.errors import InputError

#: largest difference between the outputs of an example alone and in a pack that rounding explains
_ROUNDING = 1e-2


def packed(dataset: Dataset, tokens: int) -> Dataset:
    """Return the examples in as few sequences of at most `tokens` tokens as best fit finds; none is cut."""
    from trl.data_utils import pack_dataset

    shown = not are_progress_bars_disabled()
    disable_progress_bars()  # it takes a moment
    try:
        return pack_dataset(dataset, tokens, "bfd")
    finally:
        if shown:
            enable_progress_bars()


def check_separate(model: Any, name: str) -> None:
    """Raise an error if a model's attention mixes the examples of a pack.

    Packed examples are told apart only by their positions, which begin at 0 in each. Flash attention keeps them apart,
    and so do the masks that transformers makes for most models; a model that ignores positions would learn from the
    wrong questions. So two short examples are run alone and in a pack, and must give the same outputs.
    """
    one, two = torch.arange(5, 12), torch.arange(20, 31)
    joint = torch.cat([one, two])[None].to(model.device)
    positions = torch.cat([torch.arange(len(one)), torch.arange(len(two))])[None].to(model.device)
    was_training = model.training
    model.eval()
    with torch.no_grad():
        together = model(input_ids=joint, position_ids=positions, use_cache=False).logits[0, len(one) :]
        alone = model(input_ids=two[None].to(model.device), use_cache=False).logits[0]
    model.train(was_training)
    scale = alone.abs().max().clamp(min=1)
    if ((together - alone).abs().max() / scale).item() > _ROUNDING:
        raise InputError(
            f"{name} cannot be trained with --packing here: its attention mixes the packed examples. Leave "
            "--packing out"
        )
