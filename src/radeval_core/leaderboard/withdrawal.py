"""Withdraw a submission: its owner takes it off the board. Nothing is deleted, and the name stays theirs."""

from __future__ import annotations

from radeval_core.errors import InputError, RadevalError, unknown_name
from radeval_core.leaderboard.owners import Submitter, needed_proof
from radeval_core.leaderboard.store import Change, Store, log_path, record_bytes, store_path
from radeval_core.leaderboard.system_names import look_alike_key


def withdraw(store: Store, benchmark: str, submission: str, date: str, submitter: Submitter) -> bool:
    """Take a submission off the board. Return False if it is withdrawn already.

    Its file and its results stay in the store, but are not scored, shown or ranked. It still counts for the limits, so
    that nobody submits without end by withdrawing.

    Args:
        store: the store of the submission.
        benchmark: name of its benchmark.
        submission: id of the submission.
        date: date of the withdrawal.
        submitter: who withdraws it.

    Raises:
        InputError: if there is no such submission, or it belongs to someone else.
    """

    def plan() -> Change | None:
        name = _name(store, benchmark, submission)
        _check_owner(store, benchmark, name, submitter)
        if submission in store.withdrawn(benchmark):
            return None
        log, who = store.log(benchmark), submitter.key(look_alike_key(name))
        event = {"date": date, "withdrawn": submission, "name": name, "owner": who}
        record = {"submission": submission, "date": date, "owner": who}
        return Change(
            {store_path("withdrawn", benchmark, submission): record_bytes(record)},
            {log_path(benchmark): log.next_line(event)},
        )

    return store.files.change(plan)


def find_submission(store: Store, benchmark: str, wanted: str) -> str:
    """Return the id of the one submission with this id, start of an id, or exact name of a system.

    Submissions on the board come first: a withdrawn one is found only if no other matches.
    """
    known = store.submissions(benchmark)
    matching = [submission for submission in known if wanted and submission.startswith(wanted)]
    matching = matching or [submission for submission in known if _name_or_none(store, benchmark, submission) == wanted]
    withdrawn = store.withdrawn(benchmark)
    found = [submission for submission in matching if submission not in withdrawn] or matching
    if not found:
        raise unknown_name("submission", wanted, known)
    if len(found) > 1:
        ids = ", ".join(submission[:12] for submission in found)
        raise InputError(f"{len(found)} submissions match {wanted!r}; give one of {ids}")
    return found[0]


def _name(store: Store, benchmark: str, submission: str) -> str:
    try:
        return str(store.request(benchmark, submission)["system"]["name"])
    except (KeyError, TypeError):
        raise RadevalError(f"submission {submission} in the store has no name of a system") from None


def _name_or_none(store: Store, benchmark: str, submission: str) -> str | None:
    try:
        return _name(store, benchmark, submission)
    except RadevalError:  # a damaged submission stops nobody
        return None


def _check_owner(store: Store, benchmark: str, name: str, submitter: Submitter) -> None:
    """Raise an error if a name belongs to someone else. A name without an owner belongs to the store's keeper."""
    owner = store.owner(benchmark, name) or {}
    if submitter.kind != "keeper" and not submitter.owns(owner):
        raise InputError(f"{name!r} belongs to another submitter: only {needed_proof(owner)} can withdraw it")
