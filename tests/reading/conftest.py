"""Cheap hashes: most tests of this folder make studies with several secrets, and a slow hash takes 50 ms or more."""

import pytest


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch):
    """Lower the cost of new hashes. A record states its cost, so checking a secret works as always."""
    monkeypatch.setattr("radeval_core.secret_hash._COST", {"n": 2**4, "r": 8, "p": 1})
