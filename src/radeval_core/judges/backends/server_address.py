"""Check the address of a server, and name it without what may be secret in it."""

from __future__ import annotations

import hashlib
import ipaddress
import logging
from urllib.parse import urlsplit

from radeval_core.errors import InputError

log = logging.getLogger(__name__)
_PORTS = {"http": 80, "https": 443}
#: paths that are shown; others may contain a key
_PLAIN_PATHS = ("", "/v1", "/api/v1", "/openai/v1")
_warned: set[str] = set()


def checked_address(name: str, address: str) -> str:
    """Return the address in the environment variable `name` if it is one."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number
        usable = False
    if not usable:
        # the message leaves out the value, which may contain a password
        raise InputError(f"{name} must be an address such as http://localhost:8000/v1")
    return address


def server_name(address: str) -> str:
    """Return what tells servers apart: host, port and path, without user name and password.

    The port is left out if it is that of https. A path that is not usual may contain a key: it is shown as a hash.
    """
    parts = urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = parts.port or _PORTS[parts.scheme]
    path = parts.path.rstrip("/")
    rest = path + (f"?{parts.query}" if parts.query else "")
    shown = rest if rest in _PLAIN_PATHS else f"/{hashlib.sha256(rest.encode()).hexdigest()[:8]}"
    return f"{host}{'' if port == _PORTS['https'] else f':{port}'}{shown}"


def warn_if_readable(address: str) -> None:
    """Warn, once per server, if reports would travel to another machine without encryption."""
    parts = urlsplit(address)
    name = server_name(address)
    if parts.scheme == "https" or _is_this_machine(parts.hostname or "") or name in _warned:
        return
    _warned.add(name)
    log.warning("reports are sent to %s over plain http: others on the network can read them. Use https", name)


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
