"""Measure what a policy gains by reports that say nothing about the film, with every metric as its reward.

    python tools/bench_reward_hacking.py
    python tools/bench_reward_hacking.py --metrics green,bleu --pairs 24
    python tools/bench_reward_hacking.py --write docs/rewards.md

Two sets of pairs: examples/pairs.jsonl, and reports written by radcheck's generator with 0 to 6 errors. The honest
report is the prediction of the pair. The others are the same for every film of a kind (say, CT of the chest), so they
carry no information about it. Prints the mean reward of each, without and with a length guard. --write puts the tables
between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tqdm import tqdm

from radeval_core import metric_names
from radeval_core.data.radcheck.errors import perturb
from radeval_core.data.radcheck.generate import observe, reports, visible
from radeval_core.data.radcheck.structures import Anatomy, load_grammar
from radeval_core.data.radcheck.write import write_absent, write_normal, write_present, write_report
from radeval_core.errors import InputError
from radeval_core.rewards import LengthGuard, make_reward

ROOT = Path(__file__).resolve().parent.parent
#: the region and modality of the example pairs, by the start of their ids
STUDIES = {
    "cxr": ("CHEST", "X-Ray"),
    "ct-01": ("HEAD", "CT"),
    "ct-02": ("CHEST", "CT"),
    "ct-03": ("ABDOMEN", "CT"),
    "ct-04": ("ABDOMEN", "CT"),
    "mr-01": ("BRAIN", "MRI"),
    "mr-02": ("SPINE", "MRI"),
    "mr-03": ("LOW-EXT", "MRI"),
    "us-01": ("ABDOMEN", "Ultrasound"),
    "us-02": ("NECK", "Ultrasound"),
    "us-03": ("VASCULAR", "Ultrasound"),
}
REPEATS = 20
GUARD = LengthGuard(longest=2, shortest=0.5)


@dataclass(frozen=True)
class Case:
    """A film: the report of a model, the reference, and what kind of film it is."""

    honest: str
    reference: str
    anatomy: Anatomy
    modality: str


def example_cases() -> list[Case]:
    """Return the example pairs."""
    anatomies = load_grammar().anatomies
    cases = []
    for line in (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        region, modality = next(study for start, study in STUDIES.items() if row["id"].startswith(start))
        cases.append(Case(row["prediction"], row["reference"], anatomies[region], modality))
    return cases


def generated_cases(count: int, seed: int = 3) -> list[Case]:
    """Return generated references, each with another wording that has 0 to 6 errors."""
    rng = Random(seed)
    anatomies = load_grammar().anatomies
    cases: list[Case] = []
    for report in reports(rng):
        anatomy = anatomies[report.anatomy]
        findings = visible(anatomy, report.modality)
        candidate, _ = perturb(report, rng.randint(0, 6), rng, findings, lambda finding: observe(finding, rng))
        honest, reference = write_report(candidate, rng).text, write_report(report, rng).text
        cases.append(Case(honest, reference, anatomy, report.modality))
        if len(cases) == count:
            break
    return cases


def one_sentence(case: Case) -> str:
    """Repeat the longest sentence of the honest report."""
    longest = max(re.split(r"(?<=[.!?])\s+", case.honest.strip()), key=len) or "No acute abnormality."
    return " ".join([longest] * REPEATS)


def normal_template(case: Case) -> str:
    """Write the normal report of the region: its normal statements, and every finding denied."""
    rng = Random(0)
    normals = [write_normal(n, rng).text for n in case.anatomy.normals if case.modality in n.modalities]
    findings = visible(case.anatomy, case.modality)
    denied = [write_absent(findings[i : i + 2], rng).text for i in range(0, len(findings), 2)]
    return " ".join([*normals, *denied])


def every_finding(case: Case) -> str:
    """Assert every finding of the region."""
    rng = Random(0)
    return " ".join(write_present(observe(f, rng), rng).text for f in visible(case.anatomy, case.modality))


def prompt(case: Case) -> str:
    """Return a prompt as a dataset may have it, which a policy copies."""
    asked = visible(case.anatomy, case.modality)[0].names[0].strip("~+")
    return (
        f"You are a radiologist. Write the findings of this {case.modality} of the {case.anatomy.region}. "
        f"Indication: evaluate for {asked}."
    )


POLICIES: dict[str, Callable[[Case], str]] = {
    "honest": lambda case: case.honest,
    "empty": lambda case: "",
    f"one sentence ×{REPEATS}": one_sentence,
    "normal template": normal_template,
    "every finding": every_finding,
    "honest + every finding": lambda case: f"{case.honest} {every_finding(case)}",
    "prompt": prompt,
}
Cell = tuple[float | None, int]  # mean reward of the scored pairs, number of unscored pairs
Table = dict[str, list[Cell]]


def rewards_of(names: Sequence[str], cases: Sequence[Case]) -> tuple[Table, Table]:
    """Return the mean reward of each policy by metric, without and with the length guard."""
    references = [case.reference for case in cases]
    free: Table = {}
    guarded: Table = {}
    for name in tqdm(names, desc="metrics", disable=None):
        reward = make_reward(name, options={"cider": {"corpus": references}} if name == "cider" else None)
        free[name], guarded[name] = [], []
        for policy in POLICIES.values():
            texts = [policy(case) for case in cases]
            found = reward(completions=texts, reference=references)
            factors = [GUARD.factor(text, [reference]) for text, reference in zip(texts, references, strict=True)]
            free[name].append(_mean(found))
            guarded[name].append(_mean(None if r is None else r * f for r, f in zip(found, factors, strict=True)))
    return free, guarded


def _mean(rewards: Iterable[float | None]) -> Cell:
    values = list(rewards)
    scored = [value for value in values if value is not None]
    return (sum(scored) / len(scored) if scored else None), len(values) - len(scored)


def markdown(table: Table) -> str:
    """Return a table; a policy that gains at least as much as the honest report is in bold."""
    rows = ["| metric | " + " | ".join(POLICIES) + " |", "|---|" + "---|" * len(POLICIES)]
    for name, cells in table.items():
        honest = cells[0][0] or 0.0
        shown = [_shown(cell, i > 0 and cell[0] is not None and cell[0] >= honest) for i, cell in enumerate(cells)]
        rows.append(f"| {name} | " + " | ".join(shown) + " |")
    return "\n".join(rows)


def _shown(cell: Cell, bold: bool) -> str:
    mean, unscored = cell
    text = "none" if mean is None else f"**{mean:.2f}**" if bold else f"{mean:.2f}"
    return f"{text} ({unscored} unscored)" if unscored else text


def put(page: str, name: str, text: str) -> str:
    """Return a page with a text between the marks of a name."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    if start not in page or end not in page:
        raise InputError(f"the page has no marks {start} … {end}")
    return page[: page.index(start) + len(start)] + f"\n{text}\n" + page[page.index(end) :]


def main() -> None:
    """Print the tables, and write them to a page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metrics", default="all", help="metrics, separated by commas (default: all)")
    parser.add_argument("--pairs", type=int, default=48, help="generated pairs (default: 48)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="page to put the tables into")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    names = metric_names() if args.metrics == "all" else args.metrics.split(",")
    page = args.write.read_text("utf-8") if args.write else ""
    for kind, cases in (("examples", example_cases()), ("generated", generated_cases(args.pairs))):
        free, guarded = rewards_of(names, cases)
        tables = {f"{kind} pairs": markdown(free), f"{kind} pairs with a guard": markdown(guarded)}
        for title, text in tables.items():
            print(f"\n{title} ({len(cases)})\n{text}", flush=True)
            if args.write and f"<!-- {title} -->" in page:
                page = put(page, title, text)
    if args.write:
        args.write.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
