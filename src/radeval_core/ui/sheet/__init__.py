"""The sheet: a candidate report marked up like a page under a radiologist's red pen.

`read_sheet(reference, candidate)` compares two reports and returns a `Sheet`; `draw_sheet(sheet, name)` renders it as
HTML. The wrong words are struck, the right ones stand beside them, missing findings are inserted where they belong, and
every mark is linked both ways with a list of errors, the most severe first.
"""

from __future__ import annotations

from radeval_core.ui.sheet.drawing import draw_pair, draw_sheet, sheet_style
from radeval_core.ui.sheet.from_reports import read_sheet, sheet_of
from radeval_core.ui.sheet.marks import SEVERITIES, Edit, Mark, Sheet

__all__ = ["SEVERITIES", "Edit", "Mark", "Sheet", "draw_pair", "draw_sheet", "read_sheet", "sheet_of", "sheet_style"]
