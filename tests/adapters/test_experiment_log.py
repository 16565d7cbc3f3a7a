"""What is logged of a result: numbers and signatures, and no report."""

from radeval_core import score
from radeval_core.adapters.experiment_log import log_scores

SPANISH = "El corazón está aumentado de tamaño."


class Tracker:
    """Keeps what it is given."""

    def __init__(self):
        self.logged = []

    def log(self, data, step=None):
        self.logged.append((data, step))


def test_scores_intervals_counts_and_signatures_are_logged(example_pairs):
    scores, run = score(example_pairs, ["rouge", "green.error_count"], detailed=True), Tracker()
    data = log_scores(scores, run, step=3, prefix="test/")
    assert run.logged == [(data, 3)]
    row = scores.table()["green.error_count"]
    assert data["test/green.error_count"] == row["score"]
    assert [data["test/green.error_count/ci95_low"], data["test/green.error_count/ci95_high"]] == row["ci95"]
    assert (data["test/rouge/n"], data["test/rouge/unscored"]) == (len(example_pairs), 0)
    assert data["test/green.error_count/signature"].startswith("green|config:embedded|")


def test_no_report_is_logged(example_pairs):
    data = log_scores(score(example_pairs, ["green"], detailed=True), Tracker())
    assert set(data) == {f"green{end}" for end in ("", "/ci95_low", "/ci95_high", "/n", "/unscored", "/signature")}
    assert all(isinstance(value, (int, float)) or value.startswith("green|") for value in data.values())


def test_a_number_that_does_not_exist_is_left_out():
    data = log_scores(score([(SPANISH, "Clear lungs.")], ["green"]), Tracker())
    assert set(data) == {"green/n", "green/unscored", "green/signature"}
    assert (data["green/n"], data["green/unscored"]) == (0, 1)
