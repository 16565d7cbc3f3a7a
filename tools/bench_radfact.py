"""Count how often the embedded judge of `radfact` agrees with worked examples of entailment.

Run it from a checkout with a file in the layout of entailment_few_shot_examples.json of github.com/microsoft/RadFact:
`python tools/bench_radfact.py FILE`. Each phrase is parsed alone and judged by the phrases of the other list.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from radeval_core.findings import parse
from radeval_core.findings.entailment import Premises
from radeval_core.findings.statements import read_statements


def count(examples: list[dict]) -> Counter[str]:
    """Return how many phrases are judged as the examples do, otherwise, or not understood."""
    found: Counter[str] = Counter()
    for example in examples:
        for side, other in ("AB", "BA"):
            premises = Premises(parse(" ".join(map(_sentence, example["input"][f"phrases_{other}"]))))
            for judged in example["output"][f"phrases_{side}_evidenced"]:
                statements = read_statements(parse(judged["phrase"]))
                if not statements:
                    found["not understood"] += 1
                    continue
                entailed = all(support.entailed for support in premises.supports(statements))
                wanted = judged["status"] == "entailment"
                found["agrees" if entailed == wanted else "too strict" if wanted else "too lenient"] += 1
    return found


def _sentence(phrase: str) -> str:
    return phrase if phrase.rstrip().endswith(".") else f"{phrase}."


def main() -> None:
    """Print the counts for a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="entailment examples, JSON")
    found = count(json.loads(parser.parse_args().file.read_text("utf-8")))
    judged = found.total() - found["not understood"]
    print(f"agrees on {found['agrees']} of {judged} phrases; ", end="")
    print(", ".join(f"{name}: {found[name]}" for name in ("too strict", "too lenient", "not understood")))


if __name__ == "__main__":
    main()
