"""Systems are compared by the numbers that `radeval score` prints, pair by pair."""

import json

import numpy as np
import pytest

from radeval_core import Pair, score
from radeval_core.bench.compare_systems import compare
from radeval_core.bench.system_pairs import align, read_systems, systems_from
from radeval_core.errors import InputError
from radeval_core.metrics.base import PairScores
from radeval_core.metrics.rouge import RougeScorer
from radeval_core.patient_context import PatientContext
from radeval_core.shown_values import shown_value

REFERENCE = "Left effusion ."


def system(*predictions, reference=REFERENCE):
    return [Pair(text, (reference,), i) for i, text in enumerate(predictions)]


def compared(metrics, **systems):
    return compare(systems, [shown_value(name) for name in metrics])


def test_two_systems_by_hand():
    a = system("Clear lungs .", "Clear lungs .", REFERENCE)
    found = compared(["rouge"], a=a, b=system(*[REFERENCE] * 3)).plain()["rouge"]
    assert found["a"] == pytest.approx(1 / 3) and found["b"] == 1 and found["difference"] == pytest.approx(2 / 3)
    # differences 1 1 0: half of the sign patterns are equally far from zero
    assert found["p_randomisation"] == pytest.approx(0.5, abs=0.02)
    assert found["p_randomisation_holm"] == found["p_randomisation"] and found["n"] == 3


def test_the_difference_is_b_minus_a_whichever_is_better():
    worse, better = system("Clear lungs .", "Right effusion ."), system(REFERENCE, REFERENCE)
    up = compared(["rouge"], a=worse, b=better).plain()["rouge"]
    down = compared(["rouge"], a=better, b=worse).plain()["rouge"]
    assert up["difference"] > 0 and down["difference"] == -up["difference"]
    assert down["ci95"] == [-up["ci95"][1], -up["ci95"][0]] and down["p_bootstrap"] == up["p_bootstrap"]


CORPUS = [
    ("Heart size is normal and there is no pneumothorax .", "Heart size is normal . No pneumothorax or effusion ."),
    ("No effusion .", "No effusion ."),
    ("The lungs are clear of consolidation .", "The lungs are clear without focal consolidation ."),
]


@pytest.mark.parametrize("metric", ["bleu", "bleu.bleu_2", "chexbert_f1", "chexbert_f1.macro_f1", "cider", "rouge"])
def test_the_numbers_are_those_of_score(metric):
    first = [Pair(p, (r,), i) for i, (p, r) in enumerate(CORPUS)]
    second = [Pair(r, (r,), i) for i, (_, r) in enumerate(CORPUS)]
    found = compared([metric], a=first, b=second).plain()[metric]
    for side, pairs in (("a", first), ("b", second)):
        expected = score(pairs, [metric]).table()[metric]
        assert found[side] == pytest.approx(expected["score"], abs=1e-12)
        assert found["systems"][side]["ci95"] == pytest.approx(expected["ci95"])


def test_a_corpus_number_is_tested_not_the_mean_of_pairs():
    # a long report that is right counts more in the corpus than two short ones
    long = " ".join(f"finding {i} is seen in region {i} ." for i in range(12))
    references = [long, "No effusion .", "Clear lungs ."]
    first = [Pair(p, (r,), i) for i, (p, r) in enumerate(zip([long, "x y z", "x y z"], references, strict=True))]
    second = [Pair(p, (r,), i) for i, (p, r) in enumerate(zip(["x y z", *references[1:]], references, strict=True))]
    result = compared(["bleu"], a=first, b=second)
    means = [np.mean(scored.results["bleu"].scores) for scored in result.scores.values()]
    found = result.plain()["bleu"]
    assert means[1] > means[0] and found["b"] < found["a"] and found["difference"] < 0


def test_holm_corrects_for_every_test_of_the_table():
    reference = "Small left effusion is unchanged ."  # BLEU-4 needs four words
    bad, good = (system(*[text] * 8, reference=reference) for text in ("Clear lungs .", reference))
    two = compared(["rouge", "bleu"], a=bad, b=good)
    assert two.tests == 2
    for row in two.plain().values():
        assert row["p_bootstrap"] == 1 / 1001 and row["p_bootstrap_holm"] == pytest.approx(2 / 1001)
    three = compared(["rouge", "bleu"], a=bad, b=good, c=bad)
    assert three.tests == 4
    assert three.plain()["rouge"]["systems"]["a"]["p_bootstrap_holm"] == pytest.approx(4 / 1001)


def test_the_best_is_marked_and_those_that_are_as_good():
    good = system(*[REFERENCE] * 19, "Clear lungs .")
    rows = compared(["rouge"], bad=system(*["Clear lungs ."] * 20), best=system(*[REFERENCE] * 20), good=good)
    found = rows.values[0].systems
    assert [name for name, number in found.items() if number.best] == ["best"]
    assert [name for name, number in found.items() if number.tied] == ["good"]
    assert found["best"].test is None and found["bad"].test.difference == 1


def test_lower_is_better_for_some():
    same = system(*["Small left pleural effusion ."] * 6, reference="Small left pleural effusion .")
    wrong = system(*["Large pneumothorax ."] * 6, reference="Small left pleural effusion .")
    assert compared(["fineradscore"], a=wrong, b=same).values[0].systems["b"].best


def test_a_system_equals_itself():
    a = system("Clear lungs .", REFERENCE)
    result = compared(["rouge", "cider"], a=a, b=a)
    for row in result.plain().values():
        assert row["difference"] == 0 and row["p_bootstrap"] == row["p_randomisation"] == 1
        assert row["systems"]["a"]["best"] and row["systems"]["b"]["best"]


def test_pairs_that_are_not_scored_for_all_are_left_out_and_counted(monkeypatch):
    real = RougeScorer.score

    def with_gap(self, pairs, detailed):
        values = {key: column.copy() for key, column in real(self, pairs, detailed).values.items()}
        for column in values.values():
            column[[p.prediction == "unreadable" for p in pairs]] = np.nan
        return PairScores(values)

    monkeypatch.setattr(RougeScorer, "score", with_gap)
    a, b = system("unreadable", REFERENCE, "Clear lungs ."), system(REFERENCE, REFERENCE, REFERENCE)
    found = compared(["rouge"], a=a, b=b).plain()["rouge"]
    assert (found["n"], found["unscored"]) == (2, 1)
    assert found["systems"]["a"]["unscored"] == 1 and found["systems"]["b"]["unscored"] == 0
    assert found["a"] == pytest.approx(0.5)


def test_rows_have_the_system():
    rows = list(compared(["rouge"], a=system("Clear lungs ."), b=system(REFERENCE)).rows())
    assert [(row["id"], row["system"]) for row in rows] == [(0, "a"), (0, "b")]
    assert rows[1]["scores"]["rouge"] == 1


def test_one_system_is_refused():
    with pytest.raises(InputError, match="at least two systems"):
        compared(["rouge"], a=system("x"))


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_systems_are_aligned_by_id(tmp_path):
    rows = [{"id": i, "prediction": f"p{i}", "reference": f"r{i}"} for i in range(3)]
    first = write(tmp_path / "a.jsonl", rows)
    second = tmp_path / "b.csv"  # ids of a CSV file are texts
    second.write_text("id,prediction,reference\n2,q2,r2\n0,q0,r0\n1,q1,r1\n")
    found = read_systems({"a": first, "b": second})
    assert [pair.prediction for pair in found["b"]] == ["q0", "q1", "q2"]


def test_without_ids_systems_are_aligned_by_position(tmp_path):
    rows = [{"prediction": f"p{i}", "reference": "r"} for i in range(3)]
    found = read_systems({"a": write(tmp_path / "a.jsonl", rows), "b": write(tmp_path / "b.jsonl", rows)})
    assert [pair.prediction for pair in found["b"]] == ["p0", "p1", "p2"]


def pairs(*ids, reference="r", context=None):
    return [Pair("p", (reference,), name, context=context) for name in ids]


DIFFERENT = [
    (pairs("a", "b"), pairs("a", "c"), "need the same ids: 1 id ('b') of A is not in B; 1 id ('c') of B is not in A"),
    (pairs(*range(7)), pairs(0, 1), "need the same ids: 5 ids ('2', '3', '4', …) of A are not in B"),
    (pairs("a"), pairs("a", "b"), "need the same ids: 1 id ('b') of B is not in A"),
    (pairs("a"), pairs("a", reference="s"), "the references of 1 id ('a') differ between A and B"),
    (pairs("a"), pairs("a", context=PatientContext("80")), "the patients of 1 id ('a') differ between A and B"),
    (pairs("a", "a"), pairs("b", "a"), "A: 1 id ('a') occur more than once, so pairs cannot be matched by id"),
    (pairs(), pairs("a"), "A: no pairs to score"),
]


@pytest.mark.parametrize("first, second, message", DIFFERENT)
def test_systems_that_do_not_belong_together_are_refused(first, second, message):
    with pytest.raises(InputError) as error:
        align({"A": first, "B": second})
    assert message in str(error.value)


def test_repeated_ids_in_the_same_order_are_aligned_by_position():
    assert len(align({"A": pairs("a", "a"), "B": pairs("a", "a")})["B"]) == 2


def test_names_of_systems(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    same = [str(tmp_path / folder / "reports.csv.gz") for folder in ("one", "two")]
    assert list(systems_from(["a.csv", "our model=b.jsonl", "runs/c.jsonl.gz"])) == ["a", "our model", "c"]
    assert list(systems_from(same)) == ["one/reports", "two/reports"]
    assert list(systems_from(["a.csv", "a.csv", "a.csv"])) == ["a", "a (2)", "a (3)"]
    with pytest.raises(InputError, match="two systems are named 'a'"):
        systems_from(["a.csv", "a=b.csv"])
    with pytest.raises(InputError, match=r"expected FILE or NAME=FILE, got '=b\.csv'"):
        systems_from(["a.csv", "=b.csv"])
    odd = tmp_path / "x=1.csv"
    odd.write_text("")
    assert list(systems_from([str(odd), "b.csv"])) == ["x=1", "b"]
