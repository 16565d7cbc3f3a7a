"""Correct a candidate line by line without a model, from the differences of two parsed reports.

A line whose claims are all false is deleted. A line with an error, or one that denies what the reference states, is
rewritten in the reference's words. A finding that no line mentions is inserted. All errors of one line make one
correction, which is as severe as the worst error. A line that repeats an error, as the impression does, is corrected
too, with the lowest severity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from radeval_core.corrections.apply import sentence
from radeval_core.corrections.lines import ReportLine, line_at, split_lines
from radeval_core.corrections.types import CATEGORY_TITLES, DELETE, INSERT, RATING, Analysis, Correction
from radeval_core.error_categories import FALSE_COMPARISON, FALSE_FINDING, WRONG_LOCATION, WRONG_SEVERITY
from radeval_core.findings.claims import Claim
from radeval_core.findings.compare import compare
from radeval_core.findings.differences import Difference, denials_like
from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.judges.fineradscore.writer import Problems, Writer
from radeval_core.pairs import is_blank


def correct(reference: ParsedReport, candidate: ParsedReport) -> Analysis:
    """Return the corrections that make the candidate state what the reference states.

    It is an emergent error if one report is empty, or if the parser reads nothing in the candidate but something in the
    reference: the worst correction becomes emergent, and without any correction the whole reference is inserted or the
    candidate's first line deleted.
    """
    corrections = _corrections(reference, candidate)
    empty, no_reference = is_blank(candidate.text), is_blank(reference.text)
    if empty and no_reference:
        return Analysis(())
    nothing_said = empty or (reference.states and not candidate.states)
    if not nothing_said and not no_reference:
        return Analysis(tuple(corrections))
    why = "The reference is empty" if no_reference else "The candidate is empty"
    if not empty and not no_reference:
        why = "The parser reads nothing in the candidate"
    if corrections:
        worst = max(range(len(corrections)), key=lambda i: corrections[i].severity)
        note = f"{why}; {corrections[worst].comment}"
        corrections[worst] = replace(corrections[worst], rating=RATING[4], comment=note)
    elif no_reference:
        first = split_lines(candidate.text)[0]
        category = (CATEGORY_TITLES[0],)
        corrections = [Correction(0, DELETE, first.text, "", RATING[4], category, sentence(why))]
    else:
        category = (CATEGORY_TITLES[1],)
        text = reference.text.strip()
        corrections = [Correction(None, INSERT, "", text, RATING[4], category, sentence(why))]
    return Analysis(tuple(corrections))


def _corrections(reference: ParsedReport, candidate: ParsedReport) -> list[Correction]:
    comparison = compare(reference, candidate)
    # a line that leaves out the side is rewritten too; naming what the reference thinks possible needs no correction
    vaguer = [d for d in comparison.shortfalls if d.aspect != "certainty"]
    differences = (*comparison.differences, *vaguer)
    if not differences:
        return []
    lines = split_lines(candidate.text)
    sided = _sided_lines(lines, candidate)
    by_line: dict[int, Problems] = {}
    missing: list[Difference] = []
    for difference in differences:
        if difference.candidate is None:
            missing.append(difference)
            continue
        for i, line in enumerate(_lines_of(difference.candidate, difference, lines, sided)):
            problems = by_line.setdefault(line.number, Problems())
            (problems.repeated if i else problems.found).append(difference)
    inserted: list[Difference] = []
    for difference in sorted(missing, key=lambda d: -d.weight):
        # rewrite the line that denies it, unless that line has another error: a rewritten line gets one new statement
        denying = line_at(lines, difference.denial.start) if difference.denial is not None else None
        if denying is None or denying.number in by_line:
            inserted.append(difference)
        else:
            by_line[denying.number] = Problems([difference])
        for line in _denying_again(difference, lines, candidate):  # the impression, as a rule
            by_line.setdefault(line.number, Problems(repeated=[difference]))
    writer = Writer(reference, candidate, comparison, lines)
    corrections = [writer.of_line(lines[number], by_line[number]) for number in sorted(by_line)]
    return corrections + [writer.insertion(difference) for difference in _in_order(inserted)]


def _denying_again(
    difference: Difference, lines: Sequence[ReportLine], candidate: ParsedReport
) -> Iterable[ReportLine]:
    """Return the lines that deny a missing finding by its name; the line of the first denial is among them."""
    if difference.denial is None or difference.reference is None:
        return ()
    return [line_at(lines, m.start) for m in denials_like(difference.denial, difference.reference, candidate)]


def _sided_lines(lines: Sequence[ReportLine], candidate: ParsedReport) -> set[tuple[int, str | None]]:
    """Return the lines that give a finding a side themselves: the number of the line and the side."""
    stated = [(line_at(lines, f.start), f) for f in candidate.stated if not f.carried]
    return {(line.number, f.laterality) for line, f in stated if line.start <= f.start < line.end}


def _lines_of(
    claim: Claim, difference: Difference, lines: Sequence[ReportLine], sided: set[tuple[int, str | None]]
) -> list[ReportLine]:
    """Return the lines of the candidate that contain the error, the longest first.

    A line that takes its side from the line before (`This may be pneumonia`) is right once that line is corrected.
    """
    wrong = {line_at(lines, mention.start) for mention in _wrong_mentions(difference, claim)}
    ordered = sorted(wrong, key=lambda line: (-len(line.text), line.text.lower(), line.number))
    if difference.category == WRONG_LOCATION:
        return [line for line in ordered if (line.number, claim.laterality) in sided] or ordered[:1]
    return ordered


def _wrong_mentions(difference: Difference, claim: Claim) -> Iterable[Finding]:
    """Return the mentions of a claim that state the wrong part; the first mention if none does."""
    if difference.category == FALSE_FINDING:
        return claim.mentions
    if difference.category == WRONG_LOCATION:
        wrong = [m for m in claim.mentions if m.laterality == claim.laterality and m.anatomy]
    elif difference.category == WRONG_SEVERITY:
        wrong = [m for m in claim.mentions if m.severity or m.measurements or m.number]
    elif difference.category == FALSE_COMPARISON:
        wrong = [m for m in claim.mentions if m.change == claim.change]
    else:
        wrong = []
    return wrong or claim.mentions[:1]


def _in_order(differences: list[Difference]) -> list[Difference]:
    """Return differences in the order of the reference."""
    return sorted(differences, key=lambda d: min(m.start for m in d.reference.mentions) if d.reference else 0)
