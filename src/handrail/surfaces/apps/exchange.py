"""What was said between us and an app, as evidence: both envelopes, without what the tool's schemas call secret."""

from typing import Any

import msgspec

from handrail.contract.apps import AppRequest, AppTool
from handrail.contract.call import Keep
from handrail.core.apps.masking import masked

_LONGEST_KEPT = 1 << 20


class Exchange:
    def __init__(self, keep: Keep, tool: AppTool) -> None:
        self._keep = keep
        self._tool = tool
        self._tries = 0

    def heard(self, request: AppRequest, reply: bytes) -> None:
        self._tries += 1
        name = "exchange.json" if self._tries == 1 else f"exchange-{self._tries}.json"
        params = masked(request.params, self._tool.parameters)
        said = {"request": msgspec.structs.replace(request, params=params), "reply": self._read(reply)}
        self._keep(name, said)

    def _read(self, reply: bytes) -> Any:
        """As it came where it is no JSON, which is what somebody will want to look at."""
        if len(reply) > _LONGEST_KEPT:
            return f"({len(reply)} bytes)"
        try:
            message = msgspec.json.decode(reply)
        except (msgspec.DecodeError, RecursionError):
            return reply.decode(errors="replace")
        if isinstance(message, dict) and "result" in message:
            message["result"] = masked(message["result"], self._tool.returns)
        return message
