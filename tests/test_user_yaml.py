"""YAML of users is read within limits."""

import pytest
import yaml

from radeval_core import cli
from radeval_core.errors import InputError
from radeval_core.user_yaml import MOST_BYTES, read_yaml

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
BAD = {
    "aliases of aliases": (LAUGHS, "more than 1,000,000 values"),
    "brackets": ("[" * 100_000, "nested more than 40 levels"),
    "braces": ("{a: " * 100_000, "nested more than 40 levels"),
    "indentation": ("".join(" " * i + "a:\n" for i in range(60)), "nested more than 40 levels"),
    "an alias inside its own anchor": ("a: &a [*a]", r"line 1: alias \*a contains itself"),
    "a number of 5,000 digits": ("9" * 5000, "out of range"),
    "a date that is none": ("2024-99-99", "out of range"),
    "size": ("#" * (MOST_BYTES + 1), "larger than 8 MB"),
    "bytes": (b"\xff\xff", "not UTF-8 text"),
    "Python": ("!!python/object/apply:os.system [x]", "not valid YAML"),
    "an unknown alias": ("a: *b", r"alias \*b contains itself|not valid YAML"),
}


@pytest.mark.parametrize("text, message", BAD.values(), ids=BAD)
def test_hostile_yaml_is_refused_at_once(text, message):
    with pytest.raises(InputError, match=f"^terms.yaml: .*({message})"):
        read_yaml("terms.yaml", text)


def test_the_hostile_example_is_small_and_means_billions_of_values():
    assert len(LAUGHS) < 507 and LAUGHS.count("*") == 81


def test_ordinary_yaml_with_anchors_is_read_as_before():
    text = (
        "base: &base {kind: finding, forms: [a, b]}\nother: {<<: *base, forms: [c]}\nlist: [*base, *base, 1.5, yes]\n"
    )
    assert read_yaml("f", text) == read_yaml("f", text.encode()) == yaml.safe_load(text)
    assert read_yaml("f", "﻿a: 1".encode()) == {"a": 1} and read_yaml("f", "") is None


@pytest.mark.parametrize("text", [LAUGHS, "[" * 100_000, "a: &a [*a]"], ids=["aliases", "brackets", "loop"])
@pytest.mark.parametrize("option", ["--lexicon", "--option"])
def test_a_hostile_file_ends_a_command_in_one_line(tmp_path, capsys, text, option):
    (tmp_path / "h.yaml").write_text(text)
    (tmp_path / "pairs.jsonl").write_text('{"prediction": "Clear.", "reference": "Clear."}\n')
    value = str(tmp_path / "h.yaml") if option == "--lexicon" else f"radcliq.weights={tmp_path / 'h.yaml'}"
    metric = "green" if option == "--lexicon" else "radcliq"
    assert cli.main(["score", str(tmp_path / "pairs.jsonl"), "--metrics", metric, option, value]) == 2
    error = capsys.readouterr().err
    assert "h.yaml" in error and error.splitlines()[-1].startswith("radeval: ")
