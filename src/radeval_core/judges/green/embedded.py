"""GREEN without a model: our comparison of two parsed reports, written in GREEN's structure."""

from __future__ import annotations

from collections.abc import Iterable

from radeval_core.findings.structures import Finding, ParsedReport
from radeval_core.judges.claims import Claim
from radeval_core.judges.compare import CATEGORIES, FALSE_FINDING, MISSING_FINDING, WEIGHT, Difference, compare
from radeval_core.judges.green.analysis import Counted, Entry, GreenAnalysis, Span

#: all that two reports call normal together counts as one matched finding, so that a list of negatives never
#: outweighs what is abnormal
_NORMAL_WEIGHT = 1.0


def analyse(reference: ParsedReport, candidate: ParsedReport) -> GreenAnalysis:
    """What the candidate has wrong and right."""
    comparison = compare(reference, candidate)
    matched = [_matched(theirs, ours) for theirs, ours in comparison.matched]
    if comparison.normal:
        names = ", ".join(name.replace("_", " ") for name in comparison.normal)
        matched.append(Entry(f"normal or absent in both: {names}", _NORMAL_WEIGHT))
    differences = comparison.differences
    return GreenAnalysis(
        explanation=_explain(differences, len(comparison.matched)),
        significant=_by_category(d for d in differences if d.significant),
        insignificant=_by_category(d for d in differences if not d.significant),
        matched=Counted(len(matched), tuple(matched)),
    )


def _by_category(differences: Iterable[Difference]) -> tuple[Counted, ...]:
    found: dict[str, list[Entry]] = {category: [] for category in CATEGORIES}
    for difference in differences:
        found[difference.category].append(_error(difference))
    return tuple(Counted(len(entries), tuple(entries)) for entries in found.values())


def _error(difference: Difference) -> Entry:
    theirs = _sentence(difference.reference.mentions if difference.reference else ())
    ours = _sentence(difference.candidate.mentions if difference.candidate else ())
    denial = _sentence([difference.denial] if difference.denial else ())
    return Entry(_sentence_about(difference), difference.weight, theirs or denial, ours or denial)


def _matched(theirs: Claim, ours: Claim) -> Entry:
    words = (theirs.severity, theirs.laterality, theirs.finding.replace("_", " "))
    text = " ".join(word for word in words if word)
    return Entry(text, WEIGHT[theirs.significance], _sentence(theirs.mentions), _sentence(ours.mentions))


def _sentence(mentions: Iterable[Finding]) -> Span | None:
    """Where the sentence of the first mention stands."""
    return next(((mention.sentence_start, mention.sentence_end) for mention in mentions), None)


def _sentence_about(difference: Difference) -> str:
    """The error in words."""
    if difference.category == FALSE_FINDING and difference.reference is None:
        return f"{difference.about} is {'denied by' if difference.denial else 'not in'} the reference"
    if difference.category == MISSING_FINDING:
        return f"{difference.about} is {'denied' if difference.denial else 'not mentioned'}"
    return difference.about


def _explain(differences: Iterable[Difference], matched: int) -> str:
    told = [f"{d.category}{'' if d.significant else ' (minor)'}: {_sentence_about(d)}" for d in differences]
    shared = f"{matched} finding{'' if matched == 1 else 's'} in common."
    return f"{'; '.join(told)}. {shared}" if told else f"No difference. {shared}"
