"""Errors that metrics notice, and what they take off for rewording, on generated reports."""

import json
import subprocess
import sys

import pytest

from radeval_core.bench import discrimination as bench
from radeval_core.bench.discrimination_tables import discrimination_points, discrimination_tables
from radeval_core.bench.plots import discrimination_plot
from radeval_core.cli import main
from radeval_core.data.radcheck.discrimination import REWORDINGS, generate
from radeval_core.error_categories import CATEGORIES


@pytest.fixture(scope="module")
def cases():
    return generate(30)


def sentences(text):
    return set(text.split(". "))


def test_the_same_seed_gives_the_same_cases(cases):
    assert generate(30) == cases != generate(30, seed=1)


def test_a_wrong_candidate_differs_from_the_right_one_by_one_statement(cases):
    errors, _ = cases
    assert {case.category for case in errors} == set(CATEGORIES) and {case.significant for case in errors} == {
        True,
        False,
    }
    for case in errors:
        right, wrong = (sentences(text.rstrip(".")) for text in (case.right, case.wrong))
        # a missing finding may be denied instead, and a finding that was denied may become a false one
        assert 1 <= len(right ^ wrong) <= 2, case
        assert case.reference != case.right


def test_rewordings_keep_the_statements(cases):
    _, rewordings = cases
    assert {kind for case in rewordings for kind in case.changed} == set(REWORDINGS)
    for case in rewordings:
        assert sentences(case.changed["order"].rstrip(".")) == sentences(case.reference.rstrip("."))
        assert case.unrelated != case.reference and case.reference not in case.changed.values()
    spelled = next(case for case in rewordings if "spelling" in case.changed)
    assert any(
        word in spelled.changed["spelling"].lower()
        for word in ("oedema", "haem", "tumour", "ischaem", "oesoph", "calibre")
    )


def test_the_generator_does_not_load_the_parser():
    code = (
        "import sys, radeval_core.data.radcheck.discrimination as d; d.generate(2); "
        "assert not [m for m in sys.modules if m.startswith('radeval_core.findings')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(scope="module")
def found():
    return bench.discrimination(["rouge", "fineradscore", "green.error_count"], count=20, progress=False)


def test_shares_by_hand_for_a_metric_that_counts(found):
    row = found["metrics"]["rouge"]
    assert sum(sum(kinds.values()) for kinds in found["cases"].values()) == len(generate(20)[0])
    assert 0 < row["noticed"]["significant"]["all"]["value"] <= 1
    # ROUGE sees words: order and paraphrase cost much, spelling little; our judge forgives the order
    off = row["taken_off"]
    assert off["order"]["value"] > 0.3 > off["spelling"]["value"] > 0
    assert found["metrics"]["fineradscore"]["taken_off"]["order"]["value"] == 0
    known = [off[kind]["value"] for kind in REWORDINGS]
    assert off["all"]["value"] == pytest.approx(sum(known) / len(known))


def test_an_error_that_does_not_move_the_score_is_not_noticed(monkeypatch):
    class Constant:
        """Scores every pair 1."""

        signature = "constant"

        def __init__(self, n):
            import numpy as np

            self.quality = np.ones(n)

    monkeypatch.setattr(bench, "run_metrics", lambda pairs, *_: len(pairs))
    monkeypatch.setattr(bench, "values_of", lambda n, names: {"constant": Constant(n)})
    row = bench.discrimination(["constant"], count=5)["metrics"]["constant"]
    assert row["noticed"]["significant"]["all"]["value"] == 0
    assert row["taken_off"]["all"]["value"] is None  # even another report costs nothing


def test_tables_and_plot(found):
    noticed, rewording = discrimination_tables({"discrimination": found})
    assert [row[0] for row in noticed.rows].count("pairs") == 2 and len(noticed.rows) == 2 * 4
    assert rewording.rows[-1][0] == "reports"
    points = discrimination_points(found)
    assert set(points) == {"rouge", "fineradscore", "green.error_count"}
    assert discrimination_plot(points).axes[0].get_xlabel() == "% taken off for harmless rewording"
    assert discrimination_tables({}) == []


def test_the_command(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "generate", lambda count: generate(6))
    data = tmp_path / "rated.jsonl"
    rows = [{"prediction": f"effusion {i}", "reference": "effusion 1", "expert": {"errors": i}} for i in range(1, 5)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = tmp_path / "page.html"
    assert (
        main(["bench", "--data", str(data), "--metrics", "rouge", "--discrimination", "--html", str(page), "--quiet"])
        == 0
    )
    assert "What rewording costs" in capsys.readouterr().out
    assert 'id="noticed"' in page.read_text("utf-8") and "rouge notices" in page.read_text("utf-8")
