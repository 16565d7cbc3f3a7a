"""Options of metrics: how a given value is read, what is refused, and how help texts show them."""

import pytest

from radeval_core.errors import InputError
from radeval_core.metric_help import card_list, value_text
from radeval_core.metrics.base import Option

TOKENIZE = Option("13a", str, "tokeniser", ("13a", "char"))


@pytest.mark.parametrize(
    "kind, given, expected",
    [
        (bool, True, True),
        (bool, "yes", True),
        (bool, "False", False),
        (bool, 0, False),
        (int, 3, 3),
        (int, "-3", -3),
        (float, 2.5, 2.5),
        (float, 2, 2.0),
        (float, "2.5", 2.5),
        (str, "a", "a"),
        (list, ["a"], ["a"]),
        (list, ("a", "b"), ["a", "b"]),
    ],
)
def test_a_value_is_read_as_the_options_type(kind, given, expected):
    read = Option(None, kind, "about").check("m.o", given)
    assert read == expected and type(read) is type(expected)


@pytest.mark.parametrize(
    "kind, given, message",
    [
        (bool, "maybe", "option m.o must be true or false, got 'maybe'"),
        (int, "1.5", "option m.o must be a whole number, got '1.5'"),
        (int, 1.5, "option m.o must be a whole number, got 1.5"),
        (int, True, "option m.o must be a whole number, got True"),
        (float, "soon", "option m.o must be a number, got 'soon'"),
        (float, True, "option m.o must be a number, got True"),
        (float, [1], "option m.o must be a number, got [1]"),
        (str, 3, "option m.o must be a text, got 3"),
        (list, "abc", "option m.o must be a list, got 'abc'"),
    ],
)
def test_a_value_of_another_type_is_refused(kind, given, message):
    with pytest.raises(InputError) as error:
        Option(None, kind, "about").check("m.o", given)
    assert str(error.value) == message


def test_none_means_the_default():
    assert TOKENIZE.check("m.o", None) == "13a"


def test_only_the_choices_are_accepted():
    assert TOKENIZE.check("m.o", "char") == "char"
    with pytest.raises(InputError, match=r"^option m\.o must be one of 13a, char, got 'chars'$"):
        TOKENIZE.check("m.o", "chars")


@pytest.mark.parametrize(
    "option, expected",
    [
        (Option(None, int, "a"), "int, optional"),
        (Option(False, bool, "a"), "bool, default False"),
        (Option("v1", str, "a"), 'str, default "v1"'),
        (TOKENIZE, '"13a" | "char", default "13a"'),
    ],
)
def test_help_shows_type_or_choices_and_default(option, expected):
    assert value_text(option) == expected


def test_a_card_lists_one_option_per_line():
    options = {"tokenize": TOKENIZE, "layer": Option(None, int, "layer to compare")}
    assert card_list(options) == (
        '- `tokenize` ("13a" | "char", default "13a"): tokeniser.\n- `layer` (int, optional): layer to compare.\n'
    )
