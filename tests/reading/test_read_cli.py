"""`radeval read`: a whole study from pairs to `radeval bench`, and every wrong input as one line."""

import json
import os
import signal
import socket
import subprocess
import sys

import pytest
from study_samples import PAIRS, answer, counts, desk_of, make_study, save, write_pairs

from radeval_core import cli
from radeval_core.reading.study import open_study


def run(*arguments):
    return cli.main([*map(str, arguments)])


@pytest.fixture
def served(monkeypatch):
    """Let `radeval read serve` return instead of serving, and note what it would serve."""
    from radeval_core.ui.reading_room import server

    seen = []

    def serve(app, listener):
        seen.append(listener.getsockname())
        listener.close()

    monkeypatch.setattr(server, "serve", serve)
    return seen


def many_pairs(count=14):
    texts = ["Small left pleural effusion.", "No effusion.", "Small right pleural effusion.", "Large heart."]
    return [
        {"id": f"{n}{c}", "study": str(n), "candidate": c, "prediction": texts[(n + i) % 4], "reference": texts[n % 4]}
        for n in range(count)
        for i, c in enumerate("xy")
    ]


def finish_all(study, name):
    for number, (key, case) in enumerate(study.cases.items()):
        worse = 1 + (len(name) + number) % 3
        good, poor = {"rating": 5 - worse % 2}, {"rating": 2 - worse % 2, "errors": counts(missing_finding=worse)}
        poor["corrections"] = [{"line": 0, "action": "rewrite", "corrected": "Clear lungs", "rating": "Urgent error"}]
        more = {"preferred": 0, "confidence": 1 + number % 5} if len(case.candidates) == 2 else {}
        save(desk_of(study, name), key, answer(good, poor, **more))


def test_serving_begins_a_study_and_opens_it_again(served, tmp_path, capsys):
    pairs = write_pairs(tmp_path)
    arguments = ["read", "serve", "--pairs", pairs, "--store", tmp_path / "s", "--port", 0, "--json"]
    assert run(*arguments, "--readers", "anna,bo", "--seed", 4) == 0
    made = json.loads(capsys.readouterr().out)
    assert list(made["links"]) == ["owner", "anna", "bo"]
    study = open_study(tmp_path / "s")
    assert study.knows("bo", made["links"]["bo"].rpartition(".")[2])
    assert run("read", "serve", "--store", tmp_path / "s", "--port", 0, "--url", "https://read.example.org") == 0
    again = capsys.readouterr().out
    assert "#" not in again and "3 cases at https://read.example.org" in again
    assert [address[0] for address in served] == ["127.0.0.1"] * 2


def test_links_are_made_and_renewed(tmp_path, capsys):
    study, _, secrets = make_study(tmp_path)
    assert run("read", "links", "--store", study.folder, "--readers", "cy", "--url", "http://x/", "--json") == 0
    link = json.loads(capsys.readouterr().out)["links"]["cy"]
    assert link.startswith("http://x/#cy.") and study.knows("cy", link.rpartition(".")[2])
    assert run("read", "links", "--store", study.folder, "--readers", "anna", "--again", "--owner") == 0
    out = capsys.readouterr().out
    assert "owner: http://127.0.0.1:7870/#owner." in out and not study.knows("anna", secrets["anna"])


def test_status_export_and_repair(tmp_path, capsys):
    study, _, _ = make_study(tmp_path, many_pairs())
    store = ["--store", study.folder]
    assert run("read", "status", *store) == 0
    assert "0 of 14" in capsys.readouterr().out
    finish_all(study, "anna")
    save(desk_of(study, "bo"), "c0001", answer({"rating": 1}, {"rating": 2}, preferred=0, confidence=1))
    assert run("read", "status", *store) == 0
    assert "rating: ICC after 10 candidates that all of them read; so far 2" in capsys.readouterr().out
    finish_all(study, "bo")
    assert run("read", "status", *store) == 0
    out = capsys.readouterr().out
    assert "14 of 14" in out and "rating: ICC 0." in out and "over 28 candidates" in out
    assert "same preference, anna and bo: 14 of 14 cases" in out
    assert run("read", "export", *store, "--out", tmp_path / "readings") == 0
    out = capsys.readouterr().out
    assert "28 rows of rated, 56 rows of corrections" in out and "anna, bo" in out
    journal = study.folder / "journals" / "anna.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:3], b"rubbish\n", *lines[4:]]))
    assert run("read", "export", *store, "--out", tmp_path / "readings") == 2
    assert "anna.jsonl: line 4 is damaged" in capsys.readouterr().err
    assert run("read", "repair", *store) == 0
    assert "anna: goes on without line 4" in capsys.readouterr().out
    assert run("read", "export", *store, "--out", tmp_path / "readings") == 0
    assert run("read", "repair", *store) == 0
    assert "no journal is damaged" in capsys.readouterr().out


def test_bench_fit_and_data_read_the_export(tmp_path, capsys):
    study, _, _ = make_study(tmp_path, many_pairs())
    for name in ("anna", "bo"):
        finish_all(study, name)
    out = tmp_path / "readings"
    assert run("read", "export", "--store", study.folder, "--out", out, "--quiet") == 0
    capsys.readouterr()
    assert run("bench", "--data", out / "rated.jsonl", "--metrics", "bleu,green", "--json", "--quiet") == 0
    direct = json.loads(capsys.readouterr().out)
    assert run("data", "build", "reader_study", "--source", out, "--out", tmp_path / "built", "--quiet") == 0
    assert run("bench", "--data", tmp_path / "built", "--metrics", "bleu,green", "--json", "--quiet") == 0
    text = capsys.readouterr().out
    built = json.loads(text[text.index('{"') :])
    for name in ("bleu", "green"):
        assert direct[name] == built[name]
        assert direct[name]["kendall_errors"]["n"] == 28
        assert "preference_by_confidence" in direct[name]
    assert run("bench", "--data", out / "corrections.jsonl", "--metrics", "fineradscore", "--json", "--quiet") == 0
    assert json.loads(capsys.readouterr().out)


def test_bench_reads_a_study_of_preferences_only(tmp_path, capsys):
    study, _, _ = make_study(tmp_path, many_pairs(), asked=("preference",))
    finish_all(study, "anna")
    assert run("read", "export", "--store", study.folder, "--out", tmp_path / "readings", "--quiet") == 0
    assert run("bench", "--data", tmp_path / "readings" / "rated.jsonl", "--metrics", "bleu", "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)["bleu"]
    # every first candidate was preferred; it repeats the reference, so BLEU prefers it too
    assert found["preference_accuracy"]["value"] == 1.0 and found["preference_accuracy"]["n"] == 14


@pytest.mark.e2e
def test_weights_are_fitted_to_the_export(tmp_path, capsys):
    study, _, _ = make_study(tmp_path, many_pairs())
    finish_all(study, "anna")
    assert run("read", "export", "--store", study.folder, "--out", tmp_path / "readings", "--quiet") == 0
    data = ["--data", tmp_path / "readings" / "rated.jsonl", "--out", tmp_path / "weights.yaml"]
    assert run("fit", "ratescore", *data, "--trials", 3, "--quiet") == 0
    assert (tmp_path / "weights.yaml").is_file()


def wrong_inputs():
    """Return the arguments of commands, what they must say, and what to do before."""
    serve = ["read", "serve", "--store", "NEW"]
    return [
        ([*serve, "--pairs", "none.jsonl"], "none.jsonl: no such file"),
        ([*serve, "--pairs", "pairs.csv"], "must end in .jsonl"),
        ([*serve, "--pairs", "doubled.jsonl"], "duplicate id 'a1', already used in line 1"),
        (serve, "no study here yet; to begin one, add --pairs"),
        ([*serve, "--pairs", "pairs.jsonl", "--ask", "speed"], "unknown question 'speed'"),
        ([*serve, "--pairs", "pairs.jsonl", "--ask", "comment"], "ask for at least one of"),
        ([*serve, "--pairs", "pairs.jsonl", "--ask", "rating", "--prefill"], "nothing to pre-fill"),
        (["read", "serve", "--store", "pairs.jsonl", "--pairs", "pairs.jsonl"], "is a file, give a folder"),
        (["read", "serve", "--store", "FULL", "--pairs", "pairs.jsonl"], "is not empty and has no study in it"),
        ([*serve, "--pairs", "pairs.jsonl", "--readers", "anna,Bo"], "'Bo' is no name of a reader"),
        ([*serve, "--pairs", "pairs.jsonl", "--port", "99999"], "cannot listen on 127.0.0.1 port 99999"),
        (["read", "links", "--store", "STORE", "--readers", "cy,No Name", "--owner"], "no name of a reader"),
        (["read", "serve", "--store", "STORE", "--pairs", "other.jsonl"], "a study of other pairs"),
        (
            ["read", "serve", "--store", "STORE", "--ask", "rating"],
            "asks for errors,rating,preference,corrections,comment, which cannot be changed",
        ),
        (["read", "serve", "--store", "STORE", "--prefill"], "began without"),
        (["read", "serve", "--store", "STORE", "--port", "99999"], "cannot listen on 127.0.0.1 port 99999"),
        (["read", "serve", "--store", "STORE", "--host", "300.1.1.1"], "cannot listen on 300.1.1.1"),
        (["read", "serve", "--store", "STORE", "--port", "0", "--readers", "anna"], "already a reader 'anna'"),
        (["read", "serve", "--store", "STORE", "--port", "0", "--readers", ","], "names separated by commas"),
        (["read", "links", "--store", "STORE"], "give --readers NAMES, or --owner"),
        (["read", "links", "--store", "STORE", "--readers", "No Name"], "no name of a reader"),
        (["read", "links", "--store", "STORE", "--readers", "zoe", "--again"], "unknown reader 'zoe'"),
        (["read", "status", "--store", "NEW"], "no study here"),
        (["read", "status", "--store", "pairs.jsonl"], "is a file, give a folder"),
        (["read", "export", "--store", "STORE", "--out", "readings"], "no reader has finished a case yet"),
        (["read", "export", "--store", "STORE", "--out", "pairs.jsonl"], "is a file; give a folder"),
        (["read", "export", "--store", "STORE", "--out", "STORE"], "not an earlier export"),
        (["read", "repair", "--store", "NEW"], "no study here"),
    ]


@pytest.mark.parametrize(("arguments", "message"), wrong_inputs())
def test_wrong_input_is_one_line(arguments, message, served, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    study, _, _ = make_study(tmp_path)
    write_pairs(tmp_path, PAIRS[:2], "other.jsonl")
    write_pairs(tmp_path, [PAIRS[0], PAIRS[0]], "doubled.jsonl")
    (tmp_path / "pairs.csv").write_text("id,prediction,reference\n")
    places = {"NEW": str(tmp_path / "new"), "STORE": str(study.folder), "FULL": str(tmp_path)}
    before = {path: path.read_bytes() for path in study.folder.rglob("*") if path.is_file()}
    assert run(*(places.get(part, part) for part in arguments)) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and "Traceback" not in error
    assert not served and not (tmp_path / "new").exists()
    after = {path: path.read_bytes() for path in study.folder.rglob("*") if path.is_file()}
    assert before == after, "no link was made that nobody saw"


def test_a_port_that_is_taken_is_one_line(tmp_path, capsys):
    study, _, _ = make_study(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run("read", "serve", "--store", study.folder, "--port", port, "--readers", "cy") == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in capsys.readouterr().err
    assert [reader.name for reader in study.readers()] == ["anna", "bo"], "no link was made that nobody saw"


@pytest.mark.e2e
def test_a_server_starts_answers_and_stops(tmp_path):
    import httpx

    pairs = write_pairs(tmp_path)
    command = [sys.executable, "-m", "radeval_core.cli", "read", "serve", "--pairs", str(pairs), "--json"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command += ["--store", str(tmp_path / "s"), "--readers", "anna", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        link = json.loads(process.stdout.readline())["links"]["anna"]
        base, _, parts = link.partition("#")
        name, _, secret = parts.partition(".")
        with httpx.Client(transport=httpx.HTTPTransport(retries=20), timeout=30) as client:
            token = client.post(f"{base}reading_api/login", json={"name": name, "secret": secret}).json()["token"]
            headers = {"Authorization": f"Bearer {token}"}
            assert client.get(f"{base}reading_api/case/1", headers=headers).json()["position"] == 1
    finally:
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert "Small" not in out + err and secret not in err
