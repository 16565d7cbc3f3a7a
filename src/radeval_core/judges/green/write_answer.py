"""Write a GREEN analysis as a judge answers it, in the form of the prompt (appendix A.1 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.judges.green.analysis import TITLES, Counted, GreenAnalysis


def write_answer(analysis: GreenAnalysis, compact: bool = False) -> str:
    """Return the answer: the reader finds the same counts and entries in it.

    Args:
        analysis: the errors and matched findings.
        compact: leave out categories without errors, and write `None.` for no errors at all. The prompt asks for every
            category; a small model learns the short form faster, and the reader reads it as well.
    """
    return "\n\n".join(
        (
            f"[Explanation]:\n{_one_line(analysis.explanation)}",
            f"[Clinically Significant Errors]:\n{_by_category(analysis.significant, compact)}",
            f"[Clinically Insignificant Errors]:\n{_by_category(analysis.insignificant, compact)}",
            f"[Matched Findings]:\n{_counted(analysis.matched)}",
        )
    )


def _by_category(errors: Sequence[Counted], compact: bool) -> str:
    lines = [
        f"({letter}) {title}: {_counted(counted)}"
        for letter, title, counted in zip("abcdef", TITLES, errors, strict=True)
        if counted.count or not compact
    ]
    return "\n".join(lines) or "None."


def _counted(counted: Counted) -> str:
    entries = "; ".join(_one_line(entry.text).replace(";", ",") for entry in counted.entries)
    return f"{counted.count}. {entries}".rstrip()


def _one_line(text: str) -> str:
    """Return a text without line breaks and brackets: neither may begin a section."""
    return " ".join(text.replace("[", "(").replace("]", ")").split())
