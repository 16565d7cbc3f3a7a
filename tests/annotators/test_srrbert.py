"""SRR-BERT as an annotator: its checkpoints and what is wrong with them."""

import json
import shutil
from pathlib import Path

import pytest

from radeval_core import load
from radeval_core.errors import CheckpointError

PARITY = Path(__file__).parents[1] / "parity" / "srrbert"
UPPER = PARITY / "StanfordAIMI" / "SRR-BERT-Upper"
REPORTS = [
    "The lungs are clear. No pneumothorax.",
    "No pneumothorax.",
    "",
    "Large left pleural effusion. No pneumothorax.",
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global SrrBert, tokenizer_source
    from radeval_core.annotators.srrbert import SrrBert, tokenizer_source


@pytest.fixture
def folder(tmp_path):
    """A checkpoint with its vocabulary in the same folder, as on the Hub."""
    shutil.copytree(UPPER, tmp_path / "checkpoint")
    shutil.copy(PARITY / "microsoft" / "BiomedVLP-CXR-BERT-general" / "vocab.txt", tmp_path / "checkpoint")
    return tmp_path / "checkpoint"


def change_config(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


def test_a_report_has_the_labels_of_its_sentences():
    one, other, _, _ = SrrBert(str(UPPER), progress=False).annotate(REPORTS)
    assert (one.present & other.present).tolist() == other.present.tolist()
    shared = next(iter(other.quotes))
    assert "No pneumothorax." in one.quotes[shared]


def test_batches_and_order_change_nothing():
    small = SrrBert(str(UPPER), progress=False, batch_tokens=1).annotate(REPORTS)
    large = SrrBert(str(UPPER), progress=False).annotate(REPORTS[::-1])[::-1]
    assert [dict(a.quotes) for a in small] == [dict(b.quotes) for b in large]


def test_labels_survive_the_disk():
    annotator = SrrBert(str(UPPER), progress=False)
    for labels in annotator.annotate(REPORTS):
        again = annotator.load(annotator.dump(labels))
        assert (again.quotes, again.truncated, again.present.tolist()) == (
            labels.quotes, labels.truncated, labels.present.tolist(),
        )  # fmt: skip


def test_a_long_sentence_is_cut_and_counted(caplog):
    (labels,) = SrrBert(str(UPPER), progress=False).annotate(["no effusion and " * 400])
    assert labels.truncated == 1
    assert "limit of 512 tokens" in caplog.text


def test_the_vocabulary_of_the_folder_is_used_if_there_is_no_other(folder):
    assert tokenizer_source(str(folder)) == str(folder)
    assert tokenizer_source(str(UPPER)).endswith("BiomedVLP-CXR-BERT-general")
    assert tokenizer_source("StanfordAIMI/SRR-BERT-Upper") == "microsoft/BiomedVLP-CXR-BERT-general"


def test_a_missing_vocabulary_names_the_command(folder):
    (folder / "vocab.txt").unlink()
    with pytest.raises(CheckpointError, match=r"hf download microsoft/BiomedVLP-CXR-BERT-general --local-dir"):
        SrrBert(str(folder))


def test_a_missing_checkpoint_names_the_command(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(CheckpointError, match="hf download StanfordAIMI/SRR-BERT-Leaves-with-Statuses"):
        load("srrbert_f1", "leaves-with-statuses").compute(["Edema."], ["Edema."])


def test_another_number_of_labels_is_an_error(folder):
    with pytest.raises(CheckpointError, match=r"the model has 25 labels, expected 55 \(leaves\)"):
        SrrBert(str(folder), label_set="leaves")


def test_a_label_outside_the_list_names_file_and_row(folder):
    names = json.loads((folder / "config.json").read_text())["id2label"] | {"3": "Lung Findings"}
    change_config(folder, id2label=names, label2id={name: int(i) for i, name in names.items()})
    with pytest.raises(CheckpointError, match=r"config.json, id2label 3: 'Lung Findings' is not the published label"):
        SrrBert(str(folder))


def test_too_large_a_vocabulary_is_an_error(folder):
    with (folder / "vocab.txt").open("a") as file:
        file.write("extraword\n")
    with pytest.raises(CheckpointError, match="the vocabulary has 1074 tokens"):
        SrrBert(str(folder))


def test_the_signature_names_labels_model_and_vocabulary(folder):
    signature = load("srrbert_f1", checkpoint=str(folder)).compute(["Edema."], ["Edema."])["signature"]
    assert "|labels:upper|model:checkpoint@" in signature
    assert "|tokenizer:checkpoint@" in signature
