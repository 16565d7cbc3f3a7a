"""A Space that takes long to load says so in the browser, and opens by itself with what follows the `#`."""

import socket
import threading
import time

import pytest

SLOW = '''"""Slow."""
import time
import gradio as gr
time.sleep(2.5)
with gr.Blocks(analytics_enabled=False) as demo:
    gr.Markdown("# It is here")
'''
BROKEN = '"""Broken."""\nraise ValueError("not for visitors")\n'


@pytest.fixture
def server(tmp_path):
    """Serve two Spaces: one that is slow, one that cannot be loaded."""
    import uvicorn

    from radeval_core.ui.serve_all import together

    for name, code in {"slow": SLOW, "broken": BROKEN}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "app.py").write_text(code)
    listener = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(together(tmp_path), log_level="critical"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not running.started and thread.is_alive():
        time.sleep(0.05)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    running.should_exit = True
    thread.join(20)


def test_a_slow_space_says_that_it_loads_and_then_opens(visit, server):
    page = visit("slow/#w=kept", server=server)
    page.get_by_role("heading", name="Loading slow").wait_for()
    assert page.get_by_role("progressbar").is_visible()
    page.get_by_role("heading", name="It is here").wait_for()
    assert page.evaluate("location.hash") == "#w=kept"
    again = visit("slow/", server=server)
    again.get_by_role("heading", name="It is here").wait_for()


def test_a_broken_space_says_so_and_stops_no_other(browser, server):
    page = browser.new_page()
    answer = page.goto(f"{server}/broken/")
    assert answer.status == 503
    assert "ValueError; the log of the server says more" in page.get_by_role("alert").inner_text()
    assert "not for visitors" not in page.content()
    page.get_by_role("link", name="All Spaces").click()
    page.get_by_role("link", name="slow").wait_for()
    page.close()
