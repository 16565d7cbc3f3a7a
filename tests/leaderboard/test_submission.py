"""Submissions: accepted files, refused files with their messages, and hostile files."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_benchmark import LIMITS, REFERENCES, SYSTEM, jsonl, rows, write_benchmark

from radeval_core.errors import InputError
from radeval_core.leaderboard.benchmark import load_benchmark
from radeval_core.leaderboard.submission import SubmissionError, check_submission, from_record, read_submission


def problems(data, benchmark):
    with pytest.raises(SubmissionError) as caught:
        check_submission(data, benchmark)
    return caught.value.problems


def document(predictions=None, **top):
    return {"system": SYSTEM, "predictions": rows() if predictions is None else predictions, **top}


# accepted files


@pytest.mark.parametrize(
    "data",
    [
        jsonl(),
        b"\xef\xbb\xbf" + jsonl(),
        jsonl().replace(b"\n", b"\r\n"),
        jsonl().rstrip(b"\n"),
        json.dumps(document()).encode(),
        json.dumps(document(), indent=2).encode(),
        json.dumps({"predictions": rows(), "system": SYSTEM}, indent=2).encode(),
        jsonl(list(reversed(rows()))),
    ],
    ids=["jsonl", "BOM", "CRLF", "no last newline", "json", "indented", "system last", "other order"],
)
def test_every_layout_gives_the_same_id(data, small):
    submission = check_submission(data, small)
    assert list(submission.predictions) == list(REFERENCES)
    assert submission.id == check_submission(jsonl(), small).id


def test_the_id_is_a_hash_of_every_part(small):
    submission = check_submission(jsonl(), small)
    others = [jsonl(rows(s1="Clear.")), jsonl(name="Other"), jsonl(link="https://b.org"), jsonl(training_data="None.")]
    ids = {submission.id, *(check_submission(data, small).id for data in others)}
    assert len(ids) == 5
    assert all(len(i) == 24 and set(i) <= set("0123456789abcdef") for i in ids)


def test_a_saved_record_reads_back(small):
    submission = check_submission(jsonl(rows(s1="Größe 4 mm. 右肺 — clear.")), small)
    assert from_record(json.loads(json.dumps(submission.as_dict())), small) == submission


def test_a_record_for_other_studies_must_be_submitted_again(small, tmp_path):
    record = check_submission(jsonl(), small).as_dict()
    changed = write_benchmark(tmp_path / "changed", {**REFERENCES, "s1": "Other words."})
    with pytest.raises(InputError, match=f"revision {small.revision}.*{changed.revision}: submit it again"):
        from_record(record, changed)


# problems by row


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (jsonl(rows(s3=None)), "1 prediction is missing: s3"),
        (jsonl([*rows(), {"id": "s9", "prediction": "x"}]), "line 8 (id 's9'): no such study in small"),
        (jsonl([*rows(), rows()[1]]), "line 8 (id 's2'): duplicate id, already used in line 3"),
        (jsonl(rows(s2=" \n")), "line 3 (id 's2'): prediction is empty"),
        (jsonl(rows(s2="x" * 301)), "line 3 (id 's2'): prediction has 301 characters: at most 300"),
        (jsonl(rows(s2=7)), "line 3 (id 's2'): prediction must be text, got a number"),
        (jsonl(rows(s2=["x"])), "line 3 (id 's2'): prediction must be text, got a list"),
        (jsonl(rows(s2="a\x00b")), "line 3 (id 's2'): prediction contains the control character U+0000"),
        (jsonl(rows(s2="a\x1b[31m")), "line 3 (id 's2'): prediction contains the control character U+001B"),
        (jsonl(rows(s2="\ud800")), "line 3 (id 's2'): prediction contains the control character U+D800"),
        (jsonl([*rows(), {"id": 4, "prediction": "x"}]), "line 8: id must be text, got a number"),
        (jsonl([*rows(), 5]), 'line 8: expected {"id", "prediction"}, got a number'),
        (jsonl([*rows()[:-1], {**rows()[-1], "reference": "x"}]),
         "line 7 (id 's6'): unknown key 'reference'; known keys: id, prediction"),
        (json.dumps(document(rows(s2=""))).encode(), "row 2 (id 's2'): prediction is empty"),
        (jsonl() + b'{"id"}\n', "line 8: not valid JSON (Expecting ':' delimiter, column 6)"),
        (jsonl() + b'{"id": "s1", "id": "s2", "prediction": "x"}', "line 8: duplicate key 'id' in one object"),
        (jsonl() + b'{"id": "s1", "prediction": NaN}', "line 8: NaN is not a JSON number"),
        (jsonl() + b'{"id": "s1", "prediction": -Infinity}', "line 8: -Infinity is not a JSON number"),
    ],
)  # fmt: skip
def test_a_problem_names_its_row(data, expected, small):
    assert problems(data, small) == [expected]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ({"name": ""}, "name is empty"),
        ({"name": "x" * 41}, "name has 41 characters: at most 40"),
        ({"name": 5}, "name must be text, got a number"),
        ({"name": "a\nb"}, "name must be plain text on one line, but contains the control character U+000A"),
        ({"name": "a\u202eb"}, "name must be plain text on one line, but contains the control character U+202E"),
        ({"name": "a\u200bb"}, "name must be plain text on one line, but contains the control character U+200B"),
        ({"name": "a\u2028b"}, "name must be plain text on one line, but contains the control character U+2028"),
        ({"training_data": None}, "training_data must be text, got nothing"),
        ({"training_data": "x" * 101}, "training_data has 101 characters: at most 100"),
        ({"kind": "winner"}, "kind must be one of system, baseline, oracle"),
        ({"kind": ["oracle"]}, "kind must be one of system, baseline, oracle"),
        ({"rank": 1}, "unknown key 'rank'; known keys: name, link, training_data, kind"),
    ],
)
def test_a_metadata_problem_names_its_field(system, expected, small):
    assert problems(jsonl(**system), small) == [f"system: {expected}"]


@pytest.mark.parametrize(
    "link",
    [
        "http://example.org", "javascript:alert(1)", "data:text/html,x", "//example.org", "example.org", "https://",
        "https://localhost/x", "https://127.0.0.1", "https://user:secret@example.org", "https://example.org:8080",
        'https://example.org/"onmouseover="x', "https://example.org/<script>", "https://example.org/a b",
        "https://exämple.org", "https://[::1]/", "https://example..org",
    ],
)  # fmt: skip
def test_a_link_must_be_a_plain_https_address(link, small):
    assert problems(jsonl(link=link), small) == [
        "system: link must be an https address such as https://example.org/model"
    ]


@pytest.mark.parametrize("link", ["https://example.org", "https://huggingface.co/org/model-7b?x=1&y=2#top"])
def test_ordinary_links_are_accepted(link, small):
    assert check_submission(jsonl(link=link), small).system.link == link


def test_all_problems_are_found_and_twenty_are_listed(small, tmp_path):
    many = write_benchmark(tmp_path / "many", {f"m{i}": "Clear lungs." for i in range(30)})
    with pytest.raises(SubmissionError) as caught:
        check_submission(jsonl([{"id": f"m{i}", "prediction": ""} for i in range(30)]), many)
    assert len(caught.value.problems) == 30
    assert str(caught.value).startswith("30 problems: line 2 (id 'm0'): prediction is empty; line 3 (id 'm1')")
    assert str(caught.value).endswith("line 21 (id 'm19'): prediction is empty; and 10 more")


def test_missing_and_unknown_studies_take_one_line_each(tmp_path):
    many = write_benchmark(tmp_path / "many", {f"m{i}": "Clear lungs." for i in range(51)})
    predictions = [{"id": name, "prediction": "x"} for name in ("m0", *(f"n{i}" for i in range(5)))]
    assert problems(jsonl(predictions), many) == [
        "line 3 (id 'n0'), line 4 (id 'n1'), line 5 (id 'n2') and 2 more: no such study in small",
        "50 predictions are missing: m1, m2, m3 and 47 more",
    ]


# hostile files


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"\xff\xfe" + jsonl(), "line 1: not UTF-8 text"),
        (jsonl() + b'{"id": "s1", "prediction": "\xe9"}', "line 8: not UTF-8 text"),
        (b"[" * 19_000, "nested more than 8 levels deep"),
        (b'{"system":' * 1_900, "nested more than 8 levels deep"),
        (b"null", "expected JSONL"),
        (b"[]", "expected JSONL"),
        (b'{"system": {}}', "expected JSONL"),
        (b'{"system": {}, "predictions": {"s1": "x"}}', "expected JSONL"),
        (b"{]\n{}", "line 1: not valid JSON"),
        (b'{"a": 1}\n{}', "line 1: expected JSONL"),
        (b"PK\x03\x04", "not valid JSON"),
        (b'{"system": ' + b"9" * 5_000 + b', "predictions": []}', "not valid JSON"),
    ],
)
def test_other_files_are_refused_with_one_problem(data, expected, small):
    (problem,) = problems(data, small)
    assert expected in problem


def test_a_huge_file_is_refused_before_it_is_read(small, tmp_path):
    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(5_000_000_000)  # sparse: takes no disk space and would not fit in memory
    start = time.perf_counter()
    with pytest.raises(SubmissionError, match=r"larger than the limit of 20,000 bytes"):
        read_submission(huge, small)
    assert time.perf_counter() - start < 1


def test_the_number_of_problems_is_limited(small):
    found = problems(jsonl([]) + b"1\n" * 9_000, small)
    assert len(found) == 2 * len(REFERENCES) + 20 + 1 + 1


def test_markup_in_a_name_is_kept_as_text(small):
    name = "<img src=x onerror=alert(1)> [a](javascript:b)"[:40]
    assert check_submission(jsonl(name=name), small).system.name == name


def test_ids_and_names_that_look_like_paths_stay_text(small):
    assert problems(jsonl([*rows(), {"id": "../../etc/passwd", "prediction": "x"}]), small) == [
        "line 8 (id '../../etc/passwd'): no such study in small"
    ]
    submission = check_submission(jsonl(name="../../../tmp/x"), small)
    assert set(submission.id) <= set("0123456789abcdef")


@settings(max_examples=150)
@given(data=st.binary(max_size=400) | st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_random_bytes_are_refused(data):
    with pytest.raises(SubmissionError):
        check_submission(data, load_benchmark())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150)
@given(system=json_values, predictions=json_values)
def test_random_json_is_refused(system, predictions):
    data = json.dumps({"system": system, "predictions": predictions}).encode()
    with pytest.raises(SubmissionError):
        check_submission(data, load_benchmark())


# benchmarks


def test_the_included_benchmark_matches_its_description():
    benchmark = load_benchmark()
    studies = benchmark.studies.values()
    assert len(studies) == 112 and "112 invented reports of 22 body regions and 9 modalities" in benchmark.about
    assert len({s.given["anatomy"] for s in studies}) == 22
    assert len({s.given["modality"] for s in studies}) == 9
    assert len({s.reference for s in studies}) == 112


def test_inputs_contain_no_reference():
    benchmark = load_benchmark()
    text = json.dumps(benchmark.inputs())
    assert set(benchmark.inputs()[0]) == {"id", "modality", "anatomy", "question"}
    assert not any(study.reference in text for study in benchmark.studies.values())


def test_the_three_baselines_are_valid_submissions():
    benchmark = load_benchmark()
    names = [read_submission(path, benchmark).system.name for path in benchmark.baselines]
    assert names == ["Nearest neighbour", "Noisy reference (sees the answer)", "Template normal report"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"revision": "0" * 12}, "has the hash"),
        ({"name": "../up"}, "name must be lower-case letters"),
        ({"metrics": {"blue": "embedded"}}, "did you mean 'bleu'"),
        ({"limits": {"file_bytes": 1}}, "not a benchmark"),
        ({"colour": "red"}, "not a benchmark"),
        ({"facets": ["modalty"]}, "unknown facet 'modalty': did you mean 'modality'"),
        ({"kinds": {"Mine": "winner"}}, "'Mine' must be one of system, baseline, oracle, got 'winner'"),
        ({"options": {"bleu": {"lowercas": True}}}, "did you mean 'lowercase'"),
        ({"options": {"rouge": {}}}, "a config or option is given for 'rouge'"),
        ({"options": ["bleu"]}, "kinds and options must be mappings"),
        ({"options": {"bleu": "lowercase"}}, "bleu must have a mapping of its options"),
        ({"kinds": ["Mine"]}, "kinds and options must be mappings"),
        ({"facets": "modality"}, "unknown facet 'm'"),
        ({"facets": None}, "not a benchmark"),
        ({"show_references": "no"}, "show_references must be true or false, got 'no'"),
    ],
)
def test_a_wrong_benchmark_is_refused(changes, expected, tmp_path):
    with pytest.raises(InputError, match=expected):
        write_benchmark(tmp_path / "wrong", **changes)


def test_an_unknown_benchmark_gets_a_suggestion():
    with pytest.raises(InputError, match=r"did you mean 'radcheck-open'\?.*or a folder with benchmark.yaml"):
        load_benchmark("radcheck-opne")


def test_limits_are_read_from_the_file(small):
    assert small.limits.file_bytes == LIMITS["file_bytes"]


# files that were slow


def test_a_duplicate_among_many_keys_is_found_in_one_pass(small, tmp_path):
    """Counting each key again took hours for the 300,000 keys that fit into 4 MB."""
    large = write_benchmark(tmp_path / "large", limits={**LIMITS, "file_bytes": 8_000_000})
    keys = ",".join(f'"k{i}":1' for i in [*range(300_000), 299_999])
    assert problems(jsonl() + b"{" + keys.encode() + b"}", large) == ["line 8: duplicate key 'k299999' in one object"]


def test_lines_that_are_not_json_count_as_rows(small, tmp_path):
    large = write_benchmark(tmp_path / "large", limits={**LIMITS, "file_bytes": 8_000_000})
    found = problems(jsonl([]) + b"x\n" * 1_900_000, large)
    assert len(found) == 2 * len(REFERENCES) + 20 + 1 + 1
    assert found[32].endswith("more rows than small has studies (6)")


def test_at_most_a_thousand_problems_are_returned(small, tmp_path):
    large = write_benchmark(tmp_path / "large", limits={**LIMITS, "file_bytes": 8_000_000})
    keys = ",".join(f'"k{i}":1' for i in range(300_000))
    found = problems(jsonl([]) + b'{"id":"s1","prediction":"x",' + keys.encode() + b"}", large)
    assert len(found) == 1001 and found[-1] == "more than 1,000 problems: the rest are not listed"
