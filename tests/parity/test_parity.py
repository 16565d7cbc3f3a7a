"""Our numbers beside the original packages', on fixtures that ship here. Each outputs.json names the versions."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer

from radeval_core import load

HERE = Path(__file__).parent
BERTSCORE = json.loads((HERE / "bertscore" / "outputs.json").read_text("utf-8"))
RADEVAL = json.loads((HERE / "bertscore" / "radeval.json").read_text("utf-8"))
MODERNBERT = str(HERE / "bertscore" / "tiny-modernbert")
CIDER = json.loads((HERE / "cider" / "outputs.json").read_text("utf-8"))


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("batch_tokens", [None, 64])
def test_bertscore_equals_bert_score(layer, idf, batch_tokens):
    metric = load("bertscore", checkpoint=str(HERE / "bertscore" / "tiny-bert"), layer=layer, idf=idf,
                  batch_tokens=batch_tokens)  # fmt: skip
    result = metric.compute(BERTSCORE["predictions"], BERTSCORE["references"])
    theirs = BERTSCORE[f"layer{layer}_idf_{'on' if idf else 'off'}"]
    for part in ("precision", "recall", "f1"):
        np.testing.assert_allclose(result[f"{part}_scores"], theirs[part], atol=1e-4)


@pytest.mark.parametrize("idf", [False, True])
def test_bertscore_on_a_byte_level_encoder_equals_bert_score(idf):
    """RoBERTa's kind, as distilroberta-base: a space before the first word, positions that start after padding."""
    metric = load("bertscore", checkpoint=str(HERE / "bertscore" / "tiny-roberta"), idf=idf)
    result = metric.compute(BERTSCORE["predictions"], BERTSCORE["references"])
    theirs = BERTSCORE[f"roberta_layer2_idf_{'on' if idf else 'off'}"]
    for part in ("precision", "recall", "f1"):
        np.testing.assert_allclose(result[f"{part}_scores"], theirs[part], atol=1e-4)


def test_bertscore_with_two_references_equals_bert_score():
    metric = load("bertscore", checkpoint=str(HERE / "bertscore" / "tiny-bert"), layer=2, idf=True)
    references = BERTSCORE["references"]
    several = [[a, b] for a, b in itertools.pairwise(references[:9])]
    result = metric.compute(BERTSCORE["predictions"][:8], several)
    for part, values in BERTSCORE["two_references_layer2_idf_on"].items():
        np.testing.assert_allclose(result[f"{part}_scores"], values, atol=1e-4)


@pytest.mark.parametrize("layer", [None, 22, 5])
def test_bertscore_on_modernbert_equals_radeval(layer):
    """Layers are cut before the final norm; empty reports score 0, also against each other."""
    result = load("bertscore", checkpoint=MODERNBERT, layer=layer).compute(
        RADEVAL["predictions"], RADEVAL["references"]
    )
    np.testing.assert_allclose(result["scores"], RADEVAL["f1"][str(layer or 22)], atol=1e-5)


def test_the_tokens_of_modernbert_equal_radevals():
    from radeval_core.annotators.token_embeddings import TokenEmbedder

    theirs = RADEVAL["ids_of_reference_5"]
    (ids,) = TokenEmbedder(MODERNBERT, progress=False).token_ids([RADEVAL["references"][5]])
    assert (len(ids), ids[: len(theirs["ref_head"])]) == (theirs["n_ref"], theirs["ref_head"])


def test_a_token_that_no_other_resembles_counts_below_zero():
    """RadEval counts it as 0 if its batch has padding, so that scores depend on the batch; ours do not."""
    metric = load("bertscore", checkpoint=MODERNBERT)
    alone = metric.compute(["Xyz"], ["QQQ ### ???"], detailed=True)
    assert min(alone["details"][0]["reference"]["best"]) < 0
    padded = metric.compute(["Xyz", "a " * 50], ["QQQ ### ???", "b " * 50])
    assert padded["scores"][0] == pytest.approx(alone["scores"][0], abs=1e-6)


def test_the_fixture_tells_idf_and_layers_apart():
    versions = [BERTSCORE[key]["f1"] for key in BERTSCORE if key.startswith("layer")]
    assert len({tuple(np.round(v, 3)) for v in versions}) == 4


@pytest.mark.parametrize("several", [False, True])
def test_cider_equals_pycocoevalcap(several):
    theirs = CIDER["two_references" if several else "one_reference"]
    references = theirs["references"] if several else CIDER["references"]
    result = load("cider").compute(CIDER["predictions"], references)
    np.testing.assert_allclose(result["scores"], theirs["scores"], atol=1e-8)
    assert result["cider"] == pytest.approx(theirs["mean"], abs=1e-8)


@pytest.mark.parametrize("few_matches", [False, True])
def test_bleu_equals_sacrebleu(example_pairs, few_matches):
    predictions = [p["prediction"] for p in example_pairs]
    references = [p["reference"] for p in example_pairs]
    if few_matches:  # no n-gram of some lengths in common: smoothing decides
        predictions = ["no effusion", "heart size normal today", "clear", "the lungs"]
        references = ["no pleural effusion", "normal heart size", "lungs are clear", "the heart"]
    result = load("bleu").compute(predictions, references)
    assert result["bleu"] * 100 == pytest.approx(sacrebleu.corpus_bleu(predictions, [references]).score, abs=1e-8)
    lower = load("bleu", lowercase=True).compute(predictions, references)
    theirs = sacrebleu.corpus_bleu(predictions, [references], lowercase=True).score
    assert lower["bleu"] * 100 == pytest.approx(theirs, abs=1e-8)
    for mine, p, r in zip(result["scores"], predictions, references, strict=True):
        assert mine * 100 == pytest.approx(sacrebleu.sentence_bleu(p, [r]).score, abs=1e-8)
    for order in (1, 2, 3):
        theirs = sacrebleu.BLEU(max_ngram_order=order).corpus_score(predictions, [references]).score
        assert result[f"bleu_{order}"] * 100 == pytest.approx(theirs, abs=1e-8)


def test_rouge_equals_rouge_score(example_pairs):
    kinds = ["rouge1", "rouge2", "rougeL"]
    theirs = RougeScorer(kinds, use_stemmer=True)
    pairs = [(p["prediction"], p["reference"]) for p in example_pairs]
    result = load("rouge", stemmer=True).compute(*map(list, zip(*pairs, strict=True)))
    for kind in kinds:
        expected = [theirs.score(reference, prediction)[kind].fmeasure for prediction, reference in pairs]
        np.testing.assert_allclose(result[f"{kind}_scores"], expected, atol=1e-12)
