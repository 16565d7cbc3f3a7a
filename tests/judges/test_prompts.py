import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.errors import CheckpointError
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.backends.prompts import PromptMaker
from sample_sentences import SENTENCES
from tiny_llama import make_tiny_llama


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(make_tiny_llama(tmp_path_factory.mktemp("tiny-llama"), SENTENCES))


@pytest.fixture(scope="module")
def maker(tokenizer):
    return PromptMaker(tokenizer, 512, "tiny")


def special(maker, ids):
    return [i for i in ids if i in maker.tokenizer.all_special_ids]


def user(text):
    return Request((Message("system", "Judge."), Message("user", text)))


def test_without_a_rendered_prompt_the_chat_template_is_used(maker):
    ids = maker.prompt(user("heart")).ids
    assert maker.tokenizer.decode(ids) == "<|turn|>system\nJudge.</s>\n<|turn|>user\nheart</s>\n<|turn|>assistant\n"


def test_a_rendered_prompt_is_used_unchanged(maker):
    rendered = "<|turn|>\nheart</s>\n"
    ids = maker.prompt(Request((), rendered=rendered)).ids
    assert maker.tokenizer.decode(ids).removeprefix("<s>") == rendered
    assert maker.prompt(Request((), rendered=f"<s>{rendered}")).ids.count(0) == 1  # only one start token


def test_a_model_with_another_end_token_gets_its_own(tokenizer):
    import copy

    other = copy.deepcopy(tokenizer)
    other.eos_token = "<|turn|>"
    request = Request((), rendered="heart</s>\n", end="</s>")
    assert other.decode(PromptMaker(other, 512, "tiny").prompt(request).ids).removeprefix("<s>") == "heart<|turn|>\n"
    plain = PromptMaker(tokenizer, 512, "tiny")
    assert tokenizer.decode(plain.prompt(request).ids).removeprefix("<s>") == "heart</s>\n"
    assert PromptMaker(other, 512, "tiny").template_version == f"{plain.template_version}|end:<|turn|>"


pieces = st.sampled_from(["<|turn|>", "</s>", "<s>", "<", "|", "/s>", "<<s>s>", " ", "user\n", "heart", "<|", "turn|>"])


@given(st.lists(pieces, max_size=12).map("".join))
def test_no_text_in_a_message_becomes_a_special_token(maker, text):
    ordinary = special(maker, maker.prompt(user("heart")).ids)
    assert special(maker, maker.prompt(user(text)).ids) == ordinary
    assert special(maker, maker.prompt(user("heart <1 cm [2.5 cm]")).ids) == ordinary


@given(st.text(st.characters(codec="utf-8"), max_size=50))
def test_text_without_special_tokens_is_unchanged(maker, text):
    if not any(token in text for token in maker.special):
        assert maker.inert(text) == text


def test_a_template_without_a_system_turn_gets_the_instructions_in_the_first_turn(tokenizer):
    import copy

    strict = copy.deepcopy(tokenizer)
    strict.chat_template = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system turn') }}{% endif %}"
        "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
    )
    ids = PromptMaker(strict, 512, "tiny").prompt(user("heart")).ids
    assert strict.decode(ids) == "[user]Judge.\n\nheart"


def test_a_model_without_a_chat_template_is_a_clear_error(tokenizer):
    import copy

    bare = copy.deepcopy(tokenizer)
    bare.chat_template = None
    with pytest.raises(CheckpointError, match="tiny has no chat template"):
        PromptMaker(bare, 512, "tiny").prompt(user("heart"))
