"""Answers of models, and the counts that must be read from them."""

import re

import pytest

from radeval_core.judges.green.analysis import TITLES
from radeval_core.judges.green.answer import read_answer
from radeval_core.judges.verdict import UnreadableAnswer

LETTERS = "abcdef"


def form(
    significant, insignificant="None", matched="2. Normal heart; no effusion", explanation="The nodule is missing."
):
    """Return an answer with the given sections."""
    return (
        f"[Explanation]:\n{explanation}\n\n[Clinically Significant Errors]:\n{significant}\n\n"
        f"[Clinically Insignificant Errors]:\n{insignificant}\n\n[Matched Findings]:\n{matched}"
    )


def lines(counts, mark="({letter}) ", after=": {count}. {texts}"):
    """Return the six lines of a section, as requested or with another mark or ending."""
    return "\n".join(
        mark.format(letter=LETTERS[i], LETTER=LETTERS[i].upper(), number=i + 1)
        + title
        + after.format(count=count, texts="; ".join(f"finding {n}" for n in range(count)))
        for i, (title, count) in enumerate(zip(TITLES, counts, strict=True))
    )


def numbers(answer):
    analysis = read_answer(answer)
    return (
        [c.count for c in analysis.significant],
        [c.count for c in analysis.insignificant],
        analysis.matched.count,
    )


NONE, SOME = [0] * 6, [1, 2, 0, 0, 0, 1]
A, B, C = TITLES[:3]

CASES = {
    # as requested
    "no errors": (form("No clinically significant errors."), NONE, NONE, 2),
    "all categories": (form(lines(SOME), lines([0, 0, 3, 0, 0, 0])), SOME, [0, 0, 3, 0, 0, 0], 2),
    "all zero": (form(lines(NONE), lines(NONE)), NONE, NONE, 2),
    "two digits": (form(lines([10, 0, 0, 0, 0, 11])), [10, 0, 0, 0, 0, 11], NONE, 2),
    "nothing matched": (form(lines(SOME), matched="0."), SOME, NONE, 0),
    "only one category": (form(f"(c) {C}: 1. In the left lobe, not the right"), [0, 0, 1, 0, 0, 0], NONE, 2),
    "other order": (form(f"(c) {C}: 2. x; y\n(a) {A}: 1. z"), [1, 0, 2, 0, 0, 0], NONE, 2),
    # sections that the authors' parser misreads
    "blank line in a section": (form(f"(a) {A}: 1. x\n\n(b) {B}: 2. y; z"), [1, 2, 0, 0, 0, 0], NONE, 2),
    "blank line with spaces": (form(f"(a) {A}: 1. x\n   \n(b) {B}: 2. y; z"), [1, 2, 0, 0, 0, 0], NONE, 2),
    "blank line after a heading": (form(f"\n(a) {A}: 1. x", matched="\n3. a; b; c"), [1, 0, 0, 0, 0, 0], NONE, 3),
    "no blank line between sections": (
        form(lines(SOME), lines([0, 0, 3, 0, 0, 0])).replace("\n\n", "\n"), SOME, [0, 0, 3, 0, 0, 0], 2,
    ),
    "text before and after": (
        "Sure, here it is:\n\n" + form(lines(SOME)) + "\n\nTell me if 5. anything else is needed.", SOME, NONE, 2,
    ),
    "in a fence": ("```text\n" + form(lines(SOME)) + "\n```", SOME, NONE, 2),
    "bold headings": (re.sub(r"(\[.+?\]:)", r"**\1**", form(lines(SOME))), SOME, NONE, 2),
    "bold colons outside": (re.sub(r"(\[.+?\]):", r"**\1**:", form(lines(SOME))), SOME, NONE, 2),
    "markdown headings": (re.sub(r"\[(.+?)\]:", r"## \1", form(lines(SOME))), SOME, NONE, 2),
    "headings without brackets": (re.sub(r"\[(.+?)\]:", r"\1:", form(lines(SOME))), SOME, NONE, 2),
    "headings without colons": (form(lines(SOME)).replace("]:", "]"), SOME, NONE, 2),
    "small letters": (form(lines(SOME)).lower(), SOME, NONE, 2),
    "all on the heading's line": (
        f"[Explanation]: x [Clinically Significant Errors]: (a) {A}: 1. x (b) {B}: 0. [Matched Findings]: 4. a; b",
        [1, 0, 0, 0, 0, 0], NONE, 4,
    ),
    "windows line ends": (form(lines(SOME)).replace("\n", "\r\n"), SOME, NONE, 2),
    "indented": (form(lines(SOME)).replace("\n", "\n    "), SOME, NONE, 2),
    "with the prompt before it": (
        "<|user|>\nForm: [Clinically Significant Errors]: (a) <Error Type>\n</s>\n<|assistant|>\n"
        + form(lines(SOME)) + "</s>", SOME, NONE, 2,
    ),
    "after thinking": ("<think>\n" + form(lines([5] * 6)) + "\n</think>\n" + form(lines(SOME)), SOME, NONE, 2),
    "twice: the last counts": (form(lines([3, 0, 0, 0, 0, 0])) + "\n\n" + form(lines(SOME)), SOME, NONE, 2),
    "twice, the second cut off": (form(lines(SOME)) + "\n\n[Clinically Significant Errors]:\n(a) Fal", SOME, NONE, 2),
    "no insignificant section": (
        f"[Clinically Significant Errors]:\n(a) {A}: 1. x\n\n[Matched Findings]:\n3. a; b; c", [1, 0, 0, 0, 0, 0],
        NONE, 3,
    ),
    # categories
    "(1) to (6)": (form(lines(SOME, "({number}) ")), SOME, NONE, 2),
    "1. to 6.": (form(lines(SOME, "{number}. ")), SOME, NONE, 2),
    "a)": (form(lines(SOME, "{letter}) ")), SOME, NONE, 2),
    "(A)": (form(lines(SOME, "({LETTER}) ")), SOME, NONE, 2),
    "bullets": (form(lines(SOME, "- ({letter}) ")), SOME, NONE, 2),
    "bold categories": (form(lines(SOME, "**({letter})** ")), SOME, NONE, 2),
    "a word before": (form(f"Note: (a) {A}: 2. x; y"), [2, 0, 0, 0, 0, 0], NONE, 2),
    "without the name": (form("(a) 2. x; y\n(b) 1. z"), [2, 1, 0, 0, 0, 0], NONE, 2),
    "the name decides, not the letter": (form(f"(a) {B}: 1. x"), [0, 1, 0, 0, 0, 0], NONE, 2),
    "a category in passing": (form(f"(a) {A}: 1. compare (b) Missing: 5. x"), [1, 0, 0, 0, 0, 0], NONE, 2),
    "no errors, and then some": (form(f"No errors\n(a) {A}: 2. x; y"), [2, 0, 0, 0, 0, 0], NONE, 2),
    "one error per line": (form(f"(a) {A}: 1. nodule\n(a) {A}: 1. fracture"), [2, 0, 0, 0, 0, 0], NONE, 2),
    "a line repeated": (form(f"(a) {A}: 1. nodule\n(a) {A}: 1. nodule"), [1, 0, 0, 0, 0, 0], NONE, 2),
    # counts
    "no period": (form(lines(SOME, after=": {count} {texts}")), SOME, NONE, 2),
    "no space": (form(lines(SOME, after=":{count}. {texts}")), SOME, NONE, 2),
    "errors": (form(lines(SOME, after=": {count} errors. {texts}")), SOME, NONE, 2),
    "spelled": (form(f"(a) {A}: One. x\n(b) {B}: two. x; y", matched="Three. a; b; c"), [1, 2, 0, 0, 0, 0], NONE, 3),
    "N/A": (form("N/A", "n/a"), NONE, NONE, 2),
    "None per category": (form(f"(a) {A}: None\n(b) {B}: none found."), NONE, NONE, 2),
    "no count": (form(f"(a) {A}: a nodule; a fracture"), [2, 0, 0, 0, 0, 0], NONE, 2),
    "a size, no count": (form(f"(a) {A}: 1.5 cm nodule"), [1, 0, 0, 0, 0, 0], NONE, 2),
    "a size in millimetres, no count": (form(f"(b) {B}: 4 mm nodule"), [0, 1, 0, 0, 0, 0], NONE, 2),
    "a size after the count": (form(f"(a) {A}: 1. nodule size: 2. cm"), [1, 0, 0, 0, 0, 0], NONE, 2),
    "a list in a category": (form(f"(a) {A}:\n1. Nodule\n2. Fracture\n(b) {B}: 0."), [2, 0, 0, 0, 0, 0], NONE, 2),
    "a dashed list in a category": (form(f"(a) {A}: 2.\n- nodule\n- fracture"), [2, 0, 0, 0, 0, 0], NONE, 2),
    "thousands": (form(f"(a) {A}: 1,000. x"), [1000, 0, 0, 0, 0, 0], NONE, 2),
    # matched findings
    "matched as a numbered list": (form("None", matched="1. Heart\n2. Lungs\n3. Bones"), NONE, NONE, 3),
    "matched numbered in a line": (form("None", matched="1. Clear lungs; 2. Normal heart"), NONE, NONE, 2),
    "matched as a dashed list": (form("None", matched="- Heart\n- Lungs"), NONE, NONE, 2),
    "matched without a count": (form("None", matched="No pneumothorax; clear lungs; heart."), NONE, NONE, 3),
    "matched without a period": (form("None", matched="3 a; b; c"), NONE, NONE, 3),
    "matched with a colon": (form("None", matched="3: a; b; c"), NONE, NONE, 3),
    "matched with a label": (form("None", matched="Number of matched findings: 3. a; b; c"), NONE, NONE, 3),
    "matched with a noun": (form("None", matched="3 matched findings: a; b; c"), NONE, NONE, 3),
    "matched in angle brackets": (form("None", matched="<3>. a; b; c"), NONE, NONE, 3),
    "none matched, in words": (form(lines(SOME), matched="No matched findings."), SOME, NONE, 0),
    "cut after the count": (form("None", matched="3"), NONE, NONE, 3),
}  # fmt: skip

UNREADABLE = {
    "empty": ("  \n ", "the answer is empty"),
    "prose": ("The reports agree on everything.", "none of the sections"),
    "no significant section": ("[Matched Findings]:\n2. a; b", r"no section \[Clinically Significant Errors\]"),
    "no matched section": (f"[Clinically Significant Errors]:\n(a) {A}: 1. x", r"no section \[Matched Findings\]"),
    "cut in the errors": (f"[Clinically Significant Errors]:\n(a) {A}: 1. x\n(b) Miss", r"no section \[Matched"),
    "cut after the last heading": (form("None", matched=""), "ends before the matched findings"),
    "the empty form": (
        form("(a) <Error Type>: <The number of errors>. <Error 1>", matched="<The number of matched findings>."),
        "the form is repeated",
    ),
    "below zero": (form(f"(a) {A}: -1. x"), "a count below zero of clinically significant errors"),
    "errors without a category": (form("The effusion is missed."), "not in the categories"),
}


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_read(name):
    answer, *expected = CASES[name]
    assert numbers(answer) == tuple(expected)


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_answer_says_why(name):
    answer, reason = UNREADABLE[name]
    with pytest.raises(UnreadableAnswer, match=reason):
        read_answer(answer)


def test_the_words_of_an_answer_are_kept():
    answer = form(f"(a) {A}: 2. Right effusion; rib fracture.", matched="2. Clear lungs; normal heart.")
    analysis = read_answer(answer)
    assert analysis.explanation == "The nodule is missing."
    assert [e.text for e in analysis.significant[0].entries] == ["Right effusion", "rib fracture"]
    assert [e.text for e in analysis.matched.entries] == ["Clear lungs", "normal heart"]
    assert (analysis.significant_count, analysis.insignificant_count) == (2, 0)


@pytest.mark.parametrize("name", ["all categories", "blank line in a section", "twice: the last counts"])
def test_an_answer_cut_anywhere_is_read_or_rejected(name):
    answer = CASES[name][0]
    for end in range(0, len(answer), 7):
        try:
            read_answer(answer[:end])
        except UnreadableAnswer as error:
            assert str(error)
