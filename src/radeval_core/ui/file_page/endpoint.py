"""The endpoint of the file page for programs: plain values in, plain values out; nothing is kept."""

from __future__ import annotations

from typing import Any

from radeval_core.ui.file_page.run import ChosenFile, FileRun, score_files
from radeval_core.ui.file_page.visit import QUICK, chosen_columns, guessed_columns, take_table
from radeval_core.ui.pair import guarded


def score_table(
    file: str,
    metrics: list[str] | None = None,
    second_file: str | None = None,
    prediction_column: str = "",
    reference_column: str = "",
    id_column: str = "",
    leave_out_unreadable: bool = False,
) -> dict[str, Any]:
    """Score every pair of a table with several metrics; with a second file, compare two systems.

    Args:
        file: CSV, TSV, JSONL, JSON or Parquet; it is deleted from the server after it is read.
        metrics: names of metrics; a quick set if there are none.
        second_file: another system on the same references, or nothing.
        prediction_column: the column of the generated reports, in both files; guessed if empty.
        reference_column: the column of the reference reports; guessed if empty.
        id_column: the column of the ids; guessed if empty.
        leave_out_unreadable: leave out rows that cannot be read, and name them in `notes`.

    Returns:
        `systems`: per system `summary` (per metric score, 95 % interval, counts, direction, signature) and `rows` (id
        and scores of every pair). `comparison`: per metric the difference with its interval and p-values, for two
        systems. `notes`: rows that were left out, and how pairs were matched.
    """

    def work() -> FileRun:
        files = []
        for path in filter(None, (file, second_file)):
            table = take_table(path)
            given = (prediction_column, reference_column, id_column)
            columns = [own or guess for own, guess in zip(given, guessed_columns(table), strict=True)]
            files.append(ChosenFile(table, chosen_columns(*columns)))
        return score_files(files, metrics or list(QUICK), leave_out_unreadable, lambda *_, **__: None)

    run = guarded("file_page", work, "this file could not be scored")
    return {
        "systems": {
            name: {"summary": system.scores.summary(), "rows": list(system.scores.rows())}
            for name, system in run.systems.items()
        },
        "comparison": run.comparison.plain() if run.comparison else None,
        "notes": list(run.notes),
    }
