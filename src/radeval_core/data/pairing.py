"""Make report pairs from any corpus with the heuristics of the GREEN paper (sections 3.1.1 and 5.1).

`random` pairs each report with another one; `remove_shuffle` removes sentences and shuffles the rest; `model_output`
uses a system's report for the same study; `nearest` uses the most similar other report; `permutation` changes the
presence, severity or location of findings; `modification` lets a model make errors or rephrase the report. The same
seed gives the same pairs on every machine, and asks a model the same questions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice

from radeval_core.corrections.lines import split_lines
from radeval_core.data.similarity import Encoder, most_similar
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.perturb import perturb
from radeval_core.judges.green.modification import Modification

#: kinds of change that replace the paper's RadGraph permutations: presence, location and severity
PERMUTATIONS = ("negation", "side", "region", "severity")
_MOST_CHANGES = 3
#: reports sent to a model together
_ASKED_TOGETHER = 64
#: returns the modified report, or None, of each report
Modify = Callable[[Sequence[str], Sequence[Modification]], Sequence[str | None]]
#: gets different texts and the indices of some; yields the index of the text nearest to each of these, or None
FindNearest = Callable[[Sequence[str], Sequence[int]], Iterator[int | None]]


@dataclass(frozen=True, slots=True)
class ReportPair:
    """A reference and a candidate made for it.

    Attributes:
        id: heuristic, reference and origin of the candidate: `random:12:7`, `permutation:12:side+severity`.
        study: id of the reference.
        reference: the report.
        prediction: the candidate.
        heuristic: how the candidate was made.
        origin: id of the report used as candidate, or what was done: the changes, or `2of5` for 2 of 5 sentences
            removed.
    """

    id: str
    study: str
    reference: str
    prediction: str
    heuristic: str
    origin: str

    def as_dict(self) -> dict[str, str]:
        """Return the pair as a row of a pair file."""
        return asdict(self)


def make_pairs(
    reports: Mapping[str, str],
    heuristic: str,
    seed: int = 0,
    *,
    count: int | None = None,
    outputs: Mapping[str, str] | None = None,
    encode: Encoder | None = None,
    find_nearest: FindNearest | None = None,
    modify: Modify | None = None,
    exclude: Iterable[ReportPair] = (),
) -> list[ReportPair]:
    """Make at most one pair per report.

    Args:
        reports: the corpus, text by id.
        heuristic: one of `HEURISTICS`.
        seed: random seed.
        count: number of pairs to make, with references in random order; by default every report is a reference, in
            order.
        outputs: for `model_output`, the system's reports by id of the report.
        encode: for `nearest`, function from texts to vectors; TF-IDF by default.
        find_nearest: for `nearest`, function that finds the nearest texts itself, such as `bertscore_nearest`.
        modify: for `modification`, function that modifies reports, such as `modify_reports` with a model.
        exclude: existing pairs that must not be made again.

    Returns:
        The pairs. A report that the heuristic cannot use (one sentence, no finding) is skipped.
    """
    if heuristic not in HEURISTICS:
        raise unknown_name("pairing heuristic", heuristic, HEURISTICS)
    if count is not None and count < 1:
        raise InputError(f"count must be at least 1, got {count}")
    if (outputs is not None) != (heuristic == "model_output"):
        raise InputError("'model_output' needs outputs, and no other heuristic takes them")
    if (encode is not None or find_nearest is not None) and heuristic != "nearest":
        raise InputError("only 'nearest' takes an encoder")
    if (modify is not None) != (heuristic == "modification"):
        raise InputError("'modification' needs a model, and no other heuristic takes one")
    for name, text in reports.items():
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"report {name!r} is empty; remove it from the corpus")
    order = list(reports)
    if count is not None:
        random.Random(f"{seed}:{heuristic}").shuffle(order)
    if heuristic == "model_output":
        made = model_outputs(reports, outputs or {}, order)
    elif heuristic == "nearest":
        made = nearest(reports, order, find_nearest or partial(most_similar, encode=encode))
    elif modify is not None:
        made = modified(reports, seed, order, modify, min(count or _ASKED_TOGETHER, _ASKED_TOGETHER))
    else:
        made = _SEEDED[heuristic](reports, seed, order)
    known = {(pair.reference, pair.prediction) for pair in exclude}
    return list(islice((pair for pair in made if (pair.reference, pair.prediction) not in known), count))


def random_matches(reports: Mapping[str, str], seed: int, order: Sequence[str]) -> Iterator[ReportPair]:
    """Pair each report with another one. Every report is the candidate exactly once."""
    if len(reports) < 2:
        raise InputError(f"random matching needs at least 2 reports, got {len(reports)}")
    ring = sorted(reports)
    random.Random(f"{seed}:random ring").shuffle(ring)
    following = dict(zip(ring, [*ring[1:], ring[0]], strict=True))
    for name in order:
        yield _pair(reports, name, reports[following[name]], "random", following[name])


def remove_and_shuffle(reports: Mapping[str, str], seed: int, order: Sequence[str]) -> Iterator[ReportPair]:
    """Remove up to half of the sentences of each report and shuffle the others."""
    for name in order:
        sentences = [line.text for line in split_lines(reports[name])]
        if len(sentences) < 2:
            continue
        rng = random.Random(f"{seed}:remove_shuffle:{name}")
        removed = rng.randint(1, len(sentences) // 2)
        kept = rng.sample(sentences, len(sentences) - removed)
        yield _pair(reports, name, " ".join(kept), "remove_shuffle", f"{removed}of{len(sentences)}")


def permuted_findings(reports: Mapping[str, str], seed: int, order: Sequence[str]) -> Iterator[ReportPair]:
    """Negate or affirm, move, or change the severity of one to three findings of each report."""
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
    """Pair each report with the system's output for it. Reports without an output are skipped."""
    if unknown := sorted(outputs.keys() - reports.keys()):
        raise InputError(f"{len(unknown)} output ids are not ids of a report, first {unknown[0]!r}")
    for name in order:
        if name in outputs:
            yield _pair(reports, name, outputs[name], "model_output", "model")


def nearest(reports: Mapping[str, str], order: Sequence[str], find: FindNearest = most_similar) -> Iterator[ReportPair]:
    """Pair each report with the most similar one that has a different text."""
    first: dict[str, str] = {}
    for name in sorted(reports):
        first.setdefault(reports[name], name)
    texts = list(first)
    place = {text: i for i, text in enumerate(texts)}
    best = find(texts, [place[reports[name]] for name in order])
    for name, found in zip(order, best, strict=False):
        if found is not None:
            yield _pair(reports, name, texts[found], "nearest", first[texts[found]])


def modified(
    reports: Mapping[str, str], seed: int, order: Sequence[str], modify: Modify, together: int = _ASKED_TOGETHER
) -> Iterator[ReportPair]:
    """Pair each report with a model's version of it: with errors of up to three kinds, or rephrased (appendix A.4).

    The paper samples combinations of kinds of errors but does not say how. Here the number of kinds is 0, 1, 2 or 3
    with equal chances. Half of the questions ask for a subtle change, as in the paper. Reports without a readable
    answer are skipped.
    """
    for start in range(0, len(order), together):
        names = order[start : start + together]
        changes = [_modification(random.Random(f"{seed}:modification:{name}")) for name in names]
        for name, change, text in zip(names, changes, modify([reports[name] for name in names], changes), strict=True):
            if text is not None:
                yield _pair(reports, name, text, "modification", change.name)


def _modification(rng: random.Random) -> Modification:
    errors = sorted(rng.sample(CATEGORIES, rng.randint(0, _MOST_CHANGES)), key=CATEGORIES.index)
    return Modification(tuple(errors), bool(errors) and rng.random() > 0.5)


def _pair(reports: Mapping[str, str], name: str, prediction: str, heuristic: str, origin: str) -> ReportPair:
    return ReportPair(f"{heuristic}:{name}:{origin}", name, reports[name], prediction, heuristic, origin)


_SEEDED: dict[str, Callable[[Mapping[str, str], int, Sequence[str]], Iterator[ReportPair]]] = {
    "random": random_matches,
    "remove_shuffle": remove_and_shuffle,
    "permutation": permuted_findings,
}
HEURISTICS = ("random", "remove_shuffle", "model_output", "nearest", "permutation", "modification")
