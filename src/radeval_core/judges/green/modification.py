"""Ask a model for a candidate report: the reference with errors of some kinds, or in other words (appendix A.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.engine.cache import DiskCache
from radeval_core.error_categories import CATEGORIES
from radeval_core.judges.backends.base import Backend, Message, Request
from radeval_core.judges.green.analysis import TITLES
from radeval_core.judges.green.paper_prompts import MAX_WORDS, paper_prompt, prompt_identity_of
from radeval_core.judges.model_judge import answers_to
from radeval_core.judges.pair_prompt import fill, labels
from radeval_core.judges.prompt_safety import as_shown

_MAX_ANSWER = 1024
_CANDIDATE = re.compile(r"\[\s*candidate(?:\s+report)?\s*\]\s*:?", re.IGNORECASE)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


@dataclass(frozen=True)
class Modification:
    """What to do to a report.

    Attributes:
        errors: categories of the errors to make; empty to rephrase the report without an error.
        subtle: ask to change only one word where possible.
    """

    errors: tuple[str, ...] = ()
    subtle: bool = False

    @property
    def name(self) -> str:
        """Return the modification in words: `wrong_location+missing_finding,subtle`, or `rephrased`."""
        return ("+".join(self.errors) + ",subtle" * self.subtle) if self.errors else "rephrased"


def modify_reports(
    backend: Backend, reports: Sequence[str], wanted: Sequence[Modification], cache: DiskCache | None = None
) -> list[str | None]:
    """Return a modified version of each report; None if the model's answer contains none.

    Args:
        backend: the model, see `make_backend`.
        reports: the reports.
        wanted: what to do to each.
        cache: optional store of answers.
    """
    requests = [_request(report, change) for report, change in zip(reports, wanted, strict=True)]
    identity = prompt_identity_of("modification", "subtle_change", "rephrasing")
    answers = answers_to(requests, backend, identity, cache, lambda text: read_candidate(text, "") is not None)
    return [read_candidate(answer.text, report) for answer, report in zip(answers, reports, strict=True)]


def read_candidate(answer: str | None, report: str) -> str | None:
    """Return the report after `[Candidate]:`, on one line; None if there is none, or it is the report unchanged."""
    parts = _CANDIDATE.split(_THOUGHT.sub("", answer or ""))
    candidate = " ".join(parts[-1].replace("```", " ").split()).strip("\"'“” ")
    if len(parts) < 2 or candidate in ("", "<Candidate Report>", " ".join(report.split())):
        return None
    return candidate


def _request(report: str, change: Modification) -> Request:
    template = paper_prompt("modification" if change.errors else "rephrasing")
    texts = {
        "report": as_shown(report, MAX_WORDS, ("[Candidate]:", *labels(template))).text,
        "error_types": ", ".join(TITLES[CATEGORIES.index(name)].lower() for name in change.errors),
        "subtle_change": paper_prompt("subtle_change") if change.subtle else "",
    }
    return Request((Message("user", fill(template, texts)),), max_tokens=_MAX_ANSWER)
