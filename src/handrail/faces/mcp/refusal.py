"""The answer to a message that must not be read: in the contract's own code where it was a tool call."""

from typing import Any

from handrail.faces.mcp.lines import TooLong
from handrail.faces.mcp.sdk import types
from handrail.faces.mcp.sender import sender_of
from handrail.faces.mcp.server import error_result
from handrail.kernel.gate import Gate
from handrail.kernel.registry import UnknownTool
from handrail.kernel.strict_json import NotJson
from handrail.ports.errors import Failure


def refusal(gate: Gate, message: bytes | TooLong, failure: Failure) -> dict[str, Any]:
    """To its sender, where that can be told from the message's edges."""
    sender = sender_of(message)
    if sender.tool is not None:
        try:
            return {"jsonrpc": "2.0", "id": sender.id, "result": error_result(gate, sender.tool, failure)}
        except UnknownTool:
            pass
    code = types.PARSE_ERROR if isinstance(failure, NotJson) else types.INVALID_REQUEST
    return rpc_error(sender.id, code, failure.message)


def rpc_error(request: str | int | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}
