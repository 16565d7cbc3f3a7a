"""A model as RadFact's judge: it splits each distinct report once, then judges each phrase by the other report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from radeval_core.engine.cache import DiskCache
from radeval_core.findings.types import Box, Span
from radeval_core.functional.radfact import JudgedPhrase, find_equal, judged_phrases
from radeval_core.functional.radfact import Verdict as PhraseVerdict
from radeval_core.judges.backends.base import Backend
from radeval_core.judges.engine import judge_pairs
from radeval_core.judges.model_judge import ModelJudge
from radeval_core.judges.prompt_safety import neutralise
from radeval_core.judges.radfact.analysis import GivenPair, GivenPhrase, RadFactAnalysis, SideAnalysis
from radeval_core.judges.radfact.answer import SplitReport
from radeval_core.judges.radfact.instructions import EntailmentInstructions, FilterInstructions, SplitInstructions
from radeval_core.judges.radfact.passages import find_passage
from radeval_core.judges.radfact.wording import Wording
from radeval_core.judges.verdict import Case, Verdict

#: a pair to judge: reference, candidate, and their phrases if the user gives them
Item = tuple[str, str, GivenPair | None]


@dataclass(frozen=True)
class _Phrases:
    """The phrases of one report, before they are judged.

    Attributes:
        texts: the phrases, as the model sees them.
        spans: per phrase, the passages of the report that it comes from.
        boxes: per phrase, its boxes.
    """

    texts: tuple[str, ...]
    spans: tuple[tuple[Span, ...], ...]
    boxes: tuple[tuple[Box, ...] | None, ...]

    @property
    def premises(self) -> str:
        """Return the phrases as JSON, the form in which instructions get them."""
        return json.dumps(self.texts)


@dataclass(frozen=True)
class RadFactJudge:
    """A model that splits reports and judges phrases.

    Attributes:
        split: asks for the phrases of a report.
        keep: asks which phrases are positive; None to keep all.
        entail: asks whether the phrases of one report entail a phrase of the other.
        evidence_checked: True if evidence that is no phrase of the other report leaves the pair without a verdict.
        progress: show progress bars on a terminal.
    """

    split: ModelJudge[SplitReport]
    keep: ModelJudge[list[str]] | None
    entail: ModelJudge[PhraseVerdict]
    evidence_checked: bool
    progress: bool = True

    @property
    def fields(self) -> dict[str, object]:
        """Return the judge's fields of a signature."""
        found = {**self.split.fields, **self.entail.fields}
        decodings = {str(judge.fields["decoding"]) for judge in (self.split, self.entail) if "decoding" in judge.fields}
        return {**found, "decoding": "+".join(sorted(decodings))} if decodings else found

    @property
    def asks(self) -> str:
        """Return the model that is asked, with its server."""
        return self.entail.asks

    def watch(self, on_wait: Callable[[str], None]) -> None:
        """Call a function with what the model waits for."""
        self.entail.watch(on_wait)

    def shown(self, report: str) -> str:
        """Return a report as the model sees it."""
        return self.split.shown(report)

    def asked(self, reference: str, candidate: str, verdict: Verdict[Any]) -> dict[str, Any]:
        """Return what the model was shown of each report, and its last answer."""
        return self.split.asked(reference, candidate, verdict)

    def verdicts(self, cases: Sequence[Case]) -> Iterator[tuple[int, Verdict[RadFactAnalysis]]]:
        """Yield the index and verdict of every case; the context is not used."""
        yield from enumerate(self.judge([(case.reference, case.candidate, None) for case in cases]))

    def judge(self, items: Sequence[Item]) -> list[Verdict[RadFactAnalysis]]:
        """Return one verdict per pair. A report or phrase without a readable answer leaves its pairs without one."""
        split = self._split([text for *both, given in items if given is None for text in both])
        pairs = [
            (_sides(given) if given else (split[reference], split[candidate])) for reference, candidate, given in items
        ]
        whole = [(one.analysis, other.analysis) for one, other in pairs]
        known = [both for one, other in whole if one and other for both in ((one, other), (other, one))]
        asked = list(dict.fromkeys((there.premises, phrase) for here, there in known for phrase in here.texts))
        verdicts = dict(zip(asked, judge_pairs(self.entail, asked, self.progress, "phrase"), strict=True))
        return [self._verdict(reference, candidate, verdicts) for reference, candidate in pairs]

    def _split(self, reports: Sequence[str]) -> Mapping[str, Verdict[_Phrases]]:
        """Return the phrases of each distinct report."""
        distinct = list(dict.fromkeys(reports))
        answers = judge_pairs(self.split, [(report, "") for report in distinct], self.progress, "report")
        found = {report: _phrases(report, answer) for report, answer in zip(distinct, answers, strict=True)}
        if self.keep is None:
            return found
        lists = {report: phrases.analysis.premises for report, phrases in found.items() if phrases.analysis}
        kept = judge_pairs(self.keep, [(premises, "") for premises in lists.values()], self.progress, "report")
        for report, answer in zip(lists, kept, strict=True):
            found[report] = _filtered(found[report], answer)
        return found

    def _verdict(
        self,
        reference: Verdict[_Phrases],
        candidate: Verdict[_Phrases],
        verdicts: Mapping[tuple[str, str], Verdict[PhraseVerdict]],
    ) -> Verdict[RadFactAnalysis]:
        """Return the verdict on a pair from those on its reports and phrases."""
        for name, side in (("reference", reference), ("prediction", candidate)):
            if side.analysis is None:
                return _failed(f"the {name} could not be split into phrases", side)
        theirs, ours = reference.analysis, candidate.analysis
        assert theirs is not None and ours is not None
        tries = reference.tries + candidate.tries
        answer, sides = candidate.answer or reference.answer, []
        for name, here, there in (("prediction", ours, theirs), ("reference", theirs, ours)):
            found = [verdicts[there.premises, phrase] for phrase in here.texts]
            tries += sum(verdict.tries for verdict in found)
            for number, verdict in enumerate(found, start=1):
                if verdict.analysis is None:
                    return _failed(f"phrase {number} of the {name} could not be judged", verdict)
                answer = verdict.answer or answer
            judged = self._judged(here, there, [verdict.analysis for verdict in found if verdict.analysis])
            if judged is None:
                reason = f"the evidence for a phrase of the {name} is no phrase of the other report"
                return Verdict(None, reason, answer, tries, "the evidence is not in the other report")
            sides.append(SideAnalysis(tuple(judged), here.spans, ("",) * len(judged)))
        return Verdict(RadFactAnalysis(sides[0], sides[1]), "", answer, tries)

    def _judged(self, here: _Phrases, there: _Phrases, verdicts: Sequence[PhraseVerdict]) -> list[JudgedPhrase] | None:
        if not self.evidence_checked:
            verdicts = [
                replace(v, evidence=tuple(e for e in v.evidence if find_equal(e, there.texts) is not None))
                for v in verdicts
            ]
        return judged_phrases(here.texts, verdicts, there.texts, here.boxes)


def make_judge(
    wording: Wording, backend: Backend, cache: DiskCache | None, positive_only: bool, progress: bool
) -> RadFactJudge:
    """Return a judge.

    Args:
        wording: what the model is told.
        backend: answers the questions.
        cache: optional store of answers.
        positive_only: keep positive phrases only, which the model is asked about.
        progress: show progress bars on a terminal.
    """
    return RadFactJudge(
        ModelJudge(SplitInstructions(wording), backend, cache),
        ModelJudge(FilterInstructions(wording), backend, cache) if positive_only else None,
        ModelJudge(EntailmentInstructions(wording), backend, cache),
        wording.evidence_checked,
        progress,
    )


def _failed(what: str, verdict: Verdict[Any]) -> Verdict[RadFactAnalysis]:
    return Verdict(None, f"{what}: {verdict.reason}", verdict.answer, max(verdict.tries, 1), verdict.failure)


def _phrases(report: str, answer: Verdict[SplitReport]) -> Verdict[_Phrases]:
    """Return the phrases of a report, each with the sentence it comes from."""
    if answer.analysis is None:
        return Verdict(None, answer.reason, answer.answer, answer.tries, answer.failure)
    texts: list[str] = []
    spans: list[tuple[Span, ...]] = []
    end = 0
    for sentence, phrases in answer.analysis.sentences:
        place = find_passage(sentence, report, end)
        end = place[1] if place else end
        texts += [_inert(phrase) for phrase in phrases]
        spans += [(place,) if place else ()] * len(phrases)
    found = _Phrases(tuple(texts), tuple(spans), (None,) * len(texts))
    return Verdict(found, "", answer.answer, answer.tries)


def _filtered(phrases: Verdict[_Phrases], answer: Verdict[list[str]]) -> Verdict[_Phrases]:
    """Return the positive phrases of a report; a phrase that the model rewords has no place in the report."""
    tries = phrases.tries + answer.tries
    if answer.analysis is None or phrases.analysis is None:
        return Verdict(None, answer.reason, answer.answer, tries, answer.failure)
    texts = [_inert(text) for text in answer.analysis]
    places = [find_equal(text, phrases.analysis.texts) for text in texts]
    spans = tuple(() if place is None else phrases.analysis.spans[place] for place in places)
    return Verdict(_Phrases(tuple(texts), spans, (None,) * len(texts)), "", answer.answer, tries)


def _sides(given: GivenPair) -> tuple[Verdict[_Phrases], Verdict[_Phrases]]:
    """Return the phrases that the user gives, of the reference and of the candidate."""

    def phrases(side: Sequence[GivenPhrase]) -> Verdict[_Phrases]:
        texts = tuple(_inert(phrase.text) for phrase in side)
        spans = tuple(((phrase.start, phrase.end),) for phrase in side)
        return Verdict(_Phrases(texts, spans, tuple(phrase.boxes for phrase in side)), tries=0)

    return phrases(given.reference), phrases(given.prediction)


def _inert(phrase: str) -> str:
    return neutralise(phrase)[0]
