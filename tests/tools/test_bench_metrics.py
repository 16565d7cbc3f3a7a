"""The texts on which speeds are measured."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global bench_metrics
    import bench_metrics


def test_no_text_of_the_distinct_corpus_occurs_twice():
    pairs = bench_metrics.distinct_corpus(120)
    assert len(pairs) == 120
    assert len({text for pair in pairs for text in (pair.prediction, pair.reference)}) == 240


def test_the_same_seed_gives_the_same_texts_and_another_seed_gives_others():
    first, again, other = (bench_metrics.distinct_corpus(20, seed) for seed in (1, 1, 2))
    assert first == again and first != other


def test_a_table_with_both_corpora(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bench_metrics.py", "--pairs", "20", "--runs", "1", "--metrics", "rouge,bleu"])
    bench_metrics.main()
    header, columns, *rows = capsys.readouterr().out.splitlines()
    assert header == "pairs per second, 20 pairs" and "all distinct" in columns and "25 predictions" in columns
    assert {row.split()[0] for row in rows} == {"rouge", "bleu"}
