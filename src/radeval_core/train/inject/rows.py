"""Training rows from injected errors: each answer is read back with the metric's own reader before it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from radeval_core.errors import InputError, unknown_name
from radeval_core.judges.green.write_answer import write_answer as write_green
from radeval_core.judges.verdict import UnreadableAnswer
from radeval_core.train.answer_forms import FORMS
from radeval_core.train.inject.answers import ANALYSES
from radeval_core.train.inject.pairs import GoldPair
from radeval_core.train.rows import INJECTED, TrainingRow
from radeval_core.train.splits import PROPORTIONS, split_of

#: why FineRadScore has no answer about a pair
_NOT_CORRECTED = "correcting the lines would not restore the reference"
_READ_OTHERWISE = "the metric reads the answer otherwise than it was written"
#: what the datasheet says about such rows
LIMITS = (
    "The errors were put into the reports by rules, so the counts are exact: no model and no reader judged them.",
    "This teaches the form of the answer and errors of one finding at a time: a finding added, left out, denied or "
    "replaced, on the wrong side or in the wrong place, of the wrong severity, with a comparison added or left out.",
    "It does not teach errors that real systems make and rules do not: wrong reasoning, hedging, several findings "
    "confused, another style or language. Measure a judge trained on it against experts before you use it.",
    "The words are those of the reference except for the change, one synonym, or another order of the sentences. A "
    "judge can learn to compare words instead of meaning.",
    "Changes are checked with the findings parser. Findings that it does not know are never changed, and the embedded "
    "judge, which uses the same parser, looks better on this file than on real reports.",
    "Significance follows the table of the findings lexicon, not a radiologist.",
    "Matched findings are the findings that both reports state, also those described wrongly, plus one for everything "
    "that both call normal or absent.",
)


def check_metric(metric: str, compact: bool = False) -> None:
    """Refuse a metric without answers for injected errors, and a compact form that the metric does not have."""
    if metric not in ANALYSES:
        raise unknown_name("metric for injected errors", metric, ANALYSES)
    if compact and metric != "green":
        raise InputError(f"--compact is for green: the answers of {metric} list only what there is")


def injected_rows(
    pairs: Iterable[GoldPair],
    metric: str,
    seed: int = 0,
    proportions: Sequence[float] = PROPORTIONS,
    compact: bool = False,
    dropped: Counter[str] | None = None,
) -> Iterator[TrainingRow]:
    """Yield a training row per pair whose errors the metric's answer can state.

    Args:
        pairs: pairs with known errors.
        metric: one of `ANALYSES`.
        seed: seed of the splits.
        proportions: shares of the splits.
        compact: leave out categories without errors; GREEN only.
        dropped: receives the number of other pairs, by reason.
    """
    check_metric(metric, compact)
    dropped = Counter() if dropped is None else dropped
    form = FORMS[metric]
    of_study: Counter[str] = Counter()
    for pair in pairs:
        of_study[pair.study] += 1
        analysis = ANALYSES[metric](pair)
        if analysis is None:
            dropped[_NOT_CORRECTED] += 1
            continue
        answer = write_green(analysis, compact=True) if compact else form.write(analysis)
        counts = form.count(analysis)
        try:
            same = form.counts_in(pair.reference.text, pair.candidate.text, answer) == counts
        except UnreadableAnswer:
            same = False
        if not same:
            dropped[_READ_OTHERWISE] += 1
            continue
        yield TrainingRow(
            id=f"inject:{pair.study}:{of_study[pair.study]}",
            study=pair.study,
            split=split_of(pair.study, seed, proportions),
            metric=metric,
            reference=pair.reference.text,
            prediction=pair.candidate.text,
            answer=answer,
            counts=counts,
            teacher=INJECTED,
            heuristic="+".join(pair.changes) or "copy",
        )
