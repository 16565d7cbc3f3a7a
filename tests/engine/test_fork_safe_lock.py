"""Locks are free in a forked process, and copies of a lock are new locks."""

import copy
import os
import pickle
import threading

from radeval_core.engine.fork_safe_lock import ForkSafeLock


def test_one_thread_at_a_time():
    lock, inside, most = ForkSafeLock(), [], []

    def work():
        for _ in range(200):
            with lock:
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1


def test_a_lock_that_is_held_during_a_fork_is_free_in_the_child():
    lock = ForkSafeLock()
    with lock:
        child = os.fork()
        if child == 0:
            os._exit(0 if lock._lock.acquire(timeout=5) else 1)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_copy_is_a_new_lock():
    lock = ForkSafeLock()
    with lock:
        for again in (copy.copy(lock), copy.deepcopy(lock), pickle.loads(pickle.dumps(lock))):
            assert again is not lock
            with again:
                pass
