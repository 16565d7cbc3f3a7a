"""Write findings/open_vocabulary.json: the words that the open reading knows, from public names of findings and places.

Sources, used only when this script runs (install them in an environment of their own):
- `cellxgene-ontology-guide` (PyPI): MONDO diseases (CC BY 4.0), UBERON anatomy (CC BY 3.0), PATO qualities (CC BY 3.0).
- `radiology-semantic-dict` (PyPI, MIT): names of imaging findings and diseases.

Only single words are taken, never sentences. A head is a word with which the name of a finding or disease ends; some
heads are such a name alone.

    python tools/build_open_vocabulary.py SITE_PACKAGES
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from radeval_core.findings.coverage import without_content
from radeval_core.findings.text import normalise

OUT = Path(__file__).parents[1] / "src" / "radeval_core" / "findings" / "open_vocabulary.json"
_WORD = re.compile(r"[^\W\d_]+")
#: words that end the head of a name: `narrowing of the duct`
_AFTER_HEAD = re.compile(
    r"[(,;:/]|\b(?:of|in|with|on|at|from|due|to|by|involving|without|after|and|or|for|than|near)\b"
)
#: endings of adjectives, which are no heads: `lobulated`, `hemolytic`
_ADJECTIVES = ("ed", "ic", "al", "ous", "ive", "ar", "oid", "ntly")
#: a word that ends fewer names than this is no head; a word in fewer names is not known
_LEAST_HEADS, _LEAST_NAMES = 2, 2


def terms_of(folder: Path, ontology: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return the file name and the terms of the newest version of an ontology."""
    import zstandard  # comes with the ontologies

    newest = max((folder / "cellxgene_ontology_guide" / "data").glob(f"{ontology}-ontology-*.json.zst"))
    with newest.open("rb") as file:
        terms: dict[str, dict[str, Any]] = json.loads(zstandard.ZstdDecompressor().stream_reader(file).read())
    return newest.name.removesuffix(".json.zst"), terms


def names_of(folder: Path, ontology: str) -> Iterator[str]:
    """Yield the names and synonyms of the current terms of an ontology."""
    source, terms = terms_of(folder, ontology)
    print(f"{source}: {len(terms)} terms", file=sys.stderr)
    for term in terms.values():
        if not term.get("deprecated"):
            yield from (term["label"], *term.get("synonyms", ()))


def names_of_findings(folder: Path) -> Iterator[str]:
    """Yield the names of findings, signs and diseases in radiology-semantic-dict."""
    data = folder / "radiology_semantic" / "data"
    for finding in json.loads((data / "imaging_findings.json").read_text("utf-8")):
        yield finding["name"]
    for concept in json.loads((data / "medical_concepts.json").read_text("utf-8")):
        if concept["concept_type"] in ("pathology", "finding"):
            yield from (concept["name"], *(concept.get("synonyms") or ()))
    for sign in json.loads((data / "imaging_signs.json").read_text("utf-8")).values():
        yield sign["name"]
    for association in json.loads((data / "syndrome_associations.json").read_text("utf-8")):
        yield association["associated_finding"]


def words_of(name: str) -> list[str]:
    """Return the normalised words of a name, without abbreviations and symbols of genes, which have capitals."""
    return [normalise(word) for word in _WORD.findall(name) if word[1:].islower()]


def heads_of(names: Iterable[str]) -> Counter[str]:
    """Count the words that are the head of a name."""
    heads: Counter[str] = Counter()
    for name in names:
        words = words_of(_AFTER_HEAD.split(name)[0])
        if words and not words[-1].endswith(_ADJECTIVES):
            heads[words[-1]] += 1
    return heads


def known(counts: Counter[str], least: int) -> set[str]:
    """Return the words that occur often enough and are no function words, words of reporting or abbreviations."""
    return {
        word
        for word, count in counts.items()
        if count >= least and len(word) >= 3 and word.isascii() and not without_content([word])
    }


def main(argv: list[str] | None = None) -> None:
    """Read the names and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="site-packages with the two source packages")
    folder: Path = parser.parse_args(argv).folder
    diseases, places = list(names_of(folder, "MONDO")), list(names_of(folder, "UBERON"))
    qualities, findings = list(names_of(folder, "PATO")), list(names_of_findings(folder))
    named = heads_of([*diseases, *findings])
    anatomy = heads_of(places)
    words = Counter(word for name in (*diseases, *places, *qualities, *findings) for word in set(words_of(name)))
    heads = {word for word in known(named, _LEAST_HEADS) if named[word] > anatomy[word]}
    alone = {normalise(name) for name in (*diseases, *findings) if name.isalpha()}
    content = {
        "alone": sorted(heads & alone),
        "heads": sorted(heads),
        "places": sorted(known(anatomy, _LEAST_HEADS) - heads),
        "words": sorted(known(words, _LEAST_NAMES) - heads - set(anatomy)),
    }
    OUT.write_text(json.dumps({key: " ".join(value) for key, value in content.items()}, indent=0) + "\n", "utf-8")
    print({key: len(value) for key, value in content.items()}, file=sys.stderr)


if __name__ == "__main__":
    main()
