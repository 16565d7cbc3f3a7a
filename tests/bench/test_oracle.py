"""Metric-oracle retrieval gives the same result as scoring every pair."""

import json
import random
from collections import Counter

import numpy as np
import pytest

from radeval_core import api, cli
from radeval_core.bench import oracle_metrics, oracle_sets
from radeval_core.bench.oracle import oracle
from radeval_core.bench.oracle_metrics import exact_values
from radeval_core.bench.oracle_sets import Overlap, SetIndex, counted, rouge_f1, set_f1
from radeval_core.errors import InputError

SENTENCES = [
    "Small left pleural effusion.",
    "Large right pleural effusion with adjacent atelectasis.",
    "No pleural effusion or pneumothorax.",
    "The heart is normal in size.",
    "Mild cardiomegaly, unchanged.",
    "The lungs are clear.",
    "Consolidation in the left lower lobe may be pneumonia.",
    "Right apical pneumothorax.",
    "Possible interstitial edema.",
    "Nasogastric tube in the stomach.",
    "Healed fracture of the left sixth rib.",
    "No focal consolidation.",
]


def some_reports(n, seed):
    """Return reports of one to five sentences; some repeat, some are empty, one has a single word."""
    draw = random.Random(seed)
    texts = [" ".join(draw.sample(SENTENCES, draw.randint(1, 5))) for _ in range(n - 4)]
    texts += ["", "  ", "Normal.", texts[0]]
    draw.shuffle(texts)
    return [(f"{seed}-{i}", text) for i, text in enumerate(texts)]


REFERENCES, CORPUS = some_reports(40, 1), some_reports(150, 2)


def best_ids(scores, corpus, metric):
    """Return the id of the best report of each row; of the most frequent report if all scores are 0."""
    usual = Counter(text for _, text in corpus if text.strip()).most_common(1)[0][0]
    usual_id = next(report_id for report_id, text in corpus if text == usual)
    cosine = metric == "chexbert_f1.similarity"  # 0 does not mean that nothing is shared
    return [corpus[row.argmax()][0] if cosine or row.max() else usual_id for row in scores]


@pytest.fixture(scope="module")
def every_pair():
    """Return the scores of all pairs: metric values by name, with test reports in rows."""
    pairs = [(text, reference) for _, reference in REFERENCES for _, text in CORPUS]
    results = api.score(pairs, ["bleu", "chexbert_f1", "radgraph_f1", "rouge"]).results
    return {
        (name if key == name else f"{name}.{key}"): column.reshape(len(REFERENCES), len(CORPUS))
        for name, result in results.items()
        for key, column in result.values.items()
    }


@pytest.mark.parametrize("block", [oracle_sets.BLOCK, 1000])
@pytest.mark.parametrize("metric", exact_values())
def test_the_best_report_is_the_one_from_scoring_every_pair(every_pair, metric, block, monkeypatch):
    for module in (oracle_sets, oracle_metrics):
        monkeypatch.setattr(module, "BLOCK", block)
    scores = every_pair[metric]
    found = oracle(REFERENCES, CORPUS, metric)
    assert [row["id"] for row in found.rows] == [row_id for row_id, _ in REFERENCES]
    assert [row["score"] for row in found.rows] == scores.max(axis=1).tolist()  # to the last bit
    assert [row["best_id"] for row in found.rows] == best_ids(scores, CORPUS, metric)
    assert found.summary["exact"] is True
    assert found.summary["mean"] == pytest.approx(scores.max(axis=1).mean())
    low, high = found.summary["ci95"]
    assert low <= found.summary["mean"] <= high and found.summary["resamples"] == 5000
    assert found.summary["range"] == [scores.max(axis=1).min(), scores.max(axis=1).max()]
    assert found.summary["n"] == 40 and found.summary["corpus"] == 150
    assert found.summary["signature"].startswith(f"{metric.partition('.')[0]}|config:embedded|")


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("radgraph_f1.simple", {"lowercase": False}),
        ("chexbert_f1", {"uncertain": "negative"}),
        ("rouge", {"stemmer": True}),
        ("rouge.rouge2", {"stemmer": True}),
        ("bleu", {"lowercase": True, "tokenize": "char"}),
    ],
)
def test_the_options_of_the_metric_are_used(metric, options):
    name, _, part = metric.partition(".")
    corpus = [(i, text.upper() if i % 3 else text) for i, (_, text) in enumerate(CORPUS[:60])]
    pairs = [(text, reference) for _, reference in REFERENCES[:12] for _, text in corpus]
    values = api.score(pairs, [name], options={name: options}).results[name].values[part or name].reshape(12, 60)
    found = oracle(REFERENCES[:12], corpus, metric, options=options)
    assert [row["score"] for row in found.rows] == values.max(axis=1).tolist()
    assert [row["best_id"] for row in found.rows] == best_ids(values, corpus, metric)


def test_vectors_of_a_model_are_compared_exactly(tmp_path):
    from make_tiny_checkpoints import make_chexbert

    chexbert_folder = make_chexbert(tmp_path / "chexbert", SENTENCES * 3)
    found = oracle(REFERENCES[:8], CORPUS[:30], "chexbert_f1.similarity", config=str(chexbert_folder))
    pairs = [(text, reference) for _, reference in REFERENCES[:8] for _, text in CORPUS[:30]]
    result = api.score(pairs, ["chexbert_f1"], {"chexbert_f1": str(chexbert_folder)}).results["chexbert_f1"]
    values = result.values["similarity"].reshape(8, 30)
    assert [row["score"] for row in found.rows] == pytest.approx(values.max(axis=1).tolist(), abs=1e-6)
    assert [row["best_id"] for row in found.rows] == [CORPUS[i][0] for i in values.argmax(axis=1)]


@pytest.mark.parametrize("metric", ["cider", "ffl_rq", "ratescore", "radcliq"])
def test_a_shortlist_as_long_as_the_corpus_is_exact(metric):
    references, corpus = REFERENCES[:6], CORPUS[:20]
    whole = oracle(references, corpus, metric, candidates=20)
    assert whole.summary["exact"] is True
    best = dict(corpus)
    pairs = [(best[row["best_id"]], text) for row, (_, text) in zip(whole.rows, references, strict=True)]
    # scored as a separate test set with the same references, each pair has the reported score
    again = api.score(pairs, [metric]).results[metric].scores
    assert [row["score"] for row in whole.rows] == pytest.approx(again.tolist(), abs=1e-6)
    if metric != "cider":  # cider uses all references, so all pairs would be another test set
        every = api.score([(t, r) for _, r in references for _, t in corpus], [metric]).results[metric].scores
        best = every.reshape(6, 20).max(axis=1) if metric != "radcliq" else every.reshape(6, 20).min(axis=1)
        assert [row["score"] for row in whole.rows] == pytest.approx(best.tolist(), abs=1e-6)


def test_a_short_shortlist_is_not_exact_and_keeps_the_most_similar_reports():
    corpus = [("far", SENTENCES[9]), ("near", SENTENCES[0]), ("same", "Left pleural effusion, small.")]
    found = oracle([("x", "Small left pleural effusion.")], corpus, "ratescore", candidates=2)
    assert found.summary["exact"] is False
    assert found.rows[0]["best_id"] == "near"


def test_the_first_report_wins_a_tie():
    corpus = [("a", "Clear lungs."), ("b", "Left effusion."), ("c", "Left effusion."), ("d", "Effusion left.")]
    assert oracle([("x", "Left effusion.")], corpus, "rouge.rouge1").rows == [{"id": "x", "best_id": "b", "score": 1.0}]


@pytest.mark.parametrize("metric", ["bleu", "bleu.bleu_2_radcliq", "rouge", "rouge.rouge2", "radgraph_f1.combined"])
def test_without_a_match_the_most_frequent_report_is_chosen(metric):
    corpus = [("a", ""), ("b", ""), ("c", ""), ("d", "Left effusion."), ("e", "Clear lungs."), ("f", "Clear lungs.")]
    found = oracle([("x", "Zebra"), ("y", "Left effusion.")], corpus, metric)
    assert found.rows == [
        {"id": "x", "best_id": "e", "score": 0.0},
        {"id": "y", "best_id": "d", "score": found.rows[1]["score"]},
    ]
    assert found.summary["without_match"] == 1


def test_of_several_most_frequent_reports_the_first_is_chosen():
    corpus = [("a", "Left effusion."), ("b", "Clear lungs."), ("c", "Clear lungs."), ("d", "Left effusion.")]
    assert oracle([("x", "Zebra")], corpus, "bleu").rows == [{"id": "x", "best_id": "a", "score": 0.0}]


def test_in_an_empty_corpus_report_nothing_else_can_be_chosen():
    assert oracle([("x", "Zebra")], [("a", ""), ("b", " ")], "bleu").rows[0]["best_id"] == "a"


def test_sets_by_hand():
    index = SetIndex([[["a", "b"]], [["c"]]], [[["a", "x"]], [["a", "y"]], [["c", "b", "a"]], [[]]])
    assert index.first == [0, 2, 3]  # no test report has x or y, so both reports share a column
    (rows, (overlap,)), *rest = index.blocks()
    assert rows.start == 0 and not rest
    assert overlap.common.tolist() == [[1, 2, 0], [0, 1, 0]]
    assert set_f1([overlap]) == pytest.approx(np.array([[0.5, 0.8, 0], [0, 0.5, 0]]))
    assert sorted(counted("aab")) == [("a", 0), ("a", 1), ("b", 0)]
    empty = Overlap(np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)))
    assert set_f1([empty], none=1.0) == 1 and rouge_f1([empty]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "bertscore"}, "bertscore has no exact search; give --candidates N to score a shortlist"),
        ({"metric": "rouge", "candidates": 5}, "rouge has an exact search; omit --candidates"),
        ({"metric": "rogue"}, "did you mean 'rouge'"),
        ({"metric": "rouge.rouge3"}, "unknown part of rouge 'rouge3'"),
        ({"metric": "ratescore", "candidates": 0}, "--candidates must be at least 1"),
        ({"metric": "rouge", "options": {"stem": True}}, "unknown option of rouge 'stem'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(InputError) as caught:
        oracle(REFERENCES[:2], CORPUS[:2], **options)
    assert message in str(caught.value)


def test_a_shortlist_can_be_judged_by_a_part_in_its_own_direction():
    corpus = [
        ("bad", "Right pneumothorax. No effusion."),
        ("good", "Left pleural effusion."),
        ("empty", "Clear lungs."),
    ]
    found = oracle([("a", "Small left pleural effusion.")], corpus, "green.error_count", candidates=3)
    assert found.rows == [{"id": "a", "best_id": "good", "score": 0.0}]
    assert found.summary["metric"] == "green.error_count" and found.summary["higher_is_better"] is False


def test_an_empty_corpus_or_test_set_is_refused():
    with pytest.raises(InputError, match="no reports in the corpus"):
        oracle(REFERENCES, [], "rouge")
    with pytest.raises(InputError, match="no test reports"):
        oracle([], CORPUS, "rouge")


def write(path, reports):
    path.write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in reports))
    return str(path)


def test_the_command_writes_rows_and_prints_a_summary(tmp_path, capsys):
    references, corpus = write(tmp_path / "r.jsonl", REFERENCES), write(tmp_path / "c.jsonl", CORPUS)
    out = tmp_path / "best.jsonl"
    command = ["oracle", references, corpus, "--metric", "chexbert_f1", "--out", str(out), "-q"]
    assert cli.main([*command, "--json", "--option", "uncertain=negative"]) == 0
    summary = json.loads(capsys.readouterr().out)
    expected = oracle(REFERENCES, CORPUS, "chexbert_f1", options={"uncertain": "negative"})
    assert [json.loads(line) for line in out.read_text().splitlines()] == expected.rows
    assert summary["mean"] == expected.summary["mean"]
    assert len(summary["corpus_sha256"]) == 64 and "uncertain:negative" in summary["signature"]
    assert cli.main(command) == 0
    assert "exact" in capsys.readouterr().out


def test_the_command_explains_wrong_input(tmp_path, capsys):
    references = write(tmp_path / "r.jsonl", REFERENCES[:2])
    out = str(tmp_path / "best.jsonl")
    assert cli.main(["oracle", references, str(tmp_path / "none.jsonl"), "--metric", "rouge", "--out", out]) == 2
    assert "no such file" in capsys.readouterr().err
    assert cli.main(["oracle", references, references, "--metric", "green", "--out", out]) == 2
    assert "radgraph_f1.simple" in capsys.readouterr().err
