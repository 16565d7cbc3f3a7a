"""What one reader can see and do: the own cases in the own order, blinded, and nothing of other readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from radeval_core.corrections.lines import split_lines
from radeval_core.errors import InputError
from radeval_core.reading.answers import Reading, check_reading, empty_reading, missing_answers
from radeval_core.reading.cases import Case
from radeval_core.reading.journal import Entry, JournalState
from radeval_core.reading.store_files import utc_now
from radeval_core.reading.study import Reader, Study

_MAX_SAVE = 64


class ChangedElsewhere(InputError):
    """The case was saved from another window since this one read it."""


@dataclass
class Desk:
    """The place of one reader. Cases are named by their position in the reader's order, from 1.

    Attributes:
        study: the store.
        reader: who reads.
    """

    study: Study
    reader: Reader

    def overview(self) -> dict[str, Any]:
        """Return the state of every case: new, begun or done."""
        latest = self._state().latest
        states = ["done" if _is_done(latest.get(key)) else "begun" if key in latest else "new" for key in self._keys]
        return {
            "reader": self.reader.name,
            "asked": list(self.study.asked),
            "prefilled": self.study.prefilled_by is not None,
            "states": states,
        }

    def case(self, position: int) -> dict[str, Any]:
        """Return what the reader sees of a case: texts and own answers; no ids, no names of systems."""
        case = self._case(position)
        entry = self._state().latest.get(case.key)
        shown = self.reader.order.candidates_of(case)
        reading = self._reading(case, entry)
        return {
            "position": position,
            "references": list(case.references),
            "context": case.context.as_dict() if case.context else {},
            "candidates": [_lines(case.candidates[i].text) for i in shown],
            "prefilled": entry is None and case.key in self.study.proposals,
            "revision": entry["n"] if entry else 0,
            **self._answer(case, reading),
        }

    def save(self, position: int, revision: int, save: str, answer: Any) -> dict[str, Any]:
        """Store an answer. It is on the disk when this returns.

        Args:
            position: the case.
            revision: what the page knows as the newest; another one is an error, so that no window overwrites
                another.
            save: an id of this change; the same change sent again is stored once.
            answer: the reading, with candidates as the reader sees them.
        """
        case = self._case(position)
        if not isinstance(save, str) or not 8 <= len(save) <= _MAX_SAVE:
            raise InputError(f"save: expected an id of 8 to {_MAX_SAVE} characters")
        shown = check_reading(answer, self._as_shown(case))
        reading = shown.in_order(self.reader.order.candidates_of(case))
        if reading.done and missing_answers(reading, case, self.study.asked):
            reading = reading.model_copy(update={"done": False})

        def plan(state: JournalState) -> Entry | None:
            newest = state.latest[case.key]["n"] if case.key in state.latest else 0
            if save in state.saves and state.saves[save] == newest:
                return None
            if save in state.saves or newest != revision:
                raise ChangedElsewhere("this case was changed in another window; it is shown as saved there")
            entry: Entry = {"at": utc_now(), "case": case.key, "save": save, "reading": reading.as_dict()}
            return entry | ({"prefilled_by": self.study.prefilled_by} if self.study.prefilled_by else {})

        state = self.study.journal(self.reader.name).append(plan)
        entry = state.latest[case.key]
        return {"revision": entry["n"], **self._answer(case, self._reading(case, entry))}

    @property
    def _keys(self) -> tuple[str, ...]:
        return self.reader.order.cases

    def _case(self, position: int) -> Case:
        if not 1 <= position <= len(self._keys):
            raise InputError(f"case {position}: this study has the cases 1 to {len(self._keys)}")
        return self.study.cases[self._keys[position - 1]]

    def _as_shown(self, case: Case) -> Case:
        shown = tuple(case.candidates[i] for i in self.reader.order.candidates_of(case))
        return Case(case.key, case.study, case.references, shown, case.context)

    def _state(self) -> JournalState:
        return self.study.journal(self.reader.name).readable()

    def _reading(self, case: Case, entry: Mapping[str, Any] | None) -> Reading:
        if entry is not None:
            return check_reading(entry["reading"], case)
        proposal = self.study.proposals.get(case.key)
        return check_reading(proposal, case) if proposal else empty_reading(case)

    def _answer(self, case: Case, reading: Reading) -> dict[str, Any]:
        """Return a reading, and what it lacks, as the reader sees the candidates."""
        shown = reading.in_order(self.reader.order.candidates_of(case))
        missing = missing_answers(shown, self._as_shown(case), self.study.asked)
        return {"reading": shown.as_dict(), "missing": [asdict(one) for one in missing]}


def _is_done(entry: Mapping[str, Any] | None) -> bool:
    return entry is not None and bool(entry["reading"].get("done"))


def _lines(text: str) -> dict[str, Any]:
    """Return a report as its lines, which together are the whole text."""
    return {"lines": [text[line.start : line.end] for line in split_lines(text)]}
