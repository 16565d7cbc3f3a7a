"""Checks our numbers against values published with real system outputs.

    python tools/check_published.py dev.jsonl

The file has a JSON object a line: `prediction`, `reference`, and `scores` with what the published models gave the pair:
`bleu2` (RadCliQ's BLEU-2) and `bertscore` (distilroberta-base, rescaled). BLEU-2 must agree to 1e-6; for BERTScore the
rank agreement of the embedded encoder is printed, layer by layer.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from radeval_core import load


def main() -> int:
    """Print each comparison; exit code 1 if a value that must agree does not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="JSONL with prediction, reference and published scores")
    rows = [json.loads(line) for line in parser.parse_args().file.read_text("utf-8").splitlines()]
    texts = [row["prediction"] for row in rows], [row["reference"] for row in rows]
    published = {key: np.array([row["scores"][key] for row in rows]) for key in ("bleu2", "bertscore")}
    ours = np.array(load("bleu").compute(*texts)["bleu_2_radcliq_scores"])
    worst = float(np.abs(ours - published["bleu2"]).max())
    print(f"bleu_2_radcliq: {len(rows)} pairs, largest difference {worst:.1e}")
    for layer in range(1, 7):
        scores = load("bertscore", layer=layer).compute(*texts)["scores"]
        tau = kendalltau(scores, published["bertscore"]).statistic
        print(f"bertscore embedded, layer {layer}: Kendall tau {tau:.3f} with the published model")
    return int(worst > 1e-6)


if __name__ == "__main__":
    sys.exit(main())
