import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_instructions import ToyBackend, ToyInstructions

from radeval_core.engine.cache import DiskCache
from radeval_core.errors import InputError
from radeval_core.judges.backends.base import Answer
from radeval_core.judges.engine import judge_pairs
from radeval_core.judges.model_judge import ModelJudge
from radeval_core.judges.verdict import UnreadableAnswer


def count(question):
    """Return an answer that depends on the question."""
    return json.dumps({"errors": len(question)})


def judge(backend, pairs, cache=None, **options):
    return judge_pairs(ModelJudge(ToyInstructions(**options), backend, cache), pairs, progress=False)


@given(st.lists(st.tuples(st.text("ab", max_size=3), st.text("ab", max_size=3)), max_size=20))
def test_one_verdict_per_pair_in_order_and_equal_pairs_are_asked_once(pairs):
    backend = ToyBackend(count)
    verdicts = judge(backend, pairs)
    assert [v.analysis for v in verdicts] == [len(r) + len(c) + 1 for r, c in pairs]
    assert sorted(backend.asked) == sorted(f"{r}|{c}" for r, c in set(pairs))


def test_a_verdict_contains_the_answer_and_the_tries():
    (verdict,) = judge(ToyBackend(count), [("a", "b")])
    assert (verdict.analysis, verdict.reason, verdict.answer, verdict.tries) == (3, "", '{"errors": 3}', 1)


def test_only_unreadable_answers_are_requested_again():
    backend = ToyBackend(lambda q: "what?" if q == "b|b" else count(q))
    verdicts = judge(backend, [("a", "a"), ("b", "b"), ("c", "c")])
    assert [v.analysis for v in verdicts] == [3, len("not the JSON asked for: again"), 3]
    assert [v.tries for v in verdicts] == [1, 2, 1]
    assert len(backend.asked) == 4 and backend.asked[-1] == "not the JSON asked for: again"


def test_after_the_last_try_the_pair_is_unscored_with_the_reason():
    backend = ToyBackend(lambda q: Answer("never JSON", "the answer was cut at 9 tokens"))
    (verdict,) = judge(backend, [("a", "b")], tries=4)
    assert (verdict.analysis, verdict.answer, verdict.tries) == (None, "never JSON", 4)
    assert verdict.reason == "not the JSON asked for (the answer was cut at 9 tokens)"
    assert len(backend.asked) == 4


def test_a_failed_answer_is_not_requested_again():
    backend = ToyBackend(lambda q: Answer(None, "HTTP 500") if q == "b|b" else count(q))
    verdicts = judge(backend, [("a", "a"), ("b", "b")])
    assert [(v.analysis, v.reason) for v in verdicts] == [(3, ""), (None, "HTTP 500")]
    assert len(backend.asked) == 2


def test_a_failing_backend_affects_only_the_pairs_it_fails_on(caplog):
    backend = ToyBackend(lambda q: RuntimeError(f"secret {q}") if q.startswith("b") else count(q))
    with caplog.at_level(logging.INFO):
        verdicts = judge(backend, [("a", "a"), ("b", "b"), ("c", "c"), ("bb", "b"), ("d", "d")])
    assert [v.analysis for v in verdicts] == [3, None, 3, None, 3]
    assert verdicts[1].reason == "the backend failed: RuntimeError"
    assert "secret" not in caplog.text
    assert "2 of 5 pairs are unscored: 2 × the backend failed: RuntimeError" in caplog.text


def test_a_backend_that_forgets_or_repeats_answers():
    class Careless(ToyBackend):
        def answers(self, requests):
            found = [item for item in super().answers(requests) if item[0] != 1]
            return iter(found + found)

    verdicts = judge(Careless(count), [("a", "a"), ("b", "b"), ("c", "c")])
    assert [v.reason for v in verdicts] == ["", "the backend gave no answer", ""]


def test_user_errors_are_raised():
    with pytest.raises(InputError, match="no such model"):
        judge(ToyBackend(lambda q: InputError("no such model")), [("a", "a")])


def test_an_error_while_reading_makes_the_answer_unreadable(caplog):
    class Fragile(ToyInstructions):
        def read(self, reference, candidate, answer):
            raise ZeroDivisionError("patient text")

    (verdict,) = judge_pairs(ModelJudge(Fragile(tries=1), ToyBackend(count)), [("a", "a")], progress=False)
    assert verdict.analysis is None and verdict.reason == "reading the answer failed: ZeroDivisionError"
    assert "patient text" not in caplog.text


def test_without_pairs_nothing_is_asked():
    backend = ToyBackend(count)
    assert judge(backend, []) == [] and backend.calls == 0


def test_cached_answers_are_not_requested_again(tmp_path):
    pairs = [("a", "a"), ("b", "b"), ("b", "late")]
    reply = lambda q: "nonsense" if "late" in q else count(q)  # noqa: E731
    first = judge(ToyBackend(reply), pairs, DiskCache(tmp_path), tries=2)
    backend = ToyBackend(reply)
    assert judge(backend, [*pairs, ("new", "x")], DiskCache(tmp_path), tries=2)[:3] == first
    assert backend.asked == ["new|x"] and first[2].tries == 2


def test_an_unreadable_answer_is_asked_for_again_in_the_next_run(tmp_path):
    first = judge(ToyBackend(lambda q: "nonsense"), [("a", "a")], DiskCache(tmp_path), tries=2)
    assert first[0].analysis is None
    backend = ToyBackend(count)
    assert judge(backend, [("a", "a")], DiskCache(tmp_path), tries=2)[0].analysis == 3
    assert backend.asked == ["a|a"]


def test_kept_answers_have_the_signature_of_fresh_ones(tmp_path):
    def run(backend):
        model = ModelJudge(ToyInstructions(), backend, DiskCache(tmp_path))
        judge_pairs(model, [("a", "a")], progress=False)
        return model.fields

    fresh = run(ToyBackend(lambda q: Answer(count(q), decoding="default")))
    assert run(ToyBackend(lambda q: RuntimeError("nobody must be asked"))) == fresh
    assert fresh["decoding"] == "default"


def test_the_failure_of_an_unreadable_answer_quotes_nothing():
    class Quoting(ToyInstructions):
        def read(self, reference, candidate, answer):
            raise UnreadableAnswer(f"line {answer} is unknown")

    verdicts = judge_pairs(ModelJudge(Quoting(), ToyBackend(lambda q: "MRS")), [("a", "a")], progress=False)
    assert verdicts[0].failure == "the answer is unreadable"


def test_a_failure_is_not_cached(tmp_path):
    judge(ToyBackend(lambda q: Answer(None, "HTTP 500")), [("a", "a")], DiskCache(tmp_path))
    assert judge(ToyBackend(count), [("a", "a")], DiskCache(tmp_path))[0].analysis == 3


@pytest.mark.parametrize("change", [{"backend": "other-model"}, {"judge": "toy-2"}, {"schema": {"type": "object"}}])
def test_another_model_judge_or_question_is_asked_again(tmp_path, change):
    judge(ToyBackend(count), [("a", "a")], DiskCache(tmp_path))
    backend = ToyBackend(count, identity=change.get("backend", "toy-backend"))
    judge(
        backend, [("a", "a")], DiskCache(tmp_path),
        identity=change.get("judge", "toy-1"), schema=change.get("schema"),
    )  # fmt: skip
    assert backend.asked == ["a|a"]


def test_every_answer_is_on_disk_as_soon_as_it_arrives(tmp_path):
    class Dies(ToyBackend):
        def answers(self, requests):
            for n, item in enumerate(super().answers(requests)):
                if n == 2:
                    raise KeyboardInterrupt
                yield item

    pairs = [(c, c) for c in "abcde"]
    with pytest.raises(KeyboardInterrupt):
        judge(Dies(count), pairs, DiskCache(tmp_path))
    backend = ToyBackend(count)
    judge(backend, pairs, DiskCache(tmp_path))
    assert sorted(backend.asked) == ["a|a", "b|b", "c|c"]  # d and e came before it died


def test_a_retry_with_the_same_words_is_asked_and_not_read_from_disk(tmp_path):
    class Stubborn(ToyInstructions):
        def again(self, request, answer, problem):
            return request

    replies = iter(["nonsense", '{"errors": 1}'])
    backend = ToyBackend(lambda q: next(replies))
    (verdict,) = judge_pairs(ModelJudge(Stubborn(), backend, DiskCache(tmp_path)), [("a", "a")], progress=False)
    assert (verdict.analysis, verdict.tries) == (1, 2)
