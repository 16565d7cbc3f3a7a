"""Judges on servers that are down, hung, broken or hostile: every question gets its own answer or a reason, soon."""

import json
import logging
import time

import pytest
from fault_proxy import FaultProxy
from judge_connection import KEY, KINDS, ask, good

from chat_server import ChatServer, Reply
from radeval_core.errors import InputError
from radeval_core.judges.backends import server_address
from radeval_core.judges.backends.circuit import PAUSES, Circuit
from radeval_core.judges.backends.http_backend import openai_backend
from radeval_core.judges.backends.http_limits import LARGEST_REPLY
from radeval_core.judges.backends.server_answers import NoAnswer, anthropic_answer, openai_answer

PATIENT = "CARDIOMEGALY OF MRS EXAMPLE"


@pytest.mark.parametrize("fault", ["drop", "reset", "half_close", "corrupt", "delay"])
def test_answers_are_right_through_a_network_that_fails_every_second_connection(connect, fault):
    with ChatServer(good) as server, FaultProxy(server, lambda n: fault if n % 2 == 0 else None) as proxy:
        answers = ask(connect(proxy, concurrency=3, retries=30), *map(str, range(12)))
    assert [a.text for a in answers] == [f"re: {i}" for i in range(12)]
    assert proxy.opened >= 12


@pytest.mark.parametrize(
    "fault, reason",
    [
        ("drop", "the connection to the server broke"),
        ("half_close", "the connection to the server broke"),
        ("corrupt", "the server's reply is not JSON"),
        ("silent", "no answer within 0.5 seconds"),
        ("trickle", "no answer within 0.5 seconds"),
        ("endless", "the server's reply is larger than 4 MB"),
        ("bomb", "the server's reply is compressed, although that was not asked for"),
    ],
)
def test_a_server_that_always_fails_is_given_up_with_the_reason(connect, fault, reason):
    started = time.monotonic()
    with ChatServer(good) as server, FaultProxy(server, lambda n: fault) as proxy:
        answers = ask(connect(proxy, timeout=0.5 if "seconds" in reason else 5, retries=2), *map(str, range(1000)))
    assert time.monotonic() - started < 20
    assert answers[0].reason == reason
    assert answers[-1].reason == f"not asked, because the server failed before: {reason}"
    assert proxy.opened <= 4


@pytest.mark.slow
def test_a_thousand_questions_to_a_dead_server_end_within_a_minute(monkeypatch):
    """Wait for real between the tries, with the default options."""
    with ChatServer(good) as server:
        address = server.url  # nobody listens there after this block
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    started = time.monotonic()
    answers = ask(openai_backend("judge-1"), *map(str, range(1000)))
    assert time.monotonic() - started < 60
    assert {a.reason for a in answers} == {
        "cannot connect to the server", "not asked, because the server failed before: cannot connect to the server",
    }  # fmt: skip


def test_a_server_that_dies_in_the_middle_is_given_up(connect):
    def behave(question, nth, body):
        return Reply(question) if int(question) < 20 else Reply(status=500, raw="{}")

    with ChatServer(behave) as server:
        backend = connect(server, concurrency=2, retries=2)
        answers = ask(backend, *map(str, range(1000)))
    assert [a.text for a in answers[:20]] == [str(i) for i in range(20)]
    assert answers[-1].reason == "not asked, because the server failed before: HTTP 500: the server failed"
    assert len(server.seen) < 40 and set(PAUSES) <= set(backend.waits)


def test_a_server_that_recovers_is_asked_again():
    circuit = Circuit(limit=2)
    circuit.answered()
    for _ in range(2):
        circuit.failed("down", alone=False, unreachable=True)
    assert circuit.careful and circuit.pause == PAUSES[0] and circuit.one_try
    circuit.failed("down", alone=True, unreachable=True)
    assert circuit.pause == PAUSES[1] and not circuit.given_up
    circuit.answered()
    assert not circuit.careful and circuit.pause == 0 and not circuit.one_try


def test_rejected_questions_do_not_stop_the_others(connect):
    error = Reply(status=400, raw="{}")
    with ChatServer(lambda q, nth, body: error if int(q) < 30 else Reply(q)) as server:
        answers = ask(connect(server, concurrency=2), *map(str, range(40)))
    assert [a.text for a in answers] == [None] * 30 + [str(i) for i in range(30, 40)]


def test_the_deadline_ends_a_run_on_a_hung_server(connect):
    started = time.monotonic()
    with ChatServer(good) as server, FaultProxy(server, lambda n: None if n == 0 else "silent") as proxy:
        answers = ask(connect(proxy, timeout=60, deadline=1, concurrency=2), *map(str, range(50)))
    assert time.monotonic() - started < 10
    assert answers[0].text == "re: 0"
    assert {a.reason for a in answers[1:]} == {"not answered within the deadline of 1 seconds for all pairs"}


def test_the_backend_says_what_it_waits_for(connect):
    said = []
    with ChatServer(lambda q, nth, body: Reply(q, delay=1.5)) as server:
        backend = connect(server)
        backend.on_wait = said.append
        ask(backend, "a")
    assert said[0] == f"waiting for 1 answer of judge-1@{backend.address}, for 1 s"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [400, 403, 418, 422, 429, 500])
def test_a_reason_never_quotes_the_server(connect, caplog, kind, status):
    message = {"message": f"your prompt was {PATIENT}, key {KEY}", "code": PATIENT, "type": PATIENT, "param": PATIENT}
    reply = Reply(status=status, raw=json.dumps({"error": message}))
    behave = lambda q, nth, body: Reply("yes") if q == "first" else reply  # noqa: E731
    with ChatServer(behave) as server, caplog.at_level(logging.DEBUG):
        _, answer = ask(connect(server, kind, retries=2), "first", PATIENT)
    assert answer.text is None and answer.reason.startswith(f"HTTP {status}: ")
    for secret in ("CARDIOMEGALY", "MRS", KEY):
        assert secret not in answer.reason and secret not in caplog.text


@pytest.mark.parametrize("code, words", [("insufficient_quota", "quota"), ("context_length_exceeded", "too long")])
def test_known_codes_are_told_in_our_words(connect, code, words):
    reply = Reply(status=400, raw=json.dumps({"error": {"message": "x", "code": code}}))
    with ChatServer(lambda *_: reply) as server:
        assert words in ask(connect(server), "a")[0].reason


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(connect, kind, status):
    with ChatServer(good) as other:
        away = Reply(status=status, raw="{}", headers={"location": f"{other.url}/v1/chat/completions"})
        message = f"redirects to another address \\(HTTP {status}\\)"
        with ChatServer(lambda *_: away) as server, pytest.raises(InputError, match=message):
            ask(connect(server, kind), PATIENT)
        assert not other.seen


def content(value):
    return '{"choices": [{"message": {"content": VALUE}}]}'.replace("VALUE", value)


OPENAI = {
    "a list": ("[]", "the server's reply is a list, not an object"),
    "no choices": ("{}", "the server's reply has no choices"),
    "empty choices": ('{"choices": []}', "the server's reply has no choices"),
    "choices as object": ('{"choices": {"0": 1}}', "choices of the server's reply is an object, not a list"),
    "choice as text": ('{"choices": ["MRS"]}', "choices[0] of the server's reply is a text, not an object"),
    "no message": ('{"choices": [{}]}', "the server's reply has no choices[0].message"),
    "content as list": (content('["MRS"]'), "message.content of the server's reply is a list, not a text"),
    "content as number": (content("5"), "message.content of the server's reply is a number, not a text"),
    "content as object": (content('{"a": 1}'), "message.content of the server's reply is an object, not a text"),
    "no JSON": ("MRS", "the server's reply is not JSON"),
    "deep": ("[" * 100_000, "the server's reply is not JSON"),
    "digits": ("1" * 5_000, "the server's reply is not JSON"),
    "no text": ("\xff\xfe", "the server's reply is not JSON"),
}  # fmt: skip


@pytest.mark.parametrize("case", OPENAI)
def test_what_is_wrong_with_a_reply_is_said(case):
    body, reason = OPENAI[case]
    with pytest.raises(NoAnswer) as raised:
        openai_answer(body.encode("latin-1"))
    assert str(raised.value) == reason


@pytest.mark.parametrize(
    "body, reason",
    [
        ("{}", "the server's reply has no content"),
        ('{"content": "MRS"}', "content of the server's reply is a text, not a list"),
        ('{"content": ["MRS"]}', "a block of content of the server's reply is a text, not an object"),
        ('{"content": [{"type": "text", "text": 5}]}', "content.text of the server's reply is a number, not a text"),
    ],
)
def test_what_is_wrong_with_a_message_is_said(body, reason):
    with pytest.raises(NoAnswer) as raised:
        anthropic_answer(body.encode())
    assert str(raised.value) == reason


@pytest.mark.parametrize(
    "usage",
    ['"text"', "[]", "null", "5", '{"prompt_tokens": "7"}', '{"prompt_tokens": Infinity}', '{"prompt_tokens": NaN}',
     '{"prompt_tokens": -3, "completion_tokens": 1e400}', '{"prompt_tokens": {"a": 1}, "completion_tokens": true}'],
)  # fmt: skip
def test_a_nonsense_usage_does_not_cost_the_answer(connect, usage):
    raw = '{"choices": [{"finish_reason": {"odd": 1}, "message": {"content": "fine"}}], "usage": USAGE}'.replace(
        "USAGE", usage
    )
    with ChatServer(lambda *_: Reply(raw=raw)) as server:
        (answer,) = ask(connect(server, retries=1), "a")
    assert (answer.text, answer.reason, answer.prompt_tokens, answer.answer_tokens) == ("fine", "", 0, 0)


def test_a_huge_reply_is_not_read(connect):
    with ChatServer(lambda *_: Reply("x" * (LARGEST_REPLY + 1))) as server:
        (answer,) = ask(connect(server, retries=1), "a")
    assert answer.reason == "the server's reply is larger than 4 MB"


@pytest.mark.parametrize(
    "address, name",
    [
        ("https://api.openai.com/v1", "api.openai.com/v1"),
        ("https://user:pass@api.openai.com/v1/", "api.openai.com/v1"),
        ("http://judge:8000/v1", "judge:8000/v1"),
        ("http://judge:8001/v1", "judge:8001/v1"),
        ("http://judge/v1", "judge:80/v1"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("https://gateway/secret-token/v1", "gateway/7d73a93c"),
    ],
)
def test_servers_are_told_apart_by_host_port_and_path(address, name):
    assert server_address.server_name(address) == name


def test_paths_that_are_not_usual_differ_by_their_hash():
    assert server_address.server_name("https://g/a/v1") != server_address.server_name("https://g/b/v1")


@pytest.mark.parametrize("port", ["0", "99999", "x"])
def test_an_impossible_port_is_an_error(monkeypatch, port):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://localhost:{port}/v1")
    with pytest.raises(InputError, match="must be an address such as"):
        openai_backend("m")


def test_plain_http_to_another_machine_is_warned_about_once(monkeypatch, caplog):
    monkeypatch.setattr(server_address, "_warned", set())
    for address in ("http://judge.example:8000/v1", "http://judge.example:8000/v1", "http://localhost:8000/v1",
                    "http://127.0.0.2/v1", "http://[::1]/v1", "https://judge.example/v1"):  # fmt: skip
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        openai_backend("m")
    assert caplog.messages == [
        "reports are sent to judge.example:8000/v1 over plain http: others on the network can read them. Use https"
    ]
