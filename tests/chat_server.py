"""A local chat server that misbehaves as a test requires."""

import json
import socket
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Reply:
    """The server's reply to a request.

    Attributes:
        text: the model's answer, which is wrapped in the API's JSON.
        status: the HTTP status.
        raw: body to send instead of the wrapped answer.
        headers: extra headers.
        delay: seconds to wait first.
        drop: close the connection "before" anything is sent or in the "middle" of the body.
        finish: why the answer ended.
        tokens: number of tokens of the question and of the answer.
    """

    text: str = ""
    status: int = 200
    raw: str | None = None
    headers: dict = field(default_factory=dict)
    delay: float = 0
    drop: str = ""
    finish: str = "stop"
    tokens: tuple = (7, 3)


class ChatServer:
    """Serves OpenAI's and Anthropic's paths; `behave(question, nth, body)` returns the reply to the last message."""

    def __init__(self, behave):
        self.behave = behave
        self.seen = []
        self.asked = Counter()
        self.under_way = self.most_under_way = 0
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                outer.answer(self)

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_):  # dropped connections are part of the tests
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler):
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        question = body["messages"][-1]["content"]
        with self.lock:
            headers = {name.lower(): value for name, value in handler.headers.items()}
            self.seen.append((handler.path, headers, body))
            self.asked[question] += 1
            nth = self.asked[question]
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            reply = self.behave(question, nth, body)
            if reply.delay:
                time.sleep(reply.delay)
            self.send(handler, reply)
        finally:
            with self.lock:
                self.under_way -= 1

    def send(self, handler, reply):
        if reply.drop == "before":
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        shape = anthropic_shape if handler.path.endswith("/messages") else openai_shape
        data = (reply.raw if reply.raw is not None else json.dumps(shape(reply))).encode()
        handler.send_response(reply.status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(data)))
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if reply.drop == "middle":
            handler.wfile.write(data[: len(data) // 2])
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
        else:
            handler.wfile.write(data)


def openai_shape(reply):
    return {
        "id": "1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [
            {"index": 0, "finish_reason": reply.finish, "message": {"role": "assistant", "content": reply.text}}
        ],
        "usage": {"prompt_tokens": reply.tokens[0], "completion_tokens": reply.tokens[1], "total_tokens": 0},
    }  # fmt: skip


def anthropic_shape(reply):
    return {
        "id": "1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": reply.text}],
        "stop_reason": {"stop": "end_turn", "length": "max_tokens"}.get(reply.finish, reply.finish),
        "stop_sequence": None,
        "usage": {"input_tokens": reply.tokens[0], "output_tokens": reply.tokens[1]},
    }  # fmt: skip


def refuse(name, status=400):
    message = f"Unsupported parameter: {name}"
    return Reply(status=status, raw=json.dumps({"error": {"message": message, "type": "invalid_request_error"}}))
