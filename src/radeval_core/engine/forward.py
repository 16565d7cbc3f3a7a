"""Runs a model over texts: distinct texts only, in sorted batches, with results in the order of the input.

Hidden states, sentence vectors and token labels all come from this loop; the caller's `collect` function chooses what
to keep from a batch.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, TypeVar

import torch
from tqdm import tqdm

from radeval_core.engine.batching import plan_batches, restore_order, unique_texts
from radeval_core.engine.threads import free_cores_only
from radeval_core.errors import RadevalError, is_out_of_memory

log = logging.getLogger(__name__)
T = TypeVar("T")
TokenIds = Sequence[int]
#: texts tokenised at once; on a GPU, the next window is tokenised while the model runs on this one
WINDOW = 8192


class ForwardLoop:
    """Runs a model over texts.

    Args:
        model: a function of `input_ids` and `attention_mask`.
        tokenize: returns the token ids of texts, with special tokens, truncated to the model's limit.
        pad_id: id of the padding token.
        device: where the model is.
        budget: padded tokens per batch; halved permanently if the device runs out of memory.

    Attributes:
        overlap: if True, tokenise the next texts while the model runs.
        forward_seconds: time spent inside the model so far.
    """

    def __init__(
        self,
        model: Callable[..., Any],
        tokenize: Callable[[list[str]], list[TokenIds]],
        pad_id: int,
        device: torch.device,
        budget: int,
    ) -> None:
        self.model = model
        self.tokenize = tokenize
        self.pad_id = pad_id
        self.device = device
        self.budget = budget
        self.overlap = device.type != "cpu"  # on a CPU the model uses every free core, so overlap gains nothing
        self.forward_seconds = 0.0

    def run(
        self,
        texts: Sequence[str],
        collect: Callable[[Any, list[TokenIds]], Sequence[T]],
        progress: str | None = None,
    ) -> list[T]:
        """Return one result per text, in the given order.

        Args:
            texts: any texts; repeated ones go through the model once.
            collect: turns the model's output and the batch's token ids (without padding) into one result per row.
            progress: label of the progress bar, shown only on a terminal; None for no bar.
        """
        unique, inverse = unique_texts(texts)
        windows = [unique[i : i + WINDOW] for i in range(0, len(unique), WINDOW)]
        results: list[T] = []
        with tqdm(
            total=len(unique), desc=progress, unit="text", leave=False, disable=None if progress else True
        ) as bar:
            for ids in self._tokenized(windows):
                results.extend(self.run_tokens(ids, collect, bar))
        return [results[i] for i in inverse]

    def _tokenized(self, windows: list[list[str]]) -> Iterator[list[TokenIds]]:
        if not self.overlap:
            yield from map(self.tokenize, windows)
            return
        with ThreadPoolExecutor(max_workers=1) as pool:
            ahead = [pool.submit(self.tokenize, w) for w in windows[:1]]
            for following in [*windows[1:], None]:
                ready = ahead.pop().result()
                if following is not None:
                    ahead.append(pool.submit(self.tokenize, following))
                yield ready

    def run_tokens(
        self, ids: Sequence[TokenIds], collect: Callable[[Any, list[TokenIds]], Sequence[T]], bar: Any = None
    ) -> list[T]:
        """Return one result per row of token ids, in the given order; advance `bar` by the rows done."""
        todo = plan_batches([len(i) for i in ids], self.budget)
        done: list[list[int]] = []
        results: list[Sequence[T]] = []
        while todo:
            batch = todo[0]
            try:
                results.append(self.run_batch([ids[i] for i in batch], collect))
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                todo = self._smaller_batches(todo, ids)
                continue
            done.append(todo.pop(0))
            if bar is not None:
                bar.update(len(batch))
        return restore_order(done, results)

    def run_batch(self, rows: list[TokenIds], collect: Callable[[Any, list[TokenIds]], Sequence[T]]) -> Sequence[T]:
        """Run the model on one padded batch."""
        input_ids, mask = pad_right(rows, self.pad_id)
        threads = free_cores_only() if self.device.type == "cpu" else nullcontext()
        with torch.inference_mode(), threads:
            started = time.perf_counter()
            output = self.model(input_ids=input_ids.to(self.device), attention_mask=mask.to(self.device))
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)
            self.forward_seconds += time.perf_counter() - started
            return collect(output, rows)

    def _smaller_batches(self, todo: list[list[int]], ids: Sequence[TokenIds]) -> list[list[int]]:
        """Halve the budget and plan the remaining rows again."""
        if len(todo[0]) == 1:
            raise RadevalError(
                f"out of memory on {self.device} with a single text of {len(ids[todo[0][0]])} tokens: "
                "use --device cpu or a smaller model"
            )
        self.budget = max(1, min(self.budget, len(todo[0]) * len(ids[todo[0][0]])) // 2)
        log.warning("out of memory on %s: continuing with batches of %d tokens", self.device, self.budget)
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        left = [i for batch in todo for i in batch]
        return [[left[j] for j in batch] for batch in plan_batches([len(ids[i]) for i in left], self.budget)]


def pad_right(rows: Iterable[TokenIds], pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the token ids and attention mask of a batch, padded on the right."""
    tensors = [torch.as_tensor(row, dtype=torch.long) for row in rows]
    ids = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=pad_id)
    lengths = torch.tensor([len(t) for t in tensors])
    return ids, (torch.arange(ids.shape[1]) < lengths[:, None]).long()
