"""The RadGraph annotator on a tiny random checkpoint: batches, long and odd texts, annotations on disk."""

import math
from pathlib import Path

import pytest

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.engine.cache import cache_from

FOLDER = Path(__file__).parents[1] / "parity" / "radgraph"
REPORTS = [
    "Small left pleural effusion. No pneumothorax.",
    "FINDINGS: The heart is normal in size. The lungs are clear.\nIMPRESSION: No acute disease.",
    "Effusion.",
    "",
    "  \n",
    "Large right pleural effusion with compressive atelectasis, 2.5 cm nodule (new). " * 30,
    "左肺 Ödem \u200b → 😀 XXXX",
    "Effusion.",
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global radgraph_model, RadGraphAnnotator
    from radeval_core.annotators import radgraph_model
    from radeval_core.annotators.radgraph import RadGraphAnnotator


@pytest.fixture(scope="module")
def annotator():
    return RadGraphAnnotator(str(FOLDER), device="cpu", progress=False)


@pytest.fixture(scope="module")
def graphs(annotator):
    return annotator.annotate(REPORTS)


# --- batches


def test_one_at_a_time_equals_all_together(annotator, graphs):
    assert [annotator.annotate([text])[0] for text in REPORTS] == graphs
    assert annotator.annotate(REPORTS[::-1]) == graphs[::-1]
    assert sum(len(graph.entities) for graph in graphs) > 20 and sum(len(graph.relations) for graph in graphs) > 5


@pytest.mark.parametrize("batch_tokens", [1, 100, 100_000])
def test_batch_size_does_not_matter(graphs, batch_tokens):
    assert RadGraphAnnotator(str(FOLDER), "cpu", batch_tokens=batch_tokens, progress=False).annotate(REPORTS) == graphs


def test_small_groups_return_the_same(annotator, graphs, monkeypatch):
    monkeypatch.setattr(annotator, "_group", 50)
    monkeypatch.setattr(radgraph_model, "_SPANS_AT_ONCE", 7)
    monkeypatch.setitem(radgraph_model._PAIRS_AT_ONCE, "cpu", 3)
    assert annotator.annotate(REPORTS) == graphs


def test_each_distinct_word_is_tokenised_once_per_call(annotator, monkeypatch):
    asked = []
    tokenize = annotator.token_ids
    monkeypatch.setattr(annotator, "token_ids", lambda words: asked.extend(words) or tokenize(words))
    annotator.annotate(REPORTS * 2)
    assert len(asked) == len(set(asked)) > 20


# --- texts


def test_entities_are_at_their_positions(graphs):
    for graph in graphs:
        for entity in graph.entities:
            assert graph.text[entity.start : entity.end] == entity.tokens


def test_empty_text_becomes_the_word_none_and_white_space_has_no_words(annotator, graphs):
    assert graphs[3].text == "None" and graphs[3] == annotator.annotate(["None"])[0]
    assert (graphs[4].text, graphs[4].entities) == ("", ())
    assert annotator.annotate([]) == []


def test_words_without_tokens_have_vectors_of_zeros(annotator):
    (tokens,) = annotator._word_tokens([["\u200b", "effusion", "\u200b"]])
    assert [len(word) > 0 for word in tokens] == [False, True, False]
    vectors = annotator._vectors([tokens], None)
    assert vectors[[0, 2]].eq(0).all() and vectors[1].ne(0).any()
    assert annotator.annotate(["\u200b \u200b"])[0].text == "\u200b \u200b"


def test_the_encoder_sees_no_slash_before_the_end_of_a_sentence(annotator):
    assert annotator._word_tokens([["/.", "/?", ".", "?"]])[0][:2] == annotator._word_tokens([[".", "?"]])[0]


@pytest.mark.parametrize("text", ["No pleural effusion, small nodule. " * 2_900, "A" * 100_000, "word " * 20_000])
def test_a_text_of_100_000_characters(annotator, text):
    graph = annotator.annotate([text])[0]
    assert len(graph.text) > 90_000
    assert annotator.windows(text) == math.ceil(sum(map(len, annotator._word_tokens([annotator.words(text)])[0])) / 510)


def test_windows(annotator):
    assert [annotator.windows(text) for text in ("Effusion.", "effusion " * 510, "effusion " * 511)] == [1, 1, 2]
    assert annotator.fields["window"] == 512  # with two special tokens


def test_annotations_can_be_stored_on_disk(annotator, graphs, tmp_path, monkeypatch):
    assert [annotator.load(annotator.dump(graph)) for graph in graphs] == graphs
    assert all(annotator.size(graph) > 0 for graph in graphs if graph.text)
    first = AnnotationStore(cache_from(tmp_path)).annotate(annotator, REPORTS)
    again = AnnotationStore(cache_from(tmp_path))
    monkeypatch.setattr(annotator, "annotate", lambda texts: pytest.fail("the annotator ran again"))
    assert again.annotate(annotator, REPORTS) == first
