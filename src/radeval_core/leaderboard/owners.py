"""Who owns a name on a leaderboard: an account on the Hub, whoever knows a secret, or the keeper of the store.

The first submission under a name binds it, and every name that looks like it, to its submitter. Of a secret, only a
salted slow hash (scrypt) is stored.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from radeval_core.errors import InputError

#: cost of scrypt: about 16 MB and 50 ms per try
_COST = {"n": 2**14, "r": 8, "p": 1}
_SHORTEST, _LONGEST = 12, 200


@dataclass(frozen=True)
class Submitter:
    """Someone who submits.

    Attributes:
        kind: `keeper`, `account` or `secret`.
        account: name of the account.
        secret: the secret; never stored or shown.
    """

    kind: str
    account: str = ""
    secret: str = field(default="", repr=False)

    def key(self, name_key: str) -> str:
        """Return what the limits count by: the account, or the name that a secret belongs to."""
        return f"account:{self.account}" if self.kind == "account" else f"{self.kind}:{name_key}"

    def record(self, name: str, date: str) -> dict[str, Any]:
        """Return the record that binds a name to this submitter."""
        fields: dict[str, Any] = {"name": name, "date": date, "kind": self.kind}
        if self.kind == "account":
            fields["account"] = self.account
        if self.kind == "secret":
            salt = secrets.token_bytes(16)
            fields |= {"salt": salt.hex(), "hash": _slow_hash(self.secret, salt, **_COST).hex(), **_COST}
        return fields

    def owns(self, record: Mapping[str, Any]) -> bool:
        """Return True if a record binds its name to this submitter. The keeper of a store may use every name."""
        if self.kind == "keeper":
            return True
        if self.kind != record.get("kind"):
            return False
        if self.kind == "account":
            return bool(self.account) and record.get("account") == self.account
        try:
            cost = {key: min(int(record[key]), 2**16) for key in _COST}
            expected = _slow_hash(self.secret, bytes.fromhex(record["salt"]), **cost).hex()
            return hmac.compare_digest(expected, str(record["hash"]))
        except (KeyError, TypeError, ValueError, OverflowError):  # a damaged record belongs to nobody
            return False


def needed_proof(record: Mapping[str, Any]) -> str:
    """Return what a submitter needs to use a name, in words."""
    return {"secret": "its secret", "account": "its account"}.get(str(record.get("kind")), "the store's keeper")


#: whoever has the store's files: baselines, and scripts that use `Store` directly
KEEPER = Submitter("keeper")


def with_account(account: str) -> Submitter:
    """Return a submitter who is logged in."""
    return Submitter("account", account)


def with_secret(secret: str) -> Submitter:
    """Return a submitter who knows a secret."""
    if not _SHORTEST <= len(secret) <= _LONGEST:
        raise InputError(f"a secret has {_SHORTEST} to {_LONGEST} characters, got {len(secret)}")
    return Submitter("secret", secret=secret)


def new_secret() -> str:
    """Return a random secret."""
    return secrets.token_urlsafe(18)


def _slow_hash(secret: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(secret.encode("utf-8", "surrogatepass"), salt=salt, n=n, r=r, p=p, dklen=32)
