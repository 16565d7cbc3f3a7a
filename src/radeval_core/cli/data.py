"""`radeval data`: list, build and push datasets, and make pairs from a corpus."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from radeval_core.cli.arguments import add_command, add_model_options, input_files
from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError, unknown_name

_EXAMPLES = """examples:
  radeval data list
  radeval data build radcheck --out radcheck
  radeval data build radpref --source RADPREF.json --out radpref
  radeval data push radcheck --org my-name
  radeval data pairs reports.jsonl --heuristic nearest --out pairs.jsonl

Open a built folder with datasets.load_dataset(DIR, CONFIG) or radeval bench --data DIR.
"""

_BUILD_EXAMPLES = """Reads the publisher's files from your disk and downloads nothing. `radeval data list` shows what
each dataset needs; its card explains how to get it. The same files give the same bytes.

examples:
  radeval data build radcheck --out radcheck
  radeval data build radcheck --out radcheck_1 --seed 1
  radeval data build openi --source NLMCXR_reports.tgz --out openi
  radeval data build rexval --source physionet.org/files/rexval-dataset/1.0.0 --out rexval
"""

_PUSH_EXAMPLES = """Refuses datasets whose terms forbid publishing. The folder is --folder, or DIR/NAME if the
environment variable RADEVAL_DATA is DIR, or ./NAME.

examples:
  radeval data push radcheck --org my-name
  radeval data push radpref --org my-name --folder built/radpref
"""

_PAIRS_EXAMPLES = """heuristics, by candidate:
  random          another report
  remove_shuffle  the report with sentences removed and the rest shuffled
  model_output    a system's report with the same id (--outputs)
  nearest         the most similar report with a different text
  permutation     the report with findings negated, moved, or changed in severity
  modification    the report with errors that a model made, or rephrased by it (--judge; appendix A.4 of the paper)
  mixed           the first five in equal parts, as in the paper (section 3.1.1); needs --outputs
  A,B,…           these in equal parts; no pair is made twice, and if one makes fewer pairs, all make as few

The paper finds the nearest report by BERTScore: --nearest bertscore. It compares each report with those nearest by
TF-IDF (--candidates, 0 for all), and needs the extra `models`. The default is TF-IDF alone.

A report that gives no pair is skipped. The same seed gives the same pairs. `radeval score` and `radeval train annotate`
read the output.

examples:
  radeval data pairs reports.jsonl --heuristic permutation --out pairs.jsonl
  radeval data pairs reports.jsonl --heuristic random --count 1000 --seed 7 --out pairs.jsonl
  radeval data pairs reports.jsonl --heuristic model_output --outputs system.jsonl --out pairs.jsonl
  radeval data pairs reports.jsonl --heuristic mixed --nearest bertscore --outputs system.jsonl --out pairs.jsonl
  radeval data pairs reports.jsonl --heuristic random,nearest,permutation --count 3000 --out pairs.jsonl
  radeval data pairs reports.jsonl --heuristic modification --judge http:MODEL --cache answers --out pairs.jsonl
"""


def add_data_commands(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command group; `common` has the options that every command takes."""
    data = add_command(commands, "data", "build datasets with expert annotations", _EXAMPLES)
    group = data.add_subparsers(required=True, metavar="COMMAND")

    listing = add_command(group, "list", "list the datasets with their source and terms", None, common)
    listing.set_defaults(run=_list)

    build = add_command(group, "build", "build a dataset into a folder", _BUILD_EXAMPLES, common)
    build.set_defaults(run=_build)
    build.add_argument("name", metavar="NAME", help="name of the dataset, see `radeval data list`")
    build.add_argument("--source", metavar="PATH", help="the publisher's file or folder")
    build.add_argument("--out", required=True, metavar="DIR", help="a new folder, or one with an earlier build")
    build.add_argument("--seed", type=int, metavar="N", help="generated datasets only: random seed (default: 0)")
    build.add_argument(
        "--sample", metavar="FILE.jsonl", help="radcheck only: also write 20 pairs in the format of `radeval bench`"
    )

    push = add_command(group, "push", "upload a built dataset to the Hugging Face Hub", _PUSH_EXAMPLES, common)
    push.set_defaults(run=_push)
    push.add_argument("name", metavar="NAME", help="name of the dataset, see `radeval data list`")
    push.add_argument("--org", required=True, help="user or organisation on the Hub")
    push.add_argument("--folder", metavar="DIR", help="the built folder")

    pairs = add_command(
        group, "pairs", "make pairs from a corpus of reports, as in the GREEN paper", _PAIRS_EXAMPLES, common
    )
    pairs.set_defaults(run=_pairs)
    pairs.add_argument(
        "reports", metavar="REPORTS", help="JSONL with id and text, or a text file with one report per line"
    )
    pairs.add_argument(
        "--heuristic",
        required=True,
        help="random, remove_shuffle, model_output, nearest, permutation, modification, several with commas, or mixed",
    )
    pairs.add_argument("--out", required=True, metavar="FILE.jsonl", help="file to write the pairs to")
    pairs.add_argument(
        "--outputs", metavar="FILE", help="model_output and mixed: the system's reports, in the format of REPORTS"
    )
    pairs.add_argument("--count", type=int, metavar="N", help="make at most N pairs, with references in random order")
    pairs.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    pairs.add_argument(
        "--nearest",
        default="tfidf",
        help="how nearest compares reports: tfidf (default) or bertscore, as the paper does",
    )
    pairs.add_argument(
        "--nearest-config",
        metavar="CONFIG",
        help="bertscore only: config of that metric, a Hub id or a folder; the embedded encoder by default",
    )
    pairs.add_argument(
        "--candidates",
        type=int,
        default=100,
        metavar="N",
        help="bertscore only: compare each report with the N nearest by TF-IDF; 0 for all (default: 100)",
    )
    pairs.add_argument(
        "--judge",
        metavar="MODEL",
        help="modification only: http:MODEL, anthropic:MODEL, vllm:MODEL, a Hub id or a folder. http: and anthropic: "
        "send the reports to that server",
    )
    add_model_options(pairs)


def _list(args: argparse.Namespace) -> int:
    from radeval_core.data.catalogue import dataset_names, get_dataset

    datasets = [get_dataset(name) for name in dataset_names()]
    if args.json:
        listed = {
            d.name: {
                "about": d.about,
                "configs": {config: list(part.splits) for config, part in d.configs.items()},
                "source": d.source or None,
                "terms": d.terms,
                "publishable": d.publishable,
            }
            for d in datasets
        }
        print(json.dumps(listed))
        return 0
    rows = []
    for d in datasets:
        configs = "; ".join(f"{config}: {', '.join(part.splits)}" for config, part in d.configs.items())
        rows.append([d.name, d.about, configs, d.source or "none (generated)", d.terms])
    print_table(["dataset", "description", "configs and splits", "--source", "terms"], rows)
    return 0


def _build(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.data.build import build

    sample = io.check_output(args.sample, (".jsonl",), "--sample", input_files(args)) if args.sample else None
    if sample and args.name != "radcheck":
        raise InputError("--sample is only for radcheck")
    manifest = build(args.name, args.source, args.out, args.seed)
    if sample:
        from radeval_core.data.radcheck.generate import write_sample

        write_sample(sample, seed=args.seed or 0)
    if args.json:
        print(json.dumps(manifest | {"folder": args.out}))
        return 0
    rows = [[config, split, str(n)] for config, splits in manifest["rows"].items() for split, n in splits.items()]
    print_table(["config", "split", "rows"], rows)
    if not args.quiet:
        print(f"wrote {args.name}, revision {manifest['revision']}, to {args.out}")
        for remark in manifest.get("remarks", ()):
            print(f"note: {remark}")
    return 0


def _push(args: argparse.Namespace) -> int:
    from radeval_core.data.bench_rows import find_data
    from radeval_core.hub.publish_dataset import may_push, push

    may_push(args.name)
    folder = Path(args.folder) if args.folder else find_data(args.name)
    url = push(args.name, folder, args.org)
    print(json.dumps({"dataset": args.name, "folder": str(folder), "url": url}) if args.json else f"{args.name}: {url}")
    return 0


def _pairs(args: argparse.Namespace) -> int:
    from radeval_core import io
    from radeval_core.data.pair_mix import heuristics_of, mix_pairs
    from radeval_core.data.pairing import make_pairs

    heuristics = heuristics_of(args.heuristic)
    out = io.check_output(args.out, (".jsonl",), inputs=input_files(args))
    outputs = _texts_by_id(args.outputs) if args.outputs else None
    reports = _texts_by_id(args.reports)
    if "modification" in heuristics and not args.judge:
        raise InputError("--heuristic modification needs a model: add --judge MODEL, such as --judge http:MODEL")
    modify = _modifier(args) if args.judge else None
    if "nearest" not in heuristics and args.nearest != "tfidf":
        raise InputError(f"--nearest {args.nearest} is for --heuristic nearest or mixed")
    find = _nearest_finder(args) if "nearest" in heuristics else None
    given: dict[str, Any] = {"count": args.count, "outputs": outputs, "find_nearest": find, "modify": modify}
    if len(heuristics) == 1:
        pairs = make_pairs(reports, heuristics[0], args.seed, **given)
    else:
        pairs = mix_pairs(reports, heuristics, args.seed, **given)
    io.write_jsonl(out, (pair.as_dict() for pair in pairs))
    if args.json:
        print(json.dumps({"pairs": len(pairs), "reports": len(reports), "heuristic": args.heuristic, "out": str(out)}))
    elif not args.quiet:
        print(f"wrote {len(pairs)} pair{'s' * (len(pairs) != 1)} from {len(reports)} reports to {out}")
    return 0


def _nearest_finder(args: argparse.Namespace) -> Any:
    """Return the function that finds the nearest reports; None for TF-IDF."""
    if args.nearest not in ("tfidf", "bertscore"):
        raise unknown_name("value of --nearest", args.nearest, ("tfidf", "bertscore"))
    if args.nearest == "tfidf":
        if args.nearest_config:
            raise InputError("--nearest-config is for --nearest bertscore")
        return None
    from radeval_core.train.bertscore_nearest import bertscore_nearest

    return bertscore_nearest(args.nearest_config, args.candidates, args.device, args.cache, not args.quiet)


def _modifier(args: argparse.Namespace) -> Any:
    """Return the function that has a model modify reports."""
    from radeval_core.engine.cache import cache_from
    from radeval_core.judges.backends.select import make_backend
    from radeval_core.judges.green.modification import modify_reports

    backend, cache = make_backend(args.judge, args.device), cache_from(args.cache)
    return lambda reports, changes: modify_reports(backend, reports, changes, cache)


def _texts_by_id(path: str) -> dict[str, str]:
    from radeval_core.io import ReportFile

    texts: dict[str, str] = {}
    for row_id, text in ReportFile.open(path):
        if str(row_id) in texts:
            raise InputError(f"{path}: id {row_id!r} occurs twice")
        texts[str(row_id)] = text
    return texts
