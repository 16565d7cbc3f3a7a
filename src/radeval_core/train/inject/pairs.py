"""Put up to a few errors into each report of a corpus, in all categories alike, and keep what was done."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count as numbers_from

from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError
from radeval_core.findings.claims import Claim, read_claims
from radeval_core.findings.parser import parse
from radeval_core.findings.perturb import COMPARISONS, perturb, perturb_comparison
from radeval_core.findings.types import ParsedReport
from radeval_core.train.inject.gold import KINDS_OF, GoldError, claims_lost, content_of, errors_made

#: changes that keep the meaning, so that a judge does not learn to call other words an error
_REWORDINGS = ("paraphrase", "order")
#: share of candidates with errors that are reworded too; those without errors are always reworded, if they can be
_REWORDED = 0.5
#: a category has at most so many times its fair share of errors, and pairs without errors are at most so large a part.
#: Reports of normal studies allow little but false findings: without limits these would fill the file.
_MOST_OF_ONE, _MOST_WITHOUT, _SLACK = 2.0, 0.4, 10


@dataclass(frozen=True)
class GoldPair:
    """A report and a candidate made from it, with the errors that were put into it.

    Attributes:
        study: id of the report.
        reference: the report.
        candidate: the report with the errors.
        errors: the errors, in the order in which they were made.
        changes: the kind of every change that was made, errors and rewordings; empty if the candidate is a copy.
    """

    study: str
    reference: ParsedReport
    candidate: ParsedReport
    errors: tuple[GoldError, ...]
    changes: tuple[str, ...]

    @property
    def matched(self) -> list[tuple[Claim, Claim]]:
        """Return the findings that both reports state, reference first.

        A finding with a wrong place, severity or comparison is one of them: the finding is there, its description is
        the error. The embedded judge counts in the same way.
        """
        lost = {id(claim) for claim in claims_lost(self.reference, self.candidate)}
        same = {content_of(claim): claim for claim in read_claims(self.candidate)}
        pairs = [(c, same[content_of(c)]) for c in read_claims(self.reference) if id(c) not in lost]
        pairs += [(e.reference, e.candidate) for e in self.errors if e.reference and e.candidate]
        return sorted(pairs, key=lambda pair: pair[0].start)

    @property
    def normal(self) -> list[str]:
        """Return what both reports call normal or absent by name."""
        theirs, ours = _normal(self.reference), _normal(self.candidate)
        return [name for name in theirs if name in ours]


def inject_errors(
    reports: Mapping[str, str], count: int, seed: int = 0, most: int = 3, max_words: int | None = None
) -> Iterator[GoldPair]:
    """Yield pairs with known errors, at most `count`; fewer if the corpus gives no more different ones.

    Every report is used in turn, with a random number of errors. Of the categories, the one with the fewest errors so
    far is tried first, and none gets much more than its share.

    Args:
        reports: the corpus, text by id.
        count: number of pairs.
        seed: random seed; the same seed gives the same pairs.
        most: the most changes that make an error, per pair. One change can make several errors.
        max_words: shorten each report to its first sentences, with at most this many words.
    """
    if count < 1 or most < 1:
        raise InputError(f"the number of pairs and of errors must be at least 1, got {count} and {most}")
    order = list(reports)
    random.Random(f"{seed}:inject").shuffle(order)
    known: set[tuple[str, str]] = set()
    made: Counter[str] = Counter()
    without = 0
    for turn in numbers_from():
        found = 0
        for name in order:
            rng = random.Random(f"{seed}:inject:{turn}:{name}")
            wanted = rng.randint(0, most)
            if not wanted and without > _MOST_WITHOUT * len(known) + _SLACK:
                continue
            pair = _pair(name, shortened(reports[name], max_words), wanted, made, rng)
            if pair is None or (key := (pair.reference.text, pair.candidate.text)) in known:
                continue
            known.add(key)
            found += 1
            without += not pair.errors
            made.update(error.category for error in pair.errors)
            yield pair
            if len(known) == count:
                return
        if not found:
            return


def shortened(text: str, max_words: int | None) -> str:
    """Return the first sentences of a report, with at most so many words; empty if the first one is longer."""
    if max_words is None or len(text.split()) <= max_words:
        return text
    ends = [sentence.end for sentence in parse(text).sentences]
    return next((text[:end] for end in reversed(ends) if len(text[:end].split()) <= max_words), "")


def _pair(study: str, text: str, wanted: int, made: Counter[str], rng: random.Random) -> GoldPair | None:
    """Return a pair with up to `wanted` changes that make errors; None if there can be none."""
    reference = parse(text)
    if not reference.states:
        return None
    steps = [reference]
    errors: list[GoldError] = []
    changes: list[str] = []
    while len(changes) < wanted:
        step = _next_error(steps[-1], errors, made, rng)
        if step is None:
            break
        report, new = step
        steps.append(report)
        errors += new
        changes.append(new[0].kind)
    if wanted and not errors:
        return None
    if not errors or rng.random() < _REWORDED:
        reworded = _reworded(steps[-1], rng)
        if reworded is not None:
            steps.append(reworded[0])
            changes.append(reworded[1])
    gold = bind_errors(errors, reference, steps[-1])
    return None if gold is None else GoldPair(study, reference, steps[-1], gold, tuple(changes))


def _next_error(
    report: ParsedReport, before: Sequence[GoldError], made: Counter[str], rng: random.Random
) -> tuple[ParsedReport, tuple[GoldError, ...]] | None:
    """Return the report with one more change, and its errors; none about a finding that already has one."""
    touched = {
        name for error in before for claim in (error.reference, error.candidate) if claim for name in claim.names
    }
    counts = made + Counter(error.category for error in before)
    fair = counts.total() / len(CATEGORIES)
    for category in sorted(rng.sample(CATEGORIES, len(CATEGORIES)), key=lambda category: counts[category]):
        if counts[category] > _MOST_OF_ONE * fair + _SLACK:
            continue
        for kind in rng.sample(KINDS_OF[category], len(KINDS_OF[category])):
            change = perturb_comparison if kind in COMPARISONS else perturb
            changed = change(report.text, kind, rng.randrange(2**32))
            if changed is None:
                continue
            after = parse(changed.text)
            errors = errors_made(kind, report, after)
            names = {name for e in errors for claim in (e.reference, e.candidate) if claim for name in claim.names}
            if category in {error.category for error in errors} and not names & touched:
                return after, errors
    return None


def _reworded(report: ParsedReport, rng: random.Random) -> tuple[ParsedReport, str] | None:
    """Return the report in other words or another order, if it can be changed so."""
    for kind in rng.sample(_REWORDINGS, len(_REWORDINGS)):
        changed = perturb(report.text, kind, rng.randrange(2**32))
        if changed is not None:
            return parse(changed.text), kind
    return None


def bind_errors(
    errors: Sequence[GoldError], reference: ParsedReport, candidate: ParsedReport
) -> tuple[GoldError, ...] | None:
    """Return the errors with the claims of the two reports; None if the reports differ in anything else."""
    lost = {content_of(claim): claim for claim in claims_lost(reference, candidate)}
    won = {content_of(claim): claim for claim in claims_lost(candidate, reference)}
    theirs = {content_of(error.reference) for error in errors if error.reference}
    ours = {content_of(error.candidate) for error in errors if error.candidate}
    if theirs != lost.keys() or ours != won.keys():
        return None
    return tuple(
        replace(
            error,
            reference=error.reference and lost[content_of(error.reference)],
            candidate=error.candidate and won[content_of(error.candidate)],
        )
        for error in errors
    )


def _normal(report: ParsedReport) -> list[str]:
    normal = (f for f in report.stated if f.kind == "normality" or f.polarity == "absent")
    return list(dict.fromkeys(f.finding for f in normal))
