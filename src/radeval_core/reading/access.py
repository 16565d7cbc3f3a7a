"""Who is at the page: a secret from a link becomes a signed token that lasts for hours, in every process of a store.

A link has the name and the secret after its `#`, which browsers do not send. The page sends the secret once, as the
body of a request, and the token from then on. A new link for a reader ends the tokens of the old one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

from radeval_core.errors import InputError
from radeval_core.reading.study import Study

#: seconds a token lasts; the page then sends the secret again
LASTS = 12 * 3600


class NotAllowed(InputError):
    """The link, secret or token is not valid."""


def link(address: str, name: str, secret: str) -> str:
    """Return the link of a reader, or of the owner."""
    return f"{address.rstrip('/')}/#{name}.{secret}"


def log_in(study: Study, name: str, secret: str) -> str:
    """Return a token for a name and its secret."""
    if not secret or len(secret) > 200 or len(name) > 60 or not study.knows(name, secret):
        raise NotAllowed("this link is not valid: ask the owner of the study for a new one")
    payload = {"name": name, "until": int(time.time()) + LASTS, "of": _generation(study, name)}
    body = base64.urlsafe_b64encode(json.dumps(payload).encode()).decode().rstrip("=")
    return f"{body}.{_sign(study, body)}"


def name_of(study: Study, token: str) -> str:
    """Return the name that a token was made for."""
    body, _, signature = token.partition(".")
    if not hmac.compare_digest(_sign(study, body).encode(), signature.encode("utf-8", "replace")):
        raise NotAllowed("not logged in: open your link again")
    payload: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    name = str(payload["name"])
    if payload["until"] < time.time() or payload["of"] != _generation(study, name):
        raise NotAllowed("the login has ended: open your link again")
    return name


def _generation(study: Study, name: str) -> str:
    """Return what changes when a reader gets a new link."""
    try:
        return str(study.secret_of(name)["hash"])[:16]
    except InputError:
        raise NotAllowed("the login has ended: open your link again") from None


def _sign(study: Study, body: str) -> str:
    return hmac.new(study.session_key, body.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
