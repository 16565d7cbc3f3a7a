"""A TCP proxy before a chat server that drops, delays, cuts, corrupts or floods connections, as a test requires."""

import contextlib
import itertools
import socket
import threading
import time

HEADERS = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


class FaultProxy:
    """Forwards connections to a server; `fault(n)` names what happens to the n-th connection, from 0.

    None: nothing. drop: closed before a byte. reset: closed with RST. silent: accepted and never answered.
    half_close: the reply ends in its middle, the connection stays half open. corrupt: the body begins with other bytes.
    delay: the reply comes 0.3 s later. endless: the reply never ends. trickle: the reply comes byte by byte.
    bomb: the reply claims to be compressed.
    """

    def __init__(self, server, fault):
        self.target = server.server.server_address
        self.fault = fault
        self.connections = itertools.count()
        self.opened = 0
        self.closing = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self.listener.close()

    def accept(self):
        while not self.closing.is_set():
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.opened += 1
            fault = self.fault(next(self.connections))
            threading.Thread(target=self.serve, args=(client, fault), daemon=True).start()

    def serve(self, client, fault):
        with client, contextlib.suppress(OSError):  # the client may leave
            self.misbehave(client, fault)

    def misbehave(self, client, fault):
        if fault == "drop":
            return
        if fault == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return
        request = read_message(client)
        if fault == "silent":
            self.closing.wait(30)
        elif fault == "endless":
            client.sendall(HEADERS + b"\r\n")
            while not self.closing.is_set():
                client.sendall(b" " * 65536)
        elif fault == "bomb":
            client.sendall(HEADERS + b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd")
        else:
            self.answer(client, request, fault)

    def answer(self, client, request, fault):
        with socket.create_connection(self.target) as server:
            server.sendall(request.replace(b"HTTP/1.1\r\n", b"HTTP/1.1\r\nConnection: close\r\n", 1))
            reply = read_message(server)
        head, _, body = reply.partition(b"\r\n\r\n")
        if fault == "delay":
            time.sleep(0.3)
        elif fault == "corrupt":
            body = b"\xff\0#" + body[3:]
        elif fault == "half_close":
            client.sendall(head + b"\r\n\r\n" + body[: len(body) // 2])
            client.shutdown(socket.SHUT_WR)
            self.closing.wait(30)
            return
        elif fault == "trickle":
            client.sendall(head + b"\r\n\r\n")
            for byte in body:
                client.sendall(bytes([byte]))
                if self.closing.wait(0.1):
                    return
            return
        client.sendall(head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) + b"\r\n\r\n" + body)


def read_message(connection):
    """Return one HTTP message with a content-length."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += received(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    while len(body) < length:
        body += received(connection)
    return head + b"\r\n\r\n" + body


def received(connection):
    data = connection.recv(65536)
    if not data:
        raise ConnectionError
    return data
