"""Store a secret as a salted slow hash (scrypt), and check a given secret against it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Any

#: cost of scrypt: about 16 MB and 50 ms per try
_COST = {"n": 2**14, "r": 8, "p": 1}


def new_secret() -> str:
    """Return a random secret that can be part of an address."""
    return secrets.token_urlsafe(18)


def secret_record(secret: str) -> dict[str, Any]:
    """Return what to store instead of a secret: salt, hash and cost."""
    salt = secrets.token_bytes(16)
    return {"salt": salt.hex(), "hash": _slow_hash(secret, salt, **_COST).hex(), **_COST}


def is_secret_of(secret: str, record: Mapping[str, Any]) -> bool:
    """Return True if a record was made from this secret. A damaged record belongs to no secret."""
    try:
        cost = {key: min(int(record[key]), 2**16) for key in _COST}
        expected = _slow_hash(secret, bytes.fromhex(record["salt"]), **cost).hex()
        return hmac.compare_digest(expected, str(record["hash"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        return False


def _slow_hash(secret: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(secret.encode("utf-8", "surrogatepass"), salt=salt, n=n, r=r, p=p, dklen=32)
