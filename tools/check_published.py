"""Check our scores against the scores of published models on real system outputs.

    python tools/check_published.py dev.jsonl

The file has one JSON object per line, with `prediction`, `reference`, and the published models' `scores`: `bleu2`
(RadCliQ's BLEU-2), `bertscore` (distilroberta-base, rescaled), `semb` (cosine of CheXbert vectors),
`radgraph_combined`, `radcliq_v0` and `radcliq_v1`. BLEU-2, and RadCliQ from the published parts, must agree to 1e-6.
For the embedded configs, the tool prints the rank agreement with the published models.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from radeval_core import score
from radeval_core.functional.radcliq import radcliq

#: scores of the published models, in the order of RadCliQ's parts
PUBLISHED_PARTS = ("radgraph_combined", "bertscore", "semb", "bleu2")
#: our per-pair values and the published scores they correspond to; for the last, lower is better in both
EMBEDDED = {
    "radgraph_f1.combined": "radgraph_combined",
    "bertscore": "bertscore",
    "chexbert_f1.similarity": "semb",
    "radcliq": "radcliq_v1",
}


def main() -> int:
    """Print each comparison, and return 1 if a value that must agree does not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="JSONL with prediction, reference and published scores")
    rows = [json.loads(line) for line in parser.parse_args().file.read_text("utf-8").splitlines()]
    published = {key: np.array([row["scores"][key] for row in rows]) for key in rows[0]["scores"]}
    pairs = [(row["prediction"], row["reference"]) for row in rows]
    ours = [row["scores"] for row in score(pairs, ["bleu", *(name.partition(".")[0] for name in EMBEDDED)]).rows()]
    exact = {"bleu_2_radcliq": np.array([row["bleu.bleu_2_radcliq"] for row in ours]) - published["bleu2"]}
    parts = np.column_stack([published[key] for key in PUBLISHED_PARTS])
    for version in ("v0", "v1"):
        exact[f"RadCliQ-{version} from the published parts"] = radcliq(parts, version) - published[f"radcliq_{version}"]
    for name, difference in exact.items():
        print(f"{name}: {len(rows)} pairs, largest difference {np.abs(difference).max():.1e}")
    for name, key in EMBEDDED.items():
        tau = kendalltau([row[name] for row in ours], published[key]).statistic
        print(f"{name}, embedded config: Kendall's tau {tau:.3f} with the published model on {len(rows)} pairs")
    return int(max(np.abs(difference).max() for difference in exact.values()) > 1e-6)


if __name__ == "__main__":
    sys.exit(main())
