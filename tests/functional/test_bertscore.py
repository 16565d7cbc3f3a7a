import math

import numpy as np
import pytest

from radeval_core import load, score
from radeval_core.errors import CheckpointError, InputError
from radeval_core.functional.bertscore import (
    count_documents,
    harmonic_mean,
    inverse_document_frequencies,
    precision_recall_f1,
    token_weights,
    weighted_mean,
)
from radeval_core.metrics.bertscore import known_encoders


def test_hand_worked():
    # cosines: p1 matches best at 0.8, p2 at 0.4; the one reference token at 0.8
    p, r, f = precision_recall_f1([0.8, 0.4], [1, 1], [0.8], [1])
    assert (p, r, f) == (pytest.approx(0.6), pytest.approx(0.8), pytest.approx(2 * 0.6 * 0.8 / 1.4))
    # three times the weight on the first token
    assert precision_recall_f1([0.8, 0.4], [3, 1], [0.8], [1])[0] == pytest.approx(0.7)


def test_rescaling():
    p, r, f = precision_recall_f1([0.9], [1], [0.9], [1], baseline=(0.8, 0.85, 0.8))
    assert (p, r, f) == (pytest.approx(0.5), pytest.approx(1 / 3), pytest.approx(0.5))


def test_zero_weights_give_zero_not_nan():
    assert weighted_mean([0.5], [0.0]) == 0.0
    assert precision_recall_f1([0.5], [0.0], [0.5], [0.0]) == (0.0, 0.0, 0.0)


def test_negative_cosines_do_not_blow_up():
    assert harmonic_mean(0.3, -0.5) == 0.0
    assert harmonic_mean(0.5, -0.5) == 0.0


def test_inverse_document_frequencies():
    counts = count_documents([[5, 5, 6], [6], [7]])
    assert counts == {5: 1, 6: 2, 7: 1}
    idf = inverse_document_frequencies(3, counts)
    assert idf[6] == pytest.approx(math.log(4 / 3))
    ids = np.array([1, 5, 6, 99, 2], dtype=np.int32)
    assert token_weights(ids, {1, 2}, None, 9.0).tolist() == [0, 1, 1, 1, 0]
    expected = [0, math.log(2), math.log(4 / 3), 9.0, 0]
    np.testing.assert_allclose(token_weights(ids, {1, 2}, idf, 9.0), expected)


def test_the_published_baseline_of_radcliqs_encoder():
    encoder = known_encoders()["distilroberta-base"]
    assert encoder["layer"] == 5
    assert encoder["baseline"]["5"] == [0.84732, 0.84759504, 0.8473319]


def test_rescaling_with_a_published_encoder_name(tiny_encoder, monkeypatch):
    """Run the rescaled config end to end, with a tiny model instead of the published one."""
    from radeval_core.annotators import token_embeddings
    from radeval_core.engine.checkpoints import load_encoder

    monkeypatch.setattr(
        token_embeddings,
        "load_encoder",
        lambda source, layer, dtype, name: load_encoder(str(tiny_encoder), 2, dtype, name),
    )
    token_embeddings.token_embedder.cache_clear()
    rescaled = load("bertscore", "distilroberta-base").compute(["clear lungs", ""], ["lungs clear", "heart"])
    raw = load("bertscore", "distilroberta-base", rescale=False).compute(["clear lungs"], ["lungs clear"])
    token_embeddings.token_embedder.cache_clear()
    base = known_encoders()["distilroberta-base"]["baseline"]["5"][2]
    assert rescaled["scores"][0] == pytest.approx((raw["scores"][0] - base) / (1 - base))
    assert rescaled["scores"][1] == 0.0  # empty stays 0
    assert "|config:distilroberta-base|" in rescaled["signature"] and "|rescale:yes|" in rescaled["signature"]


def test_rescaling_without_a_baseline_is_an_error():
    with pytest.raises(InputError, match="no baseline is known for the embedded encoder at layer 3"):
        load("bertscore", rescale=True).compute(["a"], ["a"])


def test_options_are_in_the_signature(tiny_encoder):
    checkpoint = str(tiny_encoder)
    seen = {
        load("bertscore", checkpoint=checkpoint, **options).compute(["clear"], ["clear"])["signature"]
        for options in ({}, {"layer": 1}, {"idf": True}, {"dtype": "bf16"})
    }
    assert len(seen) == 4


def test_the_signature_names_the_tokens_read_of_a_report(tiny_encoder):
    import json

    positions = json.loads((tiny_encoder / "config.json").read_text("utf-8"))["max_position_embeddings"]
    own = load("bertscore", checkpoint=str(tiny_encoder)).compute(["clear"], ["clear"])["signature"]
    assert f"|max_tokens:{positions}|" in own


def test_a_folder_is_a_config(tiny_encoder):
    by_config = score([("clear lungs", "lungs")], ["bertscore"], configs={"bertscore": str(tiny_encoder)})
    by_option = load("bertscore", checkpoint=str(tiny_encoder)).compute(["clear lungs"], ["lungs"])
    assert by_config.results["bertscore"].scores.tolist() == by_option["scores"]
    assert by_config.results["bertscore"].signature == by_option["signature"]


def test_the_error_names_a_missing_checkpoint():
    with pytest.raises(InputError, match=r"checkpoint of bertscore: no such folder: \./none"):
        load("bertscore", checkpoint="./none").compute(["a"], ["a"])
    with pytest.raises(CheckpointError, match="hf download bert-base-uncased"):
        load("bertscore", checkpoint="bert-base-uncased").compute(["a"], ["a"])


def test_details_show_tokens_and_their_best_match(tiny_encoder):
    metric = load("bertscore", checkpoint=str(tiny_encoder))
    detail, empty = metric.compute(["Clear lungs", ""], ["lungs", "heart"], detailed=True)["details"]
    assert detail["prediction"]["tokens"] == ["[CLS]", "clear", "lungs", "[SEP]"]
    assert len(detail["prediction"]["best"]) == 4 and detail["reference"]["truncated"] is False
    assert empty["prediction"]["tokens"] == [] and empty["reference"]["tokens"] == ["[CLS]", "heart", "[SEP]"]
    long = metric.compute(["heart " * 100], ["heart"], detailed=True)["details"][0]
    assert long["prediction"]["truncated"] is True


def test_text_without_any_token_scores_like_an_empty_report(tiny_encoder):
    metric = load("bertscore", checkpoint=str(tiny_encoder))
    assert metric.compute(["\u200b", "heart"], ["heart", "\u200b"])["scores"] == [0.0, 0.0]


def test_a_cosine_above_one_is_rounding():
    best = [1.0000001, 1.0]
    assert precision_recall_f1(best, [1, 1], best, [1, 1]) == (1.0, 1.0, 1.0)
