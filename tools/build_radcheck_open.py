"""Build the leaderboard's open benchmark and its three baselines: `python tools/build_radcheck_open.py [OUT]`.

The radcheck generator makes everything, with a separate seed. The baselines are plain submission files:

- template: one fixed normal report per body region and modality, regardless of the question;
- nearest-neighbour: the report of the most similar training study of the same region and modality, by TF-IDF of the
  clinical question; it has the same input as every system;
- noisy-reference: the facts of the reference with 0 to 3 errors, in other words. It sees the answer, so it is a
  ceiling.
"""

from __future__ import annotations

import argparse
import json
import re
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from radeval_core.data.radcheck.errors import perturb
from radeval_core.data.radcheck.generate import observe, reports, studies, visible
from radeval_core.data.radcheck.structures import Report, load_grammar
from radeval_core.data.radcheck.write import write_absent, write_normal, write_report
from radeval_core.leaderboard.benchmark import SHIPPED, revision_of

SEED = 2026
TEST_ROUNDS, TRAIN_ROUNDS = 2, 20  # reports per pair of anatomy and modality
CARD = {
    "template": ("Template normal report", "None: one fixed normal report for each body region and modality."),
    "nearest-neighbour": (
        "Nearest neighbour",
        f"{TRAIN_ROUNDS} further rounds of the radcheck generator; copies the report with the closest question.",
    ),
    "noisy-reference": (
        "Noisy reference (sees the answer)",
        "Sees the reference: its facts with 0 to 3 errors, in other words. A ceiling, not a competitor.",
    ),
}
LINK = "https://huggingface.co/datasets/radeval/radcheck-open"


def question(report: Report) -> str:
    """Return the clinical question: the findings that the report mentions, without saying which are present."""
    return ", ".join(sorted({o.finding.id for o in report.present} | {f.id for f in report.absent}))


def given(report: Report) -> dict[str, str]:
    """Return the input of a system."""
    return {"modality": report.modality, "anatomy": report.anatomy, "question": question(report)}


def template(report: Report) -> str:
    """Return the normal report of a region: every part normal, and the first three significant findings denied."""
    rng = Random(f"template {report.anatomy} {report.modality}")
    anatomy = load_grammar().anatomies[report.anatomy]
    denied = [f for f in visible(anatomy, report.modality) if f.significant][:3]
    normals = [n for n in anatomy.normals if report.modality in n.modalities]
    sentences = [write_normal(n, rng) for n in normals] + [write_absent([f], rng) for f in denied]
    return " ".join(s.text for s in sentences)


def nearest(tests: list[Report], training: list[tuple[Report, str]]) -> list[str]:
    """Return, for each study, the training report with the most similar question."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(tokenizer=lambda text: text.split(", "), token_pattern=None)
    known = vectorizer.fit_transform([question(report) for report, _ in training])
    similarity = (vectorizer.transform([question(report) for report in tests]) @ known.T).toarray()
    for i, test in enumerate(tests):
        for j, (report, _) in enumerate(training):
            if (report.anatomy, report.modality) != (test.anatomy, test.modality):
                similarity[i, j] = -1.0
    return [training[int(row.argmax())][1] for row in similarity]


def noisy(report: Report, rng: Random) -> str:
    """Return the same facts with up to three errors, in other words."""
    findings = visible(load_grammar().anatomies[report.anatomy], report.modality)
    changed, _ = perturb(report, rng.randint(0, 3), rng, findings, lambda f: observe(f, rng))
    return write_report(changed, rng).text


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> bytes:
    """Write rows and return the bytes."""
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return data


def build(out: Path, seed: int = SEED) -> str:
    """Write studies and baselines to a benchmark folder and return the revision."""
    rng = Random(f"leaderboard test {seed}")
    tests = list(islice(reports(rng), TEST_ROUNDS * len(studies())))
    rows = [
        {"id": f"study-{i:03d}", **given(report), "reference": write_report(report, rng).text}
        for i, report in enumerate(tests, 1)
    ]
    rng = Random(f"leaderboard train {seed}")
    training = [
        (report, write_report(report, rng).text) for report in islice(reports(rng), TRAIN_ROUNDS * len(studies()))
    ]
    rng = Random(f"leaderboard noise {seed}")
    predictions = {
        "template": [template(report) for report in tests],
        "nearest-neighbour": nearest(tests, training),
        "noisy-reference": [noisy(report, rng) for report in tests],
    }
    for name, texts in predictions.items():
        title, data = CARD[name]
        system = {"system": {"name": title, "link": LINK, "training_data": data}}
        pairs = [{"id": row["id"], "prediction": text} for row, text in zip(rows, texts, strict=True)]
        write_jsonl(out / "baselines" / f"{name}.jsonl", [system, *pairs])
    return revision_of(write_jsonl(out / "studies.jsonl", rows))


def main() -> None:
    """Build the benchmark and write the revision into benchmark.yaml."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, nargs="?", default=SHIPPED / "radcheck-open", help="the benchmark's folder")
    args = parser.parse_args()
    revision = build(args.out)
    card = args.out / "benchmark.yaml"
    card.write_text(re.sub(r"^revision: .*", f"revision: {revision}", card.read_text("utf-8"), flags=re.M), "utf-8")
    print(f"{args.out}: revision {revision}")


if __name__ == "__main__":
    main()
