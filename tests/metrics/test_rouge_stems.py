"""ROUGE with stems: the same numbers as rouge-score, with each word stemmed once."""

from radeval_core import load


def test_each_word_is_stemmed_once_and_the_stems_are_those_of_rouge_score(monkeypatch):
    from nltk.stem import porter
    from rouge_score.rouge_scorer import RougeScorer

    texts = ["Enlarging pleural effusions, effusions increasing.", "Increasing pleural effusions are enlarging."]
    expected = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score(texts[1], texts[0])
    stemmed, stem = [], porter.PorterStemmer.stem
    monkeypatch.setattr(porter.PorterStemmer, "stem", lambda self, word: stemmed.append(word) or stem(self, word))
    result = load("rouge", progress=False, stemmer=True).compute([texts[0]], [texts[1]])
    assert {kind: result[kind] for kind in expected} == {kind: score.fmeasure for kind, score in expected.items()}
    assert sorted(stemmed) == ["effusions", "enlarging", "increasing", "pleural"]
