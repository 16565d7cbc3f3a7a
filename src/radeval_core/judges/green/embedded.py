"""GREEN without a model: our comparison of two parsed reports, as a GREEN analysis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from radeval_core.error_categories import CATEGORIES, FALSE_FINDING, MISSING_FINDING, in_words
from radeval_core.findings.claims import Claim
from radeval_core.findings.compare import Comparison, compare
from radeval_core.findings.differences import WEIGHT, Difference
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_claims import why_matched
from radeval_core.findings.types import Finding, ParsedReport, Span
from radeval_core.judges.green.analysis import Counted, GreenAnalysis, GreenItem
from radeval_core.pairs import is_blank

#: everything that both reports call normal counts as one matched finding in the paper's equation, so that a list of
#: negatives never outweighs abnormal findings. It has no weight: what is normal earns nothing.
_NORMAL_WEIGHT = 0.0
_NORMAL = "normal or absent in both"


def analyse(reference: ParsedReport, candidate: ParsedReport) -> GreenAnalysis:
    """Return the errors and the matched findings of the candidate."""
    comparison = compare(reference, candidate)
    lost = _lost(comparison)
    matched = [_matched(theirs, ours, lost.get(id(ours), []), reference.lexicon) for theirs, ours in comparison.matched]
    differences = comparison.differences
    silent = (not candidate.states, not reference.states)
    if not any(silent) and (agreed := _agreed_normal(comparison)):
        matched.append(GreenItem(agreed, _NORMAL_WEIGHT))
    return GreenAnalysis(
        explanation=_explain(reference, candidate, differences, matched),
        significant=_by_category(d for d in differences if d.significant),
        insignificant=_by_category(d for d in differences if not d.significant),
        matched=Counted(len(matched), tuple(matched)),
        weighted=True,
        silent=silent,
    )


def _agreed_normal(comparison: Comparison) -> str:
    """Return what both reports call normal or absent, in words, or "" if they share no such statement.

    Two reports without an abnormal finding agree on that, whatever each of them names as normal: `No acute
    cardiopulmonary process.` and `Clear lungs. Normal heart size.`
    """
    if comparison.normal:
        return f"{_NORMAL}: {', '.join(name.replace('_', ' ') for name in comparison.normal)}"
    return "" if comparison.matched or comparison.differences else "no abnormal finding that only one report states"


def _by_category(differences: Iterable[Difference]) -> tuple[Counted, ...]:
    found: dict[str, list[GreenItem]] = {category: [] for category in CATEGORIES}
    for difference in differences:
        found[difference.category].append(_error(difference))
    return tuple(Counted(len(entries), tuple(entries)) for entries in found.values())


def _error(difference: Difference) -> GreenItem:
    theirs = _sentence(difference.reference.mentions if difference.reference else ())
    ours = _sentence(difference.candidate.mentions if difference.candidate else ())
    denial = _sentence([difference.denial] if difference.denial else ())
    return GreenItem(_sentence_about(difference), difference.weight, theirs or denial, ours or denial)


def _lost(comparison: Comparison) -> dict[int, list[Difference]]:
    """Return what costs each matched claim of the candidate credit."""
    lost: dict[int, list[Difference]] = {}
    for shortfall in comparison.shortfalls:
        lost.setdefault(id(shortfall.candidate), []).append(shortfall)
    return lost


def _matched(theirs: Claim, ours: Claim, shortfalls: Sequence[Difference], lexicon: Lexicon) -> GreenItem:
    words = (theirs.severity, theirs.laterality, theirs.finding.replace("_", " "))
    text = " ".join(word for word in words if word)
    weight = WEIGHT[theirs.significance]
    lost = min(sum(shortfall.weight for shortfall in shortfalls), weight)
    by = why_matched(theirs, ours, lexicon)
    return GreenItem(text, weight - lost, _sentence(theirs.mentions), _sentence(ours.mentions), lost, by)


def _sentence(mentions: Iterable[Finding]) -> Span | None:
    """Return start and end of the sentence of the first mention, or None."""
    return next(((mention.sentence_start, mention.sentence_end) for mention in mentions), None)


def _sentence_about(difference: Difference) -> str:
    """Return an error in words."""
    if difference.category == FALSE_FINDING and difference.reference is None:
        return f"{difference.about} is {'denied by' if difference.denial else 'not in'} the reference"
    if difference.category == MISSING_FINDING:
        return f"{difference.about} is {'denied' if difference.denial else 'not mentioned'}"
    return difference.about


def _explain(
    reference: ParsedReport, candidate: ParsedReport, differences: Iterable[Difference], matched: Sequence[GreenItem]
) -> str:
    """Return errors and matches in words; an empty report, or one the parser reads nothing in, is named first."""
    errors = [f"{in_words(d.category)}{'' if d.significant else ' (minor)'}: {_sentence_about(d)}" for d in differences]
    notes = [note for note in (_empty("candidate", candidate), _empty("reference", reference)) if note]
    if errors:
        notes.append(f"{'; '.join(errors)}.")
    elif not notes:
        notes.append("No difference.")
    return " ".join([*notes, _common(matched)])


def _empty(name: str, report: ParsedReport) -> str:
    if is_blank(report.text):
        return f"The {name} is empty."
    return "" if report.states else f"The parser reads no finding in the {name}."


def _common(matched: Sequence[GreenItem]) -> str:
    """Return the number of matches, the same as the count; everything normal is one of them."""
    number = f"{len(matched)} finding{'' if len(matched) == 1 else 's'} in common"
    if not matched or not matched[-1].text.startswith(_NORMAL):
        return f"{number}."
    return (
        f"{number}: what both call normal."
        if len(matched) == 1
        else f"{number}, counting what both call normal as one."
    )
