"""METEOR's program, played by a script that speaks its protocol."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from radeval_core import load
from radeval_core.engine import meteor_jar
from radeval_core.engine.meteor_jar import MeteorJar, find_jar
from radeval_core.errors import InputError, RadevalError
from radeval_core.functional.meteor import COUNTS

RECORDED = json.loads((Path(__file__).parents[1] / "parity" / "meteor" / "outputs.json").read_text("utf-8"))
#: answers each question with the recorded counts, and writes the questions to a file
PROGRAM = """
import json, sys
recorded = json.load(open({recorded!r}, encoding="utf-8"))
line = lambda text: " ".join(text.split())
known = {{(line(p["reference"]), line(p["prediction"])): p["counts"] for p in recorded["pairs"]}}
sys.stdin.reconfigure(encoding="utf-8"); sys.stdout.reconfigure(encoding="utf-8")
for question in sys.stdin:
    with open("asked", "a", encoding="utf-8") as file:
        file.write(question)
    _, *references, prediction = question.rstrip("\\n").split(" ||| ")
    print({answer}, flush=True)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that makes a program and loads the metric with it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "paraphrase-en.gz").touch()
    recorded = tmp_path / "recorded.json"
    recorded.write_text(json.dumps(RECORDED), "utf-8")

    def program(answer="*known[references[-1], prediction]"):
        jar = tmp_path / "meteor-1.5.jar"
        jar.write_text(PROGRAM.format(recorded=str(recorded), answer=answer), "utf-8")
        run = lambda path: MeteorJar(path, java=(sys.executable,))  # noqa: E731
        monkeypatch.setattr("radeval_core.metrics.meteor.MeteorJar", run)
        return load("meteor", config="meteor-1.5", jar=str(jar))

    return program


def test_the_scores_are_those_of_the_program(program, tmp_path):
    pairs = RECORDED["pairs"]
    metric = program()
    result = metric.compute([p["prediction"] for p in pairs], [p["reference"] for p in pairs])
    np.testing.assert_allclose(result["scores"], [p["score"] for p in pairs], atol=1e-12)
    assert result["meteor"] == pytest.approx(RECORDED["corpus"], abs=1e-12)
    assert "|config:meteor-1.5|modules:exact+stem+synonym+paraphrase|norm:yes|" in result["signature"]
    assert len((tmp_path / "asked").read_text("utf-8").splitlines()) == len(pairs)


def test_a_report_stays_on_its_line_and_empty_ones_are_not_asked(program, tmp_path):
    metric = program(f"*[0.0] * {COUNTS}")
    hostile = "a\u2028b\nc ||| SCORE |||| d\x0be"
    result = metric.compute([hostile, "", "x"], [["clear", hostile], "clear", " "])
    assert result["scores"] == [0, 0, 0]
    assert (tmp_path / "asked").read_text("utf-8") == "SCORE ||| clear ||| a b c SCORE d e ||| a b c SCORE d e\n"


@pytest.mark.parametrize(
    "answer, message",
    [
        ("'Error: no table'", "no list of counts"),
        ("1.0, 2.0", "2 counts, not 23"),
        ("sys.exit(1)", "ended without an answer"),
    ],
)
def test_a_program_that_fails_is_an_error(program, answer, message):
    with pytest.raises(RadevalError, match=message):
        program(answer).compute(["clear"], ["clear lungs"])


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(meteor_jar, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install pycocoevalcap"):
        find_jar(None)
    with pytest.raises(InputError, match="no such file"):
        find_jar(str(tmp_path / "meteor-1.5.jar"))
    (tmp_path / "meteor-1.5.jar").touch()
    with pytest.raises(InputError, match=r"paraphrase-en\.gz"):
        find_jar(str(tmp_path / "meteor-1.5.jar"))
    with pytest.raises(InputError, match="needs Java"):
        MeteorJar(tmp_path / "meteor-1.5.jar", java=("no-such-java",))
    with pytest.raises(InputError, match=r"is for config .meteor-1\.5."):
        load("meteor", jar="x.jar").compute(["a"], ["a"])
