"""Serve a reader study on this machine until stopped."""

from __future__ import annotations

import os
import socket

import uvicorn
from starlette.types import ASGIApp

from radeval_core.errors import InputError
from radeval_core.ui.visitors import VisitorLimits, limits_from_environment

#: a hospital's readers may share one address; typing saves up to seven times per second
_LIMITS = VisitorLimits(per_minute=3000, burst=600, at_once=64)


def reading_limits() -> VisitorLimits:
    """Return the limits per visitor: higher than those of other pages, or those of RADEVAL_VISITOR_RATE."""
    return limits_from_environment() if os.environ.get("RADEVAL_VISITOR_RATE") else _LIMITS


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
