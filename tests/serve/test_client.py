"""`RemoteMetric` gives what `load` gives, and says what to do when a server is not there, busy or not one of ours."""

import copy
import math
import pickle

import numpy as np
import pytest
from service_client import REPORTS, running

from radeval_core import api
from radeval_core.client import RemoteError, RemoteMetric
from radeval_core.errors import InputError
from radeval_core.io.output import finite
from radeval_core.registry import get_spec, metric_names

URL = "http://127.0.0.1:8080"
PREDICTIONS = [prediction for prediction, _ in REPORTS] + ["Das Herz ist vergrößert, kein Erguss nachweisbar."]
REFERENCES = [reference for _, reference in REPORTS] + ["Das Herz ist nicht vergrößert, kein Erguss."]
ENCODERS = {"bertscore", "radcliq", "ratescore"}


@pytest.fixture(scope="module")
def server():
    with running([name for name in metric_names() if name not in ENCODERS]) as (client, _):
        yield client


@pytest.fixture
def remote(server, monkeypatch):
    """Return a function that makes a RemoteMetric of the server in this process."""
    monkeypatch.setattr(RemoteMetric, "_connection", lambda self: server)
    return lambda *args, **kwargs: RemoteMetric(URL, *args, **kwargs)


@pytest.mark.parametrize("metric", [name for name in metric_names() if name not in ENCODERS])
def test_compute_is_that_of_load_bit_for_bit(remote, metric):
    references = REFERENCES
    if get_spec(metric).multi_reference:
        references = [[REFERENCES[0], "No effusion."], *REFERENCES[1:]]
    contexts = [{"age": 75, "indication": "dyspnea"}, None, None, {"sex": "F"}, None]
    got = remote(metric).compute(PREDICTIONS, references, detailed=True, contexts=contexts)
    expected = api.load(metric, progress=False).compute(PREDICTIONS, references, detailed=True, contexts=contexts)
    expected["details"] = finite(expected["details"])
    np.testing.assert_equal(got, expected)  # NaN equals NaN
    assert {key: type(value) for key, value in got.items()} == {key: type(value) for key, value in expected.items()}


@pytest.mark.e2e  # loads a real encoder
def test_an_encoder_gives_the_same_numbers():
    """Both have the same batches here. With others' texts in a batch, the last digits may differ: docs/serve.md."""
    with running(["bertscore"]) as (client, _), pytest.MonkeyPatch.context() as patch:
        patch.setattr(RemoteMetric, "_connection", lambda self: client)
        got = RemoteMetric(URL, "bertscore").compute(PREDICTIONS, REFERENCES)
    expected = api.load("bertscore", progress=False).compute(PREDICTIONS, REFERENCES)
    np.testing.assert_equal(got, expected)


def test_an_unscored_pair_is_nan(remote):
    assert math.isnan(remote("green").compute(PREDICTIONS, REFERENCES)["scores"][-1])
    alone = remote("green").compute(PREDICTIONS[-1:], REFERENCES[-1:])
    assert math.isnan(alone["green"]) and alone["unscored"] == 1


def test_options_and_config_are_sent(remote):
    got = remote("bleu", "embedded", {"lowercase": True}).compute(PREDICTIONS, REFERENCES)
    np.testing.assert_equal(got, api.load("bleu", progress=False, lowercase=True).compute(PREDICTIONS, REFERENCES))
    assert got["signature"] != remote("bleu").compute(PREDICTIONS, REFERENCES)["signature"]
    with pytest.raises(InputError, match="offered: embedded"):
        remote("green", "radllama2-7b").compute(PREDICTIONS, REFERENCES)
    with pytest.raises(InputError, match="that clients may set"):
        remote("green", options={"plot": "a.png"}).compute(PREDICTIONS, REFERENCES)


def test_wrong_lists_fail_before_anything_is_sent(remote):
    with pytest.raises(InputError, match="same length: got 1 and 2"):
        remote("rouge").compute(["a"], ["b", "c"])
    with pytest.raises(InputError, match="takes one reference"):
        remote("green").compute(["a"], [["b", "c"]])


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host", "http://", ""])
def test_an_address_that_is_none(url):
    with pytest.raises(InputError, match=r"such as http://127\.0\.0\.1:8080"):
        RemoteMetric(url, "rouge")


def test_a_mistyped_metric():
    with pytest.raises(InputError, match="did you mean 'rouge'"):
        RemoteMetric(URL, "rogue")


def test_the_token_is_not_shown_and_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("RADEVAL_SERVE_TOKEN", "a-secret-token-1234")
    metric = RemoteMetric(URL, "rouge")
    assert metric.token == "a-secret-token-1234" and "a-secret" not in repr(metric)
    assert metric._connection().headers["authorization"] == "Bearer a-secret-token-1234"


def test_it_can_be_copied_and_pickled():
    metric = RemoteMetric(URL, "rouge", options={"stemmer": True}, token="a-secret-token-1234")
    metric._connection()
    for other in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert other == metric and other.token == metric.token
        assert other._connection() is not metric._connection()


def test_a_fork_gets_its_own_connections(monkeypatch):
    metric = RemoteMetric(URL, "rouge")
    before = metric._connection()
    assert metric._connection() is before
    monkeypatch.setattr("radeval_core.client.os.getpid", lambda: -1)
    assert metric._connection() is not before


class Replies:
    """Stands for a connection that gives prepared answers."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), 0

    def post(self, path, json):
        import httpx2

        self.asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body, headers = answer
        return httpx2.Response(status, json=body, headers=headers, request=httpx2.Request("POST", URL + path))


@pytest.fixture
def replies(monkeypatch):
    def prepare(*answers):
        connection = Replies(*answers)
        monkeypatch.setattr(RemoteMetric, "_connection", lambda self: connection)
        return connection

    slept = []
    monkeypatch.setattr("radeval_core.client.time.sleep", slept.append)
    prepare.slept = slept
    return prepare


GOOD = {
    "summary": {"rouge": {"score": 1.0, "unscored": 0, "signature": "s"}},
    "rows": [{"id": 0, "scores": {"rouge": 1.0}}],
}


def test_a_busy_server_is_asked_again_when_it_says(replies):
    connection = replies(
        (429, {"error": "busy"}, {"Retry-After": "3"}), (503, {}, {"Retry-After": "5"}), (200, GOOD, {})
    )
    assert RemoteMetric(URL, "rouge").compute(["a"], ["a"])["rouge"] == 1.0
    assert connection.asked == 3 and replies.slept == [3.0, 5.0]


def test_patience_ends(replies):
    replies((429, {"error": "8000 pairs are waiting"}, {"Retry-After": "60"}))
    with pytest.raises(RemoteError, match="HTTP 429: 8000 pairs are waiting"):
        RemoteMetric(URL, "rouge", patience=30).compute(["a"], ["a"])
    assert not replies.slept


@pytest.mark.parametrize(
    ("answer", "token", "message"),
    [
        ((401, {}, {}), None, "a token is needed: give token="),
        ((401, {}, {}), "wrong", "the token is wrong"),
        ((404, {}, {}), None, "is no scoring server"),
        ((200, ["something"], {}), None, "is no scoring server"),
        ((500, {"error": "the server failed with KeyError"}, {}), None, "HTTP 500: the server failed with KeyError"),
        ((503, {}, {}), None, "HTTP 503: no reason given"),
        ((200, GOOD | {"rows": []}, {}), None, "0 rows for 1 pairs"),
    ],
)
def test_other_answers_say_what_to_do(replies, answer, token, message, monkeypatch):
    monkeypatch.delenv("RADEVAL_SERVE_TOKEN", raising=False)
    replies(answer)
    with pytest.raises(RemoteError, match=message):
        RemoteMetric(URL, "rouge", token=token).compute(["a"], ["a"])


def test_lost_connections_say_what_to_do(replies):
    import httpx2

    replies(httpx2.ConnectError("x"), httpx2.ReadError("x"), httpx2.RemoteProtocolError("x"), httpx2.ReadTimeout("x"))
    metric = RemoteMetric(URL, "rouge")
    with pytest.raises(RemoteError, match=r"no scoring server at .* start one there with `radeval serve`"):
        metric.compute(["a"], ["a"])
    for _ in range(2):
        with pytest.raises(RemoteError, match=r"went away before it answered .* start it again"):
            metric.compute(["a"], ["a"])
    with pytest.raises(RemoteError, match="did not answer in 600 seconds"):
        metric.compute(["a"], ["a"])
