"""RaTE-NER on a tiny random checkpoint in the published layout."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from radeval_core import load
from radeval_core.annotators.rate_decoding import iob_spans, upstream_spans
from radeval_core.annotators.rate_sentences import rate_sentences, upstream_sentences
from radeval_core.engine.annotations import AnnotationStore
from radeval_core.engine.cache import DiskCache
from radeval_core.errors import CheckpointError

FOLDER = Path(__file__).parents[1] / "parity" / "ratescore"
REPORTS = [
    "The heart is normal in size. The lungs are clear. No pneumothorax.",
    "Small left pleural effusion.\nNo pneumothorax.",
    "",
    " \n\t ",
    "HEART IS ENLARGED. NO EFFUSION.",
    "Ödem ½ ﬁbrosis 左肺 \u202e.",
    "The lungs are clear. The lungs are clear.",
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global read_tokenizer, AutoTokenizer, ENCODER, load_file, rate_sources, RateNer, save_file
    from safetensors.torch import load_file, save_file
    from transformers import AutoTokenizer

    from radeval_core.annotators.rate_ner import ENCODER, RateNer, rate_sources, read_tokenizer


@pytest.fixture(scope="module")
def ner():
    return RateNer(str(FOLDER / "ner"), progress=False)


@pytest.fixture
def copy(tmp_path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "ratescore", ignore=shutil.ignore_patterns("outputs.json")))


# --- decoding


@pytest.mark.parametrize(
    "labels, expected",
    [
        ("O B-X I-X O", [(1, 3, "X")]),
        ("B-X B-X", [(0, 1, "X"), (1, 2, "X")]),
        ("O B-X I-X", [(1, 3, "X")]),  # to the end: upstream may lose it
        ("B-X B-Y I-Y", [(0, 1, "X"), (1, 3, "Y")]),  # upstream loses the second
        ("B-X I-Y I-Y O", [(0, 1, "X")]),  # upstream returns one X of three tokens
        ("I-X I-X O", []),
        ("B-X I-Y I-X", [(0, 1, "X")]),
        ("B-NON-X I-NON-X I-X", [(0, 2, "NON-X")]),
        ("O O", []),
        ("", []),
    ],
)
def test_iob(labels, expected):
    assert list(iob_spans(labels.split())) == expected


@pytest.mark.parametrize(
    "labels, expected",
    [
        ("O B-X I-X O O", [(1, 3, "X")]),
        ("O O B-X I-X I-X", [(2, 4, "X")]),  # open at the end, after an O: kept
        ("O B-X B-Y I-Y I-Y", [(1, 2, "X")]),  # open at the end, after another entity: lost
        ("O B-X I-Y O O", [(1, 3, "X")]),  # the type of an I- label is not checked
        ("O I-X I-X O O", []),
        ("O I-X B-Y O O", [(2, 3, "Y")]),
        ("B-X O B-Y B-Z", [(2, 3, "Y")]),  # the labels of special tokens count only as what follows
        ("O O", []),
    ],
)
def test_upstreams_decoding(labels, expected):
    assert upstream_spans(labels.split()) == expected


def test_upstreams_decoding_leaves_out_fragments_of_two_characters():
    assert upstream_sentences("OK.") == [(0, 3)]
    assert upstream_sentences("OK") == [] and rate_sentences("OK") == [(0, 2)]


def test_both_decodings_have_their_own_place_in_a_cache(ner):
    upstream = RateNer(str(FOLDER / "ner"), progress=False, decoding="upstream")
    assert upstream.identity != ner.identity


# --- reports


def test_an_empty_report_keeps_its_place(ner):
    found = ner.annotate(REPORTS)
    assert len(found) == len(REPORTS)
    assert found[2].entities == found[3].entities == ()
    for text, report in zip(REPORTS, found, strict=True):
        assert ner.annotate([text]) == [report]


def test_entities_are_at_their_positions(ner):
    for text, report in zip(REPORTS[:2], ner.annotate(REPORTS[:2]), strict=True):
        assert report.entities
        for entity in report.entities:
            assert text[entity.start : entity.end].split() == entity.text.split()
        assert [e.start for e in report.entities] == sorted(e.start for e in report.entities)


def test_a_repeated_sentence_is_read_once(ner, monkeypatch):
    seen = []
    read = ner.read_sentences
    monkeypatch.setattr(ner, "read_sentences", lambda sentences: seen.extend(sentences) or read(sentences))
    first, _ = ner.annotate([REPORTS[6], "No effusion. The lungs are clear."])
    assert sorted(seen) == ["No effusion.", "The lungs are clear."]
    half = len(first.entities) // 2
    assert [(e.text, e.type) for e in first.entities[:half]] == [(e.text, e.type) for e in first.entities[half:]]


@pytest.mark.parametrize("budget", [1, 30, 10_000])
def test_order_and_batches_do_not_matter(ner, budget):
    other = RateNer(str(FOLDER / "ner"), batch_tokens=budget, progress=False)
    assert other.annotate(REPORTS[::-1]) == ner.annotate(REPORTS)[::-1]
    assert other.identity == ner.identity


def test_a_long_sentence_is_truncated_and_reported(ner):
    text = "No effusion. " + "the left lower lobe " * 1000
    (report,) = ner.annotate([text])
    ((start, end),) = report.unread
    assert max(map(len, ner.token_ids([text]))) == 512
    assert 13 < start < end == len(text.rstrip()) and text[start:end].strip()
    assert all(entity.end <= start for entity in report.entities)


def test_long_reports(ner):
    texts = ["A" * 100_000, "word " * 20_000, "No effusion. " * 8000]
    found = ner.annotate(texts)
    assert [bool(report.unread) for report in found] == [True, True, False]


def test_the_normalisation_of_the_checkpoint_is_used(ner):
    # tokenizer.json says NFKC; transformers 5 builds DeBERTa's tokenizer with NFC
    assert ner.token_ids(["ﬁbrosis"]) == ner.token_ids(["fibrosis"])


def test_a_checkpoint_without_tokenizer_json(copy, ner):
    built = AutoTokenizer.from_pretrained(copy / "ner")
    (copy / "ner" / "tokenizer.json").unlink()
    tokenizer = read_tokenizer(str(copy / "ner"), built)
    for text in REPORTS[:2]:
        assert tokenizer.encode(text.replace("\n", " ")).ids == ner.token_ids([text.replace("\n", " ")])[0]
    assert tokenizer.encode("ﬁbrosis").ids == tokenizer.encode("fibrosis").ids


def test_cache_round_trip(ner, tmp_path, monkeypatch):
    first = AnnotationStore(DiskCache(tmp_path)).annotate(ner, REPORTS)
    monkeypatch.setattr(ner, "annotate", lambda texts: pytest.fail("computed again"))
    assert AnnotationStore(DiskCache(tmp_path)).annotate(ner, REPORTS) == first


def test_details_contain_what_was_not_read():
    metric = load("ratescore", checkpoint=str(FOLDER))
    long = "the left lower lobe " * 1000
    result = metric.compute([long], ["No effusion. The lungs are clear."], detailed=True)
    (detail,) = result["details"]
    assert "|max_tokens:512|" in result["signature"] and "|name_tokens:30|" in result["signature"]
    assert detail["unread"]["prediction"][0]["end"] == len(long.rstrip()) and detail["unread"]["reference"] == []
    assert all(row["type"] and "similarity" in row for row in detail["prediction"])


def test_no_network(monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", lambda *args: pytest.fail("a network call"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    assert len(RateNer(str(FOLDER / "ner"), progress=False).annotate(REPORTS)) == len(REPORTS)


# --- checkpoints


def edit_config(copy: Path, **changes) -> None:
    file = copy / "ner" / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def edit_tensors(copy: Path, part: str, change) -> None:
    file = copy / part / "model.safetensors"
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file, metadata={"format": "pt"})


def refused(copy: Path, *words: str) -> None:
    with pytest.raises(CheckpointError) as error:
        load("ratescore", checkpoint=str(copy)).compute(["No effusion."], ["No effusion."])
    assert all(word in str(error.value) for word in words), error.value


def test_the_order_of_labels_is_read_from_the_checkpoint(copy, ner):
    names = {int(i): label for i, label in json.loads((copy / "ner" / "config.json").read_text())["id2label"].items()}
    turned = {i: names[(i + 4) % 11] for i in range(11)}
    edit_config(copy, id2label=turned, label2id={label: i for i, label in turned.items()})

    def turn(tensors):
        for name in ("classifier.weight", "classifier.bias"):
            tensors[name] = tensors[name].roll(-4, 0).contiguous()

    edit_tensors(copy, "ner", turn)
    assert RateNer(str(copy / "ner"), progress=False).annotate(REPORTS) == ner.annotate(REPORTS)


def test_wrong_labels(copy):
    labels = {str(i): f"LABEL_{i}" for i in range(11)}
    edit_config(copy, id2label=labels, label2id={v: int(k) for k, v in labels.items()})
    refused(copy, "config.json", "id2label", "B-ABNORMALITY")


def test_missing_tensor(copy):
    edit_tensors(copy, "ner", lambda tensors: tensors.pop("deberta.encoder.rel_embeddings.weight"))
    refused(copy, str(copy / "ner"), "lacks 1 tensor", "deberta.encoder.rel_embeddings.weight")


@pytest.mark.parametrize("part", ["ner", "encoder"])
def test_extra_tensor(copy, part):
    edit_tensors(copy, part, lambda tensors: tensors.update(extra=next(iter(tensors.values())).clone()))
    refused(copy, str(copy / part), "extra tensors", "extra")


def test_missing_tensor_of_the_encoder(copy):
    edit_tensors(copy, "encoder", lambda tensors: tensors.pop("embeddings.word_embeddings.weight"))
    refused(copy, str(copy / "encoder"), "embeddings.word_embeddings.weight")


@pytest.mark.parametrize("part", ["ner", "encoder"])
def test_missing_folder(copy, part):
    shutil.rmtree(copy / part)
    refused(copy, str(copy), f"has no folder {part!r}", "ner/", "encoder/")


def test_damaged_files(copy):
    (copy / "ner" / "model.safetensors").write_bytes(b"broken")
    refused(copy, str(copy / "ner"))


def test_hub_ids():
    sources = rate_sources("Angelakeke/RaTE-NER-Deberta")
    assert (sources.ner, sources.encoder) == ("Angelakeke/RaTE-NER-Deberta", ENCODER)
    with pytest.raises(CheckpointError, match="hf download"):
        load("ratescore", "rate-ner-deberta").compute(["a"], ["a"])
