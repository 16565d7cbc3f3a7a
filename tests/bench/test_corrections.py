import numpy as np
import pytest
from bench_fixtures import rows_of

from radeval_core import api
from radeval_core.bench import corrections
from radeval_core.bench.correction_rows import correction_rows
from radeval_core.bench.corrections import as_rated, correction_sections, judge_action
from radeval_core.corrections.lines import split_lines
from radeval_core.errors import InputError

CANDIDATE = "Large left pleural effusion. Right pneumothorax. The heart is normal in size."


def line(number, action, corrected="", severity=0):
    return {"line": number, "action": action, "corrected": corrected, "severity": severity}


def reading(id, reference, *lines, study="s", **more):
    return {"id": id, "study": study, "prediction": CANDIDATE, "reference": reference, "lines": list(lines), **more}


KEPT = reading(1, CANDIDATE, line(0, "keep"), line(1, "keep"), line(2, "keep"), study="t")
CHANGED = reading(
    2,
    "Small left pleural effusion. The heart is normal in size. Pulmonary edema.",
    line(0, "rewrite", "Small left pleural effusion.", 2),
    line(1, "delete", "", 4),
    line(2, "keep"),
    line(None, "insert", "Pulmonary edema.", 3),
)


def judged(monkeypatch, *answers):
    """Make the judge return one list of (line, action, after, severity) per reading; None is an unreadable answer."""
    details = [
        None if a is None else [dict(zip(("line", "action", "after", "severity"), c, strict=True)) for c in a]
        for a in answers
    ]
    real = api.score

    def score(pairs, metrics, *args, **options):
        scores = real(pairs, metrics, *args, **options)
        if metrics == ["fineradscore"]:
            for found, answer in zip(scores.results["fineradscore"].details, details, strict=True):
                found.update(corrections=answer, corrected=None if answer is None else "Clear lungs.")
        return scores

    monkeypatch.setattr(api, "score", score)


def test_by_hand(monkeypatch):
    judged(
        monkeypatch,
        [(0, "rewrite", "Edema.", 1)],  # one of three kept lines is rewritten
        [(0, "rewrite", "Small left pleural effusion.", 2), (1, "rewrite", "x", 1)],  # delete missed, no insertion
    )
    found = correction_sections(correction_rows(rows_of(KEPT, CHANGED), "d"), ["fineradscore"], None, {})
    shown = found["as_written"]
    values = {action: row["value"] for action, row in shown["types"].items()}
    assert values == pytest.approx({"keep": 3 / 4, "rewrite": 1, "delete": 0, "insert": 0, "no_insert": 1})
    assert [shown["types"][a]["n"] for a in ("keep", "rewrite", "delete", "insert", "no_insert")] == [4, 1, 1, 1, 1]
    # highest severities 1 and 2 against 0 and 4
    severity = shown["severity"]
    assert (
        severity["mae"]["value"] == 1.5 and severity["exact"]["value"] == 0 and severity["within_one"]["value"] == 0.5
    )
    assert {k: n for k, n in severity["differences"].items() if n} == {"1": 1, "-2": 1}
    # new text is compared only in the second reading; the first has none
    assert shown["new_text"]["bleu_1"]["n"] == 1 and 0 < shown["new_text"]["bleu_1"]["value"] < 1
    assert shown["gain"] == {} and "paraphrased" not in found and found["radiologists"] is None
    assert shown["unread"] == 0 and shown["reports"] == 2


def test_unreadable_answers_are_counted_and_skipped(monkeypatch):
    judged(monkeypatch, None, [])
    found = correction_sections(correction_rows(rows_of(KEPT, CHANGED), "d"), ["fineradscore", "bleu"], None, {})
    shown = found["as_written"]
    assert shown["unread"] == 1 and shown["types"]["keep"]["n"] == 1 and shown["severity"]["mae"]["value"] == 4
    assert shown["gain"]["bleu"]["base"]["n"] == 1
    assert shown["new_text"]["bleu_1"]["value"] == 0  # the judge wrote no text, but the radiologist did


def test_the_line_with_the_largest_overlap_counts():
    lines = split_lines(CANDIDATE)
    answer = [{"line": 1, "action": "delete"}, {"line": None, "action": "insert"}]
    assert [judge_action(lines, answer, (x.start, x.end)) for x in lines] == ["keep", "delete", "keep"]
    assert judge_action(lines, answer, (20, 48)) == "delete" and judge_action(lines, answer, (0, 32)) == "keep"
    assert judge_action((), answer, (0, 5)) == "keep"


def test_embedded_judge_and_gain():
    data = correction_rows(
        rows_of(
            KEPT,
            {**CHANGED, "paraphrase": "There is a big left effusion. Pneumothorax on the right. Normal heart size."},
        ),
        "d",
    )
    found = correction_sections(data, ["fineradscore", "bleu", "chexbert_f1"], None, {})
    assert set(found) == {"radiologists", "actions", "as_written", "shuffled", "paraphrased"}
    lines = [line["action"] for row in (KEPT, CHANGED) for line in row["lines"]]
    assert found["actions"] == {
        **{action: lines.count(action) for action in ("keep", "delete", "rewrite", "insert")},
        "reports": 2,
        "reports_with_insertion": sum("insert" in [x["action"] for x in row["lines"]] for row in (KEPT, CHANGED)),
    }
    written = found["as_written"]
    assert written["types"]["keep"]["value"] == 1 and written["types"]["delete"]["value"] == 1
    for metric in ("bleu", "chexbert_f1"):
        gain = written["gain"][metric]
        assert gain["gain"]["value"] == pytest.approx(gain["corrected"]["value"] - gain["base"]["value"])
        assert gain["gain"]["value"] > 0
    assert found["paraphrased"]["reports"] == 1 and found["paraphrased"]["types"]["rewrite"]["n"] == 1
    assert found["shuffled"]["types"]["keep"]["value"] == 1


def test_a_positive_gain_is_better_even_if_lower_scores_are_better():
    metrics = ["fineradscore", "green.error_count"]
    found = correction_sections(correction_rows(rows_of(CHANGED), "d"), metrics, None, {})
    gain = found["as_written"]["gain"]["green.error_count"]
    assert gain["gain"]["value"] == gain["base"]["value"] - gain["corrected"]["value"] > 0


def test_shuffling_keeps_the_lines_and_is_reproducible():
    (one,) = correction_rows(rows_of(CHANGED), "d").readings
    shuffled = corrections._shuffled(one.pair)
    assert shuffled == corrections._shuffled(one.pair) and len(shuffled) == len(one.pair.reference)
    assert {x.text.rstrip(".") for x in split_lines(shuffled)} == {
        x.text.rstrip(".") for x in split_lines(one.pair.reference)
    }


def test_paraphrases_with_another_number_of_lines_have_no_line_accuracy():
    data = correction_rows(rows_of({**CHANGED, "paraphrase": "A big left effusion and a right pneumothorax."}), "d")
    types = correction_sections(data, ["fineradscore"], None, {})["paraphrased"]["types"]
    assert types["keep"]["n"] == types["delete"]["n"] == 0 and types["insert"]["n"] == 1


def test_radiologists_who_read_the_same_report():
    other = {**CHANGED, "id": 3, "lines": [line(0, "rewrite", "Clear.", 1)]}
    third = {**CHANGED, "id": 4, "lines": [line(0, "keep")]}
    data = correction_rows(rows_of(CHANGED, other, third, KEPT), "d")
    # severities 4, 1, 0 of one report differ by 3, 4 and 1; the other study has one reading
    found = corrections._between_radiologists(data)
    assert found["severity_mae"]["value"] == pytest.approx(8 / 3) and found["pairs"] == 3


def test_as_rated_pairs():
    data = as_rated(correction_rows(rows_of(KEPT, CHANGED), "d"))
    assert data.expert("errors").tolist() == [0, 3] and data.expert("significant_errors").tolist() == [0, 3]
    assert data.studies == ["t", "s"] and np.array(data.raters["errors"]).shape == (2, 1)


def test_the_judge_must_be_one_of_the_metrics():
    with pytest.raises(InputError, match="only fineradscore makes; add it to --metrics"):
        correction_sections(correction_rows(rows_of(KEPT), "d"), ["bleu"], None, {})
