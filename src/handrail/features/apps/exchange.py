"""What was said between us and an app, as evidence: both envelopes, without what the tool's schemas call secret."""

from typing import Any

import msgspec

from handrail.features.apps.apps import Declared
from handrail.features.apps.model import AppRequest
from handrail.kernel.call import Keep

_LONGEST_KEPT = 1 << 20


class Exchange:
    def __init__(self, keep: Keep, declared: Declared) -> None:
        self._keep = keep
        self._declared = declared
        self._tries = 0

    def heard(self, request: AppRequest, reply: bytes) -> None:
        self._tries += 1
        name = "exchange.json" if self._tries == 1 else f"exchange-{self._tries}.json"
        params = self._declared.shown_params(request.params)
        said = {"request": msgspec.structs.replace(request, params=params), "reply": self._read(reply)}
        self._keep(name, said)

    def _read(self, reply: bytes) -> Any:
        """As it came where it is no JSON, which is what somebody will want to look at."""
        if len(reply) > _LONGEST_KEPT:
            return f"({len(reply)} bytes)"
        try:
            message = msgspec.json.decode(reply)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return reply.decode(errors="replace")
        if isinstance(message, dict) and "result" in message:
            message["result"] = self._declared.shown_result(message["result"])
        return message
