"""Read the lexicon's YAML files, check each entry, and compile them for fast loading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.atlas import paired_regions, region_names
from radeval_core.findings.exams import EXAMS
from radeval_core.findings.lexicon import Lexicon, LexiconEntry, Region
from radeval_core.findings.numbers import NUMBERS_FILE
from radeval_core.findings.text import SPELLING, normalise_form
from radeval_core.findings.types import CHANGES, KINDS, LATERALITIES, SEVERITIES, SIGNIFICANCES
from radeval_core.user_yaml import read_yaml

FOLDER = Path(__file__).parent / "lexicon"
COMPILED = FOLDER / "compiled.json"
_FINDING_FIELDS = {"kind", "significance", "regions", "parents", "forms", "sides", "when", "apart", "within",
                   "elsewhere"}  # fmt: skip
_REGION_FIELDS = {"forms", "sided", "parent", "imagenome", "sides", "excludes"}
CUES = ("negate", "negate_after", "doubt", "doubt_after", "affirm", "skip", "skip_after", "terminate", "normal",
        "generic", "neutral", "restart", "locate", "verb")  # fmt: skip
#: allowed kinds of an entry; only normal statements produce `normality`
_ENTRY_KINDS = tuple(kind for kind in KINDS if kind != "normality")
#: files of the open reading and of places within a region
OPEN_FILES = tuple(
    Path(__file__).with_name(name)
    for name in ("open_vocabulary.json", "open_words.yaml", "open_synonyms.yaml", "fine_places.json")
)
SECTIONS = Path(__file__).with_name("sections.yaml")


@cache
def headings() -> dict[str, str]:
    """Return the section of each known heading."""
    sections = _read(SECTIONS)
    return {heading: section for section, names in sections.items() for heading in names}


def load_lexicon(extra: Iterable[str | Path] = ()) -> Lexicon:
    """Load the built-in lexicon, plus optional YAML files with more findings or regions."""
    return _load(tuple((str(path), _stamp(Path(path))) for path in extra))


def _stamp(path: Path) -> int:
    """Return a file's modification time, to notice when it changed since it was read."""
    return path.stat().st_mtime_ns if path.is_file() else 0


@lru_cache(maxsize=4)
def _load(extra: tuple[tuple[str, int], ...]) -> Lexicon:
    lexicon = _compiled() or read_sources()
    home: dict[str, str] = {}
    digest = hashlib.sha256(fingerprint().encode())
    for path in (Path(name) for name, _ in extra):
        for name, fields in _read(path).items():
            _add(lexicon, path, name, fields)
            home[name] = path.name
        digest.update(path.read_bytes())
    _check_names(lexicon, home)
    lexicon.fingerprint = digest.hexdigest() if extra else fingerprint()
    return lexicon.compile()


def sources() -> list[Path]:
    """Return the built-in YAML files, in a fixed order."""
    return sorted(FOLDER.glob("*.yaml"))


def read_sources() -> Lexicon:
    """Read the lexicon from its YAML files, without the compiled file."""
    lexicon = Lexicon()
    documents = {path.name: (path, _read(path)) for path in sources()}
    _, cues = documents.pop("cues.yaml")
    _, modifiers = documents.pop("modifiers.yaml")
    synonyms = [documents.pop(name) for name in list(documents) if name.startswith("synonyms_")]
    for path, data in documents.values():
        for name, fields in data.items():
            _add(lexicon, path, name, fields)
    for path, data in synonyms:
        _add_synonyms(lexicon, path, data)
    _add_cues(lexicon, cues)
    _add_modifiers(lexicon, modifiers)
    return lexicon


@cache
def fingerprint() -> str:
    """Return a hash of all data files of the parser; it shows whether the compiled file is current."""
    digest = hashlib.sha256()
    for path in (*sources(), SECTIONS, SPELLING, EXAMS, NUMBERS_FILE, *OPEN_FILES):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _compiled() -> Lexicon | None:
    """Read the compiled file, ten times faster than YAML. Return None if the YAML files have changed since."""
    if not COMPILED.is_file():
        return None
    data = json.loads(COMPILED.read_text("utf-8"))
    return Lexicon.from_json(data) if data.get("fingerprint") == fingerprint() else None


def write_compiled() -> Path:
    """Write the compiled file from the YAML files."""
    lexicon = read_sources()
    _check_names(lexicon)
    text = json.dumps({"fingerprint": fingerprint(), **lexicon.to_json()}, ensure_ascii=False, separators=(",", ":"))
    COMPILED.write_text(text + "\n", "utf-8")
    return COMPILED


def _read(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    data = read_yaml(str(path), content)
    if not isinstance(data, dict):
        raise InputError(f"{path}: expected entries `name: {{...}}`, got {type(data).__name__}")
    return data


def _add(lexicon: Lexicon, path: Path, name: Any, fields: Any) -> None:
    where = f"{path.name}: {name}"
    _check_fields(lexicon, where, name, fields)
    sides = fields.get("sides") or {}
    if "kind" in fields:
        lexicon.entries[name] = LexiconEntry(
            name, fields["kind"], fields["significance"], tuple(fields.get("regions") or ()),
            tuple(fields.get("parents") or ()),
        )  # fmt: skip
        for first, second in fields.get("apart") or []:
            lexicon.apart[first, second] = name
        for region, finding in (fields.get("within") or {}).items():
            lexicon.within[name] = (region, finding)
        if "elsewhere" in fields:
            lexicon.elsewhere[name] = fields["elsewhere"] or ""
        for rule in fields.get("when") or []:
            regions = frozenset(rule["regions"])
            for word in rule["words"]:
                lexicon.roles(word).describes.append((regions, name))
    else:
        lexicon.regions[name] = Region(
            name, bool(fields.get("sided")), fields.get("parent") or "", fields.get("imagenome") or "",
            tuple(fields.get("excludes") or ()),
        )  # fmt: skip
    for form in fields["forms"]:
        roles = lexicon.roles(form)
        if roles.finding or roles.region:
            raise InputError(f"{where}: form {form!r} already belongs to {roles.finding or roles.region}")
        if "kind" in fields:
            roles.finding = name
        else:
            roles.region = name
        roles.form_side = sides.get(form, "")


def _add_synonyms(lexicon: Lexicon, path: Path, data: Mapping[str, Any]) -> None:
    """Add further forms of findings that other files define: `finding: [form, ...]`."""
    for name, forms in data.items():
        if name not in lexicon.entries:
            raise unknown_name(f"finding of {path.name}", name, lexicon.entries)
        for form in forms:
            roles = lexicon.roles(form)
            if roles.finding or roles.region:
                raise InputError(
                    f"{path.name}: {name}: form {form!r} already belongs to {roles.finding or roles.region}"
                )
            roles.finding = name


def _check_fields(lexicon: Lexicon, where: str, name: Any, fields: Any) -> None:
    """Reject an entry that does not follow lexicon/README.md, and name the field."""
    if not isinstance(name, str) or not name.replace("_", "a").isalnum() or name != name.lower():
        raise InputError(f"{where}: a name must be lower-case words joined by _")
    if not isinstance(fields, dict):
        raise InputError(f"{where}: expected fields such as forms: [...]")
    known = _FINDING_FIELDS if "kind" in fields else _REGION_FIELDS
    for key in fields:
        if key not in known:
            raise unknown_name(f"field of {where}", str(key), sorted(known))
    if name in lexicon.entries or name in lexicon.regions:
        raise InputError(f"{where}: already in the lexicon")
    if not _texts(fields.get("forms")) or not fields["forms"]:
        raise InputError(f"{where}: forms must be a list of strings")
    for form in fields["forms"]:
        if not normalise_form(form):
            raise InputError(f"{where}: form {form!r} contains no word")
    for key in ("regions", "parents", "excludes"):
        if key in fields and fields[key] is not None and not _texts(fields[key]):
            raise InputError(f"{where}: {key} must be a list of names, got {fields[key]!r}")
    if "kind" in fields:
        _one_of(where, "kind", fields["kind"], _ENTRY_KINDS)
        _one_of(where, "significance", fields.get("significance"), SIGNIFICANCES)
    _one_of(where, "sided", fields.get("sided", False), (True, False))
    if fields.get("imagenome"):
        _one_of(where, "imagenome", fields["imagenome"], (*sorted(paired_regions()), *region_names()))
    _check_sides(where, fields.get("sides") or {}, fields["forms"])
    _check_rules(where, fields)


def _check_sides(where: str, sides: Any, forms: list[str]) -> None:
    if not isinstance(sides, dict):
        raise InputError(f"{where}: sides must map forms to a side, such as {{rul: right}}")
    for form, side in sides.items():
        _one_of(where, "sides", side, LATERALITIES)
        if form not in forms:
            raise InputError(f"{where}: sides names {form!r}, which is not one of the forms")


def _check_rules(where: str, fields: Mapping[str, Any]) -> None:
    for rule in fields.get("when") or []:
        if not isinstance(rule, dict) or not all(_texts(rule.get(key)) and rule[key] for key in ("regions", "words")):
            raise InputError(f"{where}: when must be a list of {{regions: [...], words: [...]}}")
    within = fields.get("within") or {}
    if not isinstance(within, dict) or len(within) > 1 or not _texts([*within, *within.values()]):
        raise InputError(f"{where}: within must be {{region: finding}}")
    if not isinstance(fields.get("elsewhere") or "", str):
        raise InputError(f"{where}: elsewhere must be the name of a finding, or empty")
    for pair in fields.get("apart") or []:
        if not _texts(pair) or len(pair) != 2:
            raise InputError(f"{where}: apart must be a list of pairs of findings")


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _one_of(where: str, field_name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise InputError(f"{where}: {field_name} must be one of {', '.join(map(str, allowed))}, got {value!r}")


def _add_cues(lexicon: Lexicon, data: Mapping[str, list[str]]) -> None:
    for cue in CUES:
        if cue in ("restart", "locate", "verb"):
            lexicon.words[cue] = frozenset(w for form in data[cue] for w in normalise_form(form))
            continue
        for form in data[cue]:
            lexicon.roles(form).cues.add(cue)


def _add_modifiers(lexicon: Lexicon, data: Mapping[str, Mapping[str, list[str]]]) -> None:
    for kind, allowed in (("side", LATERALITIES), ("severity", SEVERITIES), ("change", CHANGES)):
        for value in allowed:
            for pattern in data[kind].get(value, ()):
                for form in _alternatives(pattern):
                    setattr(lexicon.roles(form), kind, value)


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield the forms of a pattern: `not (seen|present) on (|the) prior` has four."""
    before, bracket, rest = pattern.partition("(")
    if not bracket:
        yield pattern
        return
    choices, _, after = rest.partition(")")
    for choice in choices.split("|"):
        yield from _alternatives(f"{before}{choice}{after}")


def _check_names(lexicon: Lexicon, home: Mapping[str, str] | None = None) -> None:
    """Check that every name an entry refers to exists.

    Args:
        lexicon: the lexicon.
        home: the file of each entry the user added, for error messages.
    """
    home = home or {}

    def check(owner: str, what: str, name: str, known: Mapping[str, Any]) -> None:
        if name not in known:
            place = f"{home[owner]}: " if owner in home else ""
            raise unknown_name(f"{what} of {place}{owner}", name, known)

    for entry in lexicon.entries.values():
        for region in entry.regions:
            check(entry.name, "region", region, lexicon.regions)
        for parent in entry.parents:
            check(entry.name, "parent", parent, lexicon.entries)
    for place in lexicon.regions.values():
        if place.parent:
            check(place.name, "parent", place.parent, lexicon.regions)
        for finding in place.excludes:
            check(place.name, "excluded finding", finding, lexicon.entries)
    for (first, second), finding in lexicon.apart.items():
        check(finding, "finding in apart", first, lexicon.entries)
        check(finding, "finding in apart", second, lexicon.entries)
    for finding, (region, special) in lexicon.within.items():
        check(finding, "region in within", region, lexicon.regions)
        check(finding, "finding in within", special, lexicon.entries)
    for finding, other in lexicon.elsewhere.items():
        if other:
            check(finding, "finding in elsewhere", other, lexicon.entries)
    for roles in lexicon.surfaces():
        for regions, finding in roles.describes:
            for name in regions:
                check(finding, "region in when", name, lexicon.regions)
