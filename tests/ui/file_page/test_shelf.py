"""What visitors work on: kept for a while, in a limited number, and dropped by itself."""

import time

from radeval_core.ui.file_page.shelf import Shelf


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_a_visit_is_kept_under_its_key_until_it_is_dropped():
    shelf = Shelf()
    shelf.put("a", 1)
    shelf.put("b", 2)
    assert (shelf.get("a"), shelf.get("b"), shelf.get("c")) == (1, 2, None)
    shelf.drop("a")
    shelf.drop("never there")
    assert shelf.get("a") is None and len(shelf) == 1


def test_using_a_visit_keeps_it():
    clock = Clock()
    shelf = Shelf(max_age=10, clock=clock)
    shelf.put("a", 1)
    shelf.put("b", 2)
    clock.now = 8
    assert shelf.get("a") == 1
    clock.now = 15  # a was used 7 seconds ago, b 15 seconds ago
    assert shelf.get("b") is None and shelf.get("a") == 1


def test_the_visit_not_used_for_longest_makes_room():
    shelf = Shelf(most=2)
    shelf.put("a", 1)
    shelf.put("b", 2)
    shelf.get("a")
    shelf.put("c", 3)
    assert shelf.get("b") is None and (shelf.get("a"), shelf.get("c")) == (1, 3)


def test_an_old_visit_is_dropped_although_nobody_comes():
    shelf = Shelf(max_age=0.05)
    shelf.put("a", 1)
    end = time.monotonic() + 5
    while shelf._kept and time.monotonic() < end:
        time.sleep(0.01)
    assert not shelf._kept
