import logging
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from radeval_core.errors import CheckpointError, InputError, RadevalError
from sample_sentences import SENTENCES

words = st.sampled_from(["heart", "lungs", "clear", "effusion", "no", "right", "left", "mild", "nodule", "4", "mm"])
reports = st.lists(st.lists(words, min_size=1, max_size=12).map(" ".join), max_size=12)


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global choose_device, choose_dtype, CPU, ForwardLoop, pad_right, token_budget, TokenEmbedder, torch
    import torch

    from radeval_core.annotators.token_embeddings import TokenEmbedder
    from radeval_core.engine.devices import choose_device, choose_dtype, token_budget
    from radeval_core.engine.forward import ForwardLoop, pad_right

    CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def embedder(tiny_encoder):
    return TokenEmbedder(str(tiny_encoder), device="cpu", progress=False)


class SumModel:
    """Replaces a network: the result of a row is the sum of its ids. Records the batches it sees."""

    def __init__(self, fails_above: int | None = None, error: Exception | None = None) -> None:
        self.batches: list[tuple[int, int]] = []
        self.fails_above = fails_above
        self.error = error or torch.OutOfMemoryError("injected")

    def __call__(self, input_ids, attention_mask):
        if self.fails_above is not None and input_ids.numel() > self.fails_above:
            raise self.error
        self.batches.append(tuple(input_ids.shape))
        return (input_ids * attention_mask).sum(dim=1)


def run(model, texts, budget):
    loop = ForwardLoop(model, lambda ts: [[ord(c) for c in t] for t in ts], 999, torch.device("cpu"), budget)
    return loop, loop.run(texts, lambda out, rows: out.tolist())


@given(st.lists(st.text("abc", max_size=8), max_size=30), st.integers(1, 40))
def test_results_come_in_the_order_of_the_texts(texts, budget):
    _, results = run(SumModel(), texts, budget)
    assert results == [sum(map(ord, t)) for t in texts]


def test_equal_texts_go_through_the_model_once():
    model = SumModel()
    run(model, ["ab", "abc", "ab", "ab"], 100)
    assert sum(rows for rows, _ in model.batches) == 2


def test_out_of_memory_halves_the_budget_and_continues(caplog):
    model = SumModel(fails_above=8)
    texts = ["abcd", "abc", "ab", "a", "abcde", "abcdef"]
    with caplog.at_level(logging.WARNING):
        loop, results = run(model, texts, 32)
    assert results == [sum(map(ord, t)) for t in texts]
    assert loop.budget <= 8
    assert all(rows * length <= 8 for rows, length in model.batches)
    assert "out of memory" in caplog.text and "abcd" not in caplog.text  # a warning without report text


def test_a_text_that_never_fits_is_a_clear_error():
    with pytest.raises(RadevalError, match="out of memory on cpu with a single text of 6 tokens"):
        run(SumModel(fails_above=5), ["abcdef", "ab"], 32)


def test_other_errors_are_not_treated_as_out_of_memory():
    with pytest.raises(RuntimeError, match="shape"):
        run(SumModel(fails_above=0, error=RuntimeError("shape mismatch")), ["ab"], 32)


def test_on_an_accelerator_the_next_window_is_tokenised_in_the_background(monkeypatch):
    monkeypatch.setattr("radeval_core.engine.forward.WINDOW", 2)
    threads = set()

    def tokenize(texts):
        threads.add(threading.current_thread())
        return [[ord(c) for c in t] for t in texts]

    loop = ForwardLoop(SumModel(), tokenize, 0, torch.device("cpu"), 100)
    loop.overlap = True
    texts = ["a", "bb", "ccc", "dd", "e"]
    assert loop.run(texts, lambda out, rows: out.tolist()) == [sum(map(ord, t)) for t in texts]
    assert threading.main_thread() not in threads


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=reports)
def test_a_batch_of_many_equals_batches_of_one(embedder, texts):
    embedder.loop.budget = 400
    together = embedder.annotate(texts)
    for text, many in zip(texts, together, strict=True):
        (alone,) = embedder.annotate([text])
        assert many.ids.tolist() == alone.ids.tolist()
        np.testing.assert_allclose(many.vectors, alone.vectors, atol=1e-5)


def test_the_same_loop_gives_sentence_vectors_and_token_labels(tiny_encoder):
    """The caller chooses what to keep from a batch: here the first token's vector, and one label per token."""
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    torch.manual_seed(0)
    model = AutoModelForTokenClassification.from_pretrained(tiny_encoder, num_labels=3).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny_encoder)
    texts = [*SENTENCES, SENTENCES[0]]

    def run_with(network, collect):
        loop = ForwardLoop(network, lambda ts: tokenizer(ts)["input_ids"], tokenizer.pad_token_id, CPU, 60)
        return loop.run(texts, collect)

    first = run_with(model.bert, lambda out, rows: out.last_hidden_state[:, 0].numpy())
    labels = run_with(
        model, lambda out, rows: [out.logits[i, : len(row)].argmax(-1).tolist() for i, row in enumerate(rows)]
    )
    for text, vector, tags in zip(texts, first, labels, strict=True):
        batch = tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            np.testing.assert_allclose(vector, model.bert(**batch).last_hidden_state[0, 0], atol=1e-5)
            assert tags == model(**batch).logits[0].argmax(-1).tolist()
    assert len({tag for tags in labels for tag in tags}) > 1


def test_vectors_are_unit_vectors_of_every_token(embedder):
    (found,) = embedder.annotate([SENTENCES[0]])
    assert len(found.ids) == len(found.vectors)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)


def test_annotations_survive_being_written_and_read(embedder):
    (found,) = embedder.annotate([SENTENCES[0]])
    again = embedder.load(embedder.dump(found))
    np.testing.assert_array_equal(found.vectors, again.vectors)
    np.testing.assert_array_equal(found.ids, again.ids)


def test_long_texts_are_truncated_with_a_warning(embedder, caplog):
    with caplog.at_level(logging.WARNING):
        (found,) = embedder.annotate(["heart " * 200])
    assert len(found.ids) == 64
    assert "1 of 1 texts reach the model's limit of 64 tokens" in caplog.text


def test_the_first_layers_alone_give_the_hidden_state_of_that_layer(tiny_encoder):
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(tiny_encoder).eval()
    batch = AutoTokenizer.from_pretrained(tiny_encoder)(SENTENCES[0], return_tensors="pt")
    with torch.inference_mode():
        states = model(**batch, output_hidden_states=True).hidden_states
    for layer in (1, 2):
        (found,) = TokenEmbedder(str(tiny_encoder), "cpu", layer=layer, progress=False).annotate([SENTENCES[0]])
        expected = torch.nn.functional.normalize(states[layer][0], dim=-1).numpy()
        np.testing.assert_allclose(found.vectors, expected, atol=1e-5)


def test_identity_follows_the_weights(tiny_encoder, tmp_path):
    import shutil

    from tiny_checkpoints import make_tiny_bert

    same = shutil.copytree(tiny_encoder, tmp_path / tiny_encoder.name)
    (tmp_path / "other").mkdir()
    other = make_tiny_bert(tmp_path / "other", SENTENCES, seed=1)
    names = [TokenEmbedder(str(p), "cpu", layer=1).identity for p in (tiny_encoder, same, other)]
    assert names[0] == names[1]
    assert names[0].split("@")[1] != names[2].split("@")[1]
    assert TokenEmbedder(str(tiny_encoder), "cpu", layer=2).identity != names[0]


@pytest.mark.parametrize(
    "break_it, message",
    [
        (lambda folder: (folder / "config.json").unlink(), "cannot load a checkpoint from folder"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"not weights"), "cannot load a checkpoint"),
        (lambda folder: _drop_tensor(folder, "encoder.layer.1.output.dense.weight"), "lacks 1 tensors"),
    ],
)
def test_a_broken_checkpoint_is_an_error_that_says_why(tiny_encoder, tmp_path, break_it, message):
    import shutil

    folder = shutil.copytree(tiny_encoder, tmp_path / "broken")
    break_it(folder)
    with pytest.raises(CheckpointError, match=message):
        TokenEmbedder(str(folder), device="cpu")


def _drop_tensor(folder, name):
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    del tensors[name]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def test_a_layer_that_does_not_exist_is_an_error(tiny_encoder):
    with pytest.raises(CheckpointError, match="has layers 1 to 2: layer 3 does not exist"):
        TokenEmbedder(str(tiny_encoder), "cpu", layer=3)


def test_a_checkpoint_that_cannot_be_downloaded_says_what_to_type():
    with pytest.raises(CheckpointError, match="hf download some-org/no-such-model"):
        TokenEmbedder("some-org/no-such-model", device="cpu")


def test_devices_and_number_formats():
    assert choose_device("cpu").type == "cpu"
    assert choose_device(None).type in ("cpu", "cuda", "mps")
    assert choose_dtype("bf16") is torch.bfloat16
    assert token_budget(torch.device("cpu"), 7) == 7
    with pytest.raises(InputError, match="unknown device 'gpu': available: auto, cpu, mps, cuda"):
        choose_device("gpu")
    with pytest.raises(InputError, match="unknown dtype 'fp8'"):
        choose_dtype("fp8")
    with pytest.raises(InputError, match="at least 1"):
        token_budget(torch.device("cpu"), -1)


def test_padding_is_on_the_right():
    ids, mask = pad_right([[5, 6], [7]], 0)
    assert ids.tolist() == [[5, 6], [7, 0]]
    assert mask.tolist() == [[1, 1], [1, 0]]


def test_copies_on_other_devices_give_the_vectors_of_one_bit_for_bit(tiny_encoder):
    """Two devices that are both the CPU: the batches are dealt out to two copies of the model."""
    embedder = TokenEmbedder(str(tiny_encoder), device="cpu", progress=False, batch_tokens=20)
    alone = embedder.annotate(SENTENCES)
    embedder.devices = [CPU, CPU]
    embedder.make_loop(embedder.loop.model, embedder.tokenizer.pad_token_id)
    (copy,) = embedder.loop.copies
    assert copy.model is not embedder.loop.model
    both = embedder.annotate(SENTENCES)
    assert all(np.array_equal(a.vectors, b.vectors) for a, b in zip(alone, both, strict=True))
