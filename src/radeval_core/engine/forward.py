"""Runs a model over texts: distinct texts only, in sorted batches, with results in the order of the input.

Hidden states, sentence vectors and token labels all come from this loop; the caller's `collect` function chooses what
to keep from a batch. The plan of the batches does not depend on who runs them: copies on several GPUs and several
processes give the results of one.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, TypeVar

import torch
from tqdm import tqdm

from radeval_core.engine.batching import plan_batches, restore_order, unique_texts
from radeval_core.engine.dealing import Batch, Dealer, Work
from radeval_core.engine.processes import Processes, check_same_work, running_processes, work_digest
from radeval_core.engine.threads import free_cores_only
from radeval_core.errors import RadevalError

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
        copies: loops over copies of the model on other devices; batches are dealt out to all of them.

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
        copies: Sequence[ForwardLoop] = (),
    ) -> None:
        self.model = model
        self.tokenize = tokenize
        self.pad_id = pad_id
        self.device = device
        self.budget = budget
        self.copies = copies
        #: tokens that fit into the memory here; the processes of a run agree on `budget`, which plans the batches
        self._room = sys.maxsize
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
        """Return one result per row of token ids, in the given order; advance `bar` by the rows done.

        In a run of several processes, each runs a part of the batches and gets the results of all. A single batch is
        run by every process, which is faster than to wait for the one that has it.
        """
        lengths = [len(row) for row in ids]
        plan = plan_batches(lengths, self.budget)
        processes = running_processes() if len(plan) > 1 else None
        dealer: Dealer[T] = Dealer(
            plan[processes.rank :: processes.count] if processes else plan,
            lambda batch: self._fitted(batch, lengths),
            lambda batch: self._too_large(batch, lengths),
            bar.update if bar is not None else lambda _: None,
        )
        dealer.run([self._worker(loop, ids, collect) for loop in (self, *self.copies)])
        if processes:
            done, results = self._gathered(processes, dealer, ids)
            if bar is not None:
                bar.update(len(ids) - sum(map(len, dealer.done)))
            return restore_order(done, results)
        if running_processes() is None:
            self.budget = min(self.budget, self._room)
        return restore_order(dealer.done, dealer.results)

    def _worker(
        self, loop: ForwardLoop, ids: Sequence[TokenIds], collect: Callable[[Any, list[TokenIds]], Sequence[T]]
    ) -> Work[T]:
        def work(batch: Batch) -> Sequence[T]:
            found = loop.run_batch([ids[i] for i in batch], collect)
            return found if loop is self else [_moved(result, self.device) for result in found]

        return work

    def _gathered(
        self, processes: Processes, dealer: Dealer[T], ids: Sequence[TokenIds]
    ) -> tuple[list[Batch], list[Sequence[T]]]:
        """Return the batches of all processes with their results; agree on the budget of the next plan."""
        # a slice of a tensor would be sent with the whole batch: send a copy
        mine = [[_moved(result, None) for result in results] for results in dealer.results]
        told = processes.gather([(work_digest(self.budget, ids), self._room, dealer.done, mine)])
        check_same_work([digest for digest, *_ in told])
        self.budget = min(self.budget, *(room for _, room, *_ in told))
        done = [batch for *_, batches, _ in told for batch in batches]
        return done, [[_moved(r, self.device) for r in results] for *_, found in told for results in found]

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

    def _fitted(self, batch: Batch, lengths: Sequence[int]) -> list[Batch]:
        """Return a batch in parts that fit into the memory."""
        if len(batch) * max(lengths[batch[0]], 1) <= min(self.budget, self._room) or len(batch) == 1:
            return [batch]
        parts = plan_batches([lengths[i] for i in batch], min(self.budget, self._room))
        return [[batch[j] for j in part] for part in parts]

    def _too_large(self, batch: Batch, lengths: Sequence[int]) -> None:
        """Halve the tokens that fit into the memory."""
        if len(batch) == 1:
            raise RadevalError(
                f"out of memory on {self.device} with a single text of {lengths[batch[0]]} tokens: "
                "use --device cpu or a smaller model"
            )
        self._room = max(1, min(self.budget, self._room, len(batch) * max(lengths[batch[0]], 1)) // 2)
        log.warning("out of memory on %s: continuing with batches of %d tokens", self.device, self._room)
        if self.device.type == "cuda":
            torch.cuda.empty_cache()


def _moved(result: Any, device: torch.device | None) -> Any:
    """Return a result, a tensor on the given device; without one, a copy of it that can be sent to another process."""
    if not isinstance(result, torch.Tensor):
        return result
    return result.detach().cpu().clone() if device is None else result.to(device)


def pad_right(rows: Iterable[TokenIds], pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the token ids and attention mask of a batch, padded on the right."""
    tensors = [torch.as_tensor(row, dtype=torch.long) for row in rows]
    ids = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=pad_id)
    lengths = torch.tensor([len(t) for t in tensors])
    return ids, (torch.arange(ids.shape[1]) < lengths[:, None]).long()
