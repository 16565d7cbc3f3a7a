"""Secrets are stored as salted slow hashes."""

import pytest

from radeval_core.secret_hash import is_secret_of, new_secret, secret_record


def test_a_record_knows_its_secret_and_no_other():
    secret = new_secret()
    record = secret_record(secret)
    assert is_secret_of(secret, record) and not is_secret_of(secret + "x", record)
    assert secret not in str(record) and record["n"] >= 2**14


def test_the_same_secret_has_another_hash_every_time():
    assert secret_record("the same secret")["hash"] != secret_record("the same secret")["hash"]
    assert new_secret() != new_secret() and len(new_secret()) >= 24


@pytest.mark.parametrize("change", [{"hash": ""}, {"salt": "zz"}, {"n": "x"}, {"n": 3}, {"r": None}])
def test_a_damaged_record_belongs_to_nobody(change):
    assert not is_secret_of("a secret of ours", {**secret_record("a secret of ours"), **change})
    assert not is_secret_of("a secret of ours", {})
