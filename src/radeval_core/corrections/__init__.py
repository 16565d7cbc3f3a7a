"""Corrections of a report, line by line: what FineRadScore counts, what ReFiSco records, and what pages show."""
