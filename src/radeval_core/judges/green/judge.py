"""What GREEN asks a model about a pair of reports, to the letter as its checkpoints were trained on it."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.green.analysis import GreenAnalysis
from radeval_core.judges.green.answer import read_answer
from radeval_core.judges.neutral import ShownReport, as_shown

#: words of a report that are judged, tokens of prompt and answer together, both as the authors' package has them
MAX_WORDS = 300
MAX_TOTAL = 2048
#: longest answer where the prompt does not count: about twice the longest of the training data
MAX_ANSWER = 1024
PROMPT_VERSION = 1
#: the authors' package renders an empty assistant turn and then opens one; the published models know it so
_RENDERED = "<|user|>\n{prompt}</s>\n<|assistant|>\n</s>\n<|assistant|>\n"
#: headings of the instructions, which a report must not be able to end or repeat
_OWN = ("Criteria for Judgment:", "Reference Report:", "Candidate Report:", "Reporting Your Assessment:")


def judged_report(report: str) -> ShownReport:
    """A report as the prompt holds it."""
    return as_shown(report, MAX_WORDS, _OWN)


class GreenJudge:
    """GREEN's instructions and the reader of its answers."""

    #: the same question would get the same greedy answer
    tries = 1

    @property
    def identity(self) -> str:
        """Version of the instructions, and a hash of their text."""
        return f"green-{PROMPT_VERSION}@{hashlib.sha256((_RENDERED + _template()).encode()).hexdigest()[:8]}"

    def request(self, reference: str, candidate: str) -> Request:
        """The question about a pair: as text for the checkpoints, as one message for other models."""
        prompt = _fill(judged_report(reference).text, judged_report(candidate).text)
        return Request(
            messages=(Message("user", prompt),),
            rendered=_RENDERED.format(prompt=prompt),
            max_tokens=MAX_ANSWER,
            max_total=MAX_TOTAL,
        )

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """The same question: the checkpoints know no other."""
        return request

    def read(self, reference: str, candidate: str, answer: str) -> GreenAnalysis:
        """The analysis an answer states."""
        return read_answer(answer)


@cache
def _template() -> str:
    return resources.files(__package__).joinpath("prompt.txt").read_text("utf-8")


def _fill(reference: str, candidate: str) -> str:
    """The instructions with both reports in place; braces in a report mean nothing."""
    before, _, rest = _template().partition("{reference}")
    between, _, after = rest.partition("{candidate}")
    return f"{before}{reference}{between}{candidate}{after}"
