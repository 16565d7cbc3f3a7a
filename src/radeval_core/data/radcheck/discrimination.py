"""Generate reports with one known error, and harmless rewordings of reports, from radcheck's grammar.

Every statement has its own random wording, so that an error changes one sentence and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from random import Random

import yaml

from radeval_core.data.radcheck.errors import Error, perturb
from radeval_core.data.radcheck.generate import observe, reports, visible
from radeval_core.data.radcheck.structures import Report, load_grammar
from radeval_core.data.radcheck.write import write_absent, write_normal, write_present
from radeval_core.error_categories import CATEGORIES

#: draws of an error before a report is left without one of a category
_TRIES = 40
#: rewordings, each of the whole report
REWORDINGS = ("paraphrase", "order", "abbreviation", "spelling", "formatting")


@dataclass(frozen=True)
class ErrorCase:
    """A reference with a right and a wrong candidate, which differ in one error.

    Attributes:
        study: the report they were made from.
        category: the kind of error.
        significant: True if the error matters clinically.
        reference: the reference.
        right: its facts in other words.
        wrong: the same words with one error.
    """

    study: str
    category: str
    significant: bool
    reference: str
    right: str
    wrong: str


@dataclass(frozen=True)
class RewordingCase:
    """A reference and the same facts changed in form, by kind of change; `unrelated` is a report of another study."""

    study: str
    reference: str
    changed: dict[str, str]
    unrelated: str


def generate(count: int, seed: int = 0) -> tuple[list[ErrorCase], list[RewordingCase]]:
    """Return the cases of `count` reports; the same numbers give the same cases."""
    rng = Random(f"discrimination {seed}")
    facts = list(islice(reports(rng), count))
    texts = [_write(report, f"{seed} {i} a", "a") for i, report in enumerate(facts)]
    errors, rewordings = [], []
    for i, report in enumerate(facts):
        study, other = f"discrimination-{i:04d}", texts[(i + 1) % count]
        words = f"{seed} {i} b"
        right = _write(report, words, "b")
        for error, wrong in _one_error_each(report, f"{seed} {i}"):
            case = ErrorCase(study, error.category, error.significant, texts[i], right, _write(wrong, words, "b"))
            if case.right != case.wrong:
                errors.append(case)
        changed = {name: _CHANGES[name](report, texts[i], f"{seed} {i}") for name in REWORDINGS}
        rewordings.append(
            RewordingCase(study, texts[i], {k: text for k, text in changed.items() if text != texts[i]}, other)
        )
    return errors, rewordings


def _one_error_each(report: Report, seed: str) -> Iterator[tuple[Error, Report]]:
    """Yield the report with one error of each category that it allows."""
    findings = visible(load_grammar().anatomies[report.anatomy], report.modality)
    found: dict[str, tuple[Error, Report]] = {}
    for number in range(_TRIES):
        rng = Random(f"{seed} error {number}")
        changed, errors = perturb(report, 1, rng, findings, lambda finding, rng=rng: observe(finding, rng))  # type: ignore[misc]
        if errors:
            found.setdefault(errors[0].category, (errors[0], changed))
    for category in CATEGORIES:
        if category in found:
            yield found[category]


def _write(report: Report, words: str, order: str) -> str:
    """Write a report: the wording of a statement depends on `words` and its finding, its place on `order`."""
    sentences = {f"present {o.finding.id}": write_present(o, Random(f"{words} {o.finding.id}")) for o in report.present}
    sentences |= {f"absent {f.id}": write_absent([f], Random(f"{words} {f.id}")) for f in report.absent}
    sentences |= {f"normal {n.part}": write_normal(n, Random(f"{words} {n.part}")) for n in report.normal}
    names = sorted(sentences, key=lambda name: Random(f"{order} {name.split(' ', 1)[1]}").random())
    return " ".join(sentences[name].text for name in names)


def _formatted(report: Report, text: str, seed: str) -> str:
    """Return the text in capitals, as a list with dashes, or as a numbered list."""
    lines = re.split(r"(?<=\.) (?=[A-Z])", text)
    forms = (
        text.upper(),
        "\n".join(f"- {line}" for line in lines),
        "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1)),
    )
    return Random(f"{seed} form").choice(forms)


@cache
def _tables() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = yaml.safe_load(files(__package__).joinpath("rewordings.yaml").read_text("utf-8"))
    return found


def _replaced(table: str, text: str) -> str:
    """Return the text with every entry of a table replaced; a capital at the start stays one."""
    entries = _tables()[table]
    pattern = re.compile(rf"\b({'|'.join(sorted(entries, key=len, reverse=True))})\b", re.IGNORECASE)

    def new(found: re.Match[str]) -> str:
        word = entries[found[0].lower()]
        return word[0].upper() + word[1:] if found[0][0].isupper() else word

    return pattern.sub(new, text)


_CHANGES: dict[str, Callable[[Report, str, str], str]] = {
    "paraphrase": lambda report, text, seed: _write(report, f"{seed} c", "a"),
    "order": lambda report, text, seed: _write(report, f"{seed} a", "c"),
    "abbreviation": lambda report, text, seed: _replaced("abbreviations", text),
    "spelling": lambda report, text, seed: _replaced("spellings", text),
    "formatting": _formatted,
}
