"""Decodes what clients send, with our strict decoder."""

import re
from dataclasses import dataclass
from typing import Any

import msgspec
import socketio

from handrail.kernel import strict_json
from handrail.ports.errors import Failure

MAX_MESSAGE = 1_000_000
_EVENT = re.compile(r'\s*\[\s*"(?:([A-Za-z_]{0,64})"|(?:[^"\\]|\\.){1,1000}")')

TOO_LONG = object()
"""Stands for a message that was too long to decode."""


@dataclass(frozen=True, slots=True)
class Undecodable:
    """Stands for a message that our decoder refused, with the reason."""

    why: str


class StrictJson:
    """Our strict decoder for messages from outside. The library expects ValueError for invalid JSON."""

    @staticmethod
    def dumps(value: Any, **style: Any) -> str:
        return msgspec.json.encode(value).decode()

    @staticmethod
    def loads(text: str) -> Any:
        if len(text) > MAX_MESSAGE and (event := _EVENT.match(text)) is not None:
            return [event[1] or "", TOO_LONG]
        try:
            return strict_json.decode(text, max_bytes=MAX_MESSAGE)
        except Failure as failure:
            if (
                event := _EVENT.match(text)
            ) is not None:  # so that the sender gets an error instead of waiting for an answer
                return [event[1] or "", Undecodable(failure.message)]
            raise ValueError(failure.message) from None


class Packet(socketio.packet.Packet):  # type: ignore[misc]
    """Gets the decoder above; without a class of our own, the library changes that of clients in the process, too."""

    @classmethod
    def data_is_binary(cls, data: Any) -> bool:
        """Never: everything is sent as JSON. The library would look for bytes in every value of every message."""
        return False
