"""The wording of a question about a pair: named instructions, or the user's own from a file.

Whichever file the wording comes from, report text is data: it cannot end or change the instructions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.judges.prompt_safety import has_chat_marker

#: places in instructions that the reports are put into
REFERENCE, CANDIDATE = "{reference}", "{candidate}"
#: the name of instructions from a file, in signatures
FROM_FILE = "file"
#: a line, or the start of a line, that labels what follows: `2. Reference Report:`, `[Assistant 1]`
_LABEL = re.compile(
    r"^[ \t]*(?:\d+[.)][ \t]*)?([^\n{}]{3,60}:)[ \t]*(?=\{|$)|^[ \t]*(\[[^\]\n]{3,40}\])[ \t]*$", re.MULTILINE
)


@dataclass(frozen=True)
class PairPrompt:
    """The wording of a question about a pair.

    Attributes:
        name: its name in signatures; `file` for the user's own.
        system: what the model is told before the first pair; empty if the question contains it.
        question: the question, with `{reference}` and `{candidate}`; empty for the metric's usual form.
    """

    name: str
    system: str = ""
    question: str = ""

    def fill(self, reference: str, candidate: str) -> str:
        """Return the question with both reports inserted; braces in a report are ordinary characters."""
        return fill(self.question, {"reference": reference, "candidate": candidate})

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the question, longest first. A report must not contain one."""
        return labels(self.question)


def fill(template: str, texts: Mapping[str, str]) -> str:
    """Return a template with texts at their places, `{name}`; places in an inserted text are ordinary characters."""
    return re.sub(r"\{(\w+)\}", lambda place: texts.get(place[1], place[0]), template)


def labels(template: str) -> tuple[str, ...]:
    """Return the labels of a template, longest first: `Reference Report:`, `[Assistant 1]`."""
    found = {label for match in _LABEL.finditer(template) for label in match.groups() if label}
    return tuple(sorted(found, key=lambda label: (-len(label), label)))


def read_prompt(option: str, path: str, names: Sequence[str], needs_places: bool) -> PairPrompt:
    """Read the user's instructions from a text file.

    A file with `{reference}` and `{candidate}` is the whole question. A file without them is told to the model first,
    and each pair follows in the metric's usual form.

    Args:
        option: name of the option, for errors.
        path: the file.
        names: names the option takes instead of a file, for errors.
        needs_places: True if the metric has no usual form, so that both places are needed.
    """
    if not Path(path).is_file():
        raise InputError(f"option {option} must be {', '.join(names)} or an existing text file, got {path!r}")
    text = user_text(option, path)
    counts = [text.count(place) for place in (REFERENCE, CANDIDATE)]
    if counts != [1, 1] and (needs_places or counts != [0, 0]):
        found = f"found {counts[0]} and {counts[1]}"
        raise InputError(f"{path}: the instructions must contain {REFERENCE} once and {CANDIDATE} once; {found}")
    if not text.strip():
        raise InputError(f"{path}: the instructions are empty")
    if has_chat_marker(text):
        raise InputError(f"{path}: the instructions contain a marker of a chat template, such as </s>: remove it")
    return PairPrompt(FROM_FILE, question=text) if counts == [1, 1] else PairPrompt(FROM_FILE, system=text.strip())


def prompt_identity(metric: str, prompt: str, shots: str, version: int, content: Sequence[str]) -> str:
    """Return name, version and content hash of what a model is told: `green-paper-2-shot-1@1a2b3c4d`.

    Args:
        metric: the metric.
        prompt: name of the instructions; empty for the default ones.
        shots: the number of examples in words; empty for none where that is the default.
        version: version of the metric's own texts.
        content: every text the model is told, and the question without its reports.
    """
    digest = hashlib.sha256("".join(content).encode()).hexdigest()[:8]
    return "-".join(filter(None, (metric, prompt, shots, str(version)))) + f"@{digest}"


def user_text(option: str, path: str) -> str:
    """Return the text of a file that an option names."""
    try:
        return Path(path).read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"option {option}: no such file: {path}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
