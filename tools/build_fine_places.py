"""Write findings/fine_places.json: which forms of one region are different places, from UBERON (CC BY 3.0).

A region of the lexicon can have forms for several places: calf and shin, mitral and aortic valve. UBERON tells which of
them are the same place, which lie in one another, and which are apart. The ontology is inside the PyPI package
`cellxgene-ontology-guide`; install it in an environment of its own.

    python tools/build_fine_places.py SITE_PACKAGES
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from build_open_vocabulary import terms_of
from radeval_core.findings.fine_places import FILE
from radeval_core.findings.lexicon_files import read_sources
from radeval_core.findings.text import normalise_form

#: forms with another meaning in reports than in UBERON, or that readers use for the whole region
_OTHERWISE = frozenset(
    {"facet", "articular", "iac", "sulcus", "frontoparietal", "atla", "coracoid", "leg", "lower leg", "lower limb",
     "carpal", "lung field"}
)  # fmt: skip


def main(argv: list[str] | None = None) -> None:
    """Read the ontology and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="site-packages with the source package")
    source, terms = terms_of(parser.parse_args(argv).folder, "UBERON")
    lexicon = read_sources()
    forms: dict[str, list[str]] = {}
    for key, term in terms.items():
        if term.get("deprecated"):
            continue
        for name in {normalise_form(name) for name in (term["label"], *term.get("synonyms", ()))}:
            roles = lexicon.surface(name)
            if roles is not None and roles.region and " ".join(name) not in _OTHERWISE:
                forms.setdefault("_".join(name), []).append(key)
    used = {key for keys in forms.values() for key in keys}
    within = {key: sorted(used & set(terms[key]["ancestors"])) for key in sorted(used)}
    content = {
        "source": f"{source}, CC BY 3.0",
        "forms": {form: sorted(forms[form]) for form in sorted(forms)},
        "within": {key: larger for key, larger in within.items() if larger},
    }
    FILE.write_text(json.dumps(content, separators=(",", ":")).replace("],", "],\n") + "\n", "utf-8")
    print(f"{len(forms)} forms of {len(used)} places", file=sys.stderr)


if __name__ == "__main__":
    main()
