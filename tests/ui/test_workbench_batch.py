"""Pairs of several visitors in one batch: each gets the scores of its own texts, whatever the others sent."""

import logging

import pytest

GOOD = [("Small left effusion.", "Small right effusion."), ("Clear lungs.", "Large pneumothorax.")]
BAD = ("A zebra of 10³ mm.", "A zebra.")


@pytest.fixture
def page(monkeypatch):
    from radeval_core.ui.workbench import visits as page
    from radeval_core.ui.workbench.metric_readings import MetricReading

    def read(pairs, contexts):
        if BAD in pairs:
            raise ValueError(f"could not convert string to float: {BAD[0]}")
        return [[MetricReading("bleu", float(len(r) * 1000 + len(c)), 0.5, "s")] for r, c in pairs]

    monkeypatch.setattr(page, "read_pairs", read)
    monkeypatch.setattr(page, "one_thread", lambda: None)
    return page


def test_a_text_that_fails_fails_only_for_its_visitor(page, caplog):
    with caplog.at_level(logging.ERROR):
        (tables,) = page.compare_pairs(*zip(GOOD[0], BAD, GOOD[1], ("", ""), strict=True))
    assert tables[1] == [] and tables[3] == []
    alone = [page.compare_pairs([r], [c])[0][0] for r, c in GOOD]
    assert [tables[0], tables[2]] == alone and tables[0] != tables[2]
    assert "zebra" not in caplog.text and "ValueError" in caplog.text


def test_a_batch_of_only_bad_texts_ends(page):
    assert page.compare_pairs([BAD[0]] * 8, [BAD[1]] * 8) == ([[]] * 8,)
