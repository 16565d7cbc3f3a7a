"""The numbers of the example pairs in cards and README are those of today."""

import pytest

from radeval_core import metric_names, score
from radeval_core.io import open_pairs
from write_card_numbers import EXAMPLES, card, pages


@pytest.mark.e2e
def test_the_numbers_of_cards_and_readme_are_those_of_today():
    scored = score(open_pairs(EXAMPLES), metric_names(), progress=False)
    stale = [
        path.parent.name
        for path, content in pages(scored, metric_names()).items()
        if path.read_text("utf-8") != content
    ]
    assert stale == [], "run python tools/write_card_numbers.py"


def test_headline_rows_and_signature_are_replaced():
    scored = score(open_pairs(EXAMPLES), ["rouge"], progress=False)
    old = (
        "x prints\n0.1111, 95 % interval 0.1000 to 0.2000, n = 2. `rouge|config:embedded|old|metric:0`\n\n"
        "| pair | rouge | rouge1 | words |\n|---|---|---|---|\n| `cxr-06-identical` (same) | 0.5000 | 0 | 7 |\n"
    )
    new = card("rouge", old, scored)
    assert "prints\n0.6078, 95 % interval 0.4499 to 0.7567, n = 16." in new
    assert f"`{scored.results['rouge'].signature}`" in new
    assert "| `cxr-06-identical` (same) | 1.0000 | 1 | 7 |" in new  # a column that is no part stays
