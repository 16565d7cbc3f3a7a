"""The benchmark on invented files in ReXVal's exact layout, from the publisher's two files to the page."""

import csv
import json
from itertools import product

import numpy as np
import pytest
from scipy import stats

from radeval_core import api, cli

CANDIDATES = ("radgraph", "bertscore", "s_emb", "bleu")
TEXTS = ("Left pleural effusion.", "Right pleural effusion.", "Clear lungs.", "Left pleural effusion and edema.")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rexval")
    source = folder / "source"
    source.mkdir()
    with open(source / "50_samples_gt_and_candidates.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["study_id", "gt_report", *CANDIDATES])
        for study in range(50):
            writer.writerow([f"p{study}", "Left pleural effusion.", *np.roll(TEXTS, study)])
    counts = {}
    with open(source / "6_valid_raters_per_rater_error_categories.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["study_number", "candidate_type", "error_category", "clinically_significant", "rater_index", "num_errors"]
        )
        rng = np.random.default_rng(0)
        for study, (place, name), category, significant, rater in product(
            range(50), enumerate(CANDIDATES), range(1, 7), (True, False), range(6)
        ):
            right = np.roll(TEXTS, study)[place] == TEXTS[0]
            counts[study, name, category, significant, rater] = n = int(rng.poisson(0.05 if right else 0.4))
            writer.writerow([study, name, category, significant, rater, n])
    out = folder / "rexval"
    assert cli.main(["data", "build", "rexval", "--source", str(source), "--out", str(out), "--quiet"]) == 0
    return out, counts


def test_from_the_publishers_files_to_the_page(built, tmp_path, capsys):
    folder, counts = built
    capsys.readouterr()
    page = tmp_path / "bench.html"
    arguments = ["bench", "--data", str(folder), "--metrics", "rouge,green", "--html", str(page), "--json"]
    assert cli.main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["data"]["dataset"] == "rexval" and found["rouge"]["n"] == found["data"]["rows"] == 200
    assert len(found["green"]["kendall_errors"]["raters"]) == 6 and found["failure_modes"]["studies"] == 50
    modes = found["failure_modes"]
    assert modes["by"] == "candidate" and set(modes["means"]["errors"]) == set(CANDIDATES)
    first = [n for (_, name, category, _, _), n in counts.items() if name == "bleu" and category == 1]
    assert modes["means"]["errors"]["bleu"]["false_finding"] == pytest.approx(sum(first) / 300)
    assert {row["candidate"] for row in modes["published"]} == set(CANDIDATES)
    assert all(row["pairs"] == 200 for row in found["published"])
    by = {(row["label"], row["measure"]): row for row in found["published"]}
    assert by["GREEN", "errors"]["comparable"] is False and by["ROUGE-L", "errors"]["comparable"] is True
    assert by["GREEN", "errors"]["value"] == 0.63
    assert by["GREEN", "errors"]["measured"] == {k: found["green"]["kendall_errors"][k] for k in ("value", "ci95", "n")}
    assert "Published values" in page.read_text() and "0.527" in page.read_text()
    # the same from the publisher's counts: candidates in file order, errors summed over all raters
    candidates = [(study, place) for study in range(50) for place in range(4)]
    pairs = [(str(np.roll(TEXTS, study)[place]), "Left pleural effusion.") for study, place in candidates]
    scores = api.score(pairs, ["rouge"]).results["rouge"].scores
    for key, wanted in (("kendall_errors", (True, False)), ("kendall_significant_errors", (True,))):
        total = dict.fromkeys(candidates, 0)
        for (study, name, _, significant, _), n in counts.items():
            if significant in wanted:
                total[study, CANDIDATES.index(name)] += n
        assert found["rouge"][key]["value"] == pytest.approx(-stats.kendalltau(scores, list(total.values())).statistic)
    third = [
        sum(n for k, n in counts.items() if k[0] == s and k[1] == CANDIDATES[c] and k[4] == 2) for s, c in candidates
    ]
    rater = found["rouge"]["kendall_errors"]["raters"][2]
    assert rater["value"] == pytest.approx(-stats.kendalltau(scores, third).statistic)
