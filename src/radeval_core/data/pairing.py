"""New pairs of reports from any corpus, by the five heuristics of the GREEN paper (section 3.1.1).

`random` matches each report with another; `remove_shuffle` leaves out sentences and shuffles the rest; `model_output`
takes what a system wrote for the same study; `nearest` takes the most similar other report; `permutation` changes
findings: their presence, severity or place. The same seed gives the same pairs on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from radeval_core.data.similarity import Encoder, most_similar
from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.perturb import perturb
from radeval_core.judges.fineradscore.lines import split_lines

#: kinds of change that stand in for the paper's RadGraph permutations: presence, location and severity
PERMUTATIONS = ("negation", "side", "region", "severity")
_MOST_CHANGES = 3


@dataclass(frozen=True, slots=True)
class ReportPair:
    """A reference and a candidate made for it.

    Attributes:
        id: heuristic, reference and where the candidate came from: `random:12:7`, `permutation:12:side+severity`.
        study: id of the reference.
        reference: the report.
        prediction: the candidate.
        heuristic: how the candidate was made.
        origin: id of the report that is the candidate, or what was done: `2of5` sentences left out, the changes.
    """

    id: str
    study: str
    reference: str
    prediction: str
    heuristic: str
    origin: str

    def as_dict(self) -> dict[str, str]:
        """A row of a pair file."""
        return asdict(self)


def make_pairs(
    reports: Mapping[str, str],
    heuristic: str,
    seed: int = 0,
    *,
    count: int | None = None,
    outputs: Mapping[str, str] | None = None,
    encode: Encoder | None = None,
    exclude: Iterable[ReportPair] = (),
) -> list[ReportPair]:
    """Make at most one pair a report.

    Args:
        reports: the corpus, text by id.
        heuristic: one of `HEURISTICS`.
        seed: where chance starts.
        count: stop at so many pairs, of references drawn by chance; else every report in turn is a reference.
        outputs: for `model_output`, what a system wrote, by id of the report.
        encode: for `nearest`, texts to vectors; by default TF-IDF.
        exclude: pairs that there are already, which are not made again by another heuristic.

    Returns:
        The pairs. A report of which the heuristic can make none (one sentence, no finding) is passed over.
    """
    if heuristic not in HEURISTICS:
        raise unknown_name("pairing heuristic", heuristic, HEURISTICS)
    if count is not None and count < 1:
        raise InputError(f"count must be at least 1, got {count}")
    if (outputs is not None) != (heuristic == "model_output"):
        raise InputError("outputs are what 'model_output' pairs: give them to it, and to no other heuristic")
    if encode is not None and heuristic != "nearest":
        raise InputError("an encoder is for 'nearest' only")
    for name, text in reports.items():
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"report {name!r} is empty: take it out of the corpus")
    order = list(reports)
    if count is not None:
        random.Random(f"{seed}:{heuristic}").shuffle(order)
    if heuristic == "model_output":
        made = model_outputs(reports, outputs or {}, order)
    elif heuristic == "nearest":
        made = nearest(reports, order, encode)
    else:
        made = _BY_CHANCE[heuristic](reports, seed, order)
    known = {(pair.reference, pair.prediction) for pair in exclude}
    return list(islice((pair for pair in made if (pair.reference, pair.prediction) not in known), count))


def random_matches(reports: Mapping[str, str], seed: int, order: Sequence[str]) -> Iterator[ReportPair]:
    """Each report with another; every report is the candidate once."""
    if len(reports) < 2:
        raise InputError(f"random matching needs at least 2 reports, got {len(reports)}")
    ring = sorted(reports)
    random.Random(f"{seed}:random ring").shuffle(ring)
    following = dict(zip(ring, [*ring[1:], ring[0]], strict=True))
    for name in order:
        yield _pair(reports, name, reports[following[name]], "random", following[name])


def remove_and_shuffle(reports: Mapping[str, str], seed: int, order: Sequence[str]) -> Iterator[ReportPair]:
    """The report with up to half of its sentences left out and the others in another order."""
    for name in order:
        sentences = [line.text for line in split_lines(reports[name])]
        if len(sentences) < 2:
            continue
        rng = random.Random(f"{seed}:remove_shuffle:{name}")
        removed = rng.randint(1, len(sentences) // 2)
        kept = rng.sample(sentences, len(sentences) - removed)
        yield _pair(reports, name, " ".join(kept), "remove_shuffle", f"{removed}of{len(sentences)}")


def permuted_findings(reports: Mapping[str, str], seed: int, order: Sequence[str]) -> Iterator[ReportPair]:
    """The report with one to three findings denied or affirmed, moved, or made more or less severe."""
    for name in order:
        rng = random.Random(f"{seed}:permutation:{name}")
        wanted = rng.randint(1, _MOST_CHANGES)
        text, changes = reports[name], list[str]()
        for kind in rng.sample(PERMUTATIONS, len(PERMUTATIONS)):
            if len(changes) == wanted:
                break
            changed = perturb(text, kind, rng.randrange(2**32))
            if changed is not None and changed.text != reports[name]:
                text = changed.text
                changes.append(kind)
        if changes:
            yield _pair(reports, name, text, "permutation", "+".join(changes))


def model_outputs(reports: Mapping[str, str], outputs: Mapping[str, str], order: Sequence[str]) -> Iterator[ReportPair]:
    """What a system wrote for each report; reports it wrote nothing for are passed over."""
    if strangers := sorted(outputs.keys() - reports.keys()):
        raise InputError(f"{len(strangers)} outputs are of no report, first {strangers[0]!r}: ids must be the reports'")
    for name in order:
        if name in outputs:
            yield _pair(reports, name, outputs[name], "model_output", "model")


def nearest(reports: Mapping[str, str], order: Sequence[str], encode: Encoder | None = None) -> Iterator[ReportPair]:
    """Each report with the most similar one that says something else."""
    first: dict[str, str] = {}
    for name in sorted(reports):
        first.setdefault(reports[name], name)
    texts = list(first)
    place = {text: i for i, text in enumerate(texts)}
    best = most_similar(texts, [place[reports[name]] for name in order], encode)
    for name, found in zip(order, best, strict=False):
        if found is not None:
            yield _pair(reports, name, texts[found], "nearest", first[texts[found]])


def _pair(reports: Mapping[str, str], name: str, prediction: str, heuristic: str, origin: str) -> ReportPair:
    return ReportPair(f"{heuristic}:{name}:{origin}", name, reports[name], prediction, heuristic, origin)


_BY_CHANCE: dict[str, Callable[[Mapping[str, str], int, Sequence[str]], Iterator[ReportPair]]] = {
    "random": random_matches,
    "remove_shuffle": remove_and_shuffle,
    "permutation": permuted_findings,
}
HEURISTICS = ("random", "remove_shuffle", "model_output", "nearest", "permutation")
