"""Write lexicon/synonyms_mondo.yaml: further names of the lexicon's diseases, from MONDO (CC BY 4.0).

If one name of a MONDO term is a form of exactly one finding, the exact synonyms of that term are names of it too. The
ontology is inside the PyPI package `cellxgene-ontology-guide`; install it in an environment of its own.

    python tools/build_mondo_synonyms.py SITE_PACKAGES
    python tools/compile_lexicon.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from build_open_vocabulary import terms_of
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.lexicon_files import FOLDER, read_sources
from radeval_core.findings.text import normalise_form

OUT = FOLDER / "synonyms_mondo.yaml"
_HEAD = """# Further names of findings: `finding: [form, ...]`. Written by tools/build_mondo_synonyms.py; do not edit.
# Source: exact synonyms of the disease ontology MONDO, {source}
# (CC BY 4.0, https://mondo.monarchinitiative.org).
"""
#: a name has at most so many words; a single word has at least so many letters, because short ones are abbreviations
_MOST_WORDS, _LEAST_LETTERS = 5, 7
#: words of names that catalogue diseases but that no report uses
_CATALOGUE = frozenset(
    {"or", "and", "disorder", "syndrome", "familial", "autosomal", "dominant", "recessive", "hereditary", "caused",
     "associated", "type", "susceptibility", "isolated", "unspecified", "spectrum", "sporadic"}
)  # fmt: skip
#: names that a report uses for something else than the finding of the lexicon
_OTHERWISE = frozenset(
    {"bone hypertrophy", "hypertrophy of bone", "solitary cyst", "bone osteophyte", "heart attack",
     "urinary obstruction", "urinary tract obstruction", "detached retina", "cervical aortic arch",
     "disease of skeletal joint", "carcinoid", "coronary disease", "coronary heart disease", "infectious disease",
     "communicable disease", "transmissible disease", "arterial obstruction", "urinary stone", "female varicocele",
     "duct adenoma", "duct papilloma", "ductal papilloma"}
)  # fmt: skip


def usable(tokens: tuple[str, ...]) -> bool:
    """Return whether a name is one that a report could use."""
    if not all(token.isalpha() and token.isascii() for token in tokens) or len(tokens) > _MOST_WORDS:
        return False
    if " ".join(tokens) in _OTHERWISE:
        return False
    if any(len(token) < 3 and token not in ("of", "in") for token in tokens) or not _CATALOGUE.isdisjoint(tokens):
        return False
    return len(tokens) > 1 or len(tokens[0]) >= _LEAST_LETTERS


def synonyms(lexicon: Lexicon, names: Iterator[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield (finding, form) for each new name of a finding."""
    for every in names:
        tokens = [normalise_form(name) for name in every]
        known = {roles.finding for name in tokens if (roles := lexicon.surface(name)) and roles.finding}
        if len(known) == 1:
            (finding,) = known
            for name in tokens:
                if lexicon.surface(name) is None and usable(name):
                    yield finding, " ".join(name)


def main(argv: list[str] | None = None) -> None:
    """Read the ontology and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="site-packages with the source package")
    source, terms = terms_of(parser.parse_args(argv).folder, "MONDO")
    OUT.unlink(missing_ok=True)
    owners: dict[str, set[str]] = {}
    names = ((term["label"], *term.get("synonyms", ())) for term in terms.values() if not term.get("deprecated"))
    for finding, form in synonyms(read_sources(), names):
        owners.setdefault(form, set()).add(finding)
    forms: dict[str, list[str]] = {}
    for form, findings in sorted(owners.items()):
        if len(findings) == 1:
            forms.setdefault(min(findings), []).append(form)
    lines = [f"{finding}: [{', '.join(forms[finding])}]\n" for finding in sorted(forms)]
    OUT.write_text(_HEAD.format(source=source) + "".join(lines), "utf-8")
    print(f"{sum(map(len, forms.values()))} forms of {len(forms)} findings", file=sys.stderr)


if __name__ == "__main__":
    main()
