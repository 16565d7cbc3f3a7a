"""GREEN's question to a model about a pair of reports: the exact prompt its checkpoints were trained on."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.green.analysis import GreenAnalysis
from radeval_core.judges.green.answer import read_answer
from radeval_core.judges.prompt_safety import ShownReport, as_shown
from radeval_core.judges.verdict import Verdict
from radeval_core.pairs import is_blank

#: maximum number of words of a report that are judged, as in the authors' package
MAX_WORDS = 300
#: maximum number of tokens of prompt and answer together, as in the authors' package
MAX_TOTAL = 2048
#: maximum number of tokens of the answer alone: about twice the longest answer in the training data
MAX_ANSWER = 1024
PROMPT_VERSION = 1
#: the authors' package writes an empty assistant turn and then starts another; the published models expect that
_RENDERED = "<|user|>\n{prompt}</s>\n<|assistant|>\n</s>\n<|assistant|>\n"
#: headings of the instructions; a report must not contain them
_OWN = ("Criteria for Judgment:", "Reference Report:", "Candidate Report:", "Reporting Your Assessment:")


class GreenInstructions:
    """GREEN's instructions and the reader of its answers."""

    #: with greedy decoding, asking again would give the same answer
    tries = 1

    @property
    def identity(self) -> str:
        """Return the version of the instructions and a hash of their text."""
        return f"green-{PROMPT_VERSION}@{hashlib.sha256((_RENDERED + _template()).encode()).hexdigest()[:8]}"

    def settled(self, reference: str, candidate: str) -> Verdict[GreenAnalysis] | None:
        """Return no analysis for an empty report: the models were never trained on one."""
        if is_blank(reference) or is_blank(candidate):
            return Verdict(None, "a report is empty: the model was not asked", tries=0)
        return None

    def shown(self, report: str) -> ShownReport:
        """Return a report as the prompt contains it."""
        return as_shown(report, MAX_WORDS, _OWN)

    def request(self, reference: str, candidate: str) -> Request:
        """Return the question about a pair: as text for the checkpoints, as one message for other models."""
        prompt = _fill(self.shown(reference).text, self.shown(candidate).text)
        return Request(
            messages=(Message("user", prompt),),
            rendered=_RENDERED.format(prompt=prompt),
            max_tokens=MAX_ANSWER,
            max_total=MAX_TOTAL,
        )

    def again(self, request: Request, answer: str, problem: str) -> Request:
        """Return the same question: the checkpoints were trained on no other."""
        return request

    def read(self, reference: str, candidate: str, answer: str) -> GreenAnalysis:
        """Return the analysis in an answer."""
        return read_answer(answer)


@cache
def _template() -> str:
    return resources.files(__package__).joinpath("prompt.txt").read_text("utf-8")


def _fill(reference: str, candidate: str) -> str:
    """Return the instructions with both reports inserted; braces in a report are ordinary characters."""
    before, _, rest = _template().partition("{reference}")
    between, _, after = rest.partition("{candidate}")
    return f"{before}{reference}{between}{candidate}{after}"
