"""Numbers too large for a float, or too long for an int, are refused with a reason and end no run."""

import pytest

from radeval_core.bench.expert_data import _number as expert_number
from radeval_core.data.source_files import number as source_number
from radeval_core.errors import InputError
from radeval_core.findings.atlas import check_box
from radeval_core.functional.radcliq import _is_number
from radeval_core.functional.ratescore import CELLS, read_affinity
from radeval_core.judges.green.counts import read_counted
from radeval_core.judges.verdict import UnreadableAnswer
from radeval_core.leaderboard.local_files import _attempts
from radeval_core.metrics.base import Option

HUGE = 10**400  # JSON allows it


def test_a_count_of_thousands_of_digits_is_unreadable():
    with pytest.raises(UnreadableAnswer, match="a count with 5000 digits of matched findings"):
        read_counted("9" * 5000 + ". Effusion", "matched findings")
    with pytest.raises(UnreadableAnswer, match="a count with 3001 digits"):
        read_counted("1" + ",000" * 1000 + ". Effusion", "errors")
    assert read_counted("1,000. Effusion", "errors").count == 1000
    assert read_counted("2. Effusion; edema", "errors").count == 2


@pytest.mark.parametrize(
    "read",
    [
        lambda: expert_number("row 1", HUGE, False),
        lambda: source_number("row 1", {"score": HUGE}, "score", 0, 5),
        lambda: check_box([0, 0, HUGE, 5], None, None, "boxes of row 1"),
        lambda: read_affinity({**dict.fromkeys(CELLS, 1), "neg_weight": HUGE}, "weights"),
        lambda: Option(1.0, float, "a number").check("green.timeout", HUGE),
    ],
)
def test_a_number_too_large_for_a_float_is_refused(read):
    with pytest.raises(InputError, match="must be"):
        read()


def test_a_weight_too_large_for_a_float_is_no_number():
    assert not _is_number(HUGE) and not _is_number(-HUGE) and not _is_number(float("nan")) and _is_number(0.5)


def test_a_damaged_number_of_attempts_counts_as_none():
    assert _attempts(b"9" * 5000) == 0 and _attempts(b" 3\n") == 3
