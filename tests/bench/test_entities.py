"""How well entities are found: hand-worked sentences, then the embedded reader and a file on the command line."""

import json

import pytest

from radeval_core import cli
from radeval_core.bench.entities import entity_rows, sentence_counts, token_spans
from radeval_core.bench.sources import EntityData, open_data
from radeval_core.errors import InputError
from radeval_core.findings.types import RateEntity
from radeval_core.metrics.ratescore import RateScorer

TOKENS = ["Small", "left", "pleural", "effusion", "."]
TAGS = ["O", "B-Anatomy", "I-Anatomy", "B-Abnormality", "O"]
TEXT = " ".join(TOKENS)


def entity(words, kind):
    start = TEXT.index(words)
    return RateEntity(words, kind, start, start + len(words))


def counts(*entities, kind="all"):
    names = ("hits", "found", "marked", "right_tags", "tags", "overlap_found", "overlap_marked")
    return dict(zip(names, sentence_counts(TOKENS, TAGS, entities, kind), strict=True))


def test_all_right():
    found = counts(entity("left pleural", "Anatomy"), entity("effusion", "Abnormality"))
    assert (found["hits"], found["found"], found["marked"], found["right_tags"], found["tags"]) == (2, 2, 2, 5, 5)


def test_a_wrong_edge_or_type_is_no_hit():
    # `pleural` for `left pleural`: tags O O B I... differ at two tokens; `effusion` has the wrong type
    found = counts(entity("pleural", "Anatomy"), entity("effusion", "Disease"))
    assert found["hits"] == 0 and found["right_tags"] == 2
    assert found["overlap_found"] == found["overlap_marked"] == 1  # the anatomy shares a token


def test_one_type_counts_only_its_entities_and_tokens():
    found = counts(entity("left pleural", "Anatomy"), entity("effusion", "Disease"), kind="Anatomy")
    assert (found["hits"], found["found"], found["marked"], found["tags"], found["right_tags"]) == (1, 1, 1, 2, 2)


def test_entities_are_read_in_tokens():
    half = RateEntity("ural effus", "Disease", 15, 25)
    assert token_spans(TOKENS, [half, half]) == [(2, 3, "Disease")]
    assert token_spans(TOKENS, [RateEntity("", "Disease", 100, 110)]) == []


DATA = EntityData(["a", "b"], [TOKENS, ["No", "pneumothorax", "."]], [TAGS, ["O", "B-Non-Disease", "O"]])


def test_precision_recall_f1_and_accuracy_over_sentences(monkeypatch):
    read = [[entity("left pleural", "Anatomy"), entity("Small", "Anatomy")], []]
    monkeypatch.setattr(RateScorer, "entities", lambda self, texts: read)
    found = entity_rows(DATA, ["ratescore", "bleu"], None, {})
    rows = found["ratescore"]["entities"]
    whole = {key: row["value"] for key, row in rows["all"].items() if key != "n"}
    assert (
        whole["precision"] == 1 / 2 and whole["recall"] == pytest.approx(1 / 3) and whole["f1"] == pytest.approx(2 / 5)
    )
    assert whole["accuracy"] == pytest.approx(5 / 8)  # wrong: Small, effusion, pneumothorax
    assert rows["Anatomy"]["recall"]["value"] == 1 and rows["Anatomy"]["n"] == 1
    assert rows["Non-Disease"]["recall"]["value"] == 0 and rows["Non-Disease"]["precision"]["value"] is None
    assert found["left_out"] == ["bleu"] and "config:embedded" in found["ratescore"]["signature"]


def test_published_values_compare_only_with_the_published_checkpoint():
    published = {"dataset": "rate_ner", "config": "all", "split": "test"}
    found = entity_rows(EntityData(DATA.ids, DATA.tokens, DATA.tags, published), ["ratescore"], None, {})["published"]
    by = {(row["table"], row["label"], row["measure"]): row for row in found}
    ours = by["table 6", "IOB, DeBERTa_v3", "f1"]
    assert ours["value"] == 0.571 and ours["comparable"] is False and "rate-ner-deberta" in ours["why_not"]
    assert by["table 7", "trained on MIMIC-IV", "f1"]["measured"] is None


def test_the_command_reads_a_file_and_prints_a_table(tmp_path, capsys):
    path = tmp_path / "ner.jsonl"
    rows = [{"id": i, "tokens": t, "tags": g} for i, t, g in zip(DATA.ids, DATA.tokens, DATA.tags, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = tmp_path / "ner.html"
    assert cli.main(["bench", "--data", str(path), "--metrics", "ratescore", "--html", str(page)]) == 0
    printed = capsys.readouterr().out
    assert "Non-Disease" in printed and "overlap f1" in printed and "Entities" in page.read_text()
    assert cli.main(["bench", "--data", str(path), "--metrics", "bleu"]) == 2
    assert "use --metrics ratescore" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"tokens": ["a"], "tags": ["B-Anatomie"]}, "unknown tag 'B-Anatomie': did you mean 'I-Anatomy'"),
        ({"tokens": ["a", "b"], "tags": ["O"]}, "2 tokens but 1 tags"),
        ({"tokens": ["a", "b"], "tags": ["O", "I-Anatomy"]}, "tag 2 is I-Anatomy after O"),
        ({"tokens": "ab", "tags": ["O"]}, "column 'tokens' must be a list of texts"),
    ],
)
def test_wrong_rows_are_reported(tmp_path, row, message):
    path = tmp_path / "ner.jsonl"
    path.write_text(json.dumps({"id": 1, **row}) + "\n")
    with pytest.raises(InputError, match=message):
        open_data(path)
