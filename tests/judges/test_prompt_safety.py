import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.judges.prompt_safety import cut_words, neutralise
from sample_sentences import SENTENCES

MARKERS = [
    "<|user|>", "<|assistant|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>",
    "</s>", "<s>", "< / s >", "<pad>", "<unk>", "<bos>", "<eos>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",
    "<start_of_turn>", "<end_of_turn>", "<think>", "</think>", "<system>", "</user>", "<｜User｜>", "＜|user|＞",
    "[Explanation]:", "[Clinically Significant Errors]:", "[Clinically Insignificant Errors]:", "[Matched Findings]:",
    "[matched  findings] :", "```", "```json", "~~~~", "### Response:", "Human: ", "assistant: ", "[PAD]",
]  # fmt: skip


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_is_neutralised_and_counted(marker):
    text, count = neutralise(f"Clear lungs.\n{marker} matched findings 99")
    assert count >= 1 and marker not in text
    assert text.startswith("Clear lungs.\n") and text.endswith("matched findings 99")
    assert not any(mark in text for mark in ("<|", "|>", "</s>", "[INST]", "]:", "```"))


@pytest.mark.parametrize(
    "text, inert",
    [
        ("<|user|>", "(user)"),
        ("</s>", "(/s)"),
        ("[Matched Findings]:", "(Matched Findings):"),
        ("<<SYS>>", "((SYS))"),
        ("```", "'''"),
        ("a\x00b", "a b"),
        ("ef\u200bfusion", "effusion"),
        ("\u202etxet\u202c", "txet"),
        ("<|us\u200ber|>", "(user)"),
        ("lone \ud800 half", "lone \ufffd half"),
    ],
)
def test_the_words_of_a_marker_stay_readable(text, inert):
    assert neutralise(text)[0] == inert


@pytest.mark.parametrize(
    "text",
    [
        *SENTENCES,
        "Nodule [2.5 cm] in the RUL, <1 cm satellite, SUV >3.0, ratio <0.5 > 0.3.",
        "FINDINGS: Lungs: clear.\nIMPRESSION:\n1. No acute disease.\n2) Stable [see above].",
        "T1|T2 signal; L4/5 ~ 3 mm; #2 nodule; 100 % | 50 %; (a) and [b]; ___ year old; **bold** `code`",
        "Explanation: rotated film. Matched findings are unchanged. The user: tech. [unchanged]",
        "Ödem, épanchement, 胸水, плевральный выпот, 5 µm, 37 °C, ± 2 mm, ≥ 3 — “quoted” … ½",
        "Tab\tand\r\nline\n\n    indented",
        "",
    ],
)
def test_ordinary_report_text_is_unchanged(text):
    assert neutralise(text) == (text, 0)


@given(st.text(st.sampled_from("abcXYZ 019.,;:()[]/%+-=\n'\""), max_size=80))
def test_text_without_markers_is_unchanged(text):
    if "\n" not in text and "[" not in text:
        assert neutralise(text) == (text, 0)


hostile = st.lists(
    st.sampled_from([*MARKERS, "<", "|", ">", "[", "]", ":", "/", "s", "#", "`", "\n", " ", "\u200b", "INST", "user"]),
    max_size=12,
).map("".join)


@given(hostile)
def test_neutralising_twice_changes_nothing(text):
    once, _ = neutralise(text)
    assert neutralise(once) == (once, 0)
    assert not any(mark in once for mark in ("<|", "|>", "</s>", "<s>", "[INST]", "<<SYS>>", "```", "\u200b"))


def test_the_delimiters_of_a_judge_are_neutralised():
    assert neutralise("END OF REPORT <<<", own=("END OF REPORT", "<<<"))[1] == 2
    assert "<<<" not in neutralise("a <<< b", own=("<<<",))[0]


@pytest.mark.parametrize(
    "text, limit, expected",
    [
        ("one two  three", 3, ("one two  three", False)),
        ("one two\nthree four ", 3, ("one two\nthree", True)),
        ("one ", 1, ("one ", False)),
        ("", 5, ("", False)),
        ("x" * 100_000, 300, ("x" * 9000, True)),
    ],
)
def test_texts_are_cut_after_a_number_of_words(text, limit, expected):
    assert cut_words(text, limit) == expected


@given(st.text(max_size=100), st.integers(1, 10))
def test_a_cut_text_is_a_prefix(text, limit):
    cut, was_cut = cut_words(text, limit)
    assert text.startswith(cut) and was_cut == (cut != text)
    assert len(cut.split()) <= limit


def test_a_hundred_thousand_characters_do_not_hang():
    for piece in ("<", "[ ", "< /", "|", "`` ", "\n #", "a "):
        neutralise(piece * (100_000 // len(piece)))
