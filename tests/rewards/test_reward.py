"""Rewards: values, composites, unscored pairs, names, threads, copies and what is not computed again."""

import copy
import logging
import math
import pickle
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from radeval_core import load
from radeval_core.errors import InputError
from radeval_core.registry import get_spec, metric_names
from radeval_core.rewards import LengthGuard, Reward, make_reward
from radeval_core.score_scale import scale_of
from sample_sentences import SENTENCES

COMPLETIONS = [*SENTENCES[:6], ""]
REFERENCES = [*SENTENCES[1:6], SENTENCES[0], SENTENCES[0]]
SAME = ["Small left pleural effusion. No pneumothorax."]
GERMAN = "Kein Nachweis eines Pleuraergusses. Herz normal groß."


def options(name):
    return {"cider": {"corpus": REFERENCES}} if name == "cider" else {}


@pytest.mark.parametrize("name", metric_names())
def test_a_reward_is_the_metrics_value_per_pair_on_the_score_scale(name):
    reward = make_reward(name, options=options(name))
    metric = load(name, progress=False, **options(name).get(name, {}))
    scores = metric.compute(COMPLETIONS, REFERENCES)["scores"]
    expected = [None if math.isnan(score) else scale_of(name)(score) for score in scores]
    got = reward(prompts=[""] * 7, completions=COMPLETIONS, reference=REFERENCES)
    assert got == pytest.approx(expected, abs=1e-9)
    assert all(value is None or (type(value) is float and 0 <= value <= 1) for value in got)


@pytest.mark.parametrize("name", metric_names())
def test_identical_reports_get_the_best_reward(name):
    long = (
        "Moderate cardiomegaly. Small left pleural effusion with adjacent atelectasis. No pneumothorax is seen today."
    )
    settings = {"cider": {"corpus": [long, *SENTENCES]}} if name == "cider" else {}
    (best,) = make_reward(name, options=settings)([long], reference=[long])
    assert best == pytest.approx(1, abs=1e-6)


def test_a_part_is_named_like_a_metric():
    reward = make_reward("green.error_count")
    assert reward.__name__ == "green.error_count"
    assert reward(completions=["No pleural effusion.", *SAME], reference=SAME * 2) == [0.5, 1.0]


def test_a_composite_is_the_weighted_mean():
    alone = {name: make_reward(name)(COMPLETIONS, reference=REFERENCES) for name in ("bleu", "green", "fineradscore")}
    reward = make_reward({"bleu": 1, "green": 2, "fineradscore": 1})
    got = reward(COMPLETIONS, reference=REFERENCES)
    expected = [b / 4 + g / 2 + f / 4 for b, g, f in zip(*alone.values(), strict=True)]
    assert got == pytest.approx(expected)
    assert [metric.weight for metric in reward.metrics] == [0.25, 0.5, 0.25]


def test_an_unscored_pair_has_no_reward_not_even_in_a_composite(caplog):
    with caplog.at_level(logging.WARNING, logger="radeval_core.rewards"):
        reward = make_reward({"bleu": 0.9, "green": 0.1})
        for _ in range(2):
            assert reward([GERMAN, SAME[0]], reference=[SAME[0], SAME[0]]) == [None, 1.0]
        rating = reward.rate([GERMAN], {"reference": SAME})
    assert rating.values["green"] == [None] and rating.values["bleu"][0] is not None
    said = [record.getMessage() for record in caplog.records if "have no reward" in record.getMessage()]
    assert len(said) == 1 and "1 of 2 completions" in said[0] and GERMAN not in said[0]


def test_a_judge_that_does_not_answer_gives_no_rewards_and_says_so_every_time(monkeypatch, caplog):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    options = {"green": {"retries": 1, "timeout": 2.0}}
    reward = make_reward({"green": 1, "bleu": 1}, configs={"green": "http:some-model"}, options=options)
    with caplog.at_level(logging.WARNING, logger="radeval_core.rewards"):
        for _ in range(2):
            assert reward(SAME, reference=["Large left pleural effusion."]) == [None]
    said = [record.getMessage() for record in caplog.records if "no completion of this batch" in record.getMessage()]
    assert len(said) == 2 and not any(SAME[0] in text for text in said)


def test_a_row_without_a_reference_has_no_reward():
    assert make_reward("bleu")(["a", SAME[0]], reference=[None, SAME[0]]) == [None, 1.0]
    assert make_reward("bleu")([], reference=[]) == []
    assert make_reward("bleu")(["a"], reference=[None]) == [None]


def test_the_patients_context_is_passed_on():
    reward = make_reward("crimson")
    finding = ["Free air under the diaphragm."]
    plain = reward.rate(["Normal."], {"reference": finding}).values["crimson"]
    contexts = [{"indication": "Postoperative day 1 after laparotomy"}]
    expected = load("crimson", progress=False).compute(["Normal."], finding, contexts=contexts)["scores"]
    columns = {"reference": finding, "indication": [contexts[0]["indication"]]}
    assert reward.rate(["Normal."], columns).values["crimson"] == expected != plain
    named = make_reward("crimson", context_columns={"indication": "reason"})
    columns = {"reference": finding, "reason": [contexts[0]["indication"]]}
    assert named.rate(["Normal."], columns).values["crimson"] == expected


def test_the_length_guard_multiplies():
    long = [" ".join(SAME * 4)]
    free, guarded = make_reward("rouge"), make_reward("rouge", length_guard=2)
    # 24 words; the reference has 6, which count as 10: 2 · 10 / 24
    assert guarded(long, reference=SAME) == pytest.approx([free(long, reference=SAME)[0] * 20 / 24])
    assert guarded(SAME, reference=SAME) == free(SAME, reference=SAME)
    assert make_reward("ratescore", length_guard=LengthGuard(2, 0.5))([""], reference=SAME) == [0.0]
    assert guarded.rate(long, {"reference": SAME}).factors == [pytest.approx(20 / 24)]


def test_several_references():
    references = [["No nodule.", SAME[0]]]
    assert make_reward("rouge")(SAME, reference=references) == [1.0]
    with pytest.raises(InputError, match="green takes one reference"):
        make_reward({"rouge": 1, "green": 1})(SAME, reference=references)


def test_only_one_section_is_scored():
    report = "FINDINGS: Small left pleural effusion.\nIMPRESSION: No nodule."
    other = "FINDINGS: Small left pleural effusion.\nIMPRESSION: Pneumothorax."
    assert make_reward("bleu", section="findings")([report], reference=[other]) == [1.0]
    assert make_reward("bleu")([report], reference=[other])[0] < 1


# names


def test_names_tell_rewards_apart():
    rewards = [
        make_reward("green"),
        make_reward("green.error_count"),
        make_reward({"green": 1, "bleu": 1}),
        make_reward({"green": 2, "bleu": 1}),
        make_reward("green", length_guard=2),
        make_reward("green", length_guard=LengthGuard(2, 0.5)),
        make_reward("green", "report"),
        make_reward("rouge"),
        make_reward("rouge", options={"rouge": {"stemmer": True}}),
        make_reward("green", section="findings"),
        make_reward("green", name="mine"),
    ]
    names = [reward.__name__ for reward in rewards]
    assert len(set(names)) == len(names)
    assert names[:5] == ["green", "green.error_count", "green+bleu", "0.666667*green+0.333333*bleu", "green,guard2"]
    assert names[-1] == "mine" and not any("/" in name for name in names)
    assert make_reward("green", section="findings").__name__ == names[-2], "the same settings have the same name"


def test_a_folder_as_config_is_no_path_in_the_name(tiny_encoder):
    reward = make_reward("bertscore", configs=str(tiny_encoder))
    assert "/" not in reward.__name__ and reward.__name__.startswith("bertscore@")
    assert reward(SAME, reference=SAME) == [pytest.approx(1, abs=1e-6)]


# what is refused, before the first call


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"metrics": "gren"}, "did you mean 'green'"),
        ({"metrics": "green.errors"}, "unknown part of green"),
        ({"metrics": "chexbert_f1.macro_f1"}, "over a whole corpus.*use chexbert_f1"),
        ({"metrics": {}}, "at least one metric"),
        ({"metrics": ["green"]}, "got list: write make_reward"),
        ({"metrics": {"green": 0}}, "weight of green must be a positive number, got 0"),
        ({"metrics": {"fineradscore": -1}}, "turned round already"),
        ({"metrics": {"green": "1"}}, "must be a positive number, got '1'"),
        ({"metrics": {"green": float("nan")}}, "must be a positive number"),
        ({"metrics": {"green": 1e308, "bleu": 1e308}}, "too large"),
        ({"metrics": {3: 1}}, "named by texts, got int"),
        ({"metrics": "cider"}, r"options=\{'cider': \{'corpus': \[...\]\}\}"),
        ({"metrics": "bertscore", "options": {"bertscore": {"idf": True}}}, "bertscore with idf=True reads all"),
        ({"metrics": "green", "configs": "nope"}, "unknown config of green 'nope'"),
        ({"metrics": "green", "configs": {"bleu": "embedded"}}, "'bleu', which is not in the reward: green"),
        ({"metrics": {"green": 1, "bleu": 1}, "configs": "embedded"}, r"write configs=\{'green': "),
        ({"metrics": "green", "options": {"green": {"sumary": True}}}, "did you mean 'summary'"),
        ({"metrics": "green", "options": {"green": True}}, r"write options=\{'green': "),
        ({"metrics": "green", "options": "x"}, "options must be a mapping by metric"),
        ({"metrics": "green", "reference_column": ""}, "reference_column must be a text"),
        ({"metrics": "green", "section": "finding"}, "did you mean 'findings'"),
        ({"metrics": "green", "device": "tpu"}, None),
        ({"metrics": "bertscore", "device": "tpu"}, "unknown device 'tpu'"),
        ({"metrics": "bleu", "lexicon": "none.yaml"}, "lexicon is for metrics that read findings"),
    ],
)
def test_wrong_settings_fail_when_the_reward_is_made(arguments, said):
    if said is None:
        assert isinstance(make_reward(**arguments), Reward)  # green runs no model
        return
    with pytest.raises(InputError, match=said):
        make_reward(**arguments)


def test_a_call_without_completions_says_how_to_call():
    with pytest.raises(InputError, match=r"reward\(completions=\[...\], reference=\[...\]\)"):
        make_reward("bleu")(reference=["a"])


# state


def test_the_trainers_log_gets_the_metrics_own_values():
    metrics, extra = [], {}
    reward = make_reward({"green": 1, "fineradscore": 1})
    reward(
        [SAME[0], "No pleural effusion."],
        reference=SAME * 2,
        log_metric=lambda name, value: metrics.append((name, value)),
        log_extra=lambda name, values: extra.update({name: values}),
        trainer_state=None,
    )
    name = reward.__name__
    assert dict(metrics).keys() == {f"{name}/green", f"{name}/fineradscore", f"{name}/unscored"}
    assert dict(metrics)[f"{name}/unscored"] == 0
    assert extra[f"{name}/green"][0] == 1.0 and len(extra[f"{name}/fineradscore"]) == 2


@pytest.mark.parametrize("name", metric_names())
def test_threads_share_one_reward(name):
    reward = make_reward(name, options=options(name))
    alone = reward(COMPLETIONS, reference=REFERENCES)
    fresh = make_reward(name, options=options(name))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: fresh(COMPLETIONS, reference=REFERENCES), range(16)))
    assert all(got == pytest.approx(alone, abs=1e-6) for got in found)


@pytest.mark.parametrize("name", metric_names())
def test_a_reward_is_copied_and_pickled(name):
    reward = make_reward(name, options=options(name))
    expected = reward(COMPLETIONS, reference=REFERENCES)
    data = pickle.dumps(reward)
    if name != "cider":  # whose corpus is a setting
        assert SENTENCES[1].encode() not in data
    for again in (pickle.loads(data), copy.deepcopy(reward), copy.copy(reward)):
        assert again.__name__ == reward.__name__
        assert again(COMPLETIONS, reference=REFERENCES) == expected


def test_references_seen_before_are_not_read_again():
    reward = make_reward({"green": 1, "radgraph_f1": 1})
    reward(COMPLETIONS, reference=REFERENCES)
    reader = reward._shared().reader
    read = []
    original = reader.annotate
    reader.annotate = lambda texts: read.extend(texts) or original(texts)
    new = [f"{text} New today." for text in COMPLETIONS]
    reward(new, reference=REFERENCES)
    assert sorted(read) == sorted(new)


def test_document_frequencies_of_a_corpus_are_counted_once(monkeypatch):
    from radeval_core.functional.cider import DocumentFrequencies

    counted = []
    original = DocumentFrequencies.add
    monkeypatch.setattr(DocumentFrequencies, "add", lambda self, texts: counted.append(1) or original(self, texts))
    reward = make_reward("cider", options={"cider": {"corpus": [*SENTENCES, "A corpus of its own."]}})
    for _ in range(3):
        reward(SAME, reference=SAME)
    assert len(counted) == len(SENTENCES) + 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["green", "bleu"])
def test_a_thousand_calls_leave_memory_flat(name):
    import gc
    import tracemalloc

    reward = make_reward(name)
    for _ in range(20):
        reward(COMPLETIONS[:2], reference=REFERENCES[:2])
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(1000):
            reward(COMPLETIONS[:2], reference=REFERENCES[:2])
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 200_000


def test_every_metric_has_a_direction_and_a_scale():
    assert all(
        get_spec(name).higher_is_better == (scale_of(name).best > scale_of(name).worst) for name in metric_names()
    )
