"""Time RadEval, torchmetrics and crimson-score on pairs of reports, in their own environment, for bench_peers.py.

    PEER/bin/python tools/peer_collections.py radeval-rouge --pairs pairs.jsonl
    PEER/bin/python tools/peer_collections.py radeval-chexbert --checkpoint FOLDER --pairs pairs.jsonl

The packages run unchanged, except where the function below says so. This script does not import radeval_core and never
contacts a Hub: the names that the packages look up are folders of a temporary working directory, see
upstream_outputs.py.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from peer_answers import crimson_answers, radfact_answers
from peer_rows import ROWS
from upstream_outputs import hub_folder, measure, read_pairs

#: what scores predictions and references
Scoring = Callable[[list[str], list[str]], dict[str, float]]
#: RadEval looks for RadGraph's files where this version of radgraph would have put them
RADGRAPH = "0.1.18"


def radeval(name: str) -> Scoring:
    """Return RadEval's own class with one metric."""
    from radeval import RadEval

    scorer = RadEval(metrics=[name], show_progress=False)
    return lambda predictions, references: scorer(refs=references, hyps=predictions)


def radeval_bertscore() -> Scoring:
    """Return RadEval's BERTScore with the weights of MiniLM in place of DistilBERT's, without the linear rescaling."""
    from radeval import RadEval

    scorer = RadEval(metrics=["bertscore"], show_progress=False)
    scorer.bertscore_scorer.bert_scorer._rescale_with_baseline = False
    return lambda predictions, references: scorer(refs=references, hyps=predictions)


def radeval_chexbert() -> Scoring:
    """Return the class behind RadEval's `f1chexbert`: RadEval itself moves the model to a GPU and fails without one."""
    from radeval.metrics.f1chexbert.f1chexbert import F1CheXbert

    scorer = F1CheXbert(device="cpu")

    def score(predictions: list[str], references: list[str]) -> dict[str, float]:
        _, _, fourteen, five, *_ = scorer(predictions, references)
        return {"micro_14": fourteen["micro avg"]["f1-score"], "micro_5": five["micro avg"]["f1-score"]}

    return score


def radeval_radgraph() -> Scoring:
    """Return RadEval's RadGraph F1. Its files import a package `RadEval`, which the one on PyPI does not contain."""
    import radeval as installed

    sys.modules["RadEval"] = installed
    return radeval("radgraph")


def radeval_temporal() -> Scoring:
    """Return RadEval's Temporal F1 with a Stanza pipeline that finds no entity: its list of words alone."""
    import stanza

    stanza.download = lambda *_, **__: None
    stanza.Pipeline = lambda *_, **__: lambda text: SimpleNamespace(entities=[])
    return radeval("temporal")


def torchmetrics_bleu() -> Scoring:
    """Return sacrebleu's BLEU of the corpus. Ours gives a score per pair and an interval too; this call does not."""
    from torchmetrics.functional.text import sacre_bleu_score

    def score(predictions: list[str], references: list[str]) -> dict[str, float]:
        return {"bleu": float(sacre_bleu_score(predictions, [[reference] for reference in references]))}

    return score


def torchmetrics_rouge() -> Scoring:
    """Return ROUGE-1, 2 and L of torchmetrics."""
    from torchmetrics.functional.text import rouge_score

    def score(predictions: list[str], references: list[str]) -> dict[str, float]:
        found = rouge_score(predictions, references, use_stemmer=True, rouge_keys=("rouge1", "rouge2", "rougeL"))
        return {name: float(value) for name, value in found.items() if name.endswith("fmeasure")}

    return score


def crimson() -> Scoring:
    """Return how CRIMSON reads and scores an answer of its judge; the answers are made up, and no model is loaded."""
    from CRIMSON.generate_score import CRIMSONScore

    scorer = CRIMSONScore.__new__(CRIMSONScore)

    def score(predictions: list[str], _: Sequence[str]) -> dict[str, float]:
        read = [scorer._parse_json_response(answer) for answer in crimson_answers(len(predictions))]
        return mean([scorer._calculate_crimson(evaluation)["crimson_score"] for evaluation in read])

    return score


def radfact() -> Scoring:
    """Return how RadEval's port of RadFact reads and scores the verdicts on phrases; the verdicts are made up."""
    from radeval.metrics.radfact_ct.radfact_ct import RadFactCT, _parse_nli_response, compute_radfact_scores

    def read(verdicts: list[str]) -> list[dict[str, Any]]:
        return [_parse_nli_response(verdict, "phrase") for verdict in verdicts]

    def score(predictions: list[str], _: Sequence[str]) -> dict[str, float]:
        answers = radfact_answers(len(predictions))
        pairs = [compute_radfact_scores(read(candidate), read(reference)) for candidate, reference in answers]
        return {name: value / 100 for name, value in RadFactCT._aggregate(pairs)[0].items()}

    return score


def mean(scores: list[float]) -> dict[str, float]:
    """Return the mean as a result."""
    return {"mean": sum(scores) / len(scores)}


def load(name: str) -> Scoring:
    """Return what scores a row of bench_peers.py."""
    own: dict[str, Callable[[], Scoring]] = {
        "radeval-bertscore": radeval_bertscore,
        "radeval-chexbert": radeval_chexbert,
        "radeval-radgraph-xl": radeval_radgraph,
        "radeval-temporal": radeval_temporal,
        "torchmetrics-bleu": torchmetrics_bleu,
        "torchmetrics-rouge": torchmetrics_rouge,
        "crimson": crimson,
        "radfact": radfact,
    }
    return own[name]() if name in own else radeval(name.removeprefix("radeval-"))


def link_names(name: str, checkpoint: Path) -> None:
    """Give the checkpoint the names that RadEval looks up, in addition to those of `hub_folder`."""
    if name == "radeval-bertscore":
        Path("distilbert-base-uncased").symlink_to(checkpoint)
    if name == "radeval-chexbert":
        hub = Path(os.environ["XDG_CACHE_HOME"], "chexbert", "models--StanfordAIMI--RRG_scorers")
        snapshot = hub / "snapshots" / ("0" * 40)
        snapshot.mkdir(parents=True)
        (hub / "refs").mkdir()
        (hub / "refs" / "main").write_text(snapshot.name, "utf-8")
        (snapshot / "chexbert.pth").symlink_to(checkpoint / "chexbert.pth")


def main() -> None:
    """Read the command line, time the package and print the measurements as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [name for name, row in ROWS.items() if not row.original]
    parser.add_argument("row", choices=names, metavar="ROW", help=f"one of {', '.join(names)}")
    parser.add_argument("--checkpoint", type=Path, help="folder of the checkpoint, for rows that need one")
    parser.add_argument("--pairs", type=Path, required=True, help="JSONL with prediction and reference")
    parser.add_argument("--threads", type=int, default=1, help="torch threads (default: 1)")
    args = parser.parse_args()
    row = ROWS[args.row]
    if row.checkpoint and args.checkpoint is None:
        parser.error(f"{args.row} needs --checkpoint FOLDER")
    import torch

    torch.set_num_threads(args.threads)
    predictions, references = read_pairs(args.pairs, None)
    checkpoint = (args.checkpoint or Path()).resolve()
    printed = io.StringIO()  # the packages print messages, but standard output is for the answer
    with contextlib.redirect_stdout(printed), hub_folder(row.checkpoint, checkpoint, RADGRAPH):
        link_names(args.row, checkpoint)
        got = measure(lambda: load(args.row), predictions, references, row.passes)
    got["result"] = {name: float(value) for name, value in got["result"].items()}
    print(json.dumps(got))


if __name__ == "__main__":
    main()
