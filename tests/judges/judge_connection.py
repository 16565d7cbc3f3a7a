"""Backends connected to a chat server of a test."""

from chat_server import Reply
from radeval_core.judges.backends.base import Message, Request
from radeval_core.judges.backends.http_backend import anthropic_backend, openai_backend

KEY = "sk-very-secret-0123456789"
KINDS = {"http": openai_backend, "anthropic": anthropic_backend}


def ask(backend, *questions, **options):
    found = list(backend.answers([Request((Message("user", q),), **options) for q in questions]))
    assert sorted(i for i, _ in found) == list(range(len(questions)))
    return [answer for _, answer in sorted(found, key=lambda item: item[0])]


def good(question, nth, body):
    return Reply(f"re: {question}")
