"""Find the columns of a table that hold the reports, by the user's names or by ours.

Upper and lower case do not matter where only one column fits. Nothing else is guessed: if a column is missing, the
error lists the columns there are and the options that name one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from radeval_core.errors import InputError
from radeval_core.io.notes import Notes

_ID_NAMES = ("study_id", "image_id", "report_id", "case_id", "dicom_id", "accession", "uid", "sample_id", "row_id")
#: columns that may change what a pair means, by their usual names
_CONTEXT = (
    *("image", "images", "image_path", "path_to_image", "boxes", "bboxes", "age", "sex", "gender"),
    *("indication", "history", "clinical_history", "clinical_information", "comparison", "technique", "prior"),
    *("prior_report", "section", "view", "modality"),
)
#: columns listed in an error
_SHOWN = 20
#: what an error says about a table whose first row holds reports
NO_HEADER = "the first row is no header, because it contains sentences: add the names of the columns"
#: a longer column name is taken for a report
_NAME_LENGTH, _NAME_WORDS = 40, 4


@dataclass(frozen=True)
class Role:
    """What a column is for.

    Attributes:
        name: the role, and the first name looked for.
        option: the option that names a column for it.
        given: the column the user named.
        other_names: further names that are taken without asking.
        common: usual names to suggest if the column is missing.
        required: True if the column must be there.
        python: True if errors and notes should name the argument in Python.
    """

    name: str
    option: str
    given: str | None = None
    other_names: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    required: bool = True
    python: bool = False

    def naming(self, column: str | None = None) -> str:
        """Return what to type to name a column."""
        if self.python:
            return f"{self.name}_column={repr(column) if column else 'NAME'}"
        quoted = f'"{column}"' if column and " " in column else column
        return f"{self.option} {quoted or 'NAME'}"

    @property
    def accepted(self) -> tuple[str, ...]:
        """Return the names to look for."""
        return (self.given,) if self.given else (self.name, *self.other_names)


@dataclass(frozen=True)
class PairColumns:
    """Names of the columns of a file of pairs; our own names where the user gave none."""

    prediction: str | None = None
    reference: str | None = None
    id: str | None = None

    def roles(self, further: Iterable[str] = (), *, python: bool = False) -> tuple[Role, ...]:
        """Return what to look for in a table of pairs.

        Args:
            further: optional columns that a metric reads: `image`, `boxes`, `age`, …
            python: name the arguments of `score` in errors and notes, not the options of the command line.
        """
        return (
            Role("prediction", "--prediction-column", self.prediction, common=_PREDICTIONS, python=python),
            Role("reference", "--reference-column", self.reference, common=_REFERENCES, python=python),
            _id_role(self.id, python),
            *(Role(name, "", required=False) for name in further),
        )


@dataclass(frozen=True)
class ReportColumns:
    """Names of the columns of a file of single reports; our own names where the user gave none."""

    text: str | None = None
    id: str | None = None

    def roles(self) -> tuple[Role, ...]:
        """Return what to look for in a file of reports."""
        return (Role("text", "--text-column", self.text, ("report",), _REPORTS), _id_role(self.id))


_PREDICTIONS = (
    *("predictions", "generated_report", "generated", "generated_text", "predicted_report", "pred", "preds"),
    *("hypothesis", "hyp", "candidate", "candidate_report", "output", "model_output", "response", "prediction_report"),
)
_REFERENCES = (
    *("references", "ground_truth", "ground_truth_report", "groundtruth", "gt", "gt_report", "target", "gold", "label"),
    *("ref", "reference_report", "actual_report", "report", "original_report", "findings", "impression", "text"),
)
_REPORTS = ("report_text", "findings", "impression", "prediction", "reference", *_PREDICTIONS, *_REFERENCES)


def _id_role(given: str | None, python: bool = False) -> Role:
    return Role("id", "--id-column", given, common=_ID_NAMES, required=given is not None, python=python)


class ColumnFinder:
    """Finds the column of each role in the header of a table, or in the keys of a row.

    Args:
        roles: what to look for.
        notes: receives a note about each column that looks meaningful and is not used.
        hints: name the options of the command line in errors and notes.
    """

    def __init__(self, roles: Sequence[Role], notes: Notes, hints: bool = True) -> None:
        self._roles = roles
        self._hints = hints
        self._notes = notes
        self._found: dict[tuple[str, ...], dict[str, str]] = {}

    def find(self, where: str, names: Iterable[str]) -> Mapping[str, str]:
        """Return the column of each role, or raise an error that says which columns there are.

        Args:
            where: file and line, for the error.
            names: the columns of the table.
        """
        names = tuple(names)
        if names not in self._found:
            self._found[names] = self._look_up(where, names)
        return self._found[names]

    def has_all(self, names: Sequence[str]) -> bool:
        """Return True if all required columns are among the names."""
        return all(_matches(role, names) for role in self._roles if role.required)

    def expected(self) -> str:
        """Return the required columns, for an error about a table without columns."""
        return ", ".join(" or ".join(role.accepted) for role in self._roles if role.required)

    def _look_up(self, where: str, names: tuple[str, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        missing = []
        for role in self._roles:
            matches = _matches(role, names)
            if len(matches) > 1:
                advice = f"choose one with {role.naming()}" if self._hints and role.option else "rename or remove one"
                raise InputError(f"{where}: columns {_quoted(matches)} could all be the {role.name}: {advice}")
            if matches:
                found[role.name] = matches[0]
            elif role.required:
                missing.append(role)
        if missing:
            raise InputError(f"{where}: {_missing(missing, names, self._hints)}")
        self._note_unused(where.rpartition(": ")[0], [name for name in names if name not in found.values()], found)
        return found

    def _note_unused(self, path: str, unused: list[str], found: Mapping[str, str]) -> None:
        for name in unused:
            if _folded(name) in _CONTEXT:
                self._notes.say(f"{path}: column {name!r} is not used")
        if self._hints and "id" not in found and (ids := [name for name in unused if _folded(name) in _ID_NAMES]):
            naming = next(role for role in self._roles if role.name == "id").naming(ids[0])
            self._notes.say(f"{path}: column {ids[0]!r} is not used: {naming} takes the ids from it")


class EveryColumn(ColumnFinder):
    """Finds every column of a table, for a reader that chooses among them later."""

    def __init__(self, notes: Notes) -> None:
        super().__init__((), notes, hints=False)

    def find(self, where: str, names: Iterable[str]) -> Mapping[str, str]:
        """Return all columns, each under its own name."""
        return {name: name for name in names}

    def has_all(self, names: Sequence[str]) -> bool:
        """Return False: no column tells which separator is right, so the one that gives the most columns is taken."""
        return False


def guess_columns(names: Sequence[str]) -> dict[str, str]:
    """Return the columns that are most likely prediction, reference and id; a role without a likely column is left out.

    Our own names come first, then the usual ones. No column gets two roles.
    """
    guessed: dict[str, str] = {}
    for role in PairColumns().roles():
        free = [name for name in names if name not in guessed.values()]
        if found := next(iter(_matches(role, free)), None) or _suggestion(role, free):
            guessed[role.name] = found
    return guessed


def refuse_duplicates(where: str, names: Iterable[str]) -> None:
    """Raise an error if two columns have the same name; columns without a name are never read."""
    seen: set[str] = set()
    for name in filter(None, names):
        if name in seen:
            raise InputError(f"{where}: column {shown(name)} occurs twice: rename or remove one")
        seen.add(name)


def shown(name: str) -> str:
    """Return a column name in quotes. In a table without a header it may be a report, which no error may show."""
    plain = len(name) <= _NAME_LENGTH and len(name.split()) <= _NAME_WORDS and not name.rstrip().endswith(".")
    return repr(name) if plain else f"({len(name)} characters of text)"


def no_header(names: Iterable[str]) -> bool:
    """Return True if names of columns look like reports."""
    return any(shown(name) != repr(name) for name in names)


def _matches(role: Role, names: Sequence[str]) -> list[str]:
    """Return the columns that fit a role: those with exactly its name, else those that differ only in case."""
    exact = [name for name in names if name in role.accepted]
    return exact or [name for name in names if _folded(name) in map(_folded, role.accepted)]


def _missing(roles: Sequence[Role], names: Sequence[str], hints: bool) -> str:
    wanted = ", ".join(" or ".join(map(repr, role.accepted)) for role in roles)
    text = f"column{'s' * (len(roles) > 1)} {wanted} {'are' if len(roles) > 1 else 'is'} missing; "
    if no_header(names):
        return f"{text}{NO_HEADER}"
    listed = _quoted(names[:_SHOWN]) + f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN)
    text += f"found {listed or 'none'}"
    if not hints:
        return text
    known = [_suggestion(role, names) for role in roles]
    options = [role.naming(name) for role, name in zip(roles, known, strict=True)]
    listed = (", " if roles[0].python else " ").join(options)
    return f"{text}; {'try' if any(known) else 'name the column with'} {listed}"


def _suggestion(role: Role, names: Sequence[str]) -> str | None:
    by_name = {_folded(name).replace(" ", "_").replace("-", "_"): name for name in names}
    own = (role.name, *role.other_names) if role.given else ()
    return next((by_name[name] for name in (*own, *role.common) if name in by_name), None)


def _folded(name: str) -> str:
    return name.strip().casefold()


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(shown, names))
