"""Time our side of a row of bench_peers.py, or the plain model, in this process, and print the measurements as JSON.

    python tools/peer_sides.py ours chexbert --checkpoint FOLDER --pairs pairs.jsonl --rows rows.json
    python tools/peer_sides.py bare chexbert --checkpoint FOLDER --rows rows.json

*Bare* is the cost of the model alone. It reads the token ids from the file that *ours* writes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from peer_answers import crimson_answers, radfact_answers
from peer_rows import ROWS, Row
from upstream_outputs import measure, peak_mb, read_pairs

#: on a CPU, small batches of similar lengths are the fastest
BARE_BATCH = 8


def run_ours(row: Row, checkpoint: Path | None, pairs: Path, rows_file: Path) -> dict[str, Any]:
    """Load, warm up and score; with a model, also measure the time per part and record the token ids it received."""
    predictions, references = read_pairs(pairs, None)
    if row.answers:
        return measure(lambda: ANSWERS[row.metric], predictions, references, row.passes)
    if checkpoint is None:
        return measure(lambda: fresh_each_time(row, {}), predictions, references, row.passes)
    spent: dict[str, Any] = {}

    def load() -> Callable[..., dict[str, float]]:
        return with_parts(fresh_each_time(row, {"checkpoint": str(checkpoint)}), spent)

    got = measure(load, predictions, references, row.passes)
    rows_file.write_text(json.dumps(spent.pop("rows")), "utf-8")
    forward, tokenise, annotate = spent["forward"], spent["tokenise"], spent["annotate"]
    parts = {"tokenise": tokenise, "forward": forward, "heads, Python": annotate - tokenise - forward}
    return {**got, "parts": {**parts, "scoring": got["seconds"] - annotate}}


def fresh_each_time(row: Row, options: dict[str, Any]) -> Callable[[list[str], list[str]], dict[str, float]]:
    """Return what scores with another metric object in every call, so that no call profits from an earlier one."""
    from radeval_core import load
    from radeval_core.api import make_resources, make_scorer

    config = row.options.get("config_name")
    options = {**{name: value for name, value in row.options.items() if name != "config_name"}, **options}
    make_scorer(row.metric, config, make_resources(progress=False), options).warm_up()
    metrics = iter([load(row.metric, config, progress=False, **options) for _ in range(1 + row.passes)])

    def score(predictions: list[str], references: list[str]) -> dict[str, float]:
        result = next(metrics).compute(predictions, references)
        return {name: value for name, value in result.items() if isinstance(value, float)}

    return score


def score_crimson(predictions: list[str], _: list[str]) -> dict[str, float]:
    """Read and score made-up answers of CRIMSON's judge, one per pair."""
    from radeval_core.judges.crimson.answer import read_answer

    scores = [read_answer(answer).score.score for answer in crimson_answers(len(predictions))]
    return {"mean": sum(scores) / len(scores)}


def score_radfact(predictions: list[str], _: list[str]) -> dict[str, float]:
    """Read and score made-up verdicts on the phrases of each pair."""
    import numpy as np

    from radeval_core.functional.radfact import JudgedPhrase, f1, side_measures
    from radeval_core.judges.radfact.answer import read_verdict

    def share(answers: list[str]) -> float:
        return side_measures([JudgedPhrase("", read_verdict(answer).entailed) for answer in answers], []).logical

    pairs = [(share(candidate), share(reference)) for candidate, reference in radfact_answers(len(predictions))]
    precision, recall = map(float, np.nanmean(pairs, axis=0))
    return {"logical_precision": precision, "logical_recall": recall, "logical_f1": f1(precision, recall)}


ANSWERS = {"crimson": score_crimson, "radfact": score_radfact}


def with_parts(score: Callable[..., dict[str, float]], spent: dict[str, Any]) -> Callable[..., dict[str, float]]:
    """Return the same function; each call replaces `spent` by the time per part of that call."""

    def watching(*columns: list[str]) -> dict[str, float]:
        with watched() as parts:
            result = score(*columns)
        spent.update(parts)
        return result

    return watching


@contextlib.contextmanager
def watched() -> Iterator[dict[str, Any]]:
    """Measure the seconds in tokenizers, models and annotators, and record the token ids that each model received.

    If an annotator calls a tokenizer without transformers, its time counts as Python.
    """
    from transformers import PreTrainedTokenizerBase

    from radeval_core.engine.annotations import AnnotationStore
    from radeval_core.engine.forward import ForwardLoop

    spent: dict[str, Any] = {"tokenise": 0.0, "forward": 0.0, "annotate": 0.0, "rows": []}
    loops: dict[int, list[list[int]]] = {}

    def timed(call: Callable[..., Any], part: str) -> Callable[..., Any]:
        def wrapper(*args: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*args, **options)
            finally:
                spent[part] += time.perf_counter() - started

        return wrapper

    def run_batch(self: Any, rows: Any, collect: Any) -> Any:
        loops.setdefault(id(self), []).extend([int(i) for i in row] for row in rows)
        before = self.forward_seconds
        try:
            return original(self, rows, collect)
        finally:
            spent["forward"] += self.forward_seconds - before

    original = ForwardLoop.run_batch
    kept = [(ForwardLoop, "run_batch", original, run_batch)]
    for owner, name, part in (
        (PreTrainedTokenizerBase, "__call__", "tokenise"),
        (AnnotationStore, "annotate", "annotate"),
    ):
        kept.append((owner, name, getattr(owner, name), timed(getattr(owner, name), part)))
    for owner, name, _, replacement in kept:
        setattr(owner, name, replacement)
    try:
        yield spent
    finally:
        for owner, name, before, _ in kept:
            setattr(owner, name, before)
        spent["rows"] = list(loops.values())


def run_bare(kind: str, checkpoint: Path, rows_file: Path) -> dict[str, Any]:
    """Run every distinct row of token ids once through the plain model, sorted by length."""
    import torch

    started = time.perf_counter()
    models = plain_models(kind, checkpoint)
    loaded = time.perf_counter() - started
    batches: list[list[tuple[torch.Tensor, torch.Tensor]]] = []
    for rows in json.loads(rows_file.read_text("utf-8")):
        unique = sorted(set(map(tuple, rows)), key=len, reverse=True)
        batches.append([padded(unique[i : i + BARE_BATCH]) for i in range(0, len(unique), BARE_BATCH)])
    with torch.inference_mode():
        for model, some in zip(models, batches, strict=True):
            model(input_ids=some[-1][0][:2], attention_mask=some[-1][1][:2])
        started, busy = time.perf_counter(), time.process_time()
        for model, some in zip(models, batches, strict=True):
            for ids, mask in some:
                model(input_ids=ids, attention_mask=mask)
        spent = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy}
    return {"load": loaded, **spent, "peak_mb": peak_mb(), "rows": [sum(len(i) for i, _ in some) for some in batches]}


def plain_models(kind: str, checkpoint: Path) -> list[Any]:
    """Return the plain transformers models of a checkpoint, in the order of their use."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForTokenClassification

    if kind == "ratescore":
        tagger = AutoModelForTokenClassification.from_pretrained(checkpoint / "ner")
        return [tagger.eval(), AutoModel.from_pretrained(checkpoint / "encoder").eval()]
    if kind == "minilm":
        return [AutoModel.from_pretrained(checkpoint).eval()]
    if kind == "chexbert":
        folder, prefix = checkpoint, "module.bert."
        tensors = torch.load(checkpoint / "chexbert.pth", weights_only=True)["model_state_dict"]
    else:
        [config] = (checkpoint / "hub").rglob("config.json")
        folder, prefix = config.parent, "_embedder.token_embedder_bert._matched_embedder.transformer_model."
        with tarfile.open(checkpoint / f"{kind}.tar.gz") as archive, tempfile.TemporaryDirectory() as place:
            archive.extract("weights.th", place, filter="data")
            tensors = torch.load(Path(place, "weights.th"), weights_only=True)
    model = AutoModel.from_config(AutoConfig.from_pretrained(folder))
    model.load_state_dict({k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)})
    return [model.eval()]


def padded(rows: list[tuple[int, ...]]) -> tuple[Any, Any]:
    """Return the token ids and mask of a batch."""
    import torch

    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, (torch.arange(ids.shape[1]) < lengths[:, None]).long()


def main() -> None:
    """Read the command line, run one side and print its measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("side", choices=["ours", "bare"], help="our metric, or the plain model")
    parser.add_argument("row", choices=ROWS, metavar="ROW", help=f"one of {', '.join(ROWS)}")
    parser.add_argument("--checkpoint", type=Path, help="folder of the checkpoint, for rows that need one")
    parser.add_argument("--pairs", type=Path, help="JSONL with prediction and reference")
    parser.add_argument("--rows", type=Path, required=True, help="file of token ids: ours writes it, bare reads it")
    parser.add_argument("--threads", type=int, default=1, help="torch threads (default: 1)")
    args = parser.parse_args()
    row = ROWS[args.row]
    if row.checkpoint:
        import torch

        torch.set_num_threads(args.threads)
        if args.checkpoint is None:
            parser.error(f"{args.row} needs --checkpoint FOLDER")
    if args.side == "bare":
        got = run_bare(row.checkpoint, args.checkpoint, args.rows)
    else:
        got = run_ours(row, args.checkpoint, args.pairs, args.rows)
    print(json.dumps(got))


if __name__ == "__main__":
    main()
