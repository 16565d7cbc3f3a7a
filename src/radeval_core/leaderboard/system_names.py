"""Check the names of systems, and find names that look alike.

The table of look-alikes is a short one of our own: names are shown beside each other in one table, so what matters is
what a reader confuses there. Scripts whose letters imitate Latin ones are refused as a whole, which a table of single
characters cannot do, and no further package is needed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache
from importlib import resources

import yaml

#: look like nothing or like a space, though Unicode calls them letters, marks or symbols
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
#: control, format, surrogate, private, unassigned; line and paragraph separators
_REFUSED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
#: combining marks of Latin, Greek and Cyrillic letters
_ACCENT = re.compile("[\u0300-\u036f]")
#: more marks than this on one letter cover the lines above and below
_MAX_MARKS = 3


def name_problem(name: str) -> str:
    """Return why a name cannot be used, or an empty text. The name is one line without control characters."""
    for character in name:
        if unicodedata.category(character) in _REFUSED or _BLANK.match(character):
            return f"contains the invisible character U+{ord(character):04X}"
    if not any(unicodedata.category(character)[0] in "LN" for character in name):
        return "must contain a letter or a digit"
    if re.search(f"{_ACCENT.pattern}{{{_MAX_MARKS + 1}}}", unicodedata.normalize("NFD", name)):
        return f"has more than {_MAX_MARKS} accents on one letter"
    for word in re.split(r"[\W\d_]+", unicodedata.normalize("NFKC", name)):
        if problem := _script_problem(word):
            return problem
    return ""


@lru_cache(maxsize=4096)
def look_alike_key(name: str) -> str:
    """Return a hash that is the same for names that look alike: by case, accents, width, alphabet or separators."""
    return hashlib.sha256(_skeleton(name).encode()).hexdigest()[:24]


def _skeleton(name: str) -> str:
    table, _ = _tables()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name))
    plain = _ACCENT.sub("", plain).translate(table).casefold().translate(table)
    return re.sub(r"-+", "-", plain.replace("rn", "m").replace("vv", "w")).strip("-")


def _script_problem(word: str) -> str:
    _, groups = _tables()
    scripts = {_script(character) for character in word if unicodedata.category(character)[0] == "L"}
    if unknown := sorted(scripts - set().union(*groups)):
        return f"has letters of a script that is not accepted in names: {unknown[0].capitalize()}"
    if scripts and not any(scripts <= group for group in groups):
        found = " and ".join(sorted(script.capitalize() for script in scripts))
        return f"mixes {found} letters in the word {word!r}, which may look like another name: use one alphabet"
    return ""


def _script(character: str) -> str:
    """Return the script of a letter: the first word of its Unicode name."""
    first = unicodedata.name(character, "UNKNOWN").split()[0].partition("-")[0]
    # signs that belong to every script, such as the Latin ordinal indicators or the micro sign
    return {"MICRO": "GREEK", "FEMININE": "LATIN", "MASCULINE": "LATIN", "MODIFIER": "LATIN"}.get(first, first)


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[int, str], tuple[frozenset[str], ...]]:
    fields = yaml.safe_load(resources.files(__package__).joinpath("look_alikes.yaml").read_text("utf-8"))
    table = {ord(letter): plain for plain, letters in fields["to_ascii"].items() for letter in letters}
    return table, tuple(frozenset(group) for group in fields["groups"])
