"""The pages' guard: forged paths, limits per visitor, security headers, and swept uploads, on a running server."""

import base64
import hashlib
import json
import os
import socket
import threading
import time

import httpx
import pytest

TEXT = "Small left pleural effusion. A zebra."


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global Guard, VisitorLimits, Visitors, script_hashes, uploads, visitor_of
    from radeval_core.ui import uploads
    from radeval_core.ui.guard import Guard, script_hashes
    from radeval_core.ui.visitors import VisitorLimits, Visitors, visitor_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of uploads."""
    path = tmp_path_factory.mktemp("uploads")
    before = os.environ.get("GRADIO_TEMP_DIR")
    os.environ["GRADIO_TEMP_DIR"] = str(path)
    yield path
    os.environ.pop("GRADIO_TEMP_DIR")
    if before:
        os.environ["GRADIO_TEMP_DIR"] = before


@pytest.fixture(scope="module")
def server(folder, tmp_path_factory, root):
    """Serve the pages of two metrics on one server, as `spaces/serve.py` does, and return its address."""
    import uvicorn

    from radeval_core.ui.serve_all import together

    spaces = tmp_path_factory.mktemp("spaces")
    for name in ("bleu", "ffl_rq"):
        (spaces / name).mkdir()
        (spaces / name / "space.yaml").write_bytes((root / "spaces" / name / "space.yaml").read_bytes())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = uvicorn.Server(uvicorn.Config(together(spaces), host="127.0.0.1", port=port, log_level="warning"))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(10)


def pairs_file(path):
    path.write_text(json.dumps({"id": "a", "prediction": TEXT, "reference": TEXT}) + "\n")
    return path


def file_data(path, **more):
    return {"path": str(path), "meta": {"_type": "gradio.FileData"}, **more}


def call(server, api, data, space="bleu"):
    """Call an endpoint and return the status of the call and the text of its answer."""
    asked = httpx.post(f"{server}/{space}/gradio_api/call/{api}", json={"data": data}, timeout=60)
    if asked.status_code != 200:
        return asked.status_code, asked.text
    answer = httpx.get(f"{server}/{space}/gradio_api/call/{api}/{asked.json()['event_id']}", timeout=60)
    return answer.status_code, answer.text


# forged paths


@pytest.mark.e2e
@pytest.mark.parametrize("more", [{}, {"orig_name": "x.jsonl"}, {"url": "/x", "size": 1}], ids=["plain", "name", "url"])
def test_a_forged_path_reads_no_file_of_the_machine(server, tmp_path, more):
    secret = pairs_file(tmp_path / "secret.jsonl")
    status, answer = call(server, "score_file", [file_data(secret, **more), "embedded"])
    assert status == 403 and "not uploaded to this page" in answer and "zebra" not in answer
    assert secret.exists()


@pytest.mark.e2e
def test_gradio_itself_refuses_it_too(server, tmp_path, monkeypatch):
    """A path that the guard does not see is still refused, because the page counts as launched."""
    monkeypatch.setattr("radeval_core.ui.guard._file_paths", lambda body: [])
    status, answer = call(server, "score_file", [file_data(pairs_file(tmp_path / "s.jsonl")), "embedded"])
    assert status == 200 and "event: error" in answer and "embedded" not in answer


@pytest.mark.e2e
def test_the_field_refuses_it_too(tmp_path):
    import gradio as gr
    from gradio.data_classes import FileData

    from radeval_core.ui.upload_field import only_uploads

    field = only_uploads(gr.File(file_types=[".jsonl"]))
    with pytest.raises(gr.Error, match="was not uploaded"):
        field.preprocess(FileData(path=str(pairs_file(tmp_path / "s.jsonl"))))


@pytest.mark.e2e
@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x.jsonl", "https://example.org/x.jsonl", "\x00"])
def test_an_address_instead_of_a_path_is_refused(server, url):
    assert call(server, "score_file", [file_data(url), "embedded"])[0] == 403


@pytest.mark.e2e
def test_a_real_upload_is_scored_and_nothing_is_left(server, folder, tmp_path):
    with pairs_file(tmp_path / "mine.jsonl").open("rb") as file:
        (stored,) = httpx.post(f"{server}/bleu/gradio_api/upload", files={"files": file}).json()
    status, answer = call(server, "score_file", [file_data(stored), "embedded"])
    assert status == 200 and "event: complete" in answer
    assert [path for path in folder.rglob("*") if path.is_file()] == []


@pytest.mark.e2e
def test_a_refused_upload_is_deleted(server, folder, tmp_path):
    with pairs_file(tmp_path / "mine.txt").open("rb") as file:
        (stored,) = httpx.post(f"{server}/bleu/gradio_api/upload", files={"files": file}).json()
    answer = call(server, "score_file", [file_data(stored), "embedded"])[1]
    assert "event: error" in answer
    assert [path for path in folder.rglob("*") if path.is_file()] == []


# sizes and rates


@pytest.mark.e2e
def test_a_request_that_is_too_large_is_refused(server):
    big = {"data": ["x" * 9_000_000, "y", "embedded"]}
    assert httpx.post(f"{server}/bleu/gradio_api/call/score", json=big, timeout=60).status_code == 413


@pytest.mark.e2e
def test_an_upload_without_a_size_is_refused(server):
    def parts():
        yield b"--x\r\n"

    headers = {"content-type": "multipart/form-data; boundary=x"}
    answer = httpx.post(f"{server}/bleu/gradio_api/upload", content=parts(), headers=headers)
    assert answer.status_code == 411


def test_a_visitor_is_limited_and_the_next_one_is_not():
    now = [0.0]
    visitors = Visitors(VisitorLimits(per_minute=60, burst=5, at_once=100), clock=lambda: now[0])
    waits = [visitors.enter("a") for _ in range(7)]
    assert waits[:5] == [0.0] * 5 and all(wait > 0 for wait in waits[5:])
    assert visitors.enter("b") == 0.0
    now[0] += 1.0
    assert visitors.enter("a") == 0.0


def test_requests_at_once_are_limited_until_one_ends():
    visitors = Visitors(VisitorLimits(per_minute=0, burst=0, at_once=2), clock=lambda: 0.0)
    assert [visitors.enter("a") for _ in range(3)] == [0.0, 0.0, 1.0]
    visitors.leave("a")
    assert visitors.enter("a") == 0.0


def test_many_visitors_need_bounded_memory():
    visitors = Visitors(VisitorLimits(), clock=lambda: 0.0)
    for i in range(12_000):
        visitors.enter(str(i))
    assert len(visitors._seen) == 10_000


@pytest.mark.parametrize(
    ("proxies", "header", "expected"),
    [("", "9.9.9.9", "1.2.3.4"), ("1", "9.9.9.9, 5.6.7.8", "5.6.7.8"), ("2", "9.9.9.9, 5.6.7.8", "9.9.9.9"),
     ("2", "5.6.7.8", "1.2.3.4")],
)  # fmt: skip
def test_an_address_can_be_forged_only_before_the_proxies(proxies, header, expected, monkeypatch):
    monkeypatch.setenv("RADEVAL_PROXIES", proxies)
    monkeypatch.delenv("SPACE_ID", raising=False)
    assert visitor_of({"client": ("1.2.3.4", 1), "headers": [(b"x-forwarded-for", header.encode())]}) == expected


def ask(guard, times):
    """Send requests to a guarded app and return the statuses."""
    import asyncio

    statuses = []

    async def run():
        async def receive():
            return {"type": "http.request", "body": b"{}", "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {"type": "http", "method": "POST", "path": "/gradio_api/call/x", "headers": [], "client": ("1", 1)}
        for _ in range(times):
            await guard(dict(scope), receive, send)

    asyncio.run(run())
    return statuses


def test_one_request_too_many_is_answered_with_429(folder):
    from starlette.responses import JSONResponse

    guard = Guard(JSONResponse({}), VisitorLimits(per_minute=1, burst=3, at_once=9))
    assert ask(guard, 5) == [200, 200, 200, 429, 429]


@pytest.mark.e2e
def test_a_page_keeps_a_bounded_number_of_sessions(root, tmp_path):
    """Each session needs about 60 kB, and Gradio keeps 10,000 of them."""
    from radeval_core.ui.demo import SESSIONS, build_demo, launch
    from radeval_core.ui.serve_all import find_spaces

    (tmp_path / "bleu").mkdir()
    (tmp_path / "bleu" / "space.yaml").write_bytes((root / "spaces/bleu/space.yaml").read_bytes())
    (space,) = find_spaces(tmp_path)
    mounts = [route.app for route in space.mounted().routes if getattr(route, "path", "") == "/bleu"]
    assert [app.state_holder.capacity for app in mounts] == [SESSIONS]
    demo = build_demo("bleu")
    app, _, _ = launch(demo, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    demo.close(verbose=False)
    assert app.state_holder.capacity == SESSIONS


# headers


@pytest.mark.e2e
@pytest.mark.parametrize("path", ["/", "/bleu/", "/bleu/gradio_api/info"])
def test_every_answer_has_a_policy_without_inline_scripts(server, path):
    answer = httpx.get(f"{server}{path}")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert "'unsafe-inline'" not in policy["script-src"] and policy["default-src"] == "'self'"
    assert policy["object-src"] == "'none'" and policy["connect-src"] == "'self'"
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["referrer-policy"] == "no-referrer"


def test_hashes_of_inline_scripts_are_those_a_browser_computes():
    page = "<script src='a.js'></script><script>let a = '&lt;ü';</script><p>x</p><script type=module>b()</script>"
    digest = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in ("let a = '&lt;ü';", "b()")]
    assert script_hashes(page.encode()) == tuple(f"sha256-{value}" for value in digest)


# the folder of uploads


def test_old_files_are_swept_and_new_ones_stay(tmp_path):
    old, new = tmp_path / "a" / "old.jsonl", tmp_path / "b" / "new.jsonl"
    for path in (old, new):
        path.parent.mkdir()
        path.write_text(TEXT)
    os.utime(old, (1, 1))
    os.utime(old.parent, (1, 1))
    assert uploads.sweep(tmp_path) == 1
    assert not old.exists() and new.exists()
    assert uploads.sweep(tmp_path, now=time.time() + 1000) == 1
    assert uploads.sweep(tmp_path, now=time.time() + 2000) == 0 and list(tmp_path.iterdir()) == []


def test_folders_of_killed_processes_are_removed_at_the_start(tmp_path):
    gone, ours, other = (tmp_path / f"radeval-uploads-{name}" for name in ("4194399-x", f"{os.getpid()}-x", "mine"))
    for path in (gone, ours, other):
        path.mkdir()
        (path / "report.jsonl").write_text(TEXT)
    assert uploads.remove_abandoned(tmp_path) == [gone]
    assert not gone.exists() and ours.exists() and other.exists()


@pytest.mark.e2e
def test_a_process_uses_a_private_folder_and_removes_it():
    import subprocess
    import sys

    code = "import radeval_core.ui, gradio.utils as u, os; f = u.get_upload_folder(); print(f, os.stat(f).st_mode)"
    kept = {key: value for key, value in os.environ.items() if key != "GRADIO_TEMP_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=kept, capture_output=True, text=True, check=True, timeout=120
    )
    path, mode = done.stdout.split()
    assert "radeval-uploads-" in path and int(mode) == 0o40700 and not os.path.exists(path)


@pytest.fixture(scope="module")
def tool(folder):
    """Serve a page with its tools for agents, and return a function that calls one."""
    import gradio.mcp

    from radeval_core.ui.demo import build_demo, launch

    before = gradio.mcp.DEFAULT_TEMP_DIR
    gradio.mcp.DEFAULT_TEMP_DIR = str(folder)  # as in a process that imports Gradio later
    demo = build_demo("bleu")
    _, url, _ = launch(demo, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", mcp_server=True)

    def call_tool(name, **arguments):
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        accept = {"accept": "application/json, text/event-stream"}
        return httpx.post(f"{url}gradio_api/mcp/", json=body, headers=accept, timeout=60)

    yield call_tool
    demo.close(verbose=False)
    gradio.mcp.DEFAULT_TEMP_DIR = before


@pytest.mark.e2e
def test_a_tool_scores_reports_also_if_one_mentions_an_address(tool):
    answer = tool("bleu_score", reference=TEXT, candidate="https://example.org/images shows an effusion.")
    assert answer.status_code == 200 and '"isError":false' in answer.text and "bleu" in answer.text


@pytest.mark.e2e
@pytest.mark.parametrize("kind", ["text/plain", "application/json", "image/png"])
def test_a_file_inside_a_request_over_mcp_is_refused_and_not_written(kind, tool, folder):
    """Gradio wrote it to the upload folder, where it stayed."""
    row = base64.b64encode(json.dumps({"prediction": TEXT, "reference": TEXT}).encode()).decode()
    answer = tool("bleu_score_file", file=f"data:{kind};base64,{row}", config="embedded")
    assert answer.status_code == 403 and "cannot be given over MCP" in answer.text
    assert [path for path in folder.rglob("*") if path.is_file() and b"zebra" in path.read_bytes()] == []


@pytest.mark.e2e
@pytest.mark.parametrize("guarded", [True, False], ids=["guard", "behind the guard"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_file_given_over_mcp_as_an_address_is_refused_and_not_fetched(tool, tmp_path, monkeypatch, host, guarded):
    """The page never asks another server, also if the guard does not see the address."""
    import re
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            asked.append(self.path)

    pairs_file(tmp_path / "x.jsonl")
    if not guarded:
        monkeypatch.setattr("radeval_core.ui.guard._MCP_FILE", re.compile(r"(?!)"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(tmp_path))) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        answer = tool("bleu_score_file", file=f"http://{host}:{other.server_port}/x.jsonl", config="embedded")
        other.shutdown()
    if guarded:
        assert answer.status_code == 403 and "cannot be given over MCP" in answer.text
    assert 'isError":true' in answer.text or answer.status_code == 403
    assert asked == [] and "zebra" not in answer.text
