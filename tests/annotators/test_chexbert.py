"""The CheXbert annotator on a tiny random checkpoint in the published layout."""

import json
import shutil
from itertools import pairwise

import numpy as np
import pytest

from radeval_core import load, score
from radeval_core.errors import CheckpointError

TEXTS = [
    "The heart is normal in size. The lungs are clear.",
    "Large right pleural effusion with adjacent atelectasis.",
    "no",
    "",
    " \n\t ",
    "NO PNEUMOTHORAX. MILD CARDIOMEGALY.",
    "Pleural effusion, 2.5 cm → left; “unchanged”. \u200b",
    "Line one.\nLine  two.\r\n",
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global Chexbert, make_chexbert, torch
    import torch

    from make_tiny_checkpoints import make_chexbert
    from radeval_core.annotators.chexbert import Chexbert


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return make_chexbert(tmp_path_factory.mktemp("chexbert"), TEXTS * 3)


@pytest.fixture(scope="module")
def annotator(checkpoint):
    return Chexbert(str(checkpoint), progress=False)


@pytest.fixture
def copy(checkpoint, tmp_path):
    return shutil.copytree(checkpoint, tmp_path / "copy")


def edit(copy, change):
    """Change the tensors of a copied checkpoint."""
    content = torch.load(copy / "chexbert.pth", weights_only=True)
    change(content["model_state_dict"])
    torch.save(content, copy / "chexbert.pth")


def test_one_at_a_time_equals_all_together_in_any_order(annotator):
    together = annotator.annotate(TEXTS)
    for text, reading in zip(TEXTS, together, strict=True):
        (alone,) = annotator.annotate([text])
        assert alone.classes.tolist() == reading.classes.tolist()
        np.testing.assert_allclose(alone.vector, reading.vector, atol=1e-5)
    backwards = annotator.annotate(TEXTS[::-1])
    assert [r.classes.tolist() for r in backwards[::-1]] == [r.classes.tolist() for r in together]


def test_equals_plain_bert_and_heads(annotator, checkpoint):
    """Compare with transformers' BERT, without our batches and our last layer."""
    from transformers import BertConfig, BertModel, BertTokenizer

    tensors = torch.load(checkpoint / "chexbert.pth", weights_only=True)["model_state_dict"]
    bert = BertModel(BertConfig.from_pretrained(checkpoint)).eval()
    bert.load_state_dict({k.removeprefix("module.bert."): v for k, v in tensors.items() if "bert" in k})
    tokenizer = BertTokenizer(vocab=str(checkpoint / "vocab.txt"))
    for text, reading in zip(TEXTS, annotator.annotate(TEXTS), strict=True):
        with torch.no_grad():
            cls = bert(**tokenizer(" ".join(text.split()), return_tensors="pt")).last_hidden_state[0, 0]
        np.testing.assert_allclose(reading.vector, cls, atol=1e-5)
        for i, got in enumerate(reading.classes):
            head = cls @ tensors[f"module.linear_heads.{i}.weight"].T + tensors[f"module.linear_heads.{i}.bias"]
            assert got == head.argmax()


def test_the_labels_depend_on_the_text(annotator):
    assert len({tuple(r.classes.tolist()) for r in annotator.annotate(TEXTS)}) > 3


def test_white_space_does_not_matter(annotator):
    one, other = annotator.annotate(["No effusion. No nodule.", "  No effusion.\nNo\t nodule. "])
    np.testing.assert_array_equal(one.vector, other.vector)


def test_a_long_report_is_truncated_at_the_limit_and_reported(annotator, checkpoint):
    long = "No pleural effusion. " * 5000
    (cut,) = annotator.annotate([long])
    (ids,) = annotator.token_ids([long])
    assert (len(ids), ids[-1], cut.truncated) == (512, annotator.tokenizer.sep_token_id, True)
    (same,) = annotator.annotate([long[: len(long) // 2]])
    np.testing.assert_array_equal(cut.vector, same.vector)
    details = load("chexbert_f1", checkpoint=str(checkpoint)).compute([long], ["No."], detailed=True)
    assert details["details"][0]["prediction"]["truncated"]
    assert not details["details"][0]["reference"]["truncated"]


def test_an_annotation_survives_the_cache(annotator, checkpoint, tmp_path):
    for reading in annotator.annotate(TEXTS[:2]):
        back = annotator.load(annotator.dump(reading))
        assert back.classes.tolist() == reading.classes.tolist() and back.truncated == reading.truncated
        np.testing.assert_array_equal(back.vector, reading.vector)
    pairs = list(pairwise(TEXTS[:4]))
    options = {"options": {"chexbert_f1": {"checkpoint": str(checkpoint)}}, "cache": tmp_path}
    first, second = (list(score(pairs, ["chexbert_f1"], **options).rows()) for _ in range(2))
    assert first == second


def test_the_similarity_is_the_cosine_of_the_vectors(annotator, checkpoint):
    result = load("chexbert_f1", checkpoint=str(checkpoint)).compute(TEXTS[:2], TEXTS[1:3])
    vectors = [r.vector for r in annotator.annotate(TEXTS[:3])]
    for i, got in enumerate(result["similarity_scores"]):
        a, b = vectors[i], vectors[i + 1]
        assert got == pytest.approx(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)), abs=1e-6)


def test_the_signature_names_the_weights(checkpoint, copy):
    signature = load("chexbert_f1", checkpoint=str(checkpoint)).compute(["a"], ["a"])["signature"]
    name = Chexbert(str(checkpoint)).model_name
    assert (
        "|config:custom|" in signature
        and f"|model:{name}|max_tokens:{Chexbert(str(checkpoint)).max_length}|" in signature
    )
    edit(copy, lambda t: t["module.linear_heads.0.bias"].add_(1.0))
    assert Chexbert(str(copy)).model_name.partition("@")[2] != name.partition("@")[2]


def test_files_of_the_encoder_may_be_in_a_subfolder(annotator, copy):
    for name in ("config.json", "vocab.txt"):
        (copy / name).unlink()
    found = Chexbert(str(copy), progress=False).annotate(TEXTS)
    for one, other in zip(found, annotator.annotate(TEXTS), strict=True):
        np.testing.assert_array_equal(one.vector, other.vector)


def test_tensors_may_lack_the_prefix_of_parallel_training(annotator, copy):
    content = torch.load(copy / "chexbert.pth", weights_only=True)
    state = {k.removeprefix("module."): v for k, v in content["model_state_dict"].items()}
    torch.save({"model_state_dict": state}, copy / "chexbert.pth")
    (found,) = Chexbert(str(copy), progress=False).annotate(TEXTS[:1])
    np.testing.assert_array_equal(found.vector, annotator.annotate(TEXTS[:1])[0].vector)


def test_a_missing_tensor_is_named(copy):
    edit(copy, lambda t: t.pop("module.linear_heads.3.bias"))
    with pytest.raises(CheckpointError, match=r"chexbert\.pth lacks 1 tensor, the first is 'linear_heads\.3\.bias'"):
        Chexbert(str(copy))


def test_an_extra_tensor_is_named(copy):
    edit(copy, lambda t: t.update({"module.linear_heads.14.bias": torch.zeros(4)}))
    with pytest.raises(CheckpointError, match=r"chexbert\.pth has 1 extra tensor,.*'linear_heads\.14\.bias'"):
        Chexbert(str(copy))


def test_a_head_of_another_size_is_named(copy):
    edit(copy, lambda t: t.update({"module.linear_heads.2.weight": torch.zeros(3, 16)}))
    with pytest.raises(CheckpointError, match=r"'linear_heads\.2\.weight' must have shape \[4, 16\].*\[3, 16\]"):
        Chexbert(str(copy))


def test_a_damaged_file_is_named(copy):
    data = (copy / "chexbert.pth").read_bytes()
    (copy / "chexbert.pth").write_bytes(data[: len(data) // 2])
    with pytest.raises(CheckpointError, match=r"chexbert\.pth is damaged"):
        Chexbert(str(copy))


class Evil:
    def __reduce__(self):
        return (print, ("this must never run",))


def test_code_in_the_file_is_not_run(copy, capsys):
    torch.save({"model_state_dict": {"x": Evil()}}, copy / "chexbert.pth")
    with pytest.raises(CheckpointError, match="contains more than tensors"):
        Chexbert(str(copy))
    assert "never" not in capsys.readouterr().out


def test_a_file_without_tensors_says_so(copy):
    torch.save({"epoch": 1}, copy / "chexbert.pth")
    with pytest.raises(CheckpointError, match=r"chexbert\.pth has no tensors under 'model_state_dict'"):
        Chexbert(str(copy))


def test_a_folder_without_weights_says_which_file_is_missing(tmp_path):
    with pytest.raises(CheckpointError, match=r"has no file 'chexbert\.pth'"):
        Chexbert(str(tmp_path))


def test_a_folder_without_vocabulary_says_what_is_missing(copy):
    (copy / "vocab.txt").unlink()
    shutil.rmtree(copy / "bert-base-uncased")
    with pytest.raises(CheckpointError, match=r"no config\.json with vocab\.txt, nor a subfolder 'bert-base-uncased'"):
        Chexbert(str(copy))


def test_another_architecture_is_refused(copy):
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "model_type": "mpnet"}))
    with pytest.raises(CheckpointError, match=r"config\.json: CheXbert is a BERT, but model_type is 'mpnet'"):
        Chexbert(str(copy))


def test_a_vocabulary_larger_than_the_embedding_is_refused(copy):
    with (copy / "vocab.txt").open("a") as file:
        file.write("extra\nwords\n")
    with pytest.raises(CheckpointError, match=r"vocab_size in config\.json is"):
        Chexbert(str(copy))


def test_a_missing_published_checkpoint_says_what_to_type():
    with pytest.raises(CheckpointError, match=r"type `hf download StanfordAIMI/RRG_scorers chexbert\.pth`"):
        score([("a", "b")], ["chexbert_f1"], {"chexbert_f1": "chexbert"})
