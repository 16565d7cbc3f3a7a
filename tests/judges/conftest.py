import asyncio

import pytest
from judge_connection import KEY, KINDS


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def connect(monkeypatch):
    """Return a backend on a server; waits between tries are recorded instead of slept."""

    def connect(server, kind="http", **options):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        waits = []

        async def sleep(seconds):
            waits.append(seconds)
            await asyncio.sleep(0)

        backend = KINDS[kind]("judge-1", sleep=sleep, **{"timeout": 5, **options})
        backend.waits = waits
        return backend

    return connect
