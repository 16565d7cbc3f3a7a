"""Reads pairs and reports from files, and writes results: streams in, whole files or nothing out."""

from radeval_core.io.atomic import parts_removed_on_signals, write_atomically
from radeval_core.io.columns import PairColumns, ReportColumns, guess_columns
from radeval_core.io.film_columns import boxes_by_id
from radeval_core.io.formats import jsonl_rows
from radeval_core.io.frames import TablePairs, is_table
from radeval_core.io.output import csv_cell, csv_text, jsonl_text, jsonl_writer, write_jsonl, write_rows, write_text
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
from radeval_core.io.table import Table, read_table
from radeval_core.io.targets import check_distinct, check_output, kept_going, raise_failures

__all__ = [
    "PairColumns",
    "PairFile",
    "ReportColumns",
    "ReportFile",
    "Table",
    "TablePairs",
    "TextFilePair",
    "boxes_by_id",
    "check_distinct",
    "check_output",
    "csv_cell",
    "csv_text",
    "guess_columns",
    "is_table",
    "jsonl_rows",
    "jsonl_text",
    "jsonl_writer",
    "kept_going",
    "open_pairs",
    "open_text_files",
    "pair_of",
    "parts_removed_on_signals",
    "raise_failures",
    "read_table",
    "row_id",
    "with_progress",
    "write_atomically",
    "write_jsonl",
    "write_rows",
    "write_text",
]
