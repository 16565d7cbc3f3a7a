"""`radfact` beside RadFact 1.0.0 and RadEval's CT variant, on recorded outputs that ship here."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from radeval_core.errors import InputError
from radeval_core.functional.radfact import (
    KINDS,
    Verdict,
    box_overlap,
    f1,
    find_best,
    judged_phrases,
    normalise,
    side_measures,
    spatially_entailed,
)
from radeval_core.judges.radfact.answer import read_filtered, read_phrases, read_verdict
from radeval_core.judges.verdict import UnreadableAnswer
from radeval_core.metrics._phrase_boxes import PhraseBoxes
from radeval_core.metrics.radfact import STATISTICS, statistics, summarise
from radeval_core.pairs import Pair

FOLDER = Path(__file__).parent / "radfact"
STATES = {None: "no_boxes", True: "spatial_entailment", False: "no_spatial_entailment"}
SIDES = ("candidate", "reference")


def recorded(name):
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def number(value):
    return math.nan if value == "nan" else value


def named(cases):
    return [pytest.param(case, id=f"{i}-{case.get('name', '')}") for i, case in enumerate(cases)]


def box(given):
    return given["x_min"], given["y_min"], given["x_max"], given["y_max"]


def boxes(phrase):
    return None if phrase["boxes"] is None else tuple(map(box, phrase["boxes"]))


def judged(study):
    """Return the phrases of both sides with the recorded verdicts."""
    texts = {side: [phrase["text"] for phrase in study[side]] for side in SIDES}
    found = []
    for side, other in zip(SIDES, SIDES[::-1], strict=True):
        verdicts = [
            Verdict(p["status"] == "entailment", tuple(texts[other][i] for i in p["evidence"])) for p in study[side]
        ]
        found.append(judged_phrases(texts[side], verdicts, texts[other], list(map(boxes, study[side]))))
    return found


def sides(case):
    """Return the measures of both sides of each valid study."""
    size, threshold = case["settings"]["image_size"], case["settings"]["box_precision_threshold"]
    found = []
    for study in case["samples"]:
        if not study.get("invalid"):
            ours, theirs = judged(study)
            found.append((side_measures(ours, theirs, size, threshold), side_measures(theirs, ours, size, threshold)))
    return found


def corpus(measures):
    """Return the numbers of a corpus as the scorer computes them."""
    rows = np.array([statistics(*pair) for pair in measures]).reshape(-1, STATISTICS)
    return {key: float(value) for key, value in summarise(rows.sum(axis=0), len(rows)).items()}


SCORED = [case for case in recorded("score_cases")["cases"] if "expected" in case]


@pytest.mark.parametrize("case", named(SCORED))
def test_each_study_and_the_means_are_equal(case):
    expected, measures = case["expected"], sides(case)
    valid = [study for study in expected["per_sample"] if study["scores"] is not None]
    assert len(valid) == len(measures)
    for study, (ours, theirs) in zip(valid, measures, strict=True):
        scores = study["scores"]
        for kind in KINDS if not case["settings"]["is_narrative_text"] else KINDS[:1]:
            pair = getattr(ours, kind), getattr(theirs, kind)
            theirs_f1 = study[f"{kind}_f1"]
            theirs_f1 = 0.0 if isinstance(theirs_f1, dict) else number(theirs_f1)  # it divides by zero
            found = (*pair, f1(*pair))
            want = (number(scores[f"{kind}_precision"]), number(scores[f"{kind}_recall"]), theirs_f1)
            np.testing.assert_allclose(found, want, rtol=0, atol=1e-12)
        assert (ours.phrases, theirs.phrases) == (scores["num_candidate_phrases"], scores["num_reference_phrases"])
        if not case["settings"]["is_narrative_text"]:
            with_boxes = scores["num_candidate_phrases_with_boxes"], scores["num_reference_phrases_with_boxes"]
            assert (ours.with_boxes, theirs.with_boxes) == with_boxes


@pytest.mark.parametrize("case", named(SCORED))
def test_the_states_and_the_evidence_are_equal(case):
    size, threshold = case["settings"]["image_size"], case["settings"]["box_precision_threshold"]
    for study, expected in zip(case["samples"], case["expected"]["per_sample"], strict=True):
        if expected["scores"] is None:
            continue
        both = judged(study)
        for side, mine, other in zip(SIDES, both, both[::-1], strict=True):
            states = [STATES[spatially_entailed(phrase, other, size, threshold)] for phrase in mine]
            assert states == expected[f"{side}_spatial"]
            found = [list(phrase.evidence) for phrase in mine]
            assert found == [list(dict.fromkeys(indices)) for indices in expected[f"{side}_evidence_indices"]]


@pytest.mark.parametrize("case", named([c for c in SCORED if any(not s.get("invalid") for s in c["samples"])]))
def test_the_aggregate_is_equal(case):
    found, means = corpus(sides(case)), case["expected"]["aggregate_means"]
    kinds = KINDS[:1] if case["settings"]["is_narrative_text"] else KINDS
    for kind in kinds:
        pair = [number(means[f"{kind}_{side}"]) for side in ("precision", "recall")]
        got = [found[f"{kind}_precision"], found[f"{kind}_recall"]]
        np.testing.assert_allclose(got, pair, rtol=0, atol=1e-12)
        if kind == "logical" and any(map(math.isnan, pair)):
            continue  # the empty rule: tests/metrics/test_radfact.py
        headline = found["radfact" if kind == "logical" else f"{kind}_f1"]
        np.testing.assert_allclose(headline, f1(*pair), rtol=0, atol=1e-12)
        theirs = case["expected"]["aggregate"]
        if "exception" not in theirs:
            np.testing.assert_allclose(headline, number(theirs[f"{kind}_f1"]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["candidate_phrases"], means["num_candidate_phrases"], atol=1e-12)
    np.testing.assert_allclose(found["reference_phrases"], means["num_reference_phrases"], atol=1e-12)


@pytest.mark.parametrize("case", named(recorded("bootstrap_cases")["cases"]))
def test_the_resampled_aggregates_are_equal(case):
    rows = np.array([statistics(*pair) for pair in sides({**case, "settings": SCORED[0]["settings"]})])
    draw = np.random.default_rng(case["seed"])
    n = len(rows)
    picked = np.array([draw.choice(n, n, replace=True) for _ in range(case["num_samples"])])
    found = summarise(rows[picked].sum(axis=1), n)
    expected = case["expected"]
    for key in (f"{kind}_{what}" for kind in KINDS for what in ("precision", "recall", "f1")):
        values = found["radfact" if key == "logical_f1" else key]
        assert np.nanmean(values) == pytest.approx(expected[f"{key}/mean"], abs=1e-12)
        assert np.nanstd(values) == pytest.approx(expected[f"{key}/stderr"], abs=1e-12)
        assert np.nanpercentile(values, 97.5) == pytest.approx(expected[f"{key}/p97.5th"], abs=1e-12)


@pytest.mark.parametrize("case", named(recorded("box_cases")["cases"]))
def test_the_overlap_of_boxes_is_equal(case):
    found = box_overlap(map(box, case["pred"]), map(box, case["true"]), case["mask_size"])
    want = [number(case["expected"][key]) for key in ("iou", "precision", "recall")]
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", named(recorded("match_cases")["normalise"]))
def test_phrases_are_normalised_equally(case):
    assert normalise(case["raw"]) == case["normalised"]


@pytest.mark.parametrize("case", named(recorded("match_cases")["find_best_match"]))
def test_phrases_are_found_equally(case):
    expected = case["expected"][0] if "expected" in case else None
    assert find_best(case["text"], case["candidates"]) == expected


@pytest.mark.parametrize("case", named(recorded("score_cases_ct")["cases"]))
def test_the_ct_variant_has_the_same_arithmetic(case):
    measures = [
        tuple(
            side_measures(judged_phrases(list(map(str, range(len(s)))), [Verdict(v) for v in s], []), [])
            for s in (study["candidate_entailed"], study["reference_entailed"])
        )
        for study in case["samples"]
    ]
    for (ours, theirs), expected in zip(measures, case["per_sample"], strict=True):
        pair = ours.logical, theirs.logical
        np.testing.assert_allclose(pair, [number(expected[f"logical_{x}"]) for x in ("precision", "recall")])
        if not any(map(math.isnan, pair)):  # its F1 is 0 where one is NaN
            assert f1(*pair) == pytest.approx(number(expected["logical_f1"]))
    if not measures:
        return
    found, aggregate = corpus(measures), case["aggregate"]
    pair = [found["logical_precision"], found["logical_recall"]]
    np.testing.assert_allclose(
        100 * np.array(pair), [number(aggregate[f"logical_{x}"]) for x in ("precision", "recall")], atol=0.0051
    )
    if not any(map(math.isnan, pair)):
        assert 100 * found["radfact"] == pytest.approx(aggregate["logical_f1"], abs=0.0051)  # rounded to 2 places


def read(reader, *given):
    """Return what a reader finds in an answer; None if it cannot be read."""
    try:
        return reader(*given)
    except UnreadableAnswer:
        return None


@pytest.mark.parametrize("case", named(recorded("answers_cases")["report_to_phrases"]))
def test_the_phrases_of_an_answer_are_equal(case):
    found = read(read_phrases, case["raw"])
    assert (None if found is None else found.phrases) == case["phrases"]


ENTAILMENT = recorded("answers_cases")["entailment"]


@pytest.mark.parametrize("case", named(ENTAILMENT["cases"]))
def test_the_verdict_of_an_answer_is_equal(case):
    found = read(read_verdict, case["raw"])
    if case["stats"]["num_llm_failures"]:  # the original counts the phrase as not entailed; we leave the pair unscored
        assert found is None
        return
    assert found.entailed == (case["verdict"]["status"] == "entailment")
    assert list(found.evidence) == case["verdict"]["evidence"]
    judged = judged_phrases(ENTAILMENT["candidate_phrases"], [found], ENTAILMENT["reference_phrases"])
    assert (judged is not None) == case["study_kept"]


#: what RadEval's CT variant reads in answers that we do not read: no phrases, or what is left of them
LOOSER = {"new a string", "orig missing", "new missing", "wrong top key", "empty answer", "refusal"}
#: what we read as RadFact does, where the variant raises or gives no phrases
READ_BY_US = {"truncated in string", "truncated before last brackets", "numbers as text", "raw newline in string"}


@pytest.mark.parametrize("case", named(recorded("answers_cases_ct")["report_to_phrases"]))
def test_the_phrases_of_an_answer_about_ct(case):
    found = read(read_phrases, case["raw"], True)
    if case["name"] in LOOSER:
        assert found is None and "phrases" in case
    elif case["name"] in READ_BY_US:
        assert found is not None and not case.get("phrases")
    elif "exception" in case:
        assert found is None or case["name"] == "top-level list"
    else:  # it drops blank phrases and strips the others
        assert [phrase.strip() for phrase in found.phrases if phrase.strip()] == case["phrases"]


#: fenced answers, which the variant counts as not entailed, and those it takes as they are
FENCED = {"yaml fence", "plain fence", "yml fence", "text before a fence"}


@pytest.mark.parametrize("case", named(recorded("answers_cases_ct")["entailment"]["cases"]))
def test_the_verdict_of_an_answer_about_ct(case):
    found = read(read_verdict, case["raw"], False)
    entailed = case["verdict"]["status"] == "entailment"
    if found is None:  # it counts what it cannot read as not entailed, or takes a text for a list
        assert not entailed or case["name"] == "evidence a string"
    else:
        assert found.entailed == (entailed or case["name"] in FENCED)


@pytest.mark.parametrize("case", named(recorded("answers_cases_ct")["negative_filtering"]))
def test_the_positive_phrases_of_an_answer(case):
    found = read(read_filtered, case["raw"])
    if case["name"] in ("plain", "empty list", "fenced", "new phrase invented"):
        assert found == case["phrases"]
    else:  # it keeps all phrases, or raises; a list that was cut off is read as far as it goes
        assert found is None or case["name"] == "truncated"


@pytest.mark.parametrize("case", named([c for c in recorded("score_cases")["cases"] if "exception" in c][:3]))
def test_boxes_that_the_original_refuses_are_refused(case):
    """An empty list, a box outside the image, and one whose left side is right of its right side."""
    study = case["samples"][0]
    given = {
        side: [{"phrase": p["text"], "boxes": p["boxes"] and [list(box(b)) for b in p["boxes"]]} for p in study[key]]
        for side, key in (("prediction", "candidate"), ("reference", "reference"))
    }
    texts = {side: " ".join(phrase["phrase"] for phrase in given[side]) for side in given}
    with pytest.raises(InputError, match=r"^boxes\[0\]\['\w+'\]\[\d\]\['boxes'\]"):
        PhraseBoxes([given]).next([Pair(texts["prediction"], (texts["reference"],))])
