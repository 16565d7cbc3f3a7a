"""Presets give the numbers of published tables, and say which are comparable with them."""

import json

import pytest

from radeval_core import cli, score
from radeval_core.errors import InputError
from radeval_core.metrics.configs import resolve_config
from radeval_core.presets import get_preset, preset_names
from radeval_core.registry import get_spec, metric_options
from radeval_core.shown_values import ShownValue

ROWS = [("Small left effusion.", "Small left pleural effusion."), ("Clear lungs.", "The lungs are clear.")]
TOOLKIT = [0.6703200459462635, 0.5879095717964117, 0.5018269083542996, 0.4099262189206279]
REXRANK = ["BLEU-2", "BERTScore", "SembScore", "RadGraph", "1/RadCliQ-v1", "RaTEScore", "GREEN"]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"prediction": p, "reference": r}) + "\n" for p, r in ROWS))
    return str(path)


@pytest.mark.parametrize("name", preset_names())
def test_configs_and_options_of_a_preset_exist(name):
    preset = get_preset(name)
    values, configs, options = preset.settings(None, None, published=True)
    assert preset.source and preset.about
    assert [v.comparable for v in values] == [v.comparable for v in preset.values] and any(v.comparable for v in values)
    for metric, config in configs.items():
        assert resolve_config(get_spec(metric), config)[0].checkpoint
    for metric, chosen in options.items():
        known = metric_options(metric)
        assert all(known[key].check(key, value) == value for key, value in chosen.items())


@pytest.mark.parametrize("name", preset_names())
def test_without_published_weights_nothing_that_needs_them_is_comparable(name):
    values, configs, _ = get_preset(name).settings(None, None, published=False)
    assert not configs
    assert {v.name for v in values if v.comparable} == {
        v.name for v in get_preset(name).values if v.comparable and v.metric not in get_preset(name).published
    }


def test_rexrank_has_the_columns_of_its_table():
    assert [value.name for value in get_preset("rexrank").values] == REXRANK
    assert all(value.higher_is_better for value in get_preset("rexrank").values)


def test_one_published_config_makes_its_numbers_comparable():
    values, configs, _ = get_preset("rexrank").settings({"green": "radllama2-7b"}, None, published=False)
    assert [value.name for value in values if value.comparable] == ["BLEU-2", "GREEN"]
    assert configs == {"green": "radllama2-7b"}


def test_options_of_the_source_go_with_its_config():
    rexrank = get_preset("rexrank")
    assert rexrank.settings(None, None, published=False)[2] == {}
    assert rexrank.settings(None, None, published=True)[2] == {"ratescore": {"decoding": "upstream"}}


def test_another_option_is_not_the_source_s():
    values, _, options = get_preset("iu-xray").settings(None, {"bleu": {"lowercase": False}}, published=True)
    assert options["bleu"]["lowercase"] is False
    assert not any(value.comparable for value in values if value.metric == "bleu")
    same, _, _ = get_preset("iu-xray").settings(None, {"bleu": {"lowercase": True}}, published=True)
    assert all(value.comparable for value in same if value.metric == "bleu")


def test_a_formula_that_differs_is_never_comparable():
    iu_xray = get_preset("iu-xray")
    values, _, _ = iu_xray.settings(None, None, published=True)
    assert iu_xray.warning(values) == "not comparable with the published table: ROUGE-L, CIDEr; see the notes"
    values, _, _ = get_preset("rexrank").settings(None, None, published=True)
    assert get_preset("rexrank").warning(values) == ""


def test_the_inverse_is_of_the_mean_and_has_no_value_at_zero_or_below():
    value = ShownValue("1/x", "radcliq", "radcliq", True, inverse=True)
    found = value.read({"radcliq": [4.0, 0.0, -2.0]})
    assert found[0] == 0.25 and str(found[1:].tolist()) == "[nan, nan]"


def test_in_python():
    scores = score(ROWS, preset="iu-xray")
    table = scores.table()
    assert list(table)[:5] == ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L"]
    result = scores.results["chexbert_f1"]
    assert table["CheXbert-14 macro F1"]["score"] == result.extras["macro_f1"]
    assert table["CheXbert-14 macro F1"]["source"] == "chexbert_f1.macro_f1"
    assert table["BLEU-1"]["comparable"] and not table["CheXbert-5 micro F1"]["comparable"]
    assert "|case:lc|" in table["BLEU-1"]["signature"]


def test_a_preset_names_its_metrics():
    with pytest.raises(InputError, match="metrics or a preset, not both"):
        score(ROWS, ["rouge"], preset="iu-xray")
    with pytest.raises(InputError, match="unknown preset 'iu_xray': did you mean 'iu-xray'"):
        score(ROWS, preset="iu_xray")
    with pytest.raises(InputError, match="published is for a preset"):
        score(ROWS, ["rouge"], published=True)


@pytest.mark.parametrize("arguments", [[], ["--quiet"], ["--format", "markdown"], ["--format", "latex", "--quiet"]])
def test_the_output_says_what_is_not_comparable(pairs, capsys, arguments):
    assert cli.main(["score", pairs, "--preset", "iu-xray", *arguments]) == 0
    out = capsys.readouterr().out.casefold()
    assert "not comparable with the published table: rouge-l, cider, chexbert-14 micro f1" in out.replace("\\", "")
    assert ("meteor is not available" in out) == ("--quiet" not in arguments)


def test_json_is_keyed_by_the_names_of_the_source(pairs, capsys):
    assert cli.main(["score", pairs, "--preset", "iu-xray", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == [value.name for value in get_preset("iu-xray").values]
    assert printed["CIDEr"]["source"] == "cider" and printed["BLEU-4"]["comparable"] is True
    assert printed["CheXbert-14 micro F1"]["comparable"] is False


def test_compare_takes_a_preset(pairs, capsys):
    assert cli.main(["compare", pairs, pairs, "--preset", "iu-xray", "--format", "csv"]) == 0
    assert ",CheXbert-5 macro F1," in capsys.readouterr().out


def test_the_help_lists_every_preset(capsys):
    with pytest.raises(SystemExit):
        cli.main(["score", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for name in preset_names():
        assert f"{name} {get_preset(name).about}" in text


def test_bleu_of_cleaned_texts_is_that_of_the_papers_toolkit():
    # pycocoevalcap 1.2, Bleu(4).compute_score on these texts, cut at spaces
    rows = [
        ("the heart is normal . no focal opacity .", "the heart is normal in size . no focal airspace opacity ."),
        ("right-sided effusion of 2.5 cm .", "small right-sided effusion of 2.5 cm is unchanged ."),
    ]
    table = score(rows, preset="iu-xray").table()
    found = [table[f"BLEU-{n}"]["score"] for n in (1, 2, 3, 4)]
    assert found == pytest.approx(TOOLKIT, abs=1e-9)
