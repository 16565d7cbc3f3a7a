"""Every config takes the same path: texts are read once, with the run's own lexicon, and nothing is kept after it."""

import gc
import json
from collections import Counter

import pytest

from parsing_metrics import PARSING
from radeval_core import load, runner, score
from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.findings import FindingsParser
from radeval_core.metrics.base import Resources
from radeval_core.registry import get_spec, metric_names, scorer_class

SITES = ("right upper lobe", "left lower lobe", "lingula", "right middle lobe")
LEXICON = """zork_sign:
  kind: abnormality
  significance: actionable
  regions: [lung]
  forms: [zork sign]
"""


@pytest.fixture
def parsed(monkeypatch):
    """Return the texts that were parsed, in order."""
    texts = []
    parse = FindingsParser.parse
    monkeypatch.setattr(FindingsParser, "parse", lambda self, text: texts.append(text) or parse(self, text))
    return texts


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "extra.yaml"
    path.write_text(LEXICON, "utf-8")
    return path


@pytest.mark.e2e
def test_all_metrics_parse_each_distinct_text_once(tmp_path, parsed, monkeypatch):
    monkeypatch.setattr(runner, "CHUNK_PAIRS", 4)
    rows = [
        {"prediction": f"{i} mm nodule in the {site}.", "reference": f"{i + 1} mm nodule in the {site}. Clear."}
        for i in range(3, 8)
        for site in SITES
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows + rows[:3]), "utf-8")
    assert main(["score", str(file), "--metrics", "all", "--quiet"]) == 0
    distinct = {text for row in rows for text in row.values()}
    assert len(distinct) == 40 > 2 * runner.CHUNK_PAIRS
    assert Counter(parsed) == Counter(distinct)


def test_a_loaded_metric_does_not_parse_references_again(parsed):
    metric = load("green")
    metric.compute(["Small effusion."], ["Large effusion."])
    metric.compute(["Tiny effusion."], ["Large effusion."])
    assert sorted(parsed) == ["Large effusion.", "Small effusion.", "Tiny effusion."]


@pytest.mark.parametrize("name", PARSING)
def test_an_extra_lexicon_changes_what_is_read_and_the_signature(name, lexicon):
    pair = ["Clear lungs. No effusion."], ["Zork sign in the right lung. No effusion."]
    plain, extended = load(name).compute(*pair), load(name, lexicon=lexicon).compute(*pair)
    assert plain["signature"] != extended["signature"]
    if name not in (
        "chexbert_f1",
        "ct_f1",
        "srrbert_f1",
        "temporal_f1",
    ):  # no label is a zork sign, and no word of change
        assert plain["scores"] != extended["scores"]


def test_the_signature_names_the_content_of_a_lexicon_not_its_path(lexicon, tmp_path):
    copy = tmp_path / "copy.yaml"
    copy.write_text(LEXICON, "utf-8")
    pair = ["Clear."], ["Clear."]
    first, second = (load("green", lexicon=path).compute(*pair)["signature"] for path in (lexicon, [copy]))
    assert first == second


def test_the_command_takes_a_lexicon(tmp_path, lexicon, capsys):
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps({"prediction": "Clear lungs.", "reference": "Clear lungs. Zork sign."}), "utf-8")
    command = ["score", str(file), "--metrics", "green,bleu", "--json", "--quiet"]
    assert main(command) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main([*command, "--lexicon", str(lexicon)]) == 0
    extended = json.loads(capsys.readouterr().out)
    assert extended["green"]["significant_missing_finding"] == 1.0 > plain["green"]["significant_missing_finding"]
    assert extended["green"]["signature"] != plain["green"]["signature"]
    assert extended["bleu"] == plain["bleu"]


@pytest.mark.parametrize("name", sorted(set(metric_names()) - set(PARSING)))
def test_a_lexicon_for_a_metric_that_reads_no_findings_is_refused(name, lexicon):
    with pytest.raises(InputError, match=f"lexicon is for metrics that read findings with our parser: {name} does not"):
        load(name, lexicon=lexicon)


def test_a_bad_lexicon_is_refused_before_any_pair_is_scored(tmp_path, parsed):
    path = tmp_path / "bad.yaml"
    path.write_text("zork: {kind: abnormality, significance: grave, forms: [zork]}", "utf-8")
    with pytest.raises(InputError, match="significance"):
        score([("Clear.", "Clear.")], ["bleu", "green"], lexicon=[path])
    assert not parsed


@pytest.mark.parametrize("name", metric_names())
def test_the_parsing_metrics_are_those_that_declare_it(name):
    spec = get_spec(name)
    scorer = scorer_class(name)(spec.default_config, Resources())
    assert scorer.reads_findings == (name in PARSING)


@pytest.mark.e2e
def test_nothing_of_a_report_stays_in_memory_after_a_run():
    """No word, sentence or text may stay: a report may name a patient."""
    name = "".join(reversed("welomohtrabiznaz"))  # never a constant of this file

    def run():
        text = f"Small effusion seen by {name}. {name.upper()}: no pneumothorax."
        score([(text, f"Large effusion. {name.title()}.")], list(metric_names()), detailed=True)

    run()
    gc.collect()
    containers = [thing for thing in gc.get_objects() if type(thing) in (dict, list, tuple, set, frozenset)]
    kept = [
        part
        for thing in containers
        for part in ((*thing.keys(), *thing.values()) if type(thing) is dict else tuple(thing))
        if type(part) is str and part is not name and name in part.lower()
    ]
    assert not kept
