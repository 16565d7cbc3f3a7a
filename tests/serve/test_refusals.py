"""What a server refuses, and that neither its answers nor its logs repeat a report or an id."""

import json
import logging

import pytest
from service_client import PAIRS, running

SECRET = "ZEBRA-4711"
TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def client():
    with running(
        ["rouge", "green", "ffl_rq", "bleu"], request_bytes=20_000, pairs=5, characters=200, waiting_pairs=50
    ) as (client, _):
        yield client


def send(client, body, path="/v1/score", **headers):
    content = body if isinstance(body, (bytes, str)) else json.dumps(body)
    return client.post(path, content=content, headers={"Content-Type": "application/json", **headers})


def pair(**fields):
    return {"prediction": "a", "reference": "b", **fields}


BAD = {
    "no JSON": b"{" + SECRET.encode(),
    "no UTF-8": b'{"pairs": "\xff"}',
    "a lone surrogate": b'{"metrics": ["rouge"], "pairs": [{"prediction": "\\ud800 ZEBRA-4711", "reference": "b"}]}',
    "deep": b"[" * 5000,
    "a list": [SECRET],
    "no pairs": {"metrics": ["rouge"]},
    "an empty list of pairs": {"metrics": ["rouge"], "pairs": []},
    "no metrics": {"pairs": [pair()], "metrics": []},
    "an unknown metric": {"pairs": [pair()], "metrics": [SECRET]},
    "a metric that is not offered": {"pairs": [pair()], "metrics": ["cider"]},
    "an unknown part": {"pairs": [pair()], "metrics": [f"green.{SECRET}"]},
    "a number for a report": {"pairs": [pair(prediction=3, id=SECRET)], "metrics": ["rouge"]},
    "no reference": {"pairs": [{"prediction": SECRET}], "metrics": ["rouge"]},
    "an unknown field": {"pairs": [pair(**{SECRET: 1})], "metrics": ["rouge"]},
    "a film": {"pairs": [pair(image=f"/{SECRET}.png")], "metrics": ["ffl_rq"]},
    "an unknown region": {"pairs": [pair(boxes={SECRET: [0, 0, 1, 1]}, id=SECRET)], "metrics": ["ffl_rq"]},
    "boxes that are no boxes": {"pairs": [pair(boxes={"left lung": SECRET}, id=SECRET)], "metrics": ["ffl_rq"]},
    "an id that is a list": {"pairs": [pair(id=[SECRET])], "metrics": ["rouge"]},
    "an age that is none": {"pairs": [pair(age=SECRET)], "metrics": ["green"]},
    "a context with another field": {"pairs": [pair(context={SECRET: 1})], "metrics": ["green"]},
    "several references where one is taken": {"pairs": [pair(reference=["a", SECRET])], "metrics": ["green"]},
    "a config that is a path": {"pairs": [pair()], "metrics": ["green"], "configs": {"green": f"/{SECRET}"}},
    "a config on the Hub": {"pairs": [pair()], "metrics": ["green"], "configs": {"green": f"org/{SECRET}"}},
    "a judge": {"pairs": [pair()], "metrics": ["green"], "configs": {"green": f"http:{SECRET}"}},
    "a published config": {"pairs": [pair()], "metrics": ["green"], "configs": {"green": "radllama2-7b"}},
    "a config of another metric": {"pairs": [pair()], "metrics": ["rouge"], "configs": {SECRET: "embedded"}},
    "a checkpoint": {"pairs": [pair()], "metrics": ["green"], "options": {"green": {"checkpoint": f"/{SECRET}"}}},
    "a file to write": {"pairs": [pair()], "metrics": ["green"], "options": {"green": {"plot": f"/tmp/{SECRET}.png"}}},
    "instructions": {"pairs": [pair()], "metrics": ["green"], "options": {"green": {"instructions": f"/{SECRET}"}}},
    "an option that is a list": {"pairs": [pair()], "metrics": ["ffl_rq"], "options": {"ffl_rq": {"boxes": [SECRET]}}},
    "a wrong choice": {"pairs": [pair()], "metrics": ["bleu"], "options": {"bleu": {"tokenize": SECRET}}},
    "a wrong switch": {"pairs": [pair()], "metrics": ["bleu"], "options": {"bleu": {"lowercase": SECRET}}},
}


@pytest.mark.parametrize("body", BAD.values(), ids=list(BAD))
def test_a_wrong_request_is_refused_without_repeating_it(client, body, caplog):
    caplog.set_level(logging.DEBUG)
    answer = send(client, body)
    assert answer.status_code == 422, answer.text
    assert set(answer.json()) == {"error", "detail"} and answer.json()["error"]
    assert SECRET.lower() not in answer.text.lower()
    assert SECRET.lower() not in caplog.text.lower()


def test_errors_name_the_place(client):
    rows = [pair(), pair(), pair(prediction=None)]
    assert "pairs[2].prediction" in send(client, {"pairs": rows, "metrics": ["rouge"]}).json()["error"]
    unknown = send(client, {"pairs": [pair(), pair(image="film.png")], "metrics": ["rouge"]}).json()["error"]
    assert unknown == "pairs[1] has a field that is not known; see /docs"
    bad_age = send(client, {"pairs": [pair(), pair(age="old")], "metrics": ["green"]}).json()["error"]
    assert "pairs[1]" in bad_age and "age" in bad_age


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ({"metrics": ["rouge"], "pairs": [pair()] * 6}, "at most 5"),
        ({"metrics": ["rouge"], "pairs": [pair(prediction="x" * 201)]}, "at most 200"),
        ({"metrics": ["rouge"], "pairs": [pair(history="x" * 201)]}, "at most 200"),
        ({"metrics": ["rouge"], "pairs": [pair()] * 2, "x": "y" * 21_000}, "20,000 bytes"),
    ],
    ids=["pairs", "characters", "characters of a context", "bytes"],
)
def test_too_much_is_413(client, body, hint):
    answer = send(client, body)
    assert answer.status_code == 413 and hint in answer.json()["error"]


def test_too_many_bytes_without_a_stated_size_are_413(client):
    def parts():
        for _ in range(30):
            yield b"x" * 1000

    answer = client.post("/v1/score", content=parts(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_parse_has_the_same_limits(client):
    assert send(client, {"reports": [{"text": "a"}] * 6}, "/v1/parse").status_code == 413
    assert send(client, {"reports": []}, "/v1/parse").status_code == 422
    wrong = send(client, {"reports": [{"text": SECRET}], "labels": SECRET}, "/v1/parse")
    assert wrong.status_code == 422 and SECRET not in wrong.text


@pytest.mark.parametrize("other", [[pair(id=SECRET), pair(id="y")], [pair(id="x"), pair(id="y", reference=SECRET)], []])
def test_systems_that_do_not_match_are_refused_without_ids(client, other):
    body = {"systems": {"one": [pair(id="x"), pair(id="y")], SECRET: other}, "metrics": ["rouge"]}
    answer = send(client, body, "/v1/compare")
    assert answer.status_code == 422 and SECRET not in answer.text


def test_a_form_is_refused(client):
    """A web page can post forms and plain text anywhere without asking; JSON it cannot."""
    answer = client.post("/v1/score", content=b"{}", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", ""])
def test_a_made_up_host_name_is_refused(client, host):
    assert client.get("/v1/metrics", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9", "[::1]:8080"])
def test_this_machine_is_not(client, host):
    assert client.get("/v1/metrics", headers={"Host": host}).status_code == 200


def test_unknown_paths_and_methods(client):
    assert client.get(f"/{SECRET}").status_code == 404
    assert client.get("/v1/score").status_code == 405
    assert SECRET not in client.get("/metrics").text


@pytest.mark.parametrize(
    "header", [None, "Bearer wrong-token-of-some-length", f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}x"]
)
def test_a_wrong_token_is_401(header):
    with running(["rouge"], token=TOKEN, local=False) as (client, _):
        headers = {"Authorization": header} if header else {}
        for path in ("/v1/metrics", "/metrics", "/docs", "/openapi.json"):
            answer = client.get(path, headers=headers)
            assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
            assert TOKEN not in answer.text
        assert send(client, {"pairs": PAIRS, "metrics": ["rouge"]}, **headers).status_code == 401
        assert client.get("/healthz").status_code == 200


def test_the_right_token_enters():
    with running(["rouge"], token=TOKEN, local=False) as (client, _):
        answer = send(client, {"pairs": PAIRS, "metrics": ["rouge"]}, Authorization=f"Bearer {TOKEN}")
        assert answer.status_code == 200


def test_a_failure_of_ours_shows_its_place_and_no_text(caplog, monkeypatch):
    from radeval_core.metrics import rouge

    def fail(self, pairs, detailed):
        raise KeyError(pairs[0].prediction)

    with running(["rouge"]) as (client, _):
        monkeypatch.setattr(rouge.SCORER, "score", fail)
        answer = send(client, {"pairs": [pair(prediction=SECRET, id=SECRET)], "metrics": ["rouge"]})
    assert answer.status_code == 500 and "KeyError" in answer.text
    assert SECRET not in answer.text and SECRET not in caplog.text
    assert "test_refusals.py" in caplog.text and "fail" in caplog.text


def test_a_body_that_does_not_arrive_is_408_and_a_failure_by_time_is_not(monkeypatch):
    from radeval_core.metrics import rouge

    def fail(self, pairs, detailed):
        raise TimeoutError

    async def never(receive, most):
        import asyncio

        await asyncio.Event().wait()

    with running(["rouge"], body_seconds=0.05) as (client, _):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("radeval_core.serve.app.read_body", never)
            assert send(client, {"pairs": [pair()], "metrics": ["rouge"]}).status_code == 408
        monkeypatch.setattr(rouge.SCORER, "score", fail)
        assert send(client, {"pairs": [pair()], "metrics": ["rouge"]}).status_code == 500


def test_no_memory_left_is_503(monkeypatch):
    from radeval_core.metrics import rouge

    def fail(self, pairs, detailed):
        raise MemoryError

    with running(["rouge"]) as (client, _):
        monkeypatch.setattr(rouge.SCORER, "score", fail)
        answer = send(client, {"pairs": [pair()], "metrics": ["rouge"]})
    assert answer.status_code == 503 and answer.headers["retry-after"]


def test_a_stopping_server_refuses_new_requests():
    with running(["rouge"]) as (client, service):
        service.stopping = True
        answer = send(client, {"pairs": [pair()], "metrics": ["rouge"]})
        assert answer.status_code == 503 and answer.headers["retry-after"]
        assert client.get("/healthz").status_code == 503
        assert client.get("/metrics").status_code == 200
