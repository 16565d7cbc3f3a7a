"""RadBERT-CT on tiny random checkpoints in both published layouts."""

import json
import shutil

import numpy as np
import pytest

from radeval_core import load
from radeval_core.errors import CheckpointError

TEXTS = [
    "Emphysema in both lungs. No pleural effusion was observed.",
    "Millimetric nodules in the right upper lobe, the largest 4 mm.",
    "no",
    "",
    " \n\t ",
    "ATELECTASIS. HIATAL HERNIA.",
    "Nodule, 2.5 cm → left; “unchanged”. \u200b",
    "Line one.\nLine  two.\r\n",
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global RadbertCt, make_ctclip, make_radbert_ct, torch
    import torch

    from make_tiny_checkpoints import make_ctclip, make_radbert_ct
    from radeval_core.annotators.radbert_ct import RadbertCt


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return make_radbert_ct(tmp_path_factory.mktemp("radbert"), TEXTS * 3)


@pytest.fixture(scope="module")
def ctclip(tmp_path_factory):
    return make_ctclip(tmp_path_factory.mktemp("ctclip"), TEXTS * 3)


@pytest.fixture(scope="module")
def annotator(checkpoint):
    return RadbertCt(str(checkpoint), progress=False)


@pytest.fixture
def copy(checkpoint, tmp_path):
    return shutil.copytree(checkpoint, tmp_path / "copy")


def present(readings):
    return [reading.present.tolist() for reading in readings]


def set_labels(folder, change):
    """Change the names of the outputs of a copied checkpoint."""
    config = json.loads((folder / "config.json").read_text())
    names = change([config["id2label"][str(i)] for i in range(18)])
    config["id2label"] = dict(enumerate(names))
    config["label2id"] = {name: i for i, name in enumerate(names)}
    (folder / "config.json").write_text(json.dumps(config))


def test_one_at_a_time_equals_all_together_in_any_order(annotator):
    together = present(annotator.annotate(TEXTS))
    assert [present(annotator.annotate([text]))[0] for text in TEXTS] == together
    assert present(annotator.annotate(TEXTS[::-1]))[::-1] == together
    assert len({tuple(labels) for labels in together}) > 3


def test_equals_plain_transformers(annotator, checkpoint):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(checkpoint).eval()
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    for text, reading in zip(TEXTS, annotator.annotate(TEXTS), strict=True):
        with torch.no_grad():
            logits = model(**tokenizer(text, return_tensors="pt")).logits[0]
        assert reading.present.tolist() == (torch.sigmoid(logits) > 0.5).tolist()


def test_the_layout_of_ct_clip_gives_the_same_labels(annotator, ctclip):
    other = RadbertCt(str(ctclip), progress=False)
    assert present(other.annotate(TEXTS)) == present(annotator.annotate(TEXTS))


def test_the_names_of_the_outputs_decide_their_order(annotator, copy):
    set_labels(copy, lambda names: names[::-1])
    turned = present(RadbertCt(str(copy), progress=False).annotate(TEXTS))
    assert turned == [labels[::-1] for labels in present(annotator.annotate(TEXTS))]


def test_outputs_without_names_are_in_the_published_order(annotator, copy):
    set_labels(copy, lambda names: [f"LABEL_{i}" for i in range(18)])
    assert present(RadbertCt(str(copy), progress=False).annotate(TEXTS)) == present(annotator.annotate(TEXTS))


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda names: ["Fracture", *names[1:]], "'Fracture'"),
        (lambda names: [names[1], *names[1:]], "'Medical material'"),
    ],
)
def test_a_label_outside_the_list_is_an_error_that_names_the_file(copy, change, wrong):
    set_labels(copy, change)
    with pytest.raises(CheckpointError, match=f"config.json: id2label must contain the 18 labels .* but {wrong} is"):
        RadbertCt(str(copy), progress=False)


def test_another_architecture_is_an_error(ctclip, tmp_path):
    broken = shutil.copytree(ctclip, tmp_path / "broken")
    state = torch.load(broken / "RadBertClassifier.pth", weights_only=True)
    del state["classifier.weight"]
    torch.save(state, broken / "RadBertClassifier.pth")
    with pytest.raises(CheckpointError, match=r"lacks 1 tensor, the first is 'classifier\.out_proj\.weight'"):
        RadbertCt(str(broken), progress=False)
    shutil.rmtree(broken / "RadBERT-RoBERTa-4m")
    with pytest.raises(CheckpointError, match="no folder 'RadBERT-RoBERTa-4m' beside it"):
        RadbertCt(str(broken), progress=False)


def test_a_long_report_is_cut_at_the_limit_and_reported(annotator, checkpoint):
    long = "No pleural effusion. " * 3000
    (ids,) = annotator.token_ids([long])
    assert (len(ids), ids[-1]) == (512, annotator.tokenizer.sep_token_id)
    detail = load("ct_f1", checkpoint=str(checkpoint)).compute([long], ["No."], detailed=True)["details"][0]
    assert detail["prediction"]["truncated"] and not detail["reference"]["truncated"]
    assert detail["prediction"]["evidence"] == []


def test_an_annotation_survives_the_cache(annotator):
    for reading in annotator.annotate(TEXTS[:2]):
        back = annotator.load(annotator.dump(reading))
        np.testing.assert_array_equal(back.present, reading.present)
        assert back.truncated == reading.truncated


def test_the_score_compares_the_labels_of_the_model(annotator, checkpoint):
    result = load("ct_f1", checkpoint=str(checkpoint)).compute(TEXTS[:2], TEXTS[1:3])
    one, two, three = (np.array(labels) for labels in present(annotator.annotate(TEXTS[:3])))
    assert result["label_errors_scores"] == [float((one != two).sum()), float((two != three).sum())]
    assert "|model:" in result["signature"] and "|lexicon:" not in result["signature"]
