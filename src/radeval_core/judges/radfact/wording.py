"""What a model is told: RadFact's texts for chest X-rays, or RadEval's for CT, with examples as earlier turns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from radeval_core.errors import InputError
from radeval_core.judges.backends.base import Message
from radeval_core.judges.examples import INVENTED, NO_EXAMPLES
from radeval_core.judges.pair_prompt import user_text
from radeval_core.judges.prompt_safety import has_chat_marker
from radeval_core.user_yaml import read_yaml

#: names of the instructions
RADFACT, CT = "radfact", "ct"
_SIDES = ("A", "B")


@dataclass(frozen=True)
class Wording:
    """What a model is told in each step, before the question itself.

    Attributes:
        name: `radfact` or `ct`.
        phrases: the turns before a report that is to be split.
        entailment: the turns before a phrase that is to be judged.
        filtering: the turns before phrases of which the positive ones are to be kept; none for `radfact`.
        shots: number of entailment examples, each two lists of phrases.
    """

    name: str
    phrases: tuple[Message, ...]
    entailment: tuple[Message, ...]
    filtering: tuple[Message, ...]
    shots: int

    @property
    def evidence_checked(self) -> bool:
        """True if an answer must give evidence that is a phrase of the other report: RadEval's variant does not ask."""
        return self.name == RADFACT


def choose_wording(name: str | None, examples: str | None, shots: int | None) -> Wording:
    """Return what the options `instructions`, `examples` and `shots` choose.

    Args:
        name: `radfact` or `ct`; None for the first.
        examples: `invented`, `none`, or a JSON or YAML file in the layout of RadFact's entailment examples.
        shots: number of entailment examples to show; all if None.
    """
    name = name or RADFACT
    chosen = _entailment_examples(name, examples)
    if shots is not None and not 0 <= shots <= len(chosen):
        raise InputError(f"option radfact.shots must be from 0 to the number of examples, {len(chosen)}, got {shots}")
    chosen = chosen[:shots]
    filtering = [(json.dumps(e["input"]), json.dumps(e["output"])) for e in _invented()["filter"]]
    return Wording(
        name,
        (Message("system", _file(f"{name}_phrases.txt")), *_turns(_split_examples(name))),
        (Message("system", _file(f"{name}_entailment.txt")), *_turns(_asked(chosen, name))),
        (Message("system", _file("ct_filter.txt")), *_turns(filtering)) if name == CT else (),
        len(chosen),
    )


def entailment_question(premises: Sequence[str], phrase: str) -> str:
    """Return the question whether premises entail a phrase, as YAML: text in it cannot leave its place."""
    return _yaml({"reference": list(premises), "hypothesis": phrase})


def _yaml(content: Mapping[str, Any]) -> str:
    # not the C dumper: it folds some lines elsewhere, and the question would differ from the original's
    return yaml.dump(dict(content), sort_keys=False, Dumper=yaml.SafeDumper)


def _turns(examples: Iterable[tuple[str, str]]) -> Iterator[Message]:
    for question, answer in examples:
        yield Message("user", question)
        yield Message("assistant", answer)


@cache
def _split_examples(name: str) -> tuple[tuple[str, str], ...]:
    rows = json.loads(_file(f"{name}_phrases_examples.json"))
    hidden = ("report",) if name == RADFACT else ("report", "id")
    return tuple((row["report"], json.dumps({k: v for k, v in row.items() if k not in hidden})) for row in rows)


def _asked(examples: Iterable[Mapping[str, Any]], name: str) -> Iterator[tuple[str, str]]:
    """Yield the question and the answer about each phrase of each example: first all of A, then all of B."""
    for example in examples:
        for side, other in zip(_SIDES, _SIDES[::-1], strict=True):
            premises = example["input"][f"phrases_{other}"]
            for judged in example["output"][f"phrases_{side}_evidenced"]:
                entailed = judged["status"] == "entailment"
                evidence = list(judged["evidence"]) if entailed or name == RADFACT else []
                answer: dict[str, Any] = {"phrase": judged["phrase"], "evidence": evidence}
                answer["status"] = "entailment" if entailed else "not_entailment"
                order = ("phrase", "evidence", "status") if name == RADFACT else ("phrase", "status", "evidence")
                yield entailment_question(premises, judged["phrase"]), _yaml({key: answer[key] for key in order})


def _entailment_examples(name: str, wanted: str | None) -> list[Any]:
    if wanted == NO_EXAMPLES:
        return []
    if wanted in (None, INVENTED):
        found: list[Any] = _invented()[name]
        return found
    path = str(wanted)
    if Path(path).suffix.lower() not in (".json", ".yaml", ".yml"):
        raise InputError(
            f"option radfact.examples must be {INVENTED}, {NO_EXAMPLES}, or a JSON or YAML file, got {path!r}"
        )
    rows = read_yaml(path, user_text("radfact.examples", path))  # JSON is YAML
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{path}: expected a list of examples in the layout of RadFact's entailment examples")
    for number, row in enumerate(rows, start=1):
        _check_example(f"{path}: row {number}", row)
    return rows


def _check_example(where: str, row: Any) -> None:
    """Raise an error unless a row has phrases of A and B, and for each of them evidence and status."""
    try:
        for side in _SIDES:
            phrases = row["input"][f"phrases_{side}"]
            judged = row["output"][f"phrases_{side}_evidenced"]
            texts = [*phrases, *(j["phrase"] for j in judged), *(j["status"] for j in judged)]
            texts += [words for j in judged for words in j["evidence"]]
            if isinstance(phrases, str) or not all(isinstance(text, str) for text in texts):
                raise TypeError
            if any(map(has_chat_marker, texts)):
                raise InputError(f"{where} contains a marker of a chat template, such as </s>: remove it")
    except (TypeError, KeyError):
        layout = "input.phrases_A and phrases_B, output.phrases_A_evidenced and phrases_B_evidenced"
        raise InputError(f"{where}: expected {layout}, with phrase, evidence and status each") from None


@cache
def _invented() -> dict[str, Any]:
    content: dict[str, Any] = read_yaml(
        "examples.yaml", resources.files(__package__).joinpath("examples.yaml").read_text("utf-8")
    )
    return content


def _file(name: str) -> str:
    return resources.files(__package__).joinpath("prompts", name).read_text("utf-8")
