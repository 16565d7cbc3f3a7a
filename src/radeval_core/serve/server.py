"""Run the service with uvicorn: own a port, serve, and stop without losing what was taken."""

from __future__ import annotations

import errno
import socket
from types import FrameType

import uvicorn

from radeval_core.errors import InputError
from radeval_core.serve.gate import Gate
from radeval_core.serve.service import Service

#: open connections, idle ones included; further ones get 503
_CONNECTIONS = 1_000
_KEEP_ALIVE = 60


class GracefulServer(uvicorn.Server):
    """Stops in three steps: it refuses new requests with 503, answers those it took, and ends.

    A second signal ends it at once.
    """

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self._service.stopping:
            self.force_exit = self.should_exit = True
        self._service.stopping = True

    async def on_tick(self, counter: int) -> bool:
        if self._service.stopping and not self._service.open:
            self.should_exit = True
        return await super().on_tick(counter)


def take_port(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise an error if the address is not ours to take.

    Connections wait in its queue until the models are loaded.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((host.strip("[]"), port))
        taken.listen(128)
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"port {port} of {host} is in use: choose another one with --port") from None
        if error.errno == errno.EACCES:
            raise InputError(f"port {port} may not be opened by this user: choose one above 1023 with --port") from None
        raise InputError(f"cannot listen on {host} port {port}: {error.strerror or 'no such address'}") from None
    return taken


def run(app: Gate, service: Service, listening: socket.socket) -> int:
    """Serve until a signal; return 0 if every request that was taken got its answer, else 1."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE,
    )
    server = GracefulServer(config, service)
    server.run(sockets=[listening])
    if server.force_exit:
        return 1
    service.close()
    return 0
