"""Read the answers of a model: the phrases of a report (JSON), and whether a phrase is entailed (YAML).

They are read as RadFact's authors do (langchain's tolerant readers), so that the same answers give the same phrases and
verdicts. Where their code goes on with an unreadable answer, ours raises `UnreadableAnswer`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from radeval_core.errors import InputError
from radeval_core.functional.radfact import Verdict
from radeval_core.judges.verdict import UnreadableAnswer
from radeval_core.user_yaml import read_yaml

_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_JSON_FENCE = re.compile(r"```(?:json)?(.*)", re.DOTALL)
_YAML_FENCE = re.compile(r"```(?:ya?ml)?([^`]*)", re.DOTALL)
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|"|[{}\[\]]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
#: characters that may be dropped from the end of an answer that was cut off, to find its last complete value
_MOST_DROPPED = 2_000
ENTAILED = "entailment"
#: how many pieces of evidence each status allows: from, up to
_EVIDENCE = {ENTAILED: (1, None), "not_entailment": (0, None), "neutral": (0, 0), "contradiction": (1, None)}


@dataclass(frozen=True, slots=True)
class SplitReport:
    """A report as phrases.

    Attributes:
        sentences: each sentence of the report with its phrases.
    """

    sentences: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def phrases(self) -> list[str]:
        """Return the phrases of all sentences, in order."""
        return [phrase for _, phrases in self.sentences for phrase in phrases]


def read_phrases(answer: str, text_before: bool = False) -> SplitReport:
    """Return the phrases in an answer to the question about a report.

    Args:
        answer: the model's answer.
        text_before: read also JSON that follows other text, as RadEval does.

    Raises:
        UnreadableAnswer: the answer is not the JSON that was asked for.
    """
    found = _json_in(answer, text_before)
    sentences = found.get("sentence_list") if isinstance(found, dict) else None
    if not isinstance(sentences, list):
        raise UnreadableAnswer("the answer has no list sentence_list")
    read = []
    for number, entry in enumerate(sentences, start=1):
        if not isinstance(entry, dict) or "orig" not in entry or not isinstance(entry.get("new"), list):
            raise UnreadableAnswer(f"sentence {number} has no text orig and no list new")
        where = f"sentence {number}"
        phrases = [_text(phrase, where) for phrase in entry["new"]]
        read.append((_text(entry["orig"], where), tuple(filter(None, phrases))))
    return SplitReport(tuple(read))


def read_filtered(answer: str) -> list[str]:
    """Return the positive phrases in an answer to the question which phrases are positive."""
    found = _json_in(answer, text_before=True)
    phrases = found.get("phrases") if isinstance(found, dict) else None
    if not isinstance(phrases, list):
        raise UnreadableAnswer("the answer has no list phrases")
    return [_text(phrase, "phrases") for phrase in phrases]


def read_verdict(answer: str, needs_evidence: bool = True) -> Verdict:
    """Return the verdict in an answer to the question about a phrase.

    Args:
        answer: the model's answer.
        needs_evidence: refuse an entailed or contradicted phrase without evidence, and a neutral one with evidence.

    Raises:
        UnreadableAnswer: the answer is not the YAML that was asked for.
    """
    text = _THOUGHT.sub(" ", answer)
    fence = _YAML_FENCE.search(text)
    try:
        found = read_yaml("the answer", fence[1].strip() if fence else text.strip())
    except InputError:
        raise UnreadableAnswer("the answer is not valid YAML") from None
    if not isinstance(found, dict):
        raise UnreadableAnswer("the answer is no YAML object with phrase, evidence and status")
    missing = [name for name in ("phrase", "evidence", "status") if found.get(name) is None]
    if missing:
        raise UnreadableAnswer(f"the answer has no {' and no '.join(missing)}")
    status, evidence = found["status"], found["evidence"]
    if not isinstance(evidence, list):
        raise UnreadableAnswer("evidence is no list")
    if not isinstance(status, str) or status not in _EVIDENCE:
        raise UnreadableAnswer(f"status is none of {', '.join(_EVIDENCE)}")
    least, most = _EVIDENCE[status]
    if needs_evidence and (len(evidence) < least or (most is not None and len(evidence) > most)):
        raise UnreadableAnswer(f"status {status} {'needs' if least else 'allows no'} evidence")
    return Verdict(status == ENTAILED, tuple(_text(words, "evidence") for words in evidence))


def _text(value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UnreadableAnswer(f"{where}: expected text")
    return str(value)


def _json_in(answer: str, text_before: bool) -> Any:
    """Return the JSON value an answer begins with, inside a fence or not; one that was cut off is closed."""
    text = _THOUGHT.sub(" ", answer).strip()
    fence = _JSON_FENCE.search(text)
    text = (fence[1] if fence and text[:1] not in ("{", "[") else text).strip(" \n\r\t`")
    if text_before and "{" in text:
        text = text[text.index("{") :]
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except RecursionError:
        raise UnreadableAnswer("the answer is nested too deeply") from None
    except ValueError:
        pass
    for end in range(len(text), max(0, len(text) - _MOST_DROPPED), -1) if (ending := _ending(text)) else ():
        try:
            return json.loads(text[:end] + ending, strict=False)
        except (ValueError, RecursionError):
            continue
    raise UnreadableAnswer("the answer does not begin with valid JSON")


def _ending(text: str) -> str:
    """Return what closes a text that was cut off inside JSON; empty if it was not."""
    still_open: list[str] = []
    inside = ""
    for found in _STRUCTURE.finditer(text):
        mark = found[0]
        if mark in _CLOSING:
            still_open.append(_CLOSING[mark])
        elif mark == '"':  # a string that does not end
            inside = '"'
            break
        elif mark in ("}", "]") and (not still_open or still_open.pop() != mark):
            return ""
    return inside + "".join(reversed(still_open))
