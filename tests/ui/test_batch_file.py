"""Files of pairs: the same numbers as the API, clear messages about limits, and nothing left on disk."""

import base64
import contextlib
import csv
import json
import re
import time
from pathlib import Path

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from radeval_core import score
from radeval_core.errors import InputError
from radeval_core.registry import metric_names

PAIRS = [
    {"id": "a", "prediction": "Small right pleural effusion.", "reference": "Small left pleural effusion."},
    {"id": "b <i>", "prediction": "Clear lungs. A zebra.", "reference": "The lungs are clear."},
    {"id": "c", "prediction": "", "reference": "No pneumothorax."},
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global batch, build_demo, launch, MAX_BYTES, MAX_ROWS, page, score_file, take_pairs
    from radeval_core.ui import batch, page
    from radeval_core.ui.batch import MAX_BYTES, MAX_ROWS, score_file, take_pairs
    from radeval_core.ui.demo import build_demo, launch


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    """Return Gradio's folder for temporary files."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    return tmp_path / "gradio"


def jsonl(folder, rows=PAIRS, name="pairs.jsonl"):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@contextlib.contextmanager
def served(name, **options):
    demo = build_demo(name)
    try:
        _, url, _ = launch(demo, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **options)
        yield Client(url, verbose=False), url
    finally:
        demo.close(verbose=False)


def contents(folder):
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", metric_names())
def test_a_file_has_the_scores_of_the_api(name, uploads):
    steps = []
    found = score_file(name, str(jsonl(uploads)), None, lambda done, **words: steps.append(done))
    expected = score(PAIRS, [name])
    result = expected.results[name]
    assert found.headline == pytest.approx(result.score) and found.signature == result.signature
    rows = list(expected.rows())
    assert found.columns == ["id", *rows[0]["scores"]]
    for got, row in zip(found.rows, rows, strict=True):
        assert got[0] == row["id"]
        assert got[1:] == pytest.approx(list(row["scores"].values()), nan_ok=True)
    assert steps[0] == (0, 3)
    assert f"{result.n} pairs" in found.summary
    data = re.search(r'href="data:application/jsonl;base64,([\w+/=]+)"', found.download)
    written = [json.loads(line) for line in base64.b64decode(data[1]).decode().splitlines()]
    assert [row["id"] for row in written] == ["a", "b <i>", "c"]
    assert [list(row["scores"]) for row in written] == [list(row["scores"]) for row in rows]


def test_progress_moves_while_pairs_are_scored(uploads):
    steps = []
    score_file("bleu", str(jsonl(uploads, PAIRS * 20)), None, lambda done, **words: steps.append(done))
    assert steps == [(0, 60), (16, 60), (32, 60), (48, 60)]


def test_a_csv_file_is_read_too(uploads):
    path = uploads / "pairs.csv"
    uploads.mkdir()
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "prediction", "reference"])
        writer.writeheader()
        writer.writerows(PAIRS)
    assert [pair.id for pair in take_pairs(path)] == ["a", "b <i>", "c"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda f: jsonl(f, name="pairs.txt"), r"^pairs.txt: the name must end in .jsonl or .csv$"),
        (lambda f: jsonl(f, [{"prediction": "a"}]), r"^pairs.jsonl: line 1: column 'reference' is missing"),
        (lambda f: jsonl(f, [{**PAIRS[0], "prediction": 3}]), r"^pairs.jsonl: line 1: .* must be a string, got int"),
        (lambda f: jsonl(f, PAIRS[:1] * (MAX_ROWS + 1)), r"^pairs.jsonl has more than 1,000 rows: score it in parts"),
        (lambda f: jsonl(f, [{**PAIRS[0], "prediction": "a" * MAX_BYTES}]), r"bytes; the maximum here is 5,000,000"),
    ],
)
def test_a_bad_file_is_reported_without_its_path_and_deleted(make, message, uploads):
    path = make(uploads / "abc")
    with pytest.raises(InputError, match=message):
        take_pairs(path)
    assert not path.exists() and not path.parent.exists()


def test_a_report_that_is_too_long_is_named_by_its_row(uploads):
    path = jsonl(uploads, [PAIRS[0], {**PAIRS[1], "reference": "a" * 20_001}])
    with pytest.raises(Exception, match=r"the reference of row 2 has 20,001 characters; the maximum here is 20,000"):
        score_file("bleu", str(path), None, print)


def test_only_uploads_are_ever_deleted(tmp_path, uploads):
    path = jsonl(tmp_path / "mine")
    assert len(take_pairs(path)) == 3 and path.exists()


def test_no_file_is_an_error_for_the_page():
    with pytest.raises(Exception, match=r"no file: choose a \.jsonl or \.csv file"):
        score_file("bleu", None, None, print)


def test_the_endpoint_scores_a_file_and_leaves_no_trace(uploads, tmp_path):
    path = jsonl(tmp_path / "mine", PAIRS, "jane_doe.jsonl")
    with served("rouge") as (client, _):
        headline, table, signature = client.predict(handle_file(str(path)), api_name="/score_file")
        assert not [name for name in uploads.rglob("*") if "jane" in name.name]
        assert all(content == b"" for content in contents(uploads)), "Gradio leaves an empty file and no text"
    expected = score(PAIRS, ["rouge"]).results["rouge"]
    assert headline == expected.score and signature == expected.signature
    assert table["headers"][:2] == ["id", "rouge"] and [row[0] for row in table["data"]] == ["a", "b <i>", "c"]


def test_a_file_that_cannot_be_read_is_an_error_on_the_page_and_deleted(uploads, tmp_path):
    path = jsonl(tmp_path / "mine", [{"prediction": "zebra"}])
    with served("bleu") as (client, _), pytest.raises(AppError, match="column 'reference' is missing"):
        client.predict(handle_file(str(path)), api_name="/score_file")
    assert all(content == b"" for content in contents(uploads))


@pytest.mark.slow
def test_an_upload_that_is_never_scored_is_deleted(uploads, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "DELETE_UPLOADS", (1, 1))
    with served("bleu") as (_, url):
        path = jsonl(tmp_path / "mine")
        answer = httpx.post(f"{url}gradio_api/upload", files={"files": path.open("rb")})
        (stored,) = answer.json()
        for _ in range(100):
            if not Path(stored).exists():
                break
            time.sleep(0.1)
        assert not Path(stored).exists()


def test_an_upload_that_is_too_large_is_refused_and_not_kept(uploads, tmp_path):
    path = jsonl(tmp_path / "mine", [{**PAIRS[0], "prediction": "zebra " * (MAX_BYTES // 6 + 100)}])
    with served("bleu") as (_, url):
        assert httpx.post(f"{url}gradio_api/upload", files={"files": path.open("rb")}).status_code == 413
        assert not any(b"zebra" in content for content in contents(uploads))


def test_a_path_outside_the_uploads_is_refused(uploads, tmp_path):
    path = jsonl(tmp_path / "mine")
    with served("bleu") as (_, url):
        body = {"data": [{"path": str(path), "meta": {"_type": "gradio.FileData"}}, "embedded"]}
        answer = httpx.post(f"{url}gradio_api/call/score_file", json=body)
    assert answer.status_code == 403 and "was not uploaded to this page" in answer.text and path.exists()


def test_the_limits_are_on_the_page():
    assert batch.MAX_ROWS == 1000 and batch.MAX_BYTES == 5_000_000
