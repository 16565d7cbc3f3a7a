"""The configs that a demo offers, MCP, and all demos on one server."""

import asyncio
import json
import re
import shutil
import socket
import subprocess
import sys
import urllib.request

import pytest
from fastapi.testclient import TestClient
from gradio_client import Client

from radeval_core import load
from radeval_core.errors import CheckpointError, InputError
from radeval_core.registry import metric_names
from radeval_core.ui.configs import VARIABLE, offered_configs
from radeval_core.ui.examples import EXAMPLES
from radeval_core.ui.space_page import read_page, spaces_folder

PAIR = EXAMPLES[0]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global build_demo, find_spaces, launch, python_line, together, ui_command
    from radeval_core.ui import __main__ as ui_command
    from radeval_core.ui.demo import build_demo, launch
    from radeval_core.ui.pair import python_line
    from radeval_core.ui.serve_all import find_spaces, together


@pytest.fixture
def serve():
    demos = []

    def start(name, **options):
        demos.append(build_demo(name))
        return launch(demos[-1], prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **options)[1]

    yield start
    for demo in demos:
        demo.close(verbose=False)


def test_only_the_embedded_config_is_offered_unless_the_owner_adds_others(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert [offered_configs(name) for name in metric_names()] == [["embedded"]] * len(metric_names())


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("green", InputError, "expected metric=config, such as green=radphi2, got 'green'"),
        ("gren=radphi2", InputError, "did you mean"),
        ("green=http:gpt-4o", InputError, "would send visitors' reports to another program"),
        ("bertscore=no-such-config", InputError, "unknown config of bertscore"),
        ("bertscore=distilroberta-base", CheckpointError, "hf download distilroberta-base"),
    ],
)
def test_a_config_that_cannot_be_offered_stops_the_demo_at_start(value, error, message, monkeypatch):
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(error, match=message):
        offered_configs("bertscore")


def test_a_config_that_the_owner_adds_can_be_chosen(serve, monkeypatch, root):
    folder = str(root / "tests" / "parity" / "bertscore" / "tiny-bert")
    monkeypatch.setenv(VARIABLE, f"bertscore={folder}, radgraph_f1=embedded")
    client = Client(serve("bertscore"), verbose=False)
    headline, _, signature, code = client.predict(PAIR.reference, PAIR.candidate, folder, api_name="/score")
    expected = load("bertscore", folder).compute([PAIR.candidate], [PAIR.reference])
    assert headline == expected["bertscore"] and signature == expected["signature"]
    assert f"checkpoint={folder!r}" in code
    with pytest.raises(ValueError, match=r"not in the list of choices|Invalid"):
        client.predict(PAIR.reference, PAIR.candidate, "org/other", api_name="/score")


def test_the_python_line_names_a_published_config():
    from radeval_core.registry import get_spec

    assert 'evaluate.load("radeval/green", "radphi2")' in python_line(get_spec("green"), "a", "b", "radphi2")


def test_agents_can_call_the_endpoints_over_mcp(serve):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    url = serve("bleu", mcp_server=True)

    async def ask():
        async with (
            streamablehttp_client(f"{url}gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            name = next(name for name in tools if name.endswith("score"))
            asked = {"reference": PAIR.reference, "candidate": PAIR.candidate}
            return tools, await session.call_tool(name, asked)

    tools, answer = asyncio.run(ask())
    assert len(tools) == 2
    tool = next(t for name, t in tools.items() if name.endswith("score"))
    assert tool.name == "bleu_score" and "with bleu: n-gram precision" in tool.description
    assert "Score a candidate report" in tool.description and {"reference", "candidate"} <= set(
        tool.inputSchema["properties"]
    )
    expected = load("bleu").compute([PAIR.candidate], [PAIR.reference])["bleu"]
    assert str(round(expected, 10))[:10] in json.dumps(
        [content.model_dump() for content in answer.content], default=str
    )


@pytest.mark.e2e
def test_one_page_links_every_space(root, tmp_path):
    for name in ("rouge", "bleu", "workbench"):
        shutil.copytree(root / "spaces" / name, tmp_path / name)
    with TestClient(together(tmp_path)) as client:
        page = client.get("/").text
        names = re.findall(r'href="(\w+)/"', page)
        assert names == ["workbench", "bleu", "rouge"] and "n-gram precision" in page
        for name in names:
            config = client.get(f"/{name}/config").json()
            assert config["analytics_enabled"] is False and config["run_history"] is False
        moved = client.get("/playground/", follow_redirects=False)
        assert (moved.status_code, moved.headers["location"]) == (308, "/workbench/"), "old links lead to the new page"


@pytest.mark.e2e
def test_agents_reach_every_space_of_the_common_server(root, tmp_path, monkeypatch):
    import asyncio
    import socket
    import threading
    import time

    import uvicorn
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    monkeypatch.setenv("GRADIO_MCP_SERVER", "true")
    for name in ("green", "bleu"):
        shutil.copytree(root / "spaces" / name, tmp_path / name)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(together(tmp_path), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.05)

    async def ask(name, tool):
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/{name}/gradio_api/mcp/"
        async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
            await session.initialize()
            names = [tool.name for tool in (await session.list_tools()).tools]
            asked = {"reference": "Small left effusion.", "candidate": "Small right effusion."}
            return names, await session.call_tool(tool, asked)

    try:
        names, answer = asyncio.run(ask("green", "green_errors"))
        assert names == ["green_score", "green_errors", "green_score_file"]
        assert "left pleural effusion: right for left" in json.dumps(
            [c.model_dump() for c in answer.content], default=str
        )
        assert asyncio.run(ask("bleu", "bleu_score"))[0] == ["bleu_score", "bleu_score_file"]
    finally:
        server.should_exit = True
        thread.join(timeout=20)


def test_a_folder_without_spaces_or_without_a_demo_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"no folder with a space\.yaml or an app\.py"):
        find_spaces(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "app.py").write_text("demo = 3\n")
    (space,) = find_spaces(tmp_path)
    with pytest.raises(InputError, match="must define `demo`"):
        space.load()
    (tmp_path / "mine" / "app.py").write_text("demo = (\n")
    with pytest.raises(InputError, match=r"app\.py is not Python"):
        find_spaces(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("bleu", None, r"space\.yaml is missing: the Space of a metric needs this file"),
        ("bleu", "title: BLEU\n", "expected the fields title, how and optionally film, example"),
        ("bleu", "title: BLEU\nhow: so\nmore: 1\n", "expected the fields title, how and optionally film, example"),
        ("bleu", "[", "expected the fields title, how and optionally film, example"),
    ],
)
def test_a_page_without_its_texts_is_an_error(name, text, message, tmp_path):
    path = tmp_path / "space.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_page(path)


def test_a_space_with_texts_must_be_a_metric(tmp_path):
    (tmp_path / "bluu").mkdir()
    (tmp_path / "bluu" / "space.yaml").write_text("title: BLEU\nhow: so\n")
    with pytest.raises(InputError, match="unknown metric 'bluu': did you mean 'bleu'"):
        find_spaces(tmp_path)


@pytest.mark.e2e
def test_one_space_starts_alone(root):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, str(root / "spaces" / "serve.py"), "bleu", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert f"http://127.0.0.1:{port}" in server.stdout.readline()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/config") as answer:
                assert json.load(answer)["title"] == "radeval: bleu"
        finally:
            server.terminate()


def test_the_command_serves_the_spaces_of_the_package(monkeypatch):
    asked = []
    monkeypatch.setattr(ui_command, "serve", lambda *given: asked.append(given))
    monkeypatch.setattr(ui_command, "serve_one", lambda *given: asked.append(given))
    monkeypatch.setattr(sys, "argv", ["ui", "--port", "8000"])
    ui_command.main()
    monkeypatch.setattr(sys, "argv", ["ui", "green"])
    ui_command.main()
    folder = spaces_folder()
    assert asked == [(folder, "127.0.0.1", 8000), (folder, "green", "127.0.0.1", 7860)]
    assert (folder / "green" / "space.yaml").is_file()


def test_the_command_says_which_spaces_there_are(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ui", "gren"])
    with pytest.raises(SystemExit) as stop:
        ui_command.main()
    assert stop.value.code == 2
    assert "unknown Space 'gren': did you mean 'green'?" in capsys.readouterr().err


def test_any_space_is_found_with_its_docstring_and_own_options(tmp_path):
    (tmp_path / "play<b>").mkdir()
    code = "import gradio as gr\nwith gr.Blocks() as demo:\n    gr.HTML()\npage_options = {'css': 'b {}'}\n"
    app = f'"""Plays <i>.\n\nMore."""\n{code}'
    (tmp_path / "play<b>" / "app.py").write_text(app)
    (space,) = find_spaces(tmp_path)
    assert (space.name, space.about) == ("play<b>", "Plays <i>.")
    assert space.load()[1] == {"css": "b {}"}
    with TestClient(together(tmp_path)) as client:
        assert "Plays &lt;i&gt;." in client.get("/").text
