"""Our turns in pydantic-ai's words, and its replies in ours."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from handrail.contract.model import Noted, Replied, Returned, Said, ToolUse, Turn


def conversation(instructions: str, turns: Sequence[Turn]) -> list[ModelMessage]:
    """What comes one after the other from our side is one request: providers want the sides to take turns."""
    found: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    for turn in turns:
        if isinstance(turn, Replied):
            if parts:
                found.append(ModelRequest(parts=parts, instructions=instructions))
                parts = []
            found.append(_response(turn))
        else:
            parts.append(_part(turn))
    found.append(ModelRequest(parts=parts, instructions=instructions))
    return found


def replied(response: ModelResponse) -> Replied:
    uses = tuple(
        ToolUse(part.tool_call_id, part.tool_name, part.args_as_json_str())
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    return Replied(text, uses, ModelMessagesTypeAdapter.dump_json([response]))


def _part(turn: Said | Returned | Noted) -> ModelRequestPart:
    if isinstance(turn, Returned):
        return ToolReturnPart(
            turn.tool, turn.text, tool_call_id=turn.use_id, outcome="failed" if turn.is_error else "success"
        )
    if isinstance(turn, Noted):
        return UserPromptPart(f"[handrail] {turn.text}")
    text = f"{turn.text}\n\n{turn.attached}" if turn.attached else turn.text
    if not turn.pictures:
        return UserPromptPart(text)
    return UserPromptPart([text, *(BinaryContent(picture.data, media_type=picture.mime) for picture in turn.pictures)])


def _response(turn: Replied) -> ModelResponse:
    """As the provider gave it, with what only the provider understands; where that is lost, in plain words."""
    if turn.origin:
        (kept,) = ModelMessagesTypeAdapter.validate_json(turn.origin)
        if isinstance(kept, ModelResponse):
            return kept
    parts: list[ModelResponsePart] = [TextPart(turn.text)] if turn.text else []
    parts += [ToolCallPart(use.name, use.arguments, use.id) for use in turn.uses]
    return ModelResponse(parts=parts)
