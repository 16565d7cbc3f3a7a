"""The page as a program sees it: its endpoint, and that nothing is left on disk."""

import contextlib
import json
from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from radeval_core import score

PAIRS = [
    {"case": "a", "output": "Small right pleural effusion.", "target": "Small left pleural effusion."},
    {"case": "b", "output": "Clear lungs.", "target": "The lungs are clear."},
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global answers, build_file_page, file_page_options, launch, MAX_BYTES, take_table
    from radeval_core.ui.batch import MAX_BYTES
    from radeval_core.ui.demo import launch
    from radeval_core.ui.file_page import answers
    from radeval_core.ui.file_page.page import build_file_page, file_page_options
    from radeval_core.ui.file_page.visit import take_table


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    return tmp_path / "gradio"


@contextlib.contextmanager
def served():
    demo = build_file_page()
    try:
        _, url, _ = launch(demo, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **file_page_options())
        yield Client(url, verbose=False)
    finally:
        demo.close(verbose=False)


def jsonl(folder, rows=PAIRS, name="pairs.jsonl"):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.e2e
def test_the_endpoint_scores_one_file_and_compares_two(uploads, tmp_path):
    right = [{**row, "output": row["target"]} for row in PAIRS]
    with served() as client:
        names = [call for call in client.view_api(return_format="dict")["named_endpoints"]]
        one = client.predict(handle_file(jsonl(tmp_path)), ["green", "rouge"], api_name="/score_table")
        both = client.predict(
            handle_file(jsonl(tmp_path)),
            ["green"],
            handle_file(jsonl(tmp_path, right, "right.jsonl")),
            id_column="case",
            api_name="/score_table",
        )
        with pytest.raises(AppError, match=r"pairs\.jsonl: columns? 'nothing'"):
            client.predict(
                handle_file(jsonl(tmp_path)), ["green"], prediction_column="nothing", api_name="/score_table"
            )
        left = [path for path in uploads.rglob("*") if path.is_file()]
    assert names == ["/score_table"]
    expected = score([{"prediction": row["output"], "reference": row["target"]} for row in PAIRS], ["green", "rouge"])
    assert one["systems"]["pairs"]["summary"] == expected.summary() and one["comparison"] is None
    assert both["comparison"]["green"]["b"] == 1.0 and both["comparison"]["green"]["difference"] > 0
    assert [row["id"] for row in both["systems"]["right"]["rows"]] == ["a", "b"]
    assert left == []


def test_an_upload_is_deleted_when_it_is_read_and_when_it_is_refused(uploads):
    good, bad, large = jsonl(uploads), jsonl(uploads, name="pairs.txt"), uploads / "large.csv"
    large.write_bytes(b"a" * (MAX_BYTES + 1))
    assert len(take_table(str(good)).rows) == 2
    for path, words in ((bad, "must end in .csv"), (large, "the maximum here is")):
        with pytest.raises(ValueError, match=words):
            take_table(str(path))
    assert [path for path in uploads.rglob("*") if path.is_file()] == []


def test_a_file_outside_the_folder_of_uploads_is_never_deleted(uploads, tmp_path):
    path = jsonl(tmp_path)
    take_table(str(path))
    assert path.is_file()


class Request:
    session_hash = "one visitor"


def test_another_visitor_sees_nothing_and_a_visitor_can_be_forgotten():
    import gradio

    request, other = Request(), Request()
    other.session_hash = "another"
    answers.take_sample(request)
    assert answers.SHELF.get("one visitor").tables[0].name == "sample_a.csv"
    with pytest.raises(gradio.Error, match="upload it again"):
        answers.search("effusion", "", other)
    answers.forget(request)
    assert answers.SHELF.get("one visitor") is None
    answers.take_sample(request)
    answers.leave(request)
    assert answers.SHELF.get("one visitor") is None


def test_an_unexpected_failure_does_not_quote_a_report(monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("Small left pleural effusion.")

    monkeypatch.setattr(answers, "take_table", fail)
    _, told, *_ = answers.take_first("/tmp/x.csv", Request())
    assert "could not be" in told and "effusion" not in told + caplog.text and "RuntimeError" in caplog.text


def test_the_card_states_the_limits_of_the_page():
    from radeval_core.ui.batch import MAX_ROWS
    from radeval_core.ui.file_page.shelf import MAX_AGE, MOST_VISITS
    from radeval_core.ui.space_page import spaces_folder

    card = (Path(spaces_folder()) / "file_page" / "README.md").read_text("utf-8")
    for words in (
        f"{MAX_ROWS:,} rows and {MAX_BYTES // 10**6} MB",
        f"{MAX_AGE / 60:.0f} minutes",
        f"most {MOST_VISITS} ",
    ):
        assert words in " ".join(card.split())
