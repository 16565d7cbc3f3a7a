"""One section of the reports is scored, in Python and on the command line."""

import json

import pytest

from radeval_core import cli, load, score
from radeval_core.errors import InputError
from radeval_core.io import open_pairs
from radeval_core.pairs import Pair
from radeval_core.spool import PairSpool

REPORT = "INDICATION: Cough.\nFINDINGS: Small left effusion.\nIMPRESSION: Effusion."
ROWS = [
    {"prediction": "FINDINGS: Small left effusion.\nIMPRESSION: No change.", "reference": REPORT},
    {"prediction": "Small left effusion.", "reference": REPORT},
    {"prediction": "IMPRESSION: Effusion.", "reference": REPORT},
]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return str(path)


def test_the_section_is_scored_and_what_lacks_it_is_counted():
    scores = score(ROWS, ["rouge"], section="findings")
    assert scores.results["rouge"].scores.tolist() == [1, 1, 0]
    assert scores.summary()["rouge"]["without_section"] == {"predictions": 1, "references": 0}
    assert scores.summary()["rouge"]["without_headings"] == {"predictions": 1, "references": 0}


def test_each_section_has_its_own_number():
    found = {
        name: score(ROWS[:1], ["rouge"], section=name).results["rouge"].score for name in ("findings", "impression")
    }
    assert found == {"findings": 1, "impression": 0}
    assert score(ROWS[:1], ["rouge"]).results["rouge"].score not in found.values()


def test_counts_are_right_for_a_metric_that_reads_twice():
    assert score(ROWS, ["cider"], section="findings").section["without_section"] == {"predictions": 1, "references": 0}


def test_the_section_is_in_the_signature():
    whole, part = (score(ROWS, ["rouge"], section=name).results["rouge"].signature for name in (None, "both"))
    assert "section:" not in whole and "|section:both@" in part


def test_load_and_evaluate_take_a_section():
    predictions, references = [[row[key] for row in ROWS] for key in ("prediction", "reference")]
    result = load("rouge", section="findings").compute(predictions, references)
    assert result["scores"] == [1, 1, 0] and result["without_section"]["predictions"] == 1
    assert "|section:findings@" in result["signature"]


def test_a_spool_is_cut_when_it_is_filled(pairs):
    from radeval_core.api import make_resources

    spool = PairSpool(open_pairs(pairs), make_resources(section="findings").cutter)
    assert [pair.prediction for pair in spool] == ["Small left effusion.", "Small left effusion.", ""]
    assert score(spool, ["rouge"]).section["section"] == "findings"
    with pytest.raises(InputError, match="cut to section findings, not impression"):
        score(spool, ["rouge"], section="impression")
    with pytest.raises(InputError, match="cut to section None, not impression"):
        score(PairSpool([Pair("a", ("b",), 0)]), ["rouge"], section="impression")


def test_an_unknown_section_is_refused():
    with pytest.raises(InputError, match="unknown section 'finding': did you mean 'findings'"):
        score(ROWS, ["rouge"], section="finding")
    with pytest.raises(InputError, match="section must be one of findings, impression, both, got list"):
        load("rouge", section=["findings"])


def test_the_command_line_says_what_it_found(pairs, capsys):
    assert cli.main(["score", pairs, "--metrics", "rouge", "--section", "findings"]) == 0
    out = capsys.readouterr().out
    assert "section findings: 1 prediction with no such section, scored as empty; 1 prediction with no headings" in out
    assert cli.main(["score", pairs, "--metrics", "rouge", "--section", "impression", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rouge"]["section"] == "impression"


def test_a_section_that_every_report_has(tmp_path, capsys):
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"prediction": REPORT, "reference": REPORT}) + "\n")
    assert cli.main(["score", str(path), "--metrics", "rouge", "--section", "both"]) == 0
    assert "section both: found in every report" in capsys.readouterr().out
