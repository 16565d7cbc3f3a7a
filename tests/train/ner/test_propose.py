"""The half-automatic marking of entities, step by step."""

import json
from collections import Counter

import numpy as np
import pytest

from radeval_core.errors import InputError
from radeval_core.findings import FindingsParser
from radeval_core.train.ner.sentences import read_sentence


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global denied, EntityLibrary, library_names, locate, ModelProposer, ParserProposer, Pipeline, read_entities
    from radeval_core.train.ner.entity_library import EntityLibrary, library_names
    from radeval_core.train.ner.propose import ParserProposer, Pipeline
    from radeval_core.train.ner.propose_model import ModelProposer, denied, locate, read_entities


@pytest.fixture(scope="module")
def parser():
    return FindingsParser()


class LetterVectors:
    """An encoder whose vectors count letters: names with the same letters are the same."""

    def annotate(self, names):
        rows = np.array([[name.count(chr(97 + i)) for i in range(26)] for name in names], dtype=np.float32)
        return list(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


class Given:
    """A proposer with fixed answers."""

    name = "given"

    def __init__(self, **spans):
        self.spans = spans

    def propose(self, sentences):
        return [
            [(s.index(w), s.index(w) + len(w), k) for w, k in self.spans[s.split()[0].rstrip(".")]] for s in sentences
        ]


def pipeline(parser, proposer, names=("effusion", "left lung"), similarity=0.83, density=0.7):
    library = EntityLibrary(names, LetterVectors())
    return Pipeline(proposer, library, parser.lexicon, similarity, density, "test", Counter())


def test_a_row_is_what_train_ner_reads(parser):
    steps = pipeline(parser, ParserProposer(parser), ["pleural effusion", "pneumothorax"])
    rows = list(steps.rows([("r1", "No pleural effusion or pneumothorax.")]))
    sentence = read_sentence("here", rows[0], 0)
    assert [(sentence.text[a:b], kind) for a, b, kind in sentence.spans] == [
        ("pleural effusion", "Non-Abnormality"),
        ("pneumothorax", "Non-Abnormality"),
    ]
    assert (sentence.study, sentence.source, rows[0]["id"]) == ("r1", "test", "r1-1")


def test_an_entity_unlike_every_known_name_is_removed(parser):
    given = Given(Left=[("Left lung", "Anatomy"), ("zzz", "Disease")])
    steps = pipeline(parser, given, density=0)
    (row,) = steps.rows([("r1", "Left lung zzz.")])
    assert [e["text"] for e in row["entities"]] == ["Left lung"]
    assert steps.counts["entities proposed"] == 2 and steps.counts["entities below the similarity"] == 1


@pytest.mark.parametrize(
    "sentence, density, kept",
    [
        ("Effusion is seen.", 1.0, True),  # "is seen" has no content
        ("No effusion.", 1.0, True),  # a cue of negation
        ("Effusion beside bronchiectasis.", 0.7, False),  # 1 of 2 content words, or of 3
        ("Effusion beside bronchiectasis.", 0.3, True),
    ],
)
def test_density_counts_content_words(parser, sentence, density, kept):
    word = "Effusion" if sentence.startswith("E") else "effusion"
    given = Given(Effusion=[(word, "Abnormality")], No=[(word, "Abnormality")])
    steps = pipeline(parser, given, density=density)
    assert bool(list(steps.rows([("r", sentence)]))) == kept
    assert steps.counts["sentences below the density"] == (not kept)


def test_repeated_sentences_and_parts_of_words_are_left_out(parser):
    given = Given(Effusions=[("Effusion", "Abnormality")], Effusion=[("Effusion", "Abnormality")])
    steps = pipeline(parser, given)
    assert len(list(steps.rows([("a", "Effusion."), ("b", "Effusion."), ("c", "Effusions.")]))) == 1
    assert (steps.counts["repeated sentences"], steps.counts["entities inside a word"]) == (1, 1)


def test_known_names_need_no_vectors(parser):
    library = EntityLibrary(["Pleural effusions"], encoder=None)
    assert library.similarities(["pleural effusion", "PLEURAL EFFUSION", ""]) == [1.0, 1.0, 0.0]


def test_own_names_join_those_of_the_lexicon(parser, tmp_path):
    (tmp_path / "names.txt").write_text("zorbled lung\n\n")
    names = library_names(parser.lexicon, [str(tmp_path / "names.txt")])
    assert {"zorbled lung", "pneumothorax", "unremarkable"} <= set(names)
    with pytest.raises(InputError, match="no such file; give a text file"):
        library_names(parser.lexicon, [str(tmp_path / "none.txt")])


# --- a model proposes


@pytest.mark.parametrize(
    "sentence, words, expected",
    [
        ("No effusion or mass.", "mass", True),
        ("There is a mass without effusion.", "mass", False),
        ("There is a mass without effusion.", "effusion", True),
        ("The spleen is unremarkable.", "unremarkable", True),
        ("The heart is enlarged.", "enlarged", False),
    ],
)
def test_polarity(parser, sentence, words, expected):
    at = sentence.index(words)
    assert denied(sentence, (at, at + len(words), "Abnormality"), parser.lexicon) == expected


@pytest.mark.parametrize(
    "answer, expected",
    [
        ('{"entities": [{"text": "mass", "type": "Abnormality"}]}', [("mass", "Abnormality")]),
        ('Sure:\n```json\n{"entities": []}\n```', []),
        ('{"entities": [{"text": "mass", "type": "Tumour"}]}', None),
        ('{"entities": [{"text": "", "type": "Anatomy"}]}', None),
        ("none", None),
        ("[1]", None),
    ],
)
def test_answers(answer, expected):
    assert read_entities(answer) == expected


def test_places_of_entities():
    named = [("cyst", "Abnormality"), ("Cyst", "Abnormality"), ("left kidney", "Anatomy"), ("liver", "Anatomy")]
    assert locate("Cyst near a cyst, left kidney.", named) == [
        (0, 4, "Abnormality"),
        (12, 16, "Abnormality"),
        (18, 29, "Anatomy"),
    ]


class Backend:
    """Answers by the last message."""

    identity, fields = "test", {"model": "test-model"}

    def __init__(self, answers):
        self.given = answers

    def answers(self, requests):
        from radeval_core.judges.backends.base import Answer

        yield from ((i, Answer(self.given.get(r.messages[-1].content))) for i, r in enumerate(requests))


def test_a_model_proposes_with_polarity_and_unreadable_answers_are_counted(parser):
    good = {"entities": [{"text": "effusion", "type": "Abnormality"}, {"text": "lung", "type": "Anatomy"}]}
    model = ModelProposer(Backend({"No effusion.": json.dumps(good), "Mass.": "?"}), parser.lexicon)
    assert model.propose(["No effusion.", "Mass.", "Other."]) == [[(3, 11, "Non-Abnormality")], [], []]
    assert (model.unreadable, model.misquoted, model.name) == (2, 1, "test-model")
