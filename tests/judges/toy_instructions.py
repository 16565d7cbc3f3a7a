"""Toy instructions whose answers are `{"errors": N}`, to test the engine and the backends."""

import json
from dataclasses import dataclass, field

from radeval_core.judges.backends.base import Answer, Message, Request
from radeval_core.judges.verdict import UnreadableAnswer

SCHEMA = {
    "type": "object",
    "properties": {"errors": {"type": "integer", "minimum": 0, "maximum": 9}},
    "required": ["errors"],
    "additionalProperties": False,
}


@dataclass
class ToyInstructions:
    tries: int = 3
    identity: str = "toy-1"
    schema: dict | None = None

    def settled(self, reference, candidate):
        return None

    def request(self, reference, candidate, context=None):
        return Request((Message("system", "Count."), Message("user", f"{reference}|{candidate}")), schema=self.schema)

    def again(self, request, answer, problem):
        turns = (*request.messages, Message("assistant", answer), Message("user", f"{problem}: again"))
        return Request(turns, schema=self.schema)

    def read(self, reference, candidate, answer):
        try:
            return json.loads(answer)["errors"]
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableAnswer("not the JSON asked for") from error


@dataclass
class ToyBackend:
    """Answers with `reply(question)`: it yields an Answer, raises an exception, or wraps a text in an Answer."""

    reply: object
    identity: str = "toy-backend"
    asked: list = field(default_factory=list)
    calls: int = 0

    @property
    def fields(self):
        return {"backend": "toy"}

    def answers(self, requests):
        self.calls += 1
        for place in reversed(range(len(requests))):  # any order is allowed
            question = requests[place].messages[-1].content
            self.asked.append(question)
            reply = self.reply(question)
            if isinstance(reply, BaseException):
                raise reply
            yield place, reply if isinstance(reply, Answer) else Answer(reply)
