"""Who owns a name on a leaderboard: an account on the Hub, whoever knows a secret, or the keeper of the store.

The first submission under a name binds it, and every name that looks like it, to its submitter. Of a secret, only a
salted slow hash (scrypt) is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from radeval_core.errors import InputError
from radeval_core.secret_hash import is_secret_of, new_secret, secret_record

__all__ = ["KEEPER", "Submitter", "needed_proof", "new_secret", "with_account", "with_secret"]
#: characters of a secret
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
            fields |= secret_record(self.secret)
        return fields

    def owns(self, record: Mapping[str, Any]) -> bool:
        """Return True if a record binds its name to this submitter. The keeper of a store may use every name."""
        if self.kind == "keeper":
            return True
        if self.kind != record.get("kind"):
            return False
        if self.kind == "account":
            return bool(self.account) and record.get("account") == self.account
        return is_secret_of(self.secret, record)


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
