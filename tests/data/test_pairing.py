"""Pairs made from a corpus by each heuristic."""

import numpy as np
import pytest

from radeval_core.corrections.lines import split_lines
from radeval_core.data import similarity
from radeval_core.data.pairing import HEURISTICS, make_pairs
from radeval_core.errors import InputError
from radeval_core.findings.parser import parse

REPORTS = {
    "a": "Small left pleural effusion. The heart is normal in size. No pneumothorax.",
    "b": "Moderate right pleural effusion. The heart is normal in size. No pneumothorax.",
    "c": "Severe cardiomegaly. Mild pulmonary edema. No focal consolidation.",
    "d": "Left lower lobe consolidation. No pleural effusion. No pneumothorax. Heart is enlarged.",
    "e": "Clear lungs.",
    "f": "Small left pleural effusion. The heart is normal in size. No pneumothorax.",
}
OUTPUTS = {name: f"Generated for {name}." for name in ("b", "d")}


def made(heuristic, seed=0, **options):
    if heuristic == "model_output":
        options.setdefault("outputs", OUTPUTS)
    if heuristic == "modification":
        options.setdefault("modify", lambda reports, changes: [f"{r} Changed." for r in reports])
    return make_pairs(REPORTS, heuristic, seed, **options)


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_properties_of_every_heuristic(heuristic):
    pairs = made(heuristic)
    assert pairs
    assert len({pair.id for pair in pairs}) == len({pair.study for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert pair.heuristic == heuristic and pair.id == f"{heuristic}:{pair.study}:{pair.origin}"
        assert pair.reference == REPORTS[pair.study]
        assert pair.prediction.strip() and pair.origin != pair.study
    assert made(heuristic) == pairs
    assert list(pairs[0].as_dict()) == ["id", "study", "reference", "prediction", "heuristic", "origin"]


@pytest.mark.parametrize("heuristic", ["random", "remove_shuffle", "permutation"])
def test_another_seed_gives_other_pairs(heuristic):
    assert any(made(heuristic, seed) != made(heuristic) for seed in (1, 2, 3))


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_count_gives_a_subset(heuristic):
    some = made(heuristic, count=2)
    assert len(some) == 2 and set(some) <= set(made(heuristic))
    assert made(heuristic, count=99, seed=0) != [] and set(made(heuristic, count=99)) == set(made(heuristic))


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_excluded_pairs_are_not_made_again(heuristic):
    pairs = made(heuristic)
    rest = made(heuristic, exclude=pairs[:1])
    known = (pairs[0].reference, pairs[0].prediction)
    assert [pair for pair in pairs if (pair.reference, pair.prediction) != known] == rest


@pytest.mark.parametrize("seed", range(20))
def test_random_uses_every_report_once_as_candidate_and_never_itself(seed):
    pairs = made("random", seed)
    assert sorted(pair.origin for pair in pairs) == sorted(REPORTS)
    assert all(pair.origin != pair.study and pair.prediction == REPORTS[pair.origin] for pair in pairs)


@pytest.mark.parametrize("seed", range(10))
def test_remove_shuffle_only_removes_sentences(seed):
    pairs = made("remove_shuffle", seed)
    assert {pair.study for pair in pairs} == set(REPORTS) - {"e"}, "a report with one sentence is skipped"
    for pair in pairs:
        before = sorted(line.text for line in split_lines(pair.reference))
        after = sorted(line.text for line in split_lines(pair.prediction))
        left_out = len(before) - len(after)
        assert 1 <= left_out <= len(before) // 2 and set(after) < set(before)
        assert pair.origin == f"{left_out}of{len(before)}"


def test_remove_shuffle_also_changes_the_order():
    text = " ".join(f"Nodule {letter}." for letter in "abcdefgh")
    (pair,) = make_pairs({"x": text}, "remove_shuffle")
    kept = pair.prediction.split(". ")
    assert kept != sorted(kept)


def test_model_output_pairs_by_id():
    pairs = made("model_output")
    assert [(pair.study, pair.prediction) for pair in pairs] == [("b", "Generated for b."), ("d", "Generated for d.")]


def test_model_output_with_an_unknown_id_is_refused():
    with pytest.raises(InputError, match="1 output ids are not ids of a report, first 'z'"):
        made("model_output", outputs={"z": "Gas."})


def test_nearest_by_hand():
    pairs = {pair.study: pair for pair in made("nearest")}
    # a and f have the same text: each is nearest to b, which differs in two words
    assert pairs["a"].origin == pairs["f"].origin == "b"
    assert pairs["b"].origin == "a"
    assert "e" not in pairs, "it shares no word with any other report"


def test_nearest_equals_brute_force_for_any_block_size(monkeypatch):
    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(40, 5))
    reports = {f"{n:02}": f"text {n}" for n in range(40)}
    place = {text: i for i, text in enumerate(reports.values())}
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -2)
    expected = [f"{best:02}" for best in cosine.argmax(axis=1)]
    for at_once in (1, 100, 10**6):
        monkeypatch.setattr(similarity, "_AT_ONCE", at_once)
        pairs = make_pairs(reports, "nearest", encode=lambda texts: vectors[[place[text] for text in texts]])
        assert [pair.origin for pair in pairs] == expected


def test_nearest_by_words_equals_brute_force(monkeypatch):
    rng = np.random.default_rng(3)
    words = ["effusion", "nodule", "edema", "gas", "cyst", "stone", "mass", "clot"]
    reports = {f"{n:02}": f"{' '.join(rng.choice(words, 5))} {n}x" for n in range(30)}
    from sklearn.feature_extraction.text import TfidfVectorizer

    names = sorted(reports)
    dense = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(reports[n] for n in names).toarray()
    cosine = dense @ dense.T
    np.fill_diagonal(cosine, -1)
    monkeypatch.setattr(similarity, "_AT_ONCE", 70)
    for pair in make_pairs(reports, "nearest"):
        found, best = cosine[names.index(pair.study)][names.index(pair.origin)], cosine[names.index(pair.study)].max()
        assert found == pytest.approx(best, abs=1e-6)


def test_permutation_changes_the_findings_and_lists_the_changes():
    for seed in range(5):
        for pair in made("permutation", seed):
            kinds = pair.origin.split("+")
            assert 1 <= len(kinds) <= 3 and set(kinds) <= {"negation", "side", "region", "severity"}
            assert pair.prediction != pair.reference
            before, after = (
                [(f.finding, f.polarity, f.anatomy, f.laterality, f.severity) for f in parse(text).stated]
                for text in (pair.reference, pair.prediction)
            )
            assert before != after


def test_permutation_skips_reports_it_cannot_change():
    assert make_pairs({"x": "Thank you for the referral."}, "permutation") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"heuristic": "nearst"}, "unknown pairing heuristic 'nearst': did you mean 'nearest'"),
        ({"heuristic": "random", "count": 0}, "count must be at least 1"),
        ({"heuristic": "model_output"}, "'model_output' needs outputs"),
        ({"heuristic": "random", "outputs": {}}, "no other heuristic takes them"),
        ({"heuristic": "random", "encode": len}, "only 'nearest' takes an encoder"),
        ({"heuristic": "random", "reports": {"a": "Gas."}}, "needs at least 2 reports, got 1"),
        ({"heuristic": "nearest", "reports": {"a": "Gas.", "b": "Gas."}}, "at least 2 different texts, got 1"),
        ({"heuristic": "nearest", "reports": {"a": "?", "b": "!"}}, "no words to compare"),
        ({"heuristic": "random", "reports": {"a": "Gas.", "b": " "}}, "report 'b' is empty"),
        ({"heuristic": "nearest", "encode": lambda texts: np.zeros(3)}, "a finite vector for each of 5 texts"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        make_pairs(**({"reports": REPORTS} | options))
