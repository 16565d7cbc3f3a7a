"""The benchmark iu-xray: built from an invented archive in Open-i's layout, private, and usable by every command."""

import json
import stat

import pytest
import yaml
from invented_sources import openi_archive, openi_xml

from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.leaderboard.benchmark import load_benchmark
from radeval_core.leaderboard.facets import facet_groups
from radeval_core.leaderboard.iu_xray import build_iu_xray, iu_xray_texts

IDS = iu_xray_texts()["ids"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Return an archive with all studies of the split, of which every second is abnormal, and one study more."""
    found = {
        number: openi_xml(
            number, findings="Enlarged heart." if place % 2 else "The lungs are clear.", images=1 + place % 2
        )
        for place, number in enumerate(IDS)
    }
    found[99999] = openi_xml(99999)
    path = tmp_path_factory.mktemp("openi") / "NLMCXR_reports.tgz"
    path.write_bytes(openi_archive(found))
    return path


@pytest.fixture
def built(archive, tmp_path):
    return build_iu_xray(archive, tmp_path / "iu", {"bleu": "embedded", "rouge": "embedded"})


def run(capsys, *arguments):
    status = main(["leaderboard", *map(str, arguments)])
    return status, *capsys.readouterr()


def test_the_split_has_382_studies():
    assert len(IDS) == len(set(IDS)) == 382 and all(isinstance(number, int) and number > 0 for number in IDS)


def test_the_benchmark_has_the_studies_of_the_split_in_order(built):
    assert list(built.studies) == [f"CXR{number}" for number in IDS]
    study = built.studies[f"CXR{IDS[1]}"]
    assert study.reference == "Enlarged heart. Normal chest."  # findings, then impression
    assert study.given["indication"] == "Cough" and study.given["views"] == "2" and len(study.given["images"]) == 2


def test_a_system_sees_neither_findings_nor_impression(built):
    assert not any({"findings", "impression", "reference", "codings"} & set(row) for row in built.inputs())
    assert "Enlarged heart" not in json.dumps(built.inputs())


def test_only_the_owner_can_read_it(built):
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (built.folder, *built.folder.iterdir())}
    assert modes == {"iu": 0o700, "benchmark.yaml": 0o600, "studies.jsonl": 0o600}


def test_its_facets_split_it(built):
    assert set(facet_groups(built, "normality")) == {"normal", "abnormal"}
    assert {value: len(ids) for value, ids in facet_groups(built, "views").items()} == {"1": 191, "2": 191}


def test_references_are_shown_only_if_the_owner_says_so(archive, built, tmp_path):
    assert not built.show_references
    assert build_iu_xray(archive, tmp_path / "open", {"bleu": "embedded"}, show_references=True).show_references


def test_the_same_archive_gives_the_same_revision(archive, built, tmp_path):
    assert build_iu_xray(archive, tmp_path / "again").revision == built.revision


def test_the_default_metrics_are_those_of_radcheck_open(archive, tmp_path):
    assert build_iu_xray(archive, tmp_path / "iu").metrics == load_benchmark().metrics


def test_a_missing_study_is_one_line_and_leaves_nothing(tmp_path):
    (tmp_path / "few.tgz").write_bytes(openi_archive({number: openi_xml(number) for number in IDS[5:]}))
    with pytest.raises(InputError) as caught:
        build_iu_xray(tmp_path / "few.tgz", tmp_path / "iu")
    assert f"5 of the 382 studies of iu-xray are not in it, or have no text: CXR{IDS[0]}" in str(caught.value)
    assert not (tmp_path / "iu").exists()


def test_a_study_without_text_counts_as_missing(archive, tmp_path):
    empty = openi_xml(IDS[0], findings="").replace("Normal chest.", "")
    texts = {number: openi_xml(number) for number in IDS} | {IDS[0]: empty}
    (tmp_path / "empty.tgz").write_bytes(openi_archive(texts))
    with pytest.raises(InputError, match="1 of the 382 studies"):
        build_iu_xray(tmp_path / "empty.tgz", tmp_path / "iu")


@pytest.mark.parametrize(
    ("source", "out", "expected"),
    [
        ("nowhere.tgz", "iu", "--source nowhere.tgz does not exist; expected NLMCXR_reports.tgz"),
        ("text.tgz", "iu", "text.tgz: expected NLMCXR_reports.tgz, got a file that is not a readable archive"),
        ("archive", "here", "--out here exists already; give a new folder"),
    ],
)
def test_a_wrong_source_or_folder_is_one_line(source, out, expected, archive, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.tgz").write_text("no archive")
    (tmp_path / "here").mkdir()
    source = archive if source == "archive" else source
    status, _, err = run(capsys, "benchmark", "build", "iu-xray", "--source", source, "--out", out)
    assert status == 2 and expected in err and len(err.splitlines()) == 1


def test_every_command_works_on_the_folder(archive, tmp_path, capsys):
    folder, store = tmp_path / "iu", tmp_path / "store"
    build = ["benchmark", "build", "iu-xray", "--source", archive, "--out", folder, "--metrics", "rouge,bleu"]
    status, out, _ = run(capsys, *build, "--rank-by", "bleu", "--json")
    assert status == 0 and list(json.loads(out)["metrics"]) == ["bleu", "rouge"]
    predictions = [{"id": str(number), "prediction": "Enlarged heart."} for number in IDS]  # Open-i's numbers
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in predictions))
    about = ["--name", "One", "--link", "https://example.org", "--training-data", "none", "--kind", "baseline"]
    board = ["--benchmark", folder]
    assert (
        run(capsys, "import", "table", tmp_path / "rows.jsonl", *board, *about, "--out", tmp_path / "one.jsonl")[0] == 0
    )
    board += ["--store", store]
    assert run(capsys, "submit", tmp_path / "one.jsonl", *board)[0] == 0
    assert run(capsys, "score", *board)[0] == 0
    table = json.loads(run(capsys, "show", *board, "--json")[1])
    assert [(row["name"], row["kind"]) for row in table["unranked"]] == [("One", "baseline")]
    assert run(capsys, "export", "One", "--out", tmp_path / "repo", *board)[0] == 0
    entries = yaml.safe_load((tmp_path / "repo/.eval_results/iu-xray.yaml").read_text())
    assert {entry["dataset"]["task_id"] for entry in entries} == {"bleu", "rouge"}


def test_the_list_names_included_benchmarks_and_those_to_build(capsys):
    rows = json.loads(run(capsys, "benchmark", "list", "--json")[1])["benchmarks"]
    assert [(row["name"], row["studies"], row["included"]) for row in rows] == [
        ("radcheck-open", 112, True),
        ("iu-xray", 382, False),
    ]
    out = run(capsys, "benchmark", "list")[1]
    assert "invented" in out and "radeval leaderboard benchmark build" in out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--preset", "iu-xray"], "numbers without a score per study"),
        (["--preset", "rexrankk"], "did you mean 'rexrank'"),
        (["--rank-by", "bleu"], "need --metrics or --preset"),
        (["--metrics", "bleu", "--rank-by", "rouge"], "--rank-by rouge: not among the metrics: bleu"),
        (["--metrics", "bleu", "--preset", "rexrank"], "give --metrics or --preset, not both"),
        (["--metrics", "blue"], "did you mean 'bleu'"),
    ],
)
def test_wrong_metrics_are_one_line(options, expected, archive, tmp_path, capsys):
    command = ["benchmark", "build", "iu-xray", "--source", archive, "--out", tmp_path / "iu", *options]
    status, _, err = run(capsys, *command)
    assert status == 2 and expected in err and not (tmp_path / "iu").exists()


def test_a_preset_gives_the_metrics_and_what_is_not_comparable(archive, tmp_path, capsys):
    command = ["benchmark", "build", "iu-xray", "--source", archive, "--out", tmp_path / "iu", "--preset", "rexrank"]
    out = run(capsys, *command, "--rank-by", "radcliq")[1]
    assert "ranked by radcliq" in out and "not comparable with the published table: BERTScore" in out
    built = load_benchmark(str(tmp_path / "iu"))
    assert built.main_metric == "radcliq" and set(built.configs) == {"radcliq", "bleu", "ratescore", "green"}


def test_published_weights_and_options_of_a_preset_are_kept(archive, tmp_path, capsys):
    command = ["benchmark", "build", "iu-xray", "--source", archive, "--out", tmp_path / "iu", "--preset", "rexrank"]
    assert run(capsys, *command, "--published")[0] == 0
    built = load_benchmark(str(tmp_path / "iu"))
    assert built.configs["ratescore"] == "rate-ner-deberta" and built.options == {"ratescore": {"decoding": "upstream"}}
