from threading import Thread

import numpy as np
import pytest

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.engine.cache import DiskCache


class Reverser:
    """An annotator that records which texts it was asked for."""

    def __init__(self, identity: str = "reverser") -> None:
        self.identity = identity
        self.asked: list[str] = []

    def annotate(self, texts):
        self.asked.extend(texts)
        return [text[::-1] for text in texts]

    def dump(self, annotation):
        return annotation.encode()

    def load(self, data):
        return data.decode()

    def size(self, annotation):
        return len(annotation)


def test_each_text_is_annotated_once():
    annotator, store = Reverser(), AnnotationStore()
    assert store.annotate(annotator, ["ab", "cd", "ab"]) == {"ab": "ba", "cd": "dc"}
    assert store.annotate(annotator, ["cd", "ef"]) == {"cd": "dc", "ef": "fe"}
    assert annotator.asked == ["ab", "cd", "ef"]


def test_annotators_do_not_see_each_others_annotations():
    store = AnnotationStore()
    store.annotate(Reverser("one"), ["ab"])
    other = Reverser("two")
    store.annotate(other, ["ab"])
    assert other.asked == ["ab"]


def test_memory_is_bounded():
    annotator, store = Reverser(), AnnotationStore(memory=100)
    for i in range(50):
        store.annotate(annotator, [f"text number {i}"])
    assert store._bytes.total() <= 100
    assert store.annotate(annotator, ["text number 0"]) == {"text number 0": "0 rebmun txet"}


def test_large_annotations_do_not_push_out_small_ones():
    small, large, store = Reverser("small"), Reverser("large"), AnnotationStore(memory=10_000)
    texts = [f"text {i}" for i in range(100)]
    store.annotate(small, texts)
    large.size = lambda annotation: 1000
    store.annotate(large, texts)
    store.annotate(small, texts)
    assert len(small.asked) == 100


class Brief:
    """An annotator whose structures are not worth a place on disk."""

    identity = "brief"

    def annotate(self, texts):
        return [len(text) for text in texts]

    def size(self, annotation):
        return 8


def test_what_is_computed_quickly_gets_a_quarter_of_the_memory():
    store, texts = AnnotationStore(memory=4_000), [f"text {i:04d}" for i in range(500)]  # 17 bytes each
    store.annotate(Brief(), texts)
    assert store._bytes["brief"] == 58 * 17
    slow = Reverser()
    store.annotate(slow, texts)
    assert store._bytes["brief"] == 58 * 17 and 3_000 - 18 < store._bytes["reverser"] <= 4_000 - 58 * 17
    store.annotate(Brief(), [text + "x" * 2_000 for text in texts[:1]])  # larger than its part: not kept, drops nothing
    assert store._bytes["brief"] == 58 * 17


def test_an_annotator_without_a_form_on_disk_is_never_written(tmp_path):
    store = AnnotationStore(DiskCache(tmp_path))
    assert store.annotate(Brief(), ["abc"]) == {"abc": 3}
    assert store.cache.get("brief", ["abc"]) == {}


def test_the_disk_cache_serves_a_new_process(tmp_path):
    AnnotationStore(DiskCache(tmp_path)).annotate(Reverser(), ["ab", "cd"])
    second = Reverser()
    assert AnnotationStore(DiskCache(tmp_path)).annotate(second, ["cd", "ef"]) == {"cd": "dc", "ef": "fe"}
    assert second.asked == ["ef"]


@pytest.mark.parametrize("cached", [False, True])
def test_bertscore_is_the_same_with_and_without_a_cache(tmp_path, tiny_encoder, cached, example_pairs):
    from radeval_core import score

    rows = example_pairs[:4]
    options = {"bertscore": {"checkpoint": str(tiny_encoder)}}
    plain = score(rows, ["bertscore"], options=options).results["bertscore"].scores
    for _ in range(2):
        again = score(rows, ["bertscore"], options=options, cache=tmp_path / "c" if cached else None)
        np.testing.assert_array_equal(again.results["bertscore"].scores, plain)


def test_several_threads_share_a_store_within_its_bound():
    store, annotator = AnnotationStore(memory=60), Reverser()
    wrong = []

    def ask(start):
        for i in range(300):
            text = f"text {(start + i) % 17}"
            if store.annotate(annotator, [text]) != {text: text[::-1]}:
                wrong.append(text)

    threads = [Thread(target=ask, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    kept = [size for texts in store._kept.values() for _, size in texts.values()]
    assert store._bytes.total() == sum(kept) <= 60
