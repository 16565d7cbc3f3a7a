"""Documents that list the metrics: a metric they lack gets its rows and its link."""

import pytest

import write_metric_docs as docs

HEAD = "| metric | range | better | compares | speed |\n|---|---|---|---|---|\n"
GREEN = "| [`green`](m/green) | 0 to 1 | higher | errors | 9 |\n"
BLEU = "| [`bleu`](m/bleu) | 0 to 1 | higher | words | 9 |\n"
ROUGE = "| [`rouge`](m/rouge) | 0 to 1 | higher | n-gram and longest-common-subsequence overlap (F1) | - |\n"


@pytest.fixture(autouse=True)
def three_metrics(monkeypatch):
    monkeypatch.setattr(docs, "metric_names", lambda: ("bleu", "green", "rouge"))


def test_a_table_of_metrics_gets_the_missing_row_by_its_columns():
    table = HEAD + GREEN + BLEU
    assert docs.with_rows(f"Text.\n\n{table}\nMore.\n") == f"Text.\n\n{table}{ROUGE}\nMore.\n"


def test_configs_are_listed_where_a_table_has_them():
    head = "| metric | range | better | configs (default first) | published config |\n|---|---|---|---|---|\n"
    rows = "| [`rouge`] | 0 to 1 | higher | `embedded` | - |\n| [`bleu`] | 0 to 1 | higher | `embedded` | - |\n"
    added = docs.with_rows(head + rows).splitlines()[-1]
    assert added.startswith("| [`green`] | 0 to 1 | higher | `embedded`, `radllama2-7b`, ")
    assert added.endswith(" | `radllama2-7b` |")


def test_other_tables_of_the_same_page_that_name_most_metrics_get_a_row_too():
    speed = "| metric | pairs per second |\n|---|---|\n| `bleu` | 9 |\n| `green` | 7 |\n"
    other = "| package | metrics |\n|---|---|\n| radeval | 3 |\n"
    few = "| metric | note |\n|---|---|\n| `bleu` | x |\n"
    page = f"{HEAD}{GREEN}{BLEU}{ROUGE}\n{speed}\n{other}\n{few}"
    assert docs.with_rows(page) == f"{HEAD}{GREEN}{BLEU}{ROUGE}\n{speed}| `rouge` | - |\n\n{other}\n{few}"


def test_a_page_that_does_not_list_what_metrics_declare_is_left_alone():
    page = "| metric | agreement |\n|---|---|\n| bleu | 0.2 |\n| green | 0.6 |\n"
    assert docs.with_rows(page) == page


def test_a_complete_table_is_left_alone():
    assert docs.with_rows(HEAD + GREEN + BLEU + ROUGE) == HEAD + GREEN + BLEU + ROUGE


def test_link_definitions_follow_the_rows():
    page = "Text [`bleu`].\n\n[`bleu`]: metrics/bleu/README.md\n[`other`]: docs/other.md\n"
    assert docs.with_links(page) == (
        "Text [`bleu`].\n\n[`bleu`]: metrics/bleu/README.md\n[`green`]: metrics/green/README.md\n"
        "[`rouge`]: metrics/rouge/README.md\n[`other`]: docs/other.md\n"
    )
    assert docs.with_links("[`other`]: docs/other.md\n") == "[`other`]: docs/other.md\n"


def test_a_card_without_the_comments_is_refused():
    with pytest.raises(ValueError, match="the card of bleu must contain the lines <!-- options"):
        docs.with_options("# BLEU\n", "bleu")


def test_the_page_of_details_gets_a_section_in_alphabetical_order(monkeypatch):
    details = [{"a": [], "b": {"c": 1}, "d": None}, {"a": [{"e": 0.5}, {"e": 1}], "b": {"c": 0.5}, "d": "x"}]
    monkeypatch.setattr(docs, "sample_details", lambda name: details)
    table = "| field | type | meaning |\n|---|---|---|\n"
    rows = (
        "| `a` | list of object | - |\n| `b.c` | number | - |\n| `d` | text or null | - |\n| `a[].e` | number | - |\n"
    )
    page = f"# Details\n\n## How\n\n## bleu\n\n{table}\n## rouge\n\n{table}"
    filled = f"# Details\n\n## How\n\n## bleu\n\n{table}\n## green\n\n{table}{rows}\n## rouge\n\n{table}"
    assert docs.with_details(page) == filled == docs.with_details(filled)
    last = f"# Details\n\n## bleu\n\n{table}\n## green\n\n{table}"
    assert docs.with_details(last) == f"{last}\n## rouge\n\n{table}{rows}"
