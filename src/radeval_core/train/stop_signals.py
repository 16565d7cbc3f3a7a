"""Let SIGTERM and SIGINT end a training run after the step that is running, with a checkpoint."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopRequest:
    """Whether a signal asked the run to stop.

    Attributes:
        signal: name of the signal; empty if there was none.
    """

    def __init__(self) -> None:
        self.signal = ""

    def __bool__(self) -> bool:
        return bool(self.signal)


@contextmanager
def stop_requests() -> Iterator[StopRequest]:
    """Note the first SIGTERM or SIGINT while the block runs. A second one ends the process at once.

    Only the main thread can catch signals; in another thread nothing is noted.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def note(number: int, _: FrameType | None) -> None:
        request.signal = signal.Signals(number).name
        for each, handler in before.items():
            signal.signal(each, handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
