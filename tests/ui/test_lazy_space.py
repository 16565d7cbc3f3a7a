"""A Space that is built on its first request: built once, shown as loading, and honest about a failure."""

import asyncio
import threading
import time

import httpx
import pytest

from radeval_core.errors import InputError

HTML = {"accept": "text/html,*/*"}


@pytest.fixture(autouse=True)
def lazy():
    from radeval_core.ui import lazy_space

    return lazy_space


@pytest.fixture
def visit(lazy):
    """Return a function that runs some requests against one Space at /small, and returns the answers."""
    from fastapi import FastAPI

    def run(build, requests, ahead=False):
        async def main():
            builds = lazy.Builds()
            server = FastAPI()
            server.mount("/small", lazy.LazySpace("small", build, builds))
            transport = httpx.ASGITransport(server)
            async with builds.running(ahead), httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                return await requests(client)

        return asyncio.run(main())

    return run


def space(events=None):
    """Return an app that answers /small/ with its root path, and notes its start and end."""
    from contextlib import asynccontextmanager

    from fastapi import FastAPI, Request

    @asynccontextmanager
    async def lifespan(_):
        task = asyncio.current_task()
        events is not None and events.append("start")
        yield
        events is not None and events.append("end" if asyncio.current_task() is task else "end in another task")

    app = FastAPI(lifespan=lifespan)

    @app.get("/small/")
    def index(request: Request):
        return {"path": request.url.path}

    return app


def test_visitors_at_the_same_time_share_one_build(visit):
    built = []

    def build():
        built.append(threading.current_thread().name)
        time.sleep(0.1)
        return space()

    async def ask(client):
        return await asyncio.gather(*(client.get("/small/", headers=HTML) for _ in range(8)))

    answers = visit(build, ask)
    assert [a.json() for a in answers] == [{"path": "/small/"}] * 8
    assert len(built) == 1 and built[0] != threading.main_thread().name


def test_nothing_is_built_before_the_first_request_unless_asked_for(visit):
    built = []

    def build():
        built.append(1)
        return space()

    async def wait(_):
        await asyncio.sleep(0.1)
        return len(built)

    assert visit(build, wait) == 0
    assert visit(build, wait, ahead=True) == 1


def test_a_browser_sees_at_once_that_a_space_is_loading_and_a_program_waits(visit, lazy, monkeypatch):
    monkeypatch.setattr(lazy, "PATIENCE", 0.05)
    go_on = threading.Event()

    def build():
        go_on.wait(10)
        return space()

    async def ask(client):
        program = asyncio.create_task(client.get("/small/"))
        page = await client.get("/small/", headers=HTML)
        waiting = not program.done()
        go_on.set()
        return page, waiting, await program, await client.get("/small/", headers=HTML)

    page, waiting, program, later = visit(build, ask)
    assert page.status_code == 200 and "<h1>Loading small</h1>" in page.text and "location.reload()" in page.text
    assert page.headers["cache-control"] == "no-store"
    assert waiting and program.json() == later.json() == {"path": "/small/"}


def test_a_space_lives_until_the_server_stops(visit):
    events = []

    async def ask(client):
        await client.get("/small/")
        return list(events)

    assert visit(lambda: space(events), ask) == ["start"]
    assert events == ["start", "end"]


@pytest.mark.parametrize(
    ("error", "shown", "hidden"),
    [
        (InputError("config <radphi2> is missing: type `hf download x`"), "type `hf download x`", "<radphi2>"),
        (ValueError("a secret path"), "ValueError; the log of the server says more", "a secret path"),
    ],
)
def test_a_failure_is_shown_to_browsers_and_programs_and_tried_again(visit, lazy, monkeypatch, error, shown, hidden):
    errors = [error]

    def build():
        if errors:
            raise errors.pop()
        return space()

    async def ask(client):
        page, program = await client.get("/small/", headers=HTML), await client.get("/small/config")
        monkeypatch.setattr(lazy, "RETRY_AFTER", -1.0)
        return page, program, await client.get("/small/")

    page, program, later = visit(build, ask)
    assert page.status_code == program.status_code == 503, "the second visit did not build again"
    assert "The Space small could not be loaded" in page.text and shown in page.text.replace("&#96;", "`")
    assert hidden not in page.text and shown in program.text
    assert later.json() == {"path": "/small/"}


def test_spaces_are_built_one_at_a_time(lazy):
    working, most = [0], [0]

    def build():
        working[0] += 1
        most[0] = max(most[0], working[0])
        time.sleep(0.02)
        working[0] -= 1
        return space()

    async def main():
        builds = lazy.Builds()
        spaces = [lazy.LazySpace(name, build, builds) for name in "abcd"]
        async with builds.running(ahead=False):
            await asyncio.gather(*(s.ready() for s in spaces))

    asyncio.run(main())
    assert most == [1]
