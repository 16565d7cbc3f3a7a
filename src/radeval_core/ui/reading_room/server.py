"""Serve a reader study on this machine until stopped."""

from __future__ import annotations

import socket

import uvicorn
from starlette.types import ASGIApp

from radeval_core.errors import InputError


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket, or say in one line why there is none."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot listen on {host} port {port}: {reason}; choose another --port or --host") from None


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve an app. Addresses are not logged."""
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=5)
    uvicorn.Server(config).run(sockets=[listener])
