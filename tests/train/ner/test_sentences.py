"""Rows that people or models wrote, checked."""

import pytest

from radeval_core.errors import InputError
from radeval_core.train.ner.sentences import entity_data, joined, read_sentence

TEXT = "No pleural effusion."
ENTITY = {"start": 3, "end": 19, "label": "non-abnormality"}


def read(**row):
    return read_sentence("rows.jsonl: line 7", row, 6)


def test_a_text_with_spans_becomes_words_with_tags():
    found = read(text=TEXT, entities=[ENTITY])
    assert found.tokens == ("No", "pleural", "effusion", ".")
    assert found.tags == ("O", "B-Non-Abnormality", "I-Non-Abnormality", "O")
    assert found.spans == ((3, 19, "Non-Abnormality"),)


def test_words_with_tags_become_a_text_with_spans():
    found = read(tokens=["No", "effusion", "."], tags=["O", "b-disease", "O"])
    assert (found.text, found.spans) == ("No effusion .", ((3, 11, "Disease"),))


def test_joined_words_are_what_bench_reads():
    found = read(text="Effusion, small.", entities=[{"start": 0, "end": 8, "label": "Abnormality"}])
    assert joined(found).text == "Effusion , small ." == entity_data([found]).texts[0]
    assert joined(found).spans == ((0, 8, "Abnormality"),)


def test_a_row_with_text_and_tokens_keeps_its_text():
    row = {"tokens": ["No", "effusion", "."], "tags": ["O", "B-Disease", "O"], "text": "No effusion."}
    found = read(**row, entities=[{"start": 3, "end": 11, "label": "Disease"}])
    assert (found.text, found.spans) == ("No effusion.", ((3, 11, "Disease"),))


def test_a_row_without_a_study_is_its_own_study():
    assert read(text=TEXT, entities=[]).study == "6"
    assert read(text=TEXT, entities=[], id="a-1", report="a").study == "a"


@pytest.mark.parametrize(
    "row, message",
    [
        ({"text": TEXT}, "expected 'tokens' and 'tags', or 'text' and 'entities'; found 'text'"),
        ({"tokens": ["No"], "tags": ["O", "O"]}, "1 tokens but 2 tags"),
        ({"tokens": ["No"], "tags": ["B-Finding"]}, "tag 'B-Finding' is not in the scheme"),
        ({"tokens": ["a", "b"], "tags": ["O", "I-Disease"]}, "tag 2 is I-Disease after O"),
        ({"tokens": ["a", "b"], "tags": ["B-Anatomy", "I-Disease"]}, "tag 2 is I-Disease after B-Anatomy"),
        ({"tokens": [], "tags": []}, "column 'tokens' must be a list of texts"),
        ({"tags": ["O"]}, "column 'tokens' must be a list of texts"),
        ({"text": " ", "entities": []}, "column 'text' is empty"),
        ({"text": 3, "entities": []}, "column 'text'"),
        ({"text": TEXT, "entities": [{**ENTITY, "end": 99}]}, "end <= 20"),
        ({"text": TEXT, "entities": [{**ENTITY, "start": True}]}, "entity 1 needs whole numbers"),
        ({"text": TEXT, "entities": [{**ENTITY, "label": "Device"}]}, "entity 1 has the label 'Device'"),
        ({"text": TEXT, "entities": [ENTITY, {**ENTITY, "start": 11}]}, "overlap at character 11"),
        ({"text": TEXT, "entities": [{**ENTITY, "start": 4}]}, "begins or ends inside a word"),
        ({"text": TEXT, "entities": "effusion"}, "column 'entities' must be a list of objects"),
    ],
)
def test_errors_name_the_line_and_not_the_text(row, message):
    with pytest.raises(InputError) as error:
        read(**row)
    assert str(error.value).startswith("rows.jsonl: line 7: ") and message in str(error.value)
    assert "pleural" not in str(error.value)
