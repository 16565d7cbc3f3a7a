"""Run the original packages on pairs of reports and record their outputs, in their own environment, unchanged.

    PEER/bin/python tools/upstream_outputs.py chexbert --checkpoint tests/parity/chexbert \
        --pairs tests/parity/chexbert/outputs.json --out tests/parity/chexbert/outputs.json
    PEER/bin/python tools/upstream_outputs.py chexbert --checkpoint FOLDER --pairs pairs.jsonl --time

The first command remakes a fixture of tests/parity. The second prints the time of the package, for bench_peers.py,
which also builds the environments. This script does not import radeval_core and never contacts a Hub: a temporary
working directory has a folder for each name that the packages look up.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import io
import json
import os
import resource
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

#: relative noise on the weights that shows if a decision depends on rounding, and the number of draws
NOISE, DRAWS = 1e-5, 3
PACKAGES = {
    "chexbert": ("f1chexbert", "torch", "transformers", "numpy", "scikit-learn"),
    "radgraph": ("radgraph", "torch", "transformers", "numpy", "nltk"),
    "radgraph-xl": ("radgraph", "torch", "transformers", "numpy", "nltk"),
    "ratescore": ("RaTEScore", "medspacy", "PyRuSH", "spacy", "torch", "transformers", "numpy"),
    "bertscore": ("bert-score", "torch", "transformers", "numpy"),
}


# ---- loading --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def hub_folder(kind: str, checkpoint: Path, radgraph_version: str = "") -> Iterator[None]:
    """Set up a working directory and a cache where the package finds the checkpoint under the names it looks up.

    The cache of radgraph has the version of that package in its path: by default the installed one.
    """
    checkpoint, before = checkpoint.resolve(), Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        cache = Path(place, "cache")
        os.environ.update(XDG_CACHE_HOME=str(cache), HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        if kind == "chexbert":
            (cache / "chexbert").mkdir(parents=True)
            (cache / "chexbert" / "chexbert.pth").symlink_to(checkpoint / "chexbert.pth")
            Path(place, "bert-base-uncased").symlink_to(checkpoint / "bert-base-uncased")
        elif kind.startswith("radgraph"):
            version = radgraph_version or importlib.metadata.version("radgraph")
            extracted = cache / "radgraph" / version / kind
            extracted.mkdir(parents=True)
            with tarfile.open(checkpoint / f"{kind}.tar.gz") as archive:
                archive.extractall(extracted, filter="data")
            for organisation in (checkpoint / "hub").iterdir():
                Path(place, organisation.name).symlink_to(organisation)
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)


def load_scorer(kind: str, checkpoint: Path, **options: Any) -> Any:
    """Return the package's scorer with this checkpoint; call it inside `hub_folder`."""
    if kind == "chexbert":
        from f1chexbert import F1CheXbert

        return F1CheXbert(device="cpu")
    if kind.startswith("radgraph"):
        from radgraph import F1RadGraph

        return F1RadGraph(reward_level="all", model_type=kind, cuda=-1)
    if kind == "ratescore":
        from RaTEScore import RaTEScore

        models = {"bert_model": str(checkpoint / "ner"), "eval_model": str(checkpoint / "encoder")}
        return RaTEScore(**models, use_gpu=False, **options)
    from bert_score import BERTScorer
    from transformers import AutoConfig

    layers = AutoConfig.from_pretrained(checkpoint).num_hidden_layers
    return BERTScorer(model_type=str(checkpoint), num_layers=layers, device="cpu")


def score(kind: str, scorer: Any, predictions: list[str], references: list[str]) -> Any:
    """Return the package's result for a list of pairs."""
    if kind == "ratescore":
        return scorer.compute_score(predictions, references)
    if kind == "bertscore":
        return [float(f) for f in scorer.score(predictions, references)[2]]
    return scorer(hyps=predictions, refs=references)


# ---- outputs of each package ----------------------------------------------------------------------------------------


def chexbert(checkpoint: Path, predictions: list[str], references: list[str]) -> dict[str, Any]:
    """Return classes, logits and CLS vector of each report, the classification reports, and the CLS similarities."""
    import torch

    scorer = load_scorer("chexbert", checkpoint)
    seen: dict[str, Any] = {}
    scorer.model.register_forward_hook(lambda _, args, out: seen.update(ids=args[0][0].tolist(), logits=out))
    scorer.model.bert.register_forward_hook(lambda *call: seen.update(cls=call[-1][0][0, 0]))

    def classes(text: str) -> list[int]:
        scorer.get_label(text.strip())
        return [int(head[0].argmax()) for head in seen["logits"]]

    reports, vectors = [], {}
    for text in unique(predictions, references):
        ids = classes(text)
        logits = [rounded(head[0]) for head in seen["logits"]]
        vectors[text] = seen["cls"]
        reports.append({"text": text, "tokens": len(seen["ids"]), "class_ids": ids, "logits": logits})
        reports[-1] |= {"cls": rounded(seen["cls"]), "rrg": scorer.get_label(text.strip())}
    accuracy, pair_accuracy, fourteen, five = scorer(hyps=predictions, refs=references)
    cosine = torch.nn.functional.cosine_similarity
    return {
        "about": {
            "class_ids": "14 heads; 0 blank, 1 positive, 2 negative, 3 uncertain; No Finding: 0 blank, 1 positive",
            "rrg": "the package's labels for scoring: 1 for positive and uncertain, else 0",
            "tokens": "ids fed to the model, special tokens included; at most 512. An empty report is [CLS] [SEP]",
            "cls": "last-layer vector of [CLS], before the heads",
            "similarity": "cosine of the cls of prediction and reference, which CXR-Report-Metric calls semb_score",
            "accuracy": "share of pairs whose 5 labels all agree; pair_accuracy: the same for each pair",
        },
        "conditions": scorer.target_names,
        "conditions_5": scorer.target_names_5,
        "noise": noise([scorer.model], classes, unique(predictions, references)),
        "accuracy": accuracy,
        "pair_accuracy": [int(a) for a in pair_accuracy],
        "report_14": fourteen,
        "report_5": five,
        "similarity": [
            float(cosine(vectors[p], vectors[r], dim=0)) for p, r in zip(predictions, references, strict=True)
        ],
        "reports": reports,
    }


def radgraph(kind: str, checkpoint: Path, predictions: list[str], references: list[str]) -> dict[str, Any]:
    """Return annotations, rewards, and entity and relation F1 as defined by CXR-Report-Metric."""
    scorer = load_scorer(kind, checkpoint)

    def annotate(text: str) -> dict[str, Any]:
        found = scorer.radgraph([text])["0"]
        return {"words": found["text"], "entities": found["entities"]}

    found = {text: annotate(text) for text in unique(predictions, references)}
    _, rewards, *_ = scorer(hyps=predictions, refs=references)
    entity_f1 = [set_f1(entities(found[p]), entities(found[r])) for p, r in zip(predictions, references, strict=True)]
    relation_f1 = [
        set_f1(relations(found[p]), relations(found[r])) for p, r in zip(predictions, references, strict=True)
    ]
    return {
        "about": {
            "reports": "words: the report as the package splits it; entities: as the package returns them. An empty "
            "report is read as the word None",
            "rewards": "F1RadGraph of each pair; 0 where either report is empty. Case matters, except in the relation "
            "tuples of complete",
            "cxr_report_metric": "F1 of the sets {(tokens, label)} and {((tokens, label), (target tokens, target "
            "label), relation)} of the annotations above; combined is their mean. Case matters. That package drops "
            "empty reports, here they stand with the annotation of None",
        },
        "model_type": kind,
        "noise": noise([scorer.radgraph.model], annotate, list(found)),
        "crashes": {text: error for text in (" ", "\n") if (error := failure(lambda: annotate(text)))},  # noqa: B023
        "rewards": dict(zip(("simple", "partial", "complete"), map(list, rewards), strict=True)),
        "cxr_report_metric": {
            "entity_f1": entity_f1,
            "relation_f1": relation_f1,
            "combined": [(e + r) / 2 for e, r in zip(entity_f1, relation_f1, strict=True)],
        },
        "reports": [{"text": text, **annotation} for text, annotation in found.items()],
    }


def ratescore(checkpoint: Path, predictions: list[str], references: list[str]) -> dict[str, Any]:
    """Return sentences, labels and entities of each report, scores of each pair, and vectors of entities."""
    from RaTEScore.score import process_embedding, run_ner
    from RaTEScore.utils import sentence_split

    scorer, short = (load_scorer("ratescore", checkpoint, affinity_matrix=kind) for kind in ("long", "short"))
    seen: list[dict[str, Any]] = []

    def keep(_: Any, args: Any, inputs: dict[str, Any], out: Any) -> None:
        seen.append({"ids": inputs["input_ids"][0].tolist(), "labels": out.logits[0].argmax(-1).tolist()})

    scorer.model.register_forward_hook(keep, with_kwargs=True)

    def annotate(text: str) -> dict[str, Any]:
        seen.clear()
        sentences, _ = sentence_split([text])
        if not sentences:
            return {"sentences": [], "tokens": [], "entities": []}
        [found] = run_ner([text], scorer.idx2label, scorer.tokenizer, scorer.model, scorer.device, 1)
        return {"sentences": sentences, "tokens": list(seen), "entities": [list(entity) for entity in found]}

    def embed(entity: str) -> Any:
        return process_embedding([(entity, "")], scorer.eval_tokenizer, scorer.eval_model, scorer.device)[0][0]

    texts = unique(predictions, references)
    found = {text: annotate(text) for text in texts}
    names = sorted({name for annotation in found.values() for name, _ in annotation["entities"]})
    vectors = {name: embed(name) for name in names}
    pairs = list(zip(predictions, references, strict=True))
    alone: dict[str, list[float | None]] = {"long": [], "short": []}
    errors: dict[str, str] = {}
    for i, (p, r) in enumerate(pairs):
        for size, its in (("long", scorer), ("short", short)):
            error = failure(lambda: alone[size].append(float(its.compute_score([p], [r])[0])))  # noqa: B023
            if error:
                alone[size].append(None)
                errors[str(i)] = error
    together = [float(s) for s in scorer.compute_score(predictions, references)]
    shown = names[:: max(1, len(names) // 60)]
    return {
        "about": {
            "reports": "tokens: ids and argmax labels of each sentence, special tokens too; entities: [text, type]",
            "scores": "one pair a call, with both weight sets; null where the package fails, see errors (pair index)",
            "scores_in_one_call": "all pairs in one call, LONG. A report without a sentence is dropped and every later "
            "pair is shifted: prediction and reference no longer belong together",
            "close_matches": "pairs in which an entity has two best matches of different type within 1e-5, so that "
            "rounding decides which weight applies: scores of these pairs are not to be compared",
            "entity_vectors": "CLS vectors, one entity a call",
        },
        "labels": [scorer.idx2label[i] for i in range(len(scorer.idx2label))],
        "noise": noise([scorer.model], annotate, texts),
        "scores": alone,
        "errors": errors,
        "scores_in_one_call": together,
        "close_matches": [i for i, (p, r) in enumerate(pairs) if is_close(found[p], found[r], vectors)],
        "entity_vectors": {name: rounded(vectors[name]) for name in shown},
        "reports": [{"text": text, **annotation} for text, annotation in found.items()],
    }


def entities(annotation: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the (tokens, label) of each entity of a RadGraph annotation."""
    return {(e["tokens"], e["label"]) for e in annotation["entities"].values()}


def relations(annotation: dict[str, Any]) -> set[tuple[Any, ...]]:
    """Return (entity, target entity, relation) of a RadGraph annotation, where an entity is (tokens, label)."""
    every = annotation["entities"]
    named = {number: (e["tokens"], e["label"]) for number, e in every.items()}
    return {(named[n], named[target], label) for n, e in every.items() for label, target in e["relations"]}


def set_f1(mine: set[Any], theirs: set[Any]) -> float:
    """Return the F1 of two sets; 0 if they share nothing."""
    return 2 * len(mine & theirs) / (len(mine) + len(theirs)) if mine & theirs else 0.0


def is_close(prediction: dict[str, Any], reference: dict[str, Any], vectors: dict[str, Any]) -> bool:
    """Return True if rounding may decide the type of an entity's best match."""
    import torch

    sides = [annotation["entities"] for annotation in (prediction, reference)]
    if not all(sides):
        return False
    unit = [torch.nn.functional.normalize(torch.stack([vectors[name] for name, _ in side]), dim=1) for side in sides]
    for queries, targets, kinds in ((unit[0], unit[1], sides[1]), (unit[1], unit[0], sides[0])):
        for row in queries @ targets.T:
            near = {kinds[i][1] for i in range(len(kinds)) if row[i] > row.max() - 1e-5}
            if len(near) > 1:
                return True
    return False


def noise(modules: list[Any], annotate: Callable[[str], Any], texts: list[str]) -> dict[str, Any]:
    """Return the texts whose annotation changes when small noise is added to every weight."""
    import torch

    before = [annotate(text) for text in texts]
    parameters = [p for module in modules for p in module.parameters()]
    kept = [p.detach().clone() for p in parameters]
    changed: set[int] = set()
    torch.manual_seed(0)
    for _ in range(DRAWS):
        with torch.no_grad():
            for parameter, value in zip(parameters, kept, strict=True):
                parameter.copy_(value * (1 + NOISE * torch.randn_like(value)))
        changed |= {i for i, text in enumerate(texts) if annotate(text) != before[i]}
    with torch.no_grad():
        for parameter, value in zip(parameters, kept, strict=True):
            parameter.copy_(value)
    return {"on_weights": NOISE, "draws": DRAWS, "texts_annotated_otherwise": sorted(changed)}


def failure(call: Callable[[], Any]) -> str | None:
    """Return the error of a call, or None if it succeeds."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


# ---- in and out -----------------------------------------------------------------------------------------------------


def unique(predictions: list[str], references: list[str]) -> list[str]:
    """Return every distinct text, in the order of the pairs."""
    return list(dict.fromkeys(text for pair in zip(predictions, references, strict=True) for text in pair))


def rounded(vector: Any) -> list[float]:
    """Return the values of a tensor, rounded to 6 decimals."""
    return [round(float(v), 6) for v in vector]


def read_pairs(path: Path, most: int | None) -> tuple[list[str], list[str]]:
    """Read pairs from a JSONL file with prediction and reference, or a JSON object with predictions and references."""
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        predictions, references = ([row[key] for row in rows] for key in ("prediction", "reference"))
    else:
        both = json.loads(path.read_text("utf-8"))
        predictions, references = both["predictions"], both["references"]
    return predictions[:most], references[:most]


def write_outputs(path: Path, outputs: dict[str, Any]) -> None:
    """Write JSON with one line per item of a list or object, so that diffs are short."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def block(value: Any) -> str:
        if len(line(value)) < 110 or not isinstance(value, list | dict):
            return line(value)
        if isinstance(value, dict):
            return "{\n" + ",\n".join(f"  {line(key)}: {line(item)}" for key, item in value.items()) + "\n }"
        if isinstance(value[0], int | float):
            return line(value)
        return "[\n" + ",\n".join(f"  {line(item)}" for item in value) + "\n ]"

    items = ",\n".join(f" {json.dumps(key)}: {block(value)}" for key, value in outputs.items())
    path.write_text("{\n" + items + "\n}\n", "utf-8")


def measure(load: Callable[[], Any], predictions: list[str], references: list[str], passes: int = 1) -> dict[str, Any]:
    """Measure the seconds to load and to score, after a warm-up on two pairs, and the peak memory of the process.

    Args:
        load: returns a function that scores predictions and references.
        predictions: one prediction per pair.
        references: one reference per pair.
        passes: how often the pairs are scored; the fastest pass counts.
    """
    started = time.perf_counter()
    score = load()
    loaded = time.perf_counter() - started
    score(predictions[:2], references[:2])
    seconds, cpu, result = [], [], None
    for _ in range(passes):
        warm, busy = time.perf_counter(), time.process_time()
        result = score(predictions, references)
        seconds.append(time.perf_counter() - warm)
        cpu.append(time.process_time() - busy)
    return {"load": loaded, "seconds": min(seconds), "cpu": min(cpu), "peak_mb": peak_mb(), "result": result}


def peak_mb() -> float:
    """Return the peak memory of this process in MB.

    On Linux, getrusage also counts the process that started this one, so the kernel's own figure is read instead.
    """
    status = Path("/proc/self/status")
    lines = status.read_text("utf-8").splitlines() if status.is_file() else []
    found = [float(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return (found[0] if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def take_time(kind: str, checkpoint: Path, predictions: list[str], references: list[str]) -> dict[str, Any]:
    """Measure the package with `measure`; its result becomes a few numbers."""
    got = measure(lambda: partial(score, kind, load_scorer(kind, checkpoint)), predictions, references)
    return {**got, "result": summary(kind, got["result"])}


def summary(kind: str, result: Any) -> Any:
    """Return the scores of a timed run, to check that both sides computed the same."""
    if kind == "chexbert":
        return {"micro_14": result[2]["micro avg"]["f1-score"], "micro_5": result[3]["micro avg"]["f1-score"]}
    if kind.startswith("radgraph"):
        return dict(zip(("simple", "partial", "complete"), map(float, result[0]), strict=True))
    return {"mean": sum(result) / len(result)}


def main() -> None:
    """Read the command line, run the package, and write or print the result."""
    parser = argparse.ArgumentParser(
        description="Run an original package on pairs of reports, in its own environment.",
        epilog="bench_peers.py --envs DIR builds the environments: DIR/bert for chexbert, radgraph and bertscore, "
        "DIR/rate for ratescore. peer_collections.py times RadEval, torchmetrics and crimson-score.",
    )
    parser.add_argument("kind", choices=PACKAGES, help="the package to run")
    parser.add_argument("--checkpoint", type=Path, required=True, help="folder in the published file layout")
    parser.add_argument(
        "--pairs", type=Path, required=True, help="JSONL with prediction and reference, or JSON with both lists"
    )
    parser.add_argument("--n", type=int, help="only the first N pairs")
    parser.add_argument("--out", type=Path, help="write all outputs of the package to this JSON file")
    parser.add_argument("--time", action="store_true", help="print load and scoring seconds as JSON instead")
    parser.add_argument("--threads", type=int, help="torch threads")
    args = parser.parse_args()
    if bool(args.out) == args.time:
        parser.error("give either --out FILE or --time")
    predictions, references = read_pairs(args.pairs, args.n)
    checkpoint = args.checkpoint.resolve()
    out = args.out and args.out.resolve()
    import torch

    if args.threads:
        torch.set_num_threads(args.threads)
    printed = io.StringIO()  # the packages print messages, but standard output is for the answer
    with contextlib.redirect_stdout(printed), hub_folder(args.kind, checkpoint):
        if args.time:
            answer = take_time(args.kind, checkpoint, predictions, references)
        elif args.kind == "chexbert":
            answer = chexbert(checkpoint, predictions, references)
        elif args.kind == "ratescore":
            answer = ratescore(checkpoint, predictions, references)
        elif args.kind == "bertscore":
            parser.error("bertscore works only with --time")
        else:
            answer = radgraph(args.kind, checkpoint, predictions, references)
    if args.time:
        print(json.dumps(answer))
        return
    versions = {name: importlib.metadata.version(name) for name in PACKAGES[args.kind]}
    write_outputs(out, {"versions": versions, "predictions": predictions, "references": references, **answer})
    print(f"{args.out}: {len(predictions)} pairs", file=sys.stderr)


if __name__ == "__main__":
    main()
