"""The patient's context: read from mappings, columns and lists, carried to the metric, and refused if it is wrong."""

import json

import pandas
import pytest

from radeval_core import load, score
from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.pairs import Pair
from radeval_core.patient_context import PatientContext, age_in_years, read_context, read_contexts
from radeval_core.spool import PairSpool

REFERENCE, PREDICTION = "Aortic calcification. Left pneumonia.", "Left pneumonia."
OLD = {"age": 80}
PAIR = {"prediction": PREDICTION, "reference": REFERENCE}


@pytest.mark.parametrize(
    "text, years",
    [
        ("75", 75.0),
        ("75 years", 75.0),
        ("75-year-old", 75.0),
        ("75 y/o", 75.0),
        ("075Y", 75.0),
        ("3 months", 0.25),
        ("003M", 0.25),
        ("10 days", 0.027),
        ("006W", 0.115),
        ("90+", 90.0),
        (">89", 89.0),
        ("0", 0.0),
    ],
)
def test_ages(text, years):
    assert age_in_years(text) == pytest.approx(years, abs=0.001)


@pytest.mark.parametrize("text", ["old", "-3", "200", "75 apples", "seventy", "7 5", "1e3", "75 7"])
def test_what_is_no_age(text):
    with pytest.raises(InputError, match=r"contexts\[0\]\['age'\] is no age: give a number of years"):
        read_contexts([{"age": text}])


@pytest.mark.parametrize(
    "value, message",
    [
        (3, r"contexts\[0\] must be a mapping with age, sex, indication, history, got int"),
        ("an old man", r"contexts\[0\] must be a mapping .* got text that is no JSON object"),
        ([("age", 3)], r"contexts\[0\] must be a mapping .* got list"),
        ({"aeg": 3}, r"unknown field of contexts\[0\] 'aeg': did you mean 'age'"),
        ({"sex": 1}, r"contexts\[0\]\['sex'\] must be a text, got int"),
        ({"age": True}, r"contexts\[0\]\['age'\] must be a text, got bool"),
        ({"indication": ["cough"]}, r"contexts\[0\]\['indication'\] must be a text, got list"),
    ],
)
def test_a_wrong_context_is_one_line_that_says_where_and_what(value, message):
    with pytest.raises(InputError, match=message) as caught:
        load("crimson").compute([PREDICTION], [REFERENCE], contexts=[value])
    assert "\n" not in str(caught.value)


def test_the_list_has_one_entry_per_pair():
    with pytest.raises(InputError, match="contexts must have one entry per pair: got 2 for 1 pairs"):
        load("crimson").compute([PREDICTION], [REFERENCE], contexts=[None, None])
    for contexts in ([None, None], []):
        with pytest.raises(InputError, match="contexts must have one entry per pair"):
            score([PAIR], ["crimson"], contexts=contexts)
    with pytest.raises(InputError, match="contexts must be a list"):
        score([PAIR], ["crimson"], contexts=OLD)


def test_a_context_that_says_nothing_is_none():
    assert read_context("x", {}) is read_context("x", {"age": "", "sex": None, "history": float("nan")}) is None
    assert read_context("x", '{"age": 3}') == PatientContext("3")


def signature(found):
    return found.results["crimson"].signature


def test_dicts_pairs_lists_and_tables_carry_it_alike():
    sources = {
        "dict": [{**PAIR, **OLD}],
        "pair": [Pair(PREDICTION, (REFERENCE,), 0, context=PatientContext("80"))],
        "frame": pandas.DataFrame([{**PAIR, **OLD}]),
        "column of a frame": pandas.DataFrame([{**PAIR, "context": OLD}]),
        "spool": PairSpool([Pair(PREDICTION, (REFERENCE,), 0, context=PatientContext("80"))]),
    }
    found = {name: score(source, ["crimson"]) for name, source in sources.items()}
    found["list"] = score([PAIR], ["crimson"], contexts=[OLD])
    assert {signature(f).split("|context:")[1][:3] for f in found.values()} == {"all"}
    assert len({f.results["crimson"].score for f in found.values()}) == 1


def test_a_row_gives_it_once():
    with pytest.raises(InputError, match=r"pairs\[0\] has its own context"):
        score([{**PAIR, **OLD}], ["crimson"], contexts=[OLD])
    with pytest.raises(InputError, match=r"pairs\[0\]: age is in column 'age' and in 'context': give it once"):
        score([{**PAIR, **OLD, "context": OLD}], ["crimson"])


def test_other_metrics_ignore_it():
    rows = [{**PAIR, "age": "no age", "history": ["a list"]}]
    assert score(rows, ["bleu", "green"]).rows()
    assert load("bleu").compute([PREDICTION], [REFERENCE], contexts=[OLD]) == load("bleu").compute(
        [PREDICTION], [REFERENCE]
    )
    with pytest.raises(InputError, match=r"pairs\[0\]: column 'age' is no age"):
        score(rows, ["bleu", "crimson"])


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_columns_of_a_file(tmp_path, capsys, ending):
    rows = [{**PAIR, "Age": "080Y", "indication": "routine"}, {**PAIR, "Age": "", "indication": ""}]
    path = tmp_path / f"pairs.{ending}"
    if ending == "csv":
        pandas.DataFrame(rows).to_csv(path, index=False)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["score", str(path), "--metrics", "crimson", "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert "context:some" in json.loads(captured.out)["crimson"]["signature"]
    assert "is not used" not in captured.err


def test_errors_of_a_file_name_its_line(tmp_path, capsys):
    path = tmp_path / "pairs.jsonl"
    for row, message in (
        ({"age": "elderly"}, "line 1: column 'age' is no age"),
        ({"context": 3}, "line 1: column 'context' must be a mapping"),
        ({"context": {"weight": "80"}}, "unknown field of"),
    ):
        path.write_text(json.dumps({**PAIR, **row}) + "\n")
        assert main(["score", str(path), "--metrics", "crimson", "--json", "--quiet"]) == 2
        error = capsys.readouterr().err.strip()
        assert message in error and "\n" not in error
        assert "elderly" not in error


def test_the_evaluate_module_takes_contexts(tmp_path):
    import evaluate

    module = evaluate.load("metrics/crimson", cache_dir=str(tmp_path))
    found = module.compute(predictions=[PREDICTION], references=[REFERENCE], contexts=[OLD])
    assert "context:all" in found["signature"]
    with pytest.raises(InputError, match=r"contexts\[0\]\['age'\]"):
        module.compute(predictions=[PREDICTION], references=[REFERENCE], contexts=[{"age": "old"}])
