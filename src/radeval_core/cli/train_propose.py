"""`radeval train propose`: mark entities of reports half-automatically, as data for `radeval train ner`."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from radeval_core.cli.arguments import (
    TABLES,
    add_command,
    add_lexicon_option,
    add_model_options,
    add_report_column_options,
    input_files,
    report_columns_of,
)
from radeval_core.errors import InputError, says_what_to_install

_ABOUT = """The steps are those of appendix A.2 of the RaTEScore paper. A model or the embedded parser proposes the
entities of each sentence; entities unlike every known name are removed (--similarity); sentences of which too few words
are in entities are removed (--density); negation gives the polarity. The known names are the lexicon's, with MONDO's
synonyms, and your own (--library). People should correct a sample of the result before it is used as a test set.

examples:
  radeval train propose reports.jsonl --out sentences.jsonl
  radeval train propose reports.jsonl --judge http:gpt-4o --cache answers --library umls_names.txt --out sentences.jsonl
  radeval train propose reports.csv --encoder ncbi/MedCPT-Query-Encoder --out sentences.jsonl
  radeval train ner --base minilm --data sentences.jsonl --out reader
"""


def add_propose_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train propose`."""
    about = "mark entities of reports half-automatically, to train a reader on"
    command = add_command(group, "propose", about, _ABOUT, common)
    command.set_defaults(run=_propose)
    command.add_argument(
        "reports", metavar="REPORTS", help=f"{TABLES} with columns text or report, optional id; or .txt"
    )
    add_report_column_options(command)
    command.add_argument("--out", required=True, metavar="FILE.jsonl", help="one row per sentence that is kept")
    command.add_argument(
        "--judge",
        default="embedded",
        metavar="BACKEND:MODEL",
        help="the model that proposes: http:MODEL, anthropic:MODEL, transformers:MODEL or vllm:MODEL; or embedded, our "
        "parser (default)",
    )
    command.add_argument(
        "--library", action="append", default=[], metavar="FILE.txt", help="known names, one per line; may be repeated"
    )
    command.add_argument("--encoder", metavar="ID_OR_FOLDER", help="model that compares names; see `train ner`")
    command.add_argument("--encoder-pooling", metavar="cls|mean", help="how the encoder gives a name one vector")
    command.add_argument("--similarity", type=float, metavar="N", help="smallest cosine of an entity (default: 0.83)")
    command.add_argument("--density", type=float, metavar="N", help="smallest share of a sentence (default: 0.7)")
    command.add_argument("--source", metavar="NAME", help="name of the data in the rows; that of the file by default")
    command.add_argument("--dry-run", action="store_true", help="count reports and sentences, and stop")
    add_model_options(command)
    add_lexicon_option(command)


def _propose(args: argparse.Namespace) -> int:
    with says_what_to_install("radeval train propose"):
        from radeval_core.train.ner.propose import DENSITY, SIMILARITY, Pipeline

    from radeval_core import io
    from radeval_core.annotators.rate_sentences import rate_sentences
    from radeval_core.findings import FindingsParser

    limits = {"similarity": args.similarity, "density": args.density}
    for name, value in limits.items():
        if value is not None and not 0 <= value <= 1:
            raise InputError(f"--{name} must be between 0 and 1, got {value:g}")
    inputs = [*input_files(args), *args.library]
    out = io.check_output(args.out, (".jsonl",), inputs=inputs)
    reports = io.ReportFile.open(args.reports, report_columns_of(args))
    if args.dry_run:
        counted = [len(rate_sentences(text)) for _, text in io.with_progress(reports, None, not args.quiet)]
        _print(args, {"reports": len(counted), "sentences": sum(counted)}, args.judge)
        return 0
    parser = FindingsParser(args.lexicon)
    proposer = _proposer(args, parser)
    counts = Counter[str]()
    pipeline = Pipeline(
        proposer,
        _library(args, parser),
        parser.lexicon,
        SIMILARITY if args.similarity is None else args.similarity,
        DENSITY if args.density is None else args.density,
        args.source or Path(args.reports).name.partition(".")[0],
        counts,
    )
    io.write_jsonl(out, pipeline.rows(io.with_progress(reports, None, not args.quiet)))
    for name, reason in (("unreadable", "sentences without a readable answer"), ("misquoted", "entities misquoted")):
        if count := getattr(proposer, name, 0):
            counts[reason] = count
    _print(args, dict(counts), proposer.name)
    return 0


def _proposer(args: argparse.Namespace, parser: Any) -> Any:
    from radeval_core.engine.cache import cache_from
    from radeval_core.judges.backends.select import make_backend
    from radeval_core.train.ner.propose import ParserProposer
    from radeval_core.train.ner.propose_model import ModelProposer

    if args.judge == "embedded":
        return ParserProposer(parser)
    return ModelProposer(make_backend(args.judge, args.device), parser.lexicon, cache_from(args.cache))


def _library(args: argparse.Namespace, parser: Any) -> Any:
    from radeval_core.annotators.entity_encoder import EntityEncoder
    from radeval_core.train.ner.entity_encoder import choose_encoder
    from radeval_core.train.ner.entity_library import EntityLibrary, library_names

    source, name, pooling = choose_encoder(args.encoder, args.encoder_pooling)
    encoder = EntityEncoder(source, args.device, progress=not args.quiet, pooling=pooling, name=name)
    return EntityLibrary(library_names(parser.lexicon, args.library), encoder)


def _print(args: argparse.Namespace, counts: dict[str, int], proposer: str) -> None:
    if args.json:
        print(json.dumps({"proposer": proposer, **counts}))
    elif not args.quiet:
        print("\n".join([f"proposed by: {proposer}", *(f"{name}: {count:,}" for name, count in counts.items())]))
