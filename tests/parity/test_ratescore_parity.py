"""RaTEScore beside RaTEScore 0.6.0, on a tiny random checkpoint and upstream's outputs, both kept here."""

import json
from pathlib import Path

import numpy as np
import pytest

from radeval_core import load
from radeval_core.annotators.rate_decoding import strict_spans, upstream_spans
from radeval_core.annotators.rate_sentences import rate_sentences
from radeval_core.cli import main
from radeval_core.errors import CheckpointError
from radeval_core.functional.ratescore import (
    NO_ENTITIES,
    TYPES,
    best_matches,
    one_direction,
    published_affinities,
    rate_score,
)

HERE = Path(__file__).parent / "ratescore"
UPSTREAM = json.loads((HERE / "outputs.json").read_text("utf-8"))
REPORTS = UPSTREAM["reports"]
PAIRS = list(zip(UPSTREAM["predictions"], UPSTREAM["references"], strict=True))
TYPE = {kind.upper(): kind for kind in TYPES}


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global EntityEncoder, RateNer
    from radeval_core.annotators.entity_encoder import EntityEncoder
    from radeval_core.annotators.rate_ner import RateNer


@pytest.fixture(scope="module")
def ner():
    return RateNer(str(HERE / "ner"), progress=False)


@pytest.fixture(scope="module")
def encoder():
    return EntityEncoder(str(HERE / "encoder"), pooling="cls", progress=False)


def upstream_labels(report: dict) -> list[list[str]]:
    return [[UPSTREAM["labels"][i] for i in row["labels"]] for row in report["tokens"]]


def is_right(labels: list[str]) -> bool:
    """Return True if upstream reads these labels by the IOB scheme."""
    return upstream_spans(labels) == strict_spans(labels)


# --- stage by stage


def test_sentences_of_every_report():
    for report in REPORTS:
        ours = [report["text"][a:b] for a, b in rate_sentences(report["text"])]
        # upstream leaves out whatever has fewer than three characters
        assert [s for s in ours if len(s) > 2] == report["sentences"]


def test_token_ids_and_labels_of_every_sentence(ner):
    for report in REPORTS:
        ids = ner.token_ids(report["sentences"])
        assert ids == [row["ids"] for row in report["tokens"]]
        assert ner.loop.run_tokens(ids, ner.collect) == upstream_labels(report)


def test_entities_of_every_sentence_that_upstream_reads_right(ner):
    right = 0
    for report in REPORTS:
        entities = iter(report["entities"])
        for sentence, labels in zip(report["sentences"], upstream_labels(report), strict=True):
            theirs = [next(entities) for _ in upstream_spans(labels)]
            if is_right(labels):
                (ours,) = ner.read_sentences([sentence])
                assert [[e.text, e.type.upper()] for e in ours.entities] == theirs
                right += 1
        assert next(entities, None) is None
    assert right > 150


def test_entities_of_every_report_with_upstreams_decoding():
    ner = RateNer(str(HERE / "ner"), progress=False, decoding="upstream")
    wrong = 0
    for report, read in zip(REPORTS, ner.annotate([r["text"] for r in REPORTS]), strict=True):
        assert [[e.text, e.type.upper()] for e in read.entities] == report["entities"]
        wrong += not all(map(is_right, upstream_labels(report)))
    assert wrong > 20  # reports that the strict decoding reads otherwise


def test_vectors_of_entities(encoder):
    names = list(UPSTREAM["entity_vectors"])
    theirs = np.array([UPSTREAM["entity_vectors"][name] for name in names])
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    np.testing.assert_allclose(encoder.annotate(names), theirs, atol=1e-4)


@pytest.mark.parametrize("weights", ["long", "short"])
def test_scores_from_upstreams_entities(encoder, weights):
    affinity = published_affinities()[weights]
    entities = {report["text"]: report["entities"] for report in REPORTS}
    compared = 0
    for i, (prediction, reference) in enumerate(PAIRS):
        theirs = UPSTREAM["scores"][weights][i]
        if theirs is None or i in UPSTREAM["close_matches"]:  # upstream fails, or rounding decides
            continue
        sides = [entities[prediction], entities[reference]]
        if not all(sides):
            assert theirs == NO_ENTITIES
            continue
        one, other = (np.array(encoder.annotate([name for name, _ in side]), dtype=float) for side in sides)
        types, others = ([TYPE[kind] for _, kind in side] for side in sides)
        precision = one_direction(best_matches(one @ other.T, types, others, affinity), affinity)
        recall = one_direction(best_matches(other @ one.T, others, types, affinity), affinity)
        assert rate_score(precision, recall) == pytest.approx(theirs, abs=1e-4)
        compared += 1
    assert compared >= 20


# --- the metric


@pytest.fixture(scope="module")
def result():
    return load("ratescore", checkpoint=str(HERE)).compute(UPSTREAM["predictions"], UPSTREAM["references"])


def test_scores_of_pairs_that_upstream_reads_right(result):
    right = {r["text"] for r in REPORTS if r["sentences"] and all(map(is_right, upstream_labels(r)))}
    both = [i for i, pair in enumerate(PAIRS) if set(pair) <= right and i not in UPSTREAM["close_matches"]]
    for i in both:
        assert result["scores"][i] == pytest.approx(UPSTREAM["scores"]["long"][i], abs=1e-4)
    assert len(both) >= 3


@pytest.mark.parametrize("weights", ["long", "short"])
def test_scores_with_upstreams_decoding(weights):
    metric = load("ratescore", checkpoint=str(HERE), decoding="upstream", weights=weights)
    result = metric.compute(UPSTREAM["predictions"], UPSTREAM["references"])
    assert "|decoding:upstream|" in result["signature"]
    compared = 0
    for i, theirs in enumerate(UPSTREAM["scores"][weights]):
        if theirs is None or i in UPSTREAM["close_matches"]:  # upstream fails, or rounding decides
            continue
        assert result["scores"][i] == pytest.approx(theirs, abs=1e-5)
        compared += 1
    assert compared >= 20


def test_the_command_line_gives_the_same(result, tmp_path):
    rows = [{"id": i, "prediction": p, "reference": r} for i, (p, r) in enumerate(PAIRS)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    command = ["score", str(tmp_path / "pairs.jsonl"), "--metrics", "ratescore", "--config", f"ratescore={HERE}"]
    assert main([*command, "--out", str(tmp_path / "out.jsonl")]) == 0
    written = [json.loads(line)["scores"]["ratescore"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert written == pytest.approx(result["scores"], abs=1e-9)


# --- where upstream is wrong


def test_an_empty_report_keeps_its_row(result):
    empty = [i for i, pair in enumerate(PAIRS) if not all(text.strip() for text in pair)]
    assert empty and len(UPSTREAM["scores_in_one_call"]) < len(PAIRS) == len(result["scores"])
    assert all(result["scores"][i] == NO_ENTITIES for i in empty)
    last = len(PAIRS) - 2
    assert load("ratescore", checkpoint=str(HERE)).compute(*map(list, zip(PAIRS[last], strict=True)))[
        "scores"
    ] == pytest.approx([result["scores"][last]], abs=1e-5)


def test_the_last_entity_is_kept():
    labels = ["O", "B-ANATOMY", "B-DISEASE", "I-DISEASE", "I-DISEASE"]  # the last label is that of [SEP]
    assert upstream_spans(labels) == [(1, 2, "ANATOMY")]
    assert strict_spans(labels) == [(1, 2, "ANATOMY"), (2, 4, "DISEASE")]


def test_an_inner_label_of_another_type_ends_the_entity():
    labels = ["O", "B-ANATOMY", "I-DISEASE", "O", "O"]
    assert upstream_spans(labels) == [(1, 3, "ANATOMY")]
    assert strict_spans(labels) == [(1, 2, "ANATOMY")]


def test_another_encoder_by_name(tmp_path):
    """The option names the encoder; a folder then needs no `encoder`."""
    (tmp_path / "ner").symlink_to(HERE / "ner")
    metric = load("ratescore", checkpoint=str(tmp_path), encoder=str(HERE / "encoder"), decoding="upstream")
    same = load("ratescore", checkpoint=str(HERE), decoding="upstream")
    ours, theirs = (m.compute(UPSTREAM["predictions"], UPSTREAM["references"]) for m in (metric, same))
    assert ours["scores"] == theirs["scores"]
    assert "|encoder:encoder@" in ours["signature"] and "|encoder:ratescore/encoder@" in theirs["signature"]


def test_another_encoder_with_the_findings_parser():
    pair = ["Small cavitating lesion."], ["Large bleb."]
    plain, other = load("ratescore").compute(*pair), load("ratescore", encoder=str(HERE / "encoder")).compute(*pair)
    assert "|model:encoder@" in other["signature"] and "|pooling:cls|" in other["signature"]
    assert "pooling" not in plain["signature"] and plain["scores"] != other["scores"]


def test_a_missing_encoder_names_the_command(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(CheckpointError, match="hf download org/no-such-encoder"):
        load("ratescore", checkpoint=str(HERE), encoder="org/no-such-encoder").compute(["Effusion."], ["Effusion."])
