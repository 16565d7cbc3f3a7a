"""The routes: their answers are those of the commands of the same names."""

import json
from html.parser import HTMLParser

import pytest
from service_client import PAIRS, running

from radeval_core import api
from radeval_core.cli import main


@pytest.fixture(scope="module")
def client():
    with running(["rouge", "green", "cider", "bleu", "ffl_rq", "crimson"]) as (client, _):
        yield client


@pytest.fixture
def pairs_file(tmp_path):
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    return file


def score(client, **body):
    return client.post("/v1/score", json={"pairs": PAIRS, **body})


@pytest.mark.parametrize("metrics", [["rouge"], ["green", "cider", "bleu"], ["green.error_count", "rouge"]])
def test_score_answers_what_radeval_score_prints_and_writes(client, metrics, pairs_file, tmp_path, capsys):
    assert (
        main(["score", str(pairs_file), "--metrics", ",".join(metrics), "--json", "--out", str(tmp_path / "o.jsonl")])
        == 0
    )
    summary = json.loads(capsys.readouterr().out)
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    answer = score(client, metrics=metrics)
    assert answer.status_code == 200
    assert answer.json() == {"summary": summary, "rows": rows}


def test_options_reach_the_metric(client):
    answer = score(client, metrics=["bleu"], options={"bleu": {"lowercase": True}}).json()
    assert (
        answer["summary"]["bleu"]["score"]
        == api.score(PAIRS, ["bleu"], options={"bleu": {"lowercase": True}}).results["bleu"].score
    )
    assert "case:lc" in answer["summary"]["bleu"]["signature"]


def test_details_are_those_of_the_details_file(client, pairs_file, tmp_path):
    file = tmp_path / "details.jsonl"
    assert main(["score", str(pairs_file), "--metrics", "green", "--details", str(file)]) == 0
    written = [json.loads(line)["details"] for line in file.read_text().splitlines()]
    assert [row["details"] for row in score(client, metrics=["green"], details=True).json()["rows"]] == written


def test_without_intervals_there_are_none(client):
    assert score(client, metrics=["rouge"]).json()["summary"]["rouge"]["ci95"] is not None
    assert score(client, metrics=["rouge"], intervals=False).json()["summary"]["rouge"]["ci95"] is None


def test_a_pair_without_an_id_gets_its_place(client):
    pairs = [{"prediction": "a b", "reference": "a b"}, {"prediction": "a", "reference": "b", "id": 7}]
    rows = client.post("/v1/score", json={"pairs": pairs, "metrics": ["rouge"]}).json()["rows"]
    assert [row["id"] for row in rows] == [0, 7]


def test_the_context_of_a_patient_counts(client):
    pairs = [{**PAIRS[0], "age": 75, "indication": "dyspnea after surgery"}]
    expected = api.score(pairs, ["crimson"]).summary()["crimson"]
    answer = client.post("/v1/score", json={"pairs": pairs, "metrics": ["crimson"]}).json()["summary"]["crimson"]
    assert answer["score"] == expected["score"]
    nested = [{**PAIRS[0], "context": {"age": 75, "indication": "dyspnea after surgery"}}]
    assert (
        client.post("/v1/score", json={"pairs": nested, "metrics": ["crimson"]}).json()["summary"]["crimson"] == answer
    )


def test_boxes_count(client):
    pairs = [{**PAIRS[0], "boxes": {"left lung": [0, 0, 10, 10], "right lung": [10, 0, 20, 10]}}]
    answer = client.post("/v1/score", json={"pairs": pairs, "metrics": ["ffl_rq"]}).json()["summary"]["ffl_rq"]
    assert answer["signature"] == api.score(pairs, ["ffl_rq"]).results["ffl_rq"].signature
    assert "given-" in answer["signature"]


def test_parse_answers_what_radeval_parse_writes(client, tmp_path):
    reports = [{"id": row["id"], "text": row["reference"]} for row in PAIRS]
    file, out = tmp_path / "reports.jsonl", tmp_path / "out.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in reports))
    for labels in ("chexpert", "ctrate"):
        assert main(["parse", str(file), "--out", str(out), "--labels", labels]) == 0
        written = [json.loads(line) for line in out.read_text().splitlines()]
        assert client.post("/v1/parse", json={"reports": reports, "labels": labels}).json() == {"rows": written}


def test_compare_answers_what_radeval_compare_prints(client, tmp_path, capsys):
    better = [{**row, "prediction": row["reference"]} for row in PAIRS]
    for name, rows in (("a", PAIRS), ("b", better)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    assert (
        main(
            [
                "compare",
                *files,
                "--metrics",
                "rouge,green.error_count,cider",
                "--json",
                "--out",
                str(tmp_path / "o.jsonl"),
            ]
        )
        == 0
    )
    summary = json.loads(capsys.readouterr().out)
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    body = {"systems": {"a": PAIRS, "b": better[::-1]}, "metrics": ["rouge", "green.error_count", "cider"]}
    assert client.post("/v1/compare", json=body).json() == {"summary": summary, "rows": rows}


def test_healthy_and_counted(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    before = client.get("/metrics").text
    score(client, metrics=["rouge"])
    after = client.get("/metrics").text
    assert (
        _count(after, 'radeval_pairs_total{metric="rouge"}')
        == _count(before, 'radeval_pairs_total{metric="rouge"}') + 4
    )
    assert "radeval_batch_requests_bucket" in after and "case-0" not in after


def _count(text, name):
    return next((float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name)), 0.0)


def test_a_worker_that_is_gone_is_not_healthy():
    with running(["rouge"]) as (client, service):
        service.close()
        service.stopping = False
        assert client.get("/healthz").status_code == 503


def test_what_is_offered(client):
    offered = {entry["name"]: entry for entry in client.get("/v1/metrics").json()["metrics"]}
    assert list(offered) == ["rouge", "green", "cider", "bleu", "ffl_rq", "crimson"]
    assert offered["green"]["configs"] == ["embedded"]
    assert offered["bleu"]["options"]["lowercase"] == [True, False]


class _Addresses(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.tags = [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.found += [value for key, value in attrs if key in ("src", "href", "action", "data")]


def test_the_page_needs_no_script_and_no_other_host(client):
    page = client.get("/docs")
    addresses = _Addresses()
    addresses.feed(page.text)
    assert addresses.found and not [a for a in addresses.found if "//" in a]
    assert not addresses.tags & {"script", "link", "img", "iframe", "form"}
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "/v1/score" in page.text and "prediction" in page.text


def test_the_description_names_every_schema_it_uses(client):
    api_text = client.get("/openapi.json").text
    described = json.loads(api_text)
    used = {part.split('"')[0] for part in api_text.split("#/components/schemas/")[1:]}
    assert {"ScoreBody", "PairBody", "ContextBody"} <= used <= set(described["components"]["schemas"])
    assert set(described["paths"]) >= {"/v1/score", "/v1/parse", "/v1/compare", "/healthz", "/metrics"}
