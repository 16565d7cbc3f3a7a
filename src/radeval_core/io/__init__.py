"""Reads pairs and reports from files, and writes results: streams in, whole files or nothing out."""

from radeval_core.io.columns import PairColumns, ReportColumns
from radeval_core.io.film_columns import boxes_by_id
from radeval_core.io.formats import jsonl_rows
from radeval_core.io.frames import TablePairs, is_table
from radeval_core.io.output import check_output, jsonl_writer, write_atomically, write_jsonl, write_rows, write_text
from radeval_core.io.readers import (
    PairFile,
    ReportFile,
    TextFilePair,
    open_pairs,
    open_text_files,
    pair_of,
    row_id,
    with_progress,
)

__all__ = [
    "PairColumns",
    "PairFile",
    "ReportColumns",
    "ReportFile",
    "TablePairs",
    "TextFilePair",
    "boxes_by_id",
    "check_output",
    "is_table",
    "jsonl_rows",
    "jsonl_writer",
    "open_pairs",
    "open_text_files",
    "pair_of",
    "row_id",
    "with_progress",
    "write_atomically",
    "write_jsonl",
    "write_rows",
    "write_text",
]
