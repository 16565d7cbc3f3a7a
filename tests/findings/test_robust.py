"""Any text parses, offsets index the original, case and white space do not matter, and run time grows linearly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.findings import FindingsParser, parse
from work_count import ReadText, calls_of, lines_of

FRAGMENTS = (
    "There is", "no", "a", "small", "moderate", "large", "left", "right", "bilateral", "pleural effusion",
    "pneumothorax",
    "opacity in the left lower lobe", "RLL consolidation", "the heart is enlarged", "lungs are clear", "is not seen",
    "cannot be excluded", "may represent", "pneumonia", "atelectasis", "and", "or", ",", ".", ";", ":", "\n", "\n\n",
    "\n \n", "\r\x0c\r",
    "with", "without", "but", "unchanged", "new", "has resolved", "2.5 x 3 cm", "4 mm", "nodule", "mass", "ETT", "PICC",
    "tip in the SVC", "FINDINGS:", "Impression:", "INDICATION:", "1.", "2)", "-", "XXXX", "___", "versus", "mild",
    "severe", "cardiomegaly", "ribs", "fractures", "bibasilar", "upper and lower lobes", "normal", "?", "(", ")", "/",
    "no change in", "within normal limits", "right greater than left", "pnuemothorax", "previously", "Dr.",
)  # fmt: skip
reports = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map(" ".join)
any_text = st.one_of(
    st.text(max_size=300), st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=8))).map(" ".join)
)


def said(report):
    """Return the findings of a report without their offsets."""
    return [
        (f.finding, f.polarity, f.anatomy, f.laterality, f.severity, f.change, f.measurements, f.implied)
        for f in report.findings
    ]


@settings(max_examples=150)
@given(any_text)
def test_any_text_parses_and_offsets_index_it(text):
    report = parse(text)
    assert report.text == text
    end = 0
    for sentence in report.sentences:
        assert end <= sentence.start < sentence.end <= len(text)
        assert sentence.text == text[sentence.start : sentence.end]
        end = sentence.end
    spans = {(s.start, s.end) for s in report.sentences}
    for f in report.findings:
        assert f.text == text[f.start : f.end] != ""
        assert f.sentence_start <= f.start < f.end <= f.sentence_end
        assert (f.sentence_start, f.sentence_end) in spans
    starts = [(f.start, f.end) for f in report.findings]
    assert starts == sorted(starts)


@settings(max_examples=150)
@given(reports)
def test_letter_case_does_not_matter(text):
    assert said(parse(text.upper())) == said(parse(text.lower())) == said(parse(text))


@settings(max_examples=100)
@given(reports, st.text(alphabet=" \t\r\n", max_size=5))
def test_white_space_at_the_end_does_not_matter(text, white):
    report, longer = parse(text), parse(text + white)
    assert longer.findings == report.findings
    assert longer.sentences == report.sentences


@settings(max_examples=60)
@given(any_text)
def test_parsing_again_or_with_another_parser_gives_the_same(text):
    report = parse(text)
    assert parse(text) == report
    assert FindingsParser().parse(text) == report


@pytest.mark.parametrize(
    "text", ["\ud800 mass", "\x00effusion\x00", "ﬁbrosis İ ß ǅ", "e\u0301dema", "1²³ ٣ mm nodule", "\u2028mass\u2029"]
)
def test_odd_characters(text):
    for f in parse(text).findings:
        assert f.text == text[f.start : f.end]


@pytest.mark.parametrize("white", ["\t", "\u00a0"])
def test_white_space_at_the_end_of_a_long_sentence_does_not_matter(white):
    text = "and nothing else " * 57 + "pneumothorax"
    assert 950 < len(text) < 1_000
    assert parse(text + white * 40).findings == parse(text).findings


@pytest.mark.parametrize("shift", range(0, 20, 5))
def test_a_cue_reaches_across_the_middle_of_a_long_sentence(shift):
    text = "z" * shift + " and nothing else" * 57 + " and there is no pneumothorax to be seen here at all."
    assert [f.polarity for f in parse(text).findings] == ["absent"]


# --- hostile strings: run time is counted in function calls, which do not depend on how busy the machine is

SENTENCES = (
    "There is a small left pleural effusion with adjacent atelectasis. The heart is mildly enlarged. No pneumothorax "
    "or focal consolidation is seen. Stable 4 mm nodule in the right upper lobe. ETT tip is 3 cm above the carina. "
)
HOSTILE = {
    "no": "no ",
    "brackets": "(",
    "dotted numbers": "1.1.1.1",
    "one word": "a",
    "one letter words": "a ",
    "lines": "\n",
    "windows lines": "\r\n",
    "short lines": "x\n",
    "long lines": "the patient has some long line without any punctuation that goes on and on\n",
    "sides": "left ",
    "nested cues": "no without not ",
    "sentences": SENTENCES,
    "no full stop": SENTENCES.replace(".", ""),
    "no full stop or break": SENTENCES.replace(".", "").replace("No ", "").replace("with", "in"),
    "list of findings": "effusion, ",
    "alternatives": "effusion or ",
    "placed findings": "mass in the left lung and ",
    "sizes": "3 x 4 cm mass ",
    "only numbers": "3 ",
    "times": "3 x ",
    "described regions": "heart enlarged ",
    "normal regions": "heart normal ",
    "regions": "lung ",
    "shared heads": "upper and lower lobe ",
    "no abnormality": "no abnormality of lung ",
    "doubt": "possible effusion, ",
    "versus": "effusion vs ",
    "resolved": "effusion has resolved ",
    "abbreviations": "dr. ",
    "dots": ".",
    "questions": "? ",
    "list numbers": "1. ",
    "spaced dots": ". ",
    "dots in white space": "\t.\r",
    "headings alone": "findings:\n",
    "titles": "CT CHEST\n",
    "denials of this": "This shows no pneumonia. ",
    "bracketed numbers": "(1) ",
    "headings": "findings: ",
    "unknown headings": "zork fold: ",
    "colons": ":",
    "hyphens": "a-",
    "gaps": "_",
    "x": "x",
    "almost words": "pnuemothoraxx ",
    "new words": None,
    "commas": ", ",
    "quotes": '"',
    "accents": "e\u0301",
}  # fmt: skip


def hostile(name, size):
    unit = HOSTILE[name]
    if unit is None:  # all words differ, so a cache of words does not help
        return " ".join(
            f"zorkofon{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676 % 26)}" for i in range(size // 12)
        )
    return (unit * (size // len(unit) + 1))[:size]


def steps(text):
    """Return the number of Python and C function calls needed to parse a text without a cache."""
    return calls_of(FindingsParser().parse, text)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_run_time_grows_linearly_with_length(name):
    steps(hostile(name, 1_000))  # load what is loaded on first use
    short, long = steps(hostile(name, 10_000)), steps(hostile(name, 40_000))
    assert long < 6 * short + 1_000


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_100_000_characters(name):
    text = hostile(name, 100_000)
    report = parse(text)
    assert all(f.text == text[f.start : f.end] for f in report.findings[:1000])


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_read_and_run_grows_linearly_with_length(name):
    short, long = ReadText(hostile(name, 4_000)), ReadText(hostile(name, 16_000))
    lines = [lines_of(FindingsParser().parse, text) for text in (short, short, long)]  # the first loads what is missing
    assert lines[2] < 6 * lines[1] + 1_000
    assert long.read < 6 * short.read / 2 + 4_000


@pytest.mark.parametrize("blank", ["\n \n", "\r\n\t\r\n", "\r\x0c\r", "\n\u2028\n", "\r\u2028\x85\x0b\r\n"])
@pytest.mark.parametrize("lines", [("Small left", "pleural effusion"), ("Pneumonia", "there is edema"), ("No", "mass")])
def test_a_line_of_white_space_ends_a_paragraph_as_an_empty_line_does(blank, lines):
    assert said(parse(blank.join(lines))) == said(parse("\n\n".join(lines)))
