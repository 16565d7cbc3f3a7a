"""Generate the rows of radcheck from a seed, in three configs.

- `ner`: sentences with tokens, IOB tags and entities. Train, dev and test share no report, and no sentence of dev or
  test is in train.
- `eval`: a reference, a candidate with 0 to 6 known errors, and two other phrasings of the candidate.
- `synthetic`: a sentence, a paraphrase, and its opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

from radeval_core.data.radcheck.errors import perturb
from radeval_core.data.radcheck.structures import Anatomy, GoldFinding, Observation, Report, load_grammar
from radeval_core.data.radcheck.write import Written, write_absent, write_present, write_report, write_sentences
from radeval_core.error_categories import CATEGORIES

Row = dict[str, Any]
NER_ROUNDS, EVAL_ROUNDS = 20, 10  # reports per pair of anatomy and modality
CANDIDATES, TRIADS = 4, 1000
PHRASINGS = 3  # per candidate


def observe(finding: GoldFinding, rng: Random) -> Observation:
    """Draw an observation of a finding with random details."""
    site = rng.randrange(len(finding.sites)) if finding.sites else None
    return Observation(
        finding,
        site=site,
        side=rng.choice(("left", "right")) if finding.has_side(site) else None,
        level=rng.randrange(3) if finding.scale and rng.random() < 0.8 else None,
        mm=rng.randint(*finding.mm) if finding.mm else None,
        change=rng.choice(finding.changes) if rng.random() < 0.35 else None,
    )


def visible(anatomy: Anatomy, modality: str) -> tuple[GoldFinding, ...]:
    """Return the findings of an anatomy that a modality can show."""
    return tuple(f for f in anatomy.findings if modality in f.modalities)


def studies() -> list[tuple[Anatomy, str]]:
    """Return every pair of anatomy and modality."""
    return [(anatomy, modality) for anatomy in load_grammar().anatomies.values() for modality in anatomy.modalities]


def reports(rng: Random) -> Iterator[Report]:
    """Yield reports endlessly, cycling through the pairs of anatomy and modality."""
    for anatomy, modality in cycle(studies()):
        findings = visible(anatomy, modality)
        drawn = rng.sample(findings, min(len(findings), rng.randint(5, 9)))
        present = rng.randint(3, min(6, len(drawn) - 1))
        normals = [n for n in anatomy.normals if modality in n.modalities]
        yield Report(
            modality,
            anatomy.name,
            tuple(observe(f, rng) for f in drawn[:present]),
            tuple(drawn[present:]),
            tuple(rng.sample(normals, rng.randint(1, min(3, len(normals))))),
        )


def iob(sentence: Written) -> tuple[list[str], list[str]]:
    """Return the tokens (words and single punctuation marks) and their IOB tags."""
    tokens, tags = [], []
    for match in re.finditer(r"\d+\.\d+|\w+|[^\w\s]", sentence.text):
        entity = next((e for e in sentence.entities if e.start <= match.start() < e.end), None)
        tokens.append(match.group())
        tags.append(f"{'B' if match.start() == entity.start else 'I'}-{entity.label}" if entity else "O")
    return tokens, tags


def ner_rows(seed: int) -> dict[str, list[Row]]:
    """Generate the `ner` config, split 8:1:1 by report within every pair of anatomy and modality."""
    rng = Random(f"ner {seed}")
    splits: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
    trained: set[str] = set()
    per_round = len(studies())
    written = [(n, r, write_sentences(r, rng)) for n, r in enumerate(islice(reports(rng), NER_ROUNDS * per_round))]
    for number, report, sentences in sorted(written, key=lambda w: w[0] // per_round % 10 >= 8):  # train first
        split = {8: "dev", 9: "test"}.get(number // per_round % 10, "train")
        for i, sentence in enumerate(sentences):
            if split == "train":
                trained.add(sentence.text)
            elif sentence.text in trained:
                continue
            tokens, tags = iob(sentence)
            splits[split].append(
                {
                    "id": f"ner-{number:04d}-{i:02d}",
                    "report": f"ner-{number:04d}",
                    "modality": report.modality,
                    "anatomy": report.anatomy,
                    "text": sentence.text,
                    "tokens": tokens,
                    "tags": tags,
                    "entities": [asdict(e) for e in sentence.entities],
                }
            )
    return splits


def eval_rows(seed: int) -> dict[str, list[Row]]:
    """Generate the `eval` config, split 8:2 by study within every pair of anatomy and modality."""
    rng = Random(f"eval {seed}")
    splits: dict[str, list[Row]] = {"train": [], "test": []}
    per_round = len(studies())
    for number, report in enumerate(islice(reports(rng), EVAL_ROUNDS * per_round)):
        split = "test" if number // per_round % 5 == 4 else "train"
        reference = write_report(report, rng).text
        findings = visible(load_grammar().anatomies[report.anatomy], report.modality)
        for i in range(CANDIDATES):
            candidate, errors = perturb(report, rng.randint(0, 6), rng, findings, lambda f: observe(f, rng))
            texts = [write_report(candidate, rng).text for _ in range(PHRASINGS)]
            counts = {
                f"{category}_{name}": sum(e.category == category and e.significant == grave for e in errors)
                for category in CATEGORIES
                for name, grave in (("significant", True), ("insignificant", False))
            }
            splits[split].append(
                {
                    "id": f"eval-{number:04d}-{i}",
                    "study": f"eval-{number:04d}",
                    "modality": report.modality,
                    "anatomy": report.anatomy,
                    "reference": reference,
                    "prediction": texts[0],
                    "rephrased": texts[1:],
                    "errors": len(errors),
                    "significant_errors": sum(e.significant for e in errors),
                    **counts,
                    "error_list": [asdict(e) for e in errors],
                }
            )
    return splits


def synthetic_rows(seed: int) -> dict[str, list[Row]]:
    """Generate the `synthetic` config: triads of original, synonym and opposite."""
    rng = Random(f"synthetic {seed}")
    rows: list[Row] = []
    for report in islice(reports(rng), TRIADS):
        seen = rng.choice(report.present)
        # the opposite of a denial is the bare finding, without details that the denial does not have
        plain = Observation(seen.finding, site=seen.site, side=seen.side)
        denied = rng.random() < 0.5
        texts = [write_absent([seen.finding], rng).text] if denied else [write_present(seen, rng).text]
        while len(texts) < 2:
            again = (write_absent([seen.finding], rng) if denied else write_present(seen, rng)).text
            texts += [again] * (again not in texts)
        opposite = write_present(plain, rng) if denied else write_absent([seen.finding], rng)
        rows.append(
            {
                "id": f"synthetic-{len(rows):04d}",
                "modality": report.modality,
                "anatomy": report.anatomy,
                "original": texts[0],
                "synonym": texts[1],
                "opposite": opposite.text,
            }
        )
    return {"test": rows}


CONFIGS = {"ner": ner_rows, "eval": eval_rows, "synthetic": synthetic_rows}


def write_sample(out: Path, count: int = 20, seed: int = 0) -> None:
    """Write the first pairs of the test split, one per study, as JSON Lines in the layout of `radeval bench`."""
    from radeval_core.io import write_jsonl  # imports the parser, which the generated rows must not depend on

    rows = eval_rows(seed)["test"]
    lines = []
    for row in rows[:: CANDIDATES + 1][:count]:
        expert = {key: row[key] for key in ("errors", "significant_errors")}
        lines.append({key: row[key] for key in ("id", "study", "prediction", "reference")} | {"expert": expert})
    write_jsonl(out, lines)
