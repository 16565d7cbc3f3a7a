import asyncio
import json
import logging
import threading

import pytest
from judge_connection import KEY, ask, good
from toy_instructions import SCHEMA, ToyInstructions

from chat_server import ChatServer, Reply, refuse
from radeval_core.errors import InputError
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.backends.http_backend import anthropic_backend, openai_backend
from radeval_core.judges.engine import judge_pairs
from radeval_core.judges.model_judge import ModelJudge


def test_answers_with_their_token_counts(connect, kind):
    with ChatServer(good) as server:
        backend = connect(server, kind, price_in=2.0, price_out=10.0)
        answers = ask(backend, "a", "b", "c")
    assert [a.text for a in answers] == ["re: a", "re: b", "re: c"]
    assert (answers[0].prompt_tokens, answers[0].answer_tokens, answers[0].reason) == (7, 3, "")
    assert (backend.usage.answers, backend.usage.prompt_tokens, backend.usage.answer_tokens) == (3, 21, 9)
    assert backend.usage.cost == pytest.approx((21 * 2 + 9 * 10) / 1e6)


def test_without_prices_there_is_no_cost(connect, caplog):
    with ChatServer(good) as server:
        backend = connect(server)
        ask(backend, "a")
    assert backend.usage.cost is None and not caplog.messages


def test_with_prices_the_cost_is_a_note(connect, caplog):
    with ChatServer(good) as server:
        ask(connect(server, price_in=1000.0, price_out=2000.0), "a")
    name = server.url.removeprefix("http://")
    assert caplog.messages == [f"judge-1@{name}/v1: 1 answers so far, 7 tokens in, 3 tokens out, cost 0.0130"]


@pytest.mark.parametrize(
    "prices, message",
    [
        ({"price_in": -1.0, "price_out": 1.0}, "option price_in must be the price of a million tokens, 0 or more"),
        ({"price_in": 1.0, "price_out": float("nan")}, "option price_out must be the price of a million tokens"),
        ({"price_in": 1.0}, "options price_in and price_out must be given together"),
    ],
)
def test_prices_that_make_no_sense_are_refused(monkeypatch, prices, message):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(InputError, match=message):
        openai_backend("m", **prices)


def test_the_request_body(connect, kind):
    with ChatServer(good) as server:
        request = Request((Message("system", "Count."), Message("user", "q")), max_tokens=50, schema=SCHEMA)
        list(connect(server, kind).answers([request]))
    ((path, headers, body),) = server.seen
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("judge-1", 50, 0)
    if kind == "http":
        assert path == "/v1/chat/completions" and headers["authorization"] == f"Bearer {KEY}"
        assert [m["role"] for m in body["messages"]] == ["system", "user"] and body["seed"] == 0
        assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    else:
        assert path == "/v1/messages" and body["system"] == "Count."
        assert [m["role"] for m in body["messages"]] == ["user"]
        assert body["output_config"]["format"]["schema"]["required"] == ["errors"]


def test_concurrency_limits_the_open_requests(connect):
    with ChatServer(lambda *_: Reply("x", delay=0.03)) as server:
        ask(connect(server, concurrency=3), *map(str, range(12)))
    assert server.most_under_way == 3


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(status=500, raw="{}"),
        Reply(status=503, raw="busy"),
        Reply(status=429, raw="{}"),
        Reply(drop="before"),
        Reply("long enough to be cut", drop="middle"),
        Reply(raw='{"id": "1", "choices": [{"mess'),
        Reply(raw="<html>gateway</html>"),
        Reply(raw='{"unexpected": true}'),
        Reply(raw="[]"),
        Reply("late", delay=1.5),
    ],
    ids=["500", "503", "429", "dropped", "cut off", "truncated JSON", "HTML", "other JSON", "a list", "slow"],
)
def test_temporary_failures_are_retried(connect, kind, trouble):
    times = 1 if trouble.delay else 2  # a question gets two time-outs at most
    with ChatServer(lambda q, nth, body: trouble if nth <= times else Reply(q)) as server:
        backend = connect(server, kind, timeout=1 if trouble.delay else 5)
        assert [a.text for a in ask(backend, "a", "b")] == ["a", "b"]
    assert server.asked == {"a": times + 1, "b": times + 1}
    assert len(backend.waits) == 2 * times


def test_waits_grow_have_jitter_and_follow_the_server(connect):
    with ChatServer(lambda q, nth, body: Reply(status=500, raw="{}") if nth < 6 else Reply(q)) as server:
        backend = connect(server)
        ask(backend, "a")
    assert len(backend.waits) == 5 and len(set(backend.waits)) > 1
    assert all(0 <= wait <= 0.5 * 2**n for n, wait in enumerate(backend.waits))

    busy = Reply(status=429, raw="{}", headers={"retry-after": "7"})
    with ChatServer(lambda q, nth, body: busy if nth < 2 else Reply(q)) as server:
        backend = connect(server)
        ask(backend, "a")
    assert 7 <= backend.waits[0] <= 8


@pytest.mark.parametrize("value, least", [("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("soon", 0), ("-3", 0), ("9999", 300)])
def test_odd_retry_after_values_do_no_harm(connect, value, least):
    busy = Reply(status=429, raw="{}", headers={"retry-after": value})
    with ChatServer(lambda q, nth, body: busy if nth < 2 else Reply(q)) as server:
        backend = connect(server)
        assert ask(backend, "a")[0].text == "a"
    assert least <= backend.waits[0] <= 300


def test_a_permanent_failure_affects_only_its_own_question(connect, kind):
    def behave(question, nth, body):
        return Reply(status=500, raw="{}") if question == "bad" else Reply(question)

    with ChatServer(behave) as server:
        first, bad, last = ask(connect(server, kind, retries=3), "a", "bad", "b")
    assert (first.text, last.text) == ("a", "b")
    assert bad.text is None and bad.reason.startswith("HTTP 500")
    assert server.asked["bad"] == 3


def test_a_rejected_question_is_not_retried(connect, kind):
    error = Reply(status=400, raw=json.dumps({"error": {"message": "the context is too long"}}))
    with ChatServer(lambda q, nth, body: error if q == "long" else Reply(q)) as server:
        long, short = ask(connect(server, kind), "long", "b")
    assert (long.text, long.reason) == (None, "HTTP 400: the server rejected the question")
    assert short.text == "b" and server.asked["long"] == 1


def test_the_backend_soon_gives_up_on_a_dead_server(connect):
    with ChatServer(lambda *_: Reply(drop="before")) as server:
        answers = ask(connect(server, concurrency=2, retries=5), *map(str, range(30)))
    assert all(a.text is None and a.reason for a in answers)
    assert sum(server.asked.values()) == 5 + 1 + 1  # all tries for the first question, one for two more
    assert answers[-1].reason.startswith("not asked, because the server failed before: ")


def test_an_exhausted_quota_is_not_retried(connect):
    error = Reply(status=429, raw=json.dumps({"error": {"message": "no money", "code": "insufficient_quota"}}))
    with ChatServer(lambda *_: error) as server:
        (answer,) = ask(connect(server), "a")
    assert answer.text is None and server.asked["a"] == 1


@pytest.mark.parametrize("name, left_out", [("response_format", "response_format"), ("seed", "seed"),
                                            ("temperature", "temperature"), ("max_tokens", "max_tokens")])  # fmt: skip
def test_a_refused_parameter_is_left_out_and_logged_once(connect, caplog, name, left_out):
    def behave(question, nth, body):
        return refuse(name, 422) if name in body else Reply(question)

    with ChatServer(behave) as server, caplog.at_level(logging.INFO):
        backend = connect(server, concurrency=1)
        answers = ask(backend, "a", "b", "c", schema=SCHEMA)
    assert [a.text for a in answers] == ["a", "b", "c"]
    assert len(server.seen) == 4 and left_out not in server.seen[-1][2]
    assert sum("refuses the parameter" in r.getMessage() for r in caplog.records) == 1
    if name == "max_tokens":
        assert server.seen[-1][2]["max_completion_tokens"] == 1024
    assert {a.decoding for a in answers} == {"default" if name == "temperature" else ""}


def test_anthropic_also_continues_without_a_schema(connect):
    def behave(question, nth, body):
        return refuse("output_config") if "output_config" in body else Reply(question)

    with ChatServer(behave) as server:
        assert ask(connect(server, "anthropic"), "a", schema=SCHEMA)[0].text == "a"


def test_one_rejected_question_does_not_remove_the_schema_of_others(connect):
    error = Reply(status=400, raw=json.dumps({"error": {"message": "the context is too long"}}))
    with ChatServer(lambda q, nth, body: error if q == "long" else Reply(q)) as server:
        ask(connect(server, concurrency=1), "long", "b", schema=SCHEMA)
    assert "response_format" in server.seen[-1][2]


def test_a_cut_answer_has_a_reason_and_a_refusal_is_no_answer(connect, kind):
    refusal = {"http": "content_filter", "anthropic": "refusal"}[kind]
    with ChatServer(lambda q, nth, body: Reply(q, finish="length" if q == "cut" else refusal)) as server:
        cut, refused = ask(connect(server, kind), "cut", "no")
    assert (cut.text, cut.reason) == ("cut", "the answer was cut at 3 tokens")
    assert (refused.text, refused.reason) == (None, "the model refused to answer")


@pytest.mark.parametrize("status, message", [(401, "does not accept the key"), (404, "has no such model")])
def test_a_wrong_key_or_model_stops_the_run_at_once(connect, kind, status, message):
    error = Reply(status=status, raw=json.dumps({"error": {"message": f"bad key {KEY}"}}))
    with ChatServer(lambda *_: error) as server, pytest.raises(InputError, match=message) as raised:
        ask(connect(server, kind), *map(str, range(50)))
    assert KEY not in str(raised.value) and len(server.seen) < 20


def test_the_key_is_only_in_the_request(connect, kind, caplog):
    error = Reply(status=400, raw=json.dumps({"error": {"message": f"you sent {KEY} and patient text"}}))
    with ChatServer(lambda *_: error) as server, caplog.at_level(logging.DEBUG):
        backend = connect(server, kind)
        (answer,) = ask(backend, "patient text", schema=SCHEMA)
    assert answer.reason == "HTTP 400: the server rejected the question"
    assert KEY not in caplog.text and "patient text" not in caplog.text
    assert KEY not in backend.identity + str(backend.fields) + repr(backend) + str(backend.usage)


def test_a_missing_key_says_where_to_put_it(monkeypatch):
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        openai_backend("m")
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY"):
        anthropic_backend("m")
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    with pytest.raises(InputError, match="OPENAI_BASE_URL must be an address such as"):
        openai_backend("m")


def test_a_server_without_a_key_works(monkeypatch):
    with ChatServer(good) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert ask(openai_backend("m"), "a")[0].text == "re: a"


@pytest.mark.parametrize("option", ["concurrency", "timeout", "retries", "deadline"])
def test_options_out_of_range_are_rejected(monkeypatch, option):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for value in (0, -1, float("nan")):
        with pytest.raises(InputError, match=f"option {option} must be more than 0"):
            openai_backend("m", **{option: value})


def test_the_identity_names_model_host_port_and_path(connect):
    with ChatServer(good) as server:
        name = server.url.removeprefix("http://")
        assert connect(server).identity == f"http|judge-1@{name}/v1|temperature:0"
        assert connect(server, "anthropic").identity == f"anthropic|judge-1@{name}|temperature:0"


def test_leaving_early_cancels_the_open_requests(connect):
    with ChatServer(lambda q, nth, body: Reply(q, delay=0 if q == "0" else 3)) as server:
        found = connect(server, concurrency=2).answers([Request((Message("user", str(i)),)) for i in range(20)])
        next(found)
        found.close()
        assert len(server.seen) < 6
    assert not [t for t in threading.enumerate() if "run" in t.name and t.is_alive() and not t.daemon]


def test_inside_a_running_event_loop(connect):
    async def main(server):
        return ask(connect(server), "a")

    with ChatServer(good) as server:
        assert asyncio.run(main(server))[0].text == "re: a"


def test_every_pair_gets_a_verdict_in_order_whatever_the_server_does(connect, kind):
    """Run the whole path against a server that misbehaves in every way."""

    def behave(question, nth, body):
        n = int(question.split("|")[0]) if "|" in question else -1
        if n < 0:  # asked again after an unreadable answer
            first = int(body["messages"][-3]["content"].split("|")[0])
            return Reply('{"errors": 5}' if first % 9 == 6 else "still nonsense")
        trouble = {
            1: Reply(status=429, raw="{}", headers={"retry-after": "1"}),
            2: Reply(status=500, raw="{}"),
            3: Reply(drop="before"),
            4: Reply('{"errors": 1}', drop="middle"),
            5: Reply(raw='{"choices": [{'),
        }.get(n % 9)
        if trouble and nth == 1:
            return trouble
        if n % 9 == 8:
            return Reply(status=500, raw="{}")
        return Reply({6: '{"errors": ', 7: "I am fine."}.get(n % 9, json.dumps({"errors": n % 10})))

    pairs = [(str(n), "candidate") for n in range(45)] + [("0", "candidate")]
    with ChatServer(behave) as server:
        judge = ModelJudge(ToyInstructions(schema=SCHEMA), connect(server, kind, concurrency=4))
        verdicts = judge_pairs(judge, pairs, progress=False)
    assert len(verdicts) == len(pairs)
    for (reference, _), verdict in zip(pairs, verdicts, strict=True):
        n = int(reference)
        expected = {6: 5, 7: None, 8: None}.get(n % 9, n % 10)
        assert verdict.analysis == expected, n
        assert bool(verdict.reason) == (expected is None)
    assert server.asked["0|candidate"] == 1
