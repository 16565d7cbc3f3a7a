"""The server of the reading room: who may do what, security headers, wrong requests, demo and Space."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from radeval_core.corrections.types import SEVERITY
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError
from radeval_core.reading.cases import QUESTIONS, read_rows
from radeval_core.reading.study import create_study, open_study

STATIC = Path(__file__).parents[2] / "src" / "radeval_core" / "ui" / "reading_room" / "static"
PAIRS = [
    {"id": f"{study}-{n}", "study": study, "candidate": f"model-{n}", "prediction": f"Text {n}.", "reference": "Ref."}
    for study in ("s1", "s2")
    for n in (1, 2)
]


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch):
    """Lower the cost of new hashes. A record states its cost, so checking a secret works as always."""
    monkeypatch.setattr("radeval_core.secret_hash._COST", {"n": 2**4, "r": 8, "p": 1})


@pytest.fixture
def study(tmp_path):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    made, token = create_study(tmp_path / "store", read_rows(pairs))
    return made, {"owner": token, "anna": made.add_reader("anna"), "bo": made.add_reader("bo")}


@pytest.fixture
def client(study):
    from starlette.testclient import TestClient

    from radeval_core.ui.reading_room.app import build_app

    return TestClient(build_app(study[0]))


@pytest.fixture
def as_(client, study):
    """Return a function that logs somebody in and returns the headers of their requests."""

    def log_in(name):
        found = client.post("/reading_api/login", json={"name": name, "secret": study[1][name]})
        assert found.status_code == 200 and found.json()["owner"] == (name == "owner")
        return {"Authorization": f"Bearer {found.json()['token']}"}

    return log_in


def body(case, save="save-0001", **change):
    return {"revision": case["revision"], "save": save, "reading": {**case["reading"], **change}}


def test_a_reader_reads_saves_and_sees_nothing_of_others(client, as_):
    anna, bo = as_("anna"), as_("bo")
    case = client.get("/reading_api/case/1", headers=anna).json()
    answer = client.post("/reading_api/case/1", headers=anna, json=body(case, comment="mine"))
    assert answer.status_code == 200 and answer.json()["revision"] == 1
    assert client.get("/reading_api/case/1", headers=anna).json()["reading"]["comment"] == "mine"
    assert client.get("/reading_api/overview", headers=anna).json()["states"] == ["begun", "new"]
    assert client.get("/reading_api/overview", headers=bo).json()["states"] == ["new", "new"]
    everything = [client.get(f"/reading_api/{path}", headers=bo).text for path in ("overview", "case/1", "case/2")]
    for hidden in ("mine", "anna", "model-", "s1-1"):
        assert not any(hidden in text for text in everything), hidden


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "overview"),
        ("GET", "case/1"),
        ("POST", "case/1"),
        ("GET", "owner"),
        ("POST", "readers"),
        ("GET", "export/rated.jsonl"),
        ("POST", "demo"),
    ],
)
def test_nothing_opens_without_a_link(method, path, client):
    wrong = {"Authorization": "Bearer forged.token"}
    sent = {"json": {"name": "cy", "revision": 0}} if method == "POST" else {}
    for headers in ({}, wrong, {"Authorization": "Basic x"}, {"Authorization": "Bearer ä".encode()}):
        answer = client.request(method, f"/reading_api/{path}", headers=headers, **sent)
        assert answer.status_code == 401 and answer.json()["error"]


@pytest.mark.parametrize(("method", "path"), [("GET", "owner"), ("POST", "readers"), ("GET", "export/rated.jsonl")])
def test_a_reader_is_not_the_owner(method, path, client, as_):
    sent = {"json": {"name": "cy"}} if method == "POST" else {}
    answer = client.request(method, f"/reading_api/{path}", headers=as_("anna"), **sent)
    assert answer.status_code == 401 and "only the owner" in answer.json()["error"]
    assert client.get("/reading_api/case/1", headers=as_("owner")).status_code == 401


@pytest.mark.parametrize(
    ("name", "secret"), [("anna", "wrong-secret-000"), ("nobody", "x" * 20), ("owner", ""), ("../x", "y" * 20)]
)
def test_a_wrong_link_is_refused_in_one_line(name, secret, client):
    answer = client.post("/reading_api/login", json={"name": name, "secret": secret})
    assert answer.status_code == 401
    assert answer.json() == {"error": "this link is not valid: ask the owner of the study for a new one"}


def test_attempts_to_log_in_are_limited(client):
    from radeval_core.ui.reading_room import app

    wrong = {"name": "anna", "secret": ""}  # an empty secret is refused without the slow hash
    codes = [client.post("/reading_api/login", json=wrong).status_code for _ in range(int(app._LOGINS.burst) + 5)]
    assert codes[0] == 401 and codes[-1] == 429


def test_the_owner_sees_progress_adds_readers_and_exports(client, as_, study):
    owner, anna = as_("owner"), as_("anna")
    for position in (1, 2):
        case = client.get(f"/reading_api/case/{position}", headers=anna).json()
        rated = [{**c, "rating": 3} for c in case["reading"]["candidates"]]
        sent = body(case, f"save-{position:04d}", candidates=rated, preferred=0, confidence=2, done=True)
        assert client.post(f"/reading_api/case/{position}", headers=anna, json=sent).json()["missing"] == []
    found = client.get("/reading_api/owner", headers=owner).json()
    assert [(row["reader"], row["done"]) for row in found["progress"]] == [("anna", 2), ("bo", 0)]
    made = client.post("/reading_api/readers", headers=owner, json={"name": "cy"}).json()
    assert client.post("/reading_api/login", json=made).status_code == 200
    again = client.post("/reading_api/readers", headers=owner, json={"name": "cy"})
    assert again.status_code == 400 and "already a reader" in again.json()["error"]
    renewed = client.post("/reading_api/readers", headers=owner, json={"name": "cy", "again": True}).json()
    assert renewed["secret"] != made["secret"]
    rows = [json.loads(line) for line in client.get("/reading_api/export/rated.jsonl", headers=owner).text.splitlines()]
    assert len(rows) == 4 and rows[0]["expert"]["rating"] == [3]
    missing = client.get("/reading_api/export/study.json", headers=owner)
    assert missing.status_code == 400 and "available: rated.jsonl" in missing.json()["error"]


def test_a_window_that_is_behind_gets_the_newest_answers(client, as_):
    anna = as_("anna")
    case = client.get("/reading_api/case/1", headers=anna).json()
    client.post("/reading_api/case/1", headers=anna, json=body(case, comment="first window"))
    late = client.post("/reading_api/case/1", headers=anna, json=body(case, "save-0002", comment="second window"))
    assert late.status_code == 409
    assert late.json()["case"]["reading"]["comment"] == "first window" and late.json()["case"]["revision"] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 100, "nested"),
        (b"\xff", "not UTF-8"),
        (b"[]", "expected an object with revision"),
        (b'{"revision": 0, "save": 3, "reading": {}}', "save: expected an id"),
        (b'{"revision": 0, "save": "12345678", "reading": {"a": 1}}', "candidates: field required"),
        (b'{"revision": NaN}', "NaN is not a JSON number"),
    ],
)
def test_wrong_requests_are_one_line(content, message, client, as_):
    answer = client.post("/reading_api/case/1", headers=as_("anna"), content=content)
    assert answer.status_code == 400 and message in answer.json()["error"]


def test_half_a_surrogate_pair_is_refused_and_not_stored(client, as_, study):
    anna = as_("anna")
    case = client.get("/reading_api/case/1", headers=anna).json()
    for change in ({"comment": "\ud83d"}, {"\ud83d": 1}):
        answer = client.post("/reading_api/case/1", headers=anna, content=json.dumps(body(case, **change)))
        assert answer.status_code == 400 and answer.json()["error"]
    assert study[0].journal("anna").readable().last == 0


def test_a_damaged_journal_stops_the_start_and_says_what_to_do(study, client, as_):
    from radeval_core.ui.reading_room.app import build_app

    anna = as_("anna")
    case = client.get("/reading_api/case/1", headers=anna).json()
    client.post("/reading_api/case/1", headers=anna, json=body(case))
    (study[0].folder / "journals" / "anna.jsonl").write_bytes(b"rubbish\n")
    with pytest.raises(InputError, match=r"anna\.jsonl: line 1 is damaged.*radeval read repair"):
        build_app(open_study(study[0].folder))
    assert client.get("/reading_api/case/1", headers=anna).status_code == 400


def test_the_page_allows_no_inline_script_and_no_other_host(client):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy and "unsafe" not in policy and "default-src 'none'" in policy
    assert page.headers["referrer-policy"] == "no-referrer" and page.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script(?![^>]*src=)|style=|\son\w+=", page.text)
    assert client.get("/reading_api/about").headers["cache-control"] == "no-store"
    for path in re.findall(r'(?:href|src)="([^"]+)"', page.text):
        assert client.get(f"/{path}").status_code == 200, path
    assert client.get("/static/../app.py").status_code == 404


def test_the_scripts_use_no_markup_from_texts_and_name_no_host():
    for file in STATIC.glob("*.js"):
        text = file.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?://", text), file
        assert not re.search(r"localStorage|sessionStorage|document\.cookie", text), (
            f"{file} keeps reports in the browser"
        )
    assert "@import" not in (STATIC / "style.css").read_text()


def test_the_words_of_the_page_are_those_of_the_package():
    words = (STATIC / "words.js").read_text()
    part = words[words.index("CATEGORIES") : words.index("SIGNIFICANCE")]
    assert re.findall(r'\["(\w+)",', part) == list(CATEGORIES)
    ratings = words[words.index("SEVERITIES") : words.index("CONFIDENCE")]
    assert sorted(re.findall(r'\["\w", "([^"]+)"', ratings)) == sorted(SEVERITY)
    asked = {
        name for file in STATIC.glob("*.js") for name in re.findall(r'(?:asks|includes)\("(\w+)"\)', file.read_text())
    }
    assert asked == set(QUESTIONS)


@pytest.mark.e2e
def test_the_server_starts_without_gradio(root):
    code = "import sys; import radeval_core.ui.reading_room.app; print('gradio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "False"


@pytest.fixture
def demo(monkeypatch):
    from starlette.testclient import TestClient

    from radeval_core.ui.reading_room.space import space_app

    monkeypatch.delenv("RADEVAL_READING_STORE", raising=False)
    return TestClient(space_app())


def test_everybody_can_try_the_demo_but_not_read_what_others_wrote(demo):
    made = demo.post("/reading_api/demo", json={}).json()
    assert made["name"] == "visitor-1"
    token = demo.post("/reading_api/login", json=made).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    assert len(demo.get("/reading_api/overview", headers=headers).json()["states"]) == 5
    assert demo.get("/reading_api/owner").json()["progress"][0]["reader"] == "visitor-1"
    assert demo.get("/reading_api/export/comments.jsonl", headers=headers).status_code == 401
    assert demo.post("/reading_api/readers", headers=headers, json={"name": "x"}).status_code == 401


def test_a_space_serves_the_study_that_its_environment_names(monkeypatch, tmp_path):
    from starlette.testclient import TestClient

    from radeval_core.ui.reading_room.space import space_app

    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    monkeypatch.setenv("RADEVAL_READING_STORE", str(tmp_path / "store"))
    with pytest.raises(InputError, match="set RADEVAL_READING_PAIRS"):
        space_app()
    monkeypatch.setenv("RADEVAL_READING_PAIRS", str(pairs))
    monkeypatch.setenv("RADEVAL_READING_TOKEN", "short")
    with pytest.raises(InputError, match="at least 12 characters"):
        space_app()
    monkeypatch.setenv("RADEVAL_READING_TOKEN", "a-long-enough-token")
    for _ in range(2):  # it begins the study, and opens it the second time
        client = TestClient(space_app())
        login = {"name": "owner", "secret": "a-long-enough-token"}
        assert client.post("/reading_api/login", json=login).json()["owner"]
    assert client.post("/reading_api/demo", json={}).status_code == 401
