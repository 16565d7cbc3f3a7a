"""Who may use a server: a bearer token, and the addresses it is bound to."""

from __future__ import annotations

import hmac
import ipaddress
import os
from collections.abc import Mapping

from starlette.types import Scope

from radeval_core.errors import InputError

#: environment variable with the token
TOKEN_VARIABLE = "RADEVAL_SERVE_TOKEN"
#: a shorter token could be guessed
_SHORTEST = 16


def token_from(environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the token that clients must send; None if there is none."""
    token = environment.get(TOKEN_VARIABLE, "").strip()
    if not token:
        return None
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{TOKEN_VARIABLE} must have at least {_SHORTEST} letters, digits or signs, without spaces; "
            'python -c "import secrets; print(secrets.token_urlsafe())" prints a good one'
        )
    return token


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_reach(host: str, token: str | None, no_token: bool) -> None:
    """Refuse to serve other machines without a token, unless the owner says so."""
    if token is None and not no_token and not is_loopback(host):
        raise InputError(
            f"other machines could reach {host} and use this server: set {TOKEN_VARIABLE}, or say --no-token"
        )


def has_token(scope: Scope, token: str) -> bool:
    """Return True if a request carries the token. The comparison takes the same time wherever tokens differ."""
    given = [value for key, value in scope["headers"] if key == b"authorization"]
    kind, _, sent = (given[0] if len(given) == 1 else b"").partition(b" ")
    return kind.lower() == b"bearer" and hmac.compare_digest(sent.strip(), token.encode())


def names_this_machine(scope: Scope) -> bool:
    """Return True if a request was sent to an address of this machine, not to a name that a web page made up.

    A page in a browser could otherwise let its own name point here and read the answers.
    """
    hosts = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
    if len(hosts) != 1:
        return False
    name = hosts[0].rpartition(":")[0] if hosts[0].rpartition(":")[2].isdigit() else hosts[0]
    return is_loopback(name)
