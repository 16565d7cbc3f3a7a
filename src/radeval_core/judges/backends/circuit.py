"""Notice early that a server fails: ask it one question first, and stop asking when it keeps failing."""

from __future__ import annotations

#: failed questions after which a server that has never answered is given up
_FIRST_QUESTIONS = 3
#: seconds to wait before each further question to a server that used to answer and now fails
PAUSES = (1.0, 4.0, 10.0, 15.0)


class Circuit:
    """Counts failures in a row. Failures that are about one question alone do not count.

    Until the server has answered, and again after too many failures in a row, it gets one question at a time. If
    those fail too, it is given up: further questions are not sent.

    Args:
        limit: failures in a row after which a server that has answered gets one question at a time.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        #: why no further question is sent; empty while the server is asked
        self.given_up = ""
        self._answered = False
        self._in_a_row = 0
        self._alone = 0

    @property
    def careful(self) -> bool:
        """True if only one question may be open."""
        return not self._answered or self._in_a_row >= self.limit

    @property
    def pause(self) -> float:
        """Return the seconds to wait before the next question."""
        failing = self._answered and self._in_a_row >= self.limit
        return PAUSES[min(self._alone, len(PAUSES) - 1)] if failing else 0.0

    @property
    def one_try(self) -> bool:
        """True if the next question gets a single try: the question before it has failed after all its tries."""
        return self.careful and self._in_a_row > 0

    def answered(self) -> None:
        """Note an answer."""
        self._answered, self._in_a_row, self._alone = True, 0, 0

    def failed(self, reason: str, alone: bool, unreachable: bool) -> None:
        """Note a question that failed after all its tries.

        Args:
            reason: why.
            alone: it was the only open question.
            unreachable: the server accepts no connection, or stays silent.
        """
        self._in_a_row += 1
        if self._answered:
            self._alone += alone
            hopeless = self._alone >= len(PAUSES)
        else:
            hopeless = unreachable or self._in_a_row >= _FIRST_QUESTIONS
        if hopeless and not self.given_up:
            self.given_up = f"not asked, because the server failed before: {reason}"
