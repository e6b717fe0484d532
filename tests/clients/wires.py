"""The model APIs that clients use, as far as a scripted model needs them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tests.clients.script import Answer, ModelRequest, OfferedTool, Result, Say, ToolCall

Event = tuple[str, Any]
"""A server-sent event: its name, which may be empty, and its data."""
WHOLE = "whole"
"""Instead of an event's name: the data is the whole response, because the request wants no stream."""


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Wire(Protocol):
    def agent_request(self, request: Request) -> ModelRequest | None:
        """Returns the agent's request to its model, or None for other requests, such as one for a title."""

    def events(self, request: Request, answer: Answer) -> Iterator[Event]:
        """Yields the answer as a stream."""

    def other(self, request: Request) -> Any:
        """Returns the response to any other request."""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(each) for each in content)
    if isinstance(content, dict):
        return content["text"] if isinstance(content.get("text"), str) else json.dumps(content, ensure_ascii=False)
    return "" if content is None else str(content)


class Anthropic:
    """Messages, as Claude Code uses them."""

    MODEL = "claude-sonnet-4-5"

    def agent_request(self, request: Request) -> ModelRequest | None:
        body = request.body
        if request.path != "/v1/messages" or not body.get("tools") or not body.get("stream"):
            return None
        last = body["messages"][-1]["content"]
        parts = last if isinstance(last, list) else []
        results = [
            Result(each["tool_use_id"], _text(each.get("content")), bool(each.get("is_error")))
            for each in parts
            if each["type"] == "tool_result"
        ]
        return ModelRequest([OfferedTool(each["name"]) for each in body["tools"] if "name" in each], results)

    def events(self, request: Request, answer: Answer) -> Iterator[Event]:
        usage = {"input_tokens": 10, "output_tokens": 10}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": self.MODEL, "content": []}
        ending = {"stop_reason": None, "stop_sequence": None}
        yield "message_start", {"type": "message_start", "message": {**head, **ending, "usage": usage}}
        for index, part in enumerate(answer):
            where = {"index": index}
            if isinstance(part, Say):
                block: dict[str, Any] = {"type": "text", "text": ""}
                delta = {"type": "text_delta", "text": part.text}
            else:
                block = {"type": "tool_use", "id": part.call_id, "name": part.name, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(part.arguments)}
            yield "content_block_start", {"type": "content_block_start", **where, "content_block": block}
            yield "content_block_delta", {"type": "content_block_delta", **where, "delta": delta}
            yield "content_block_stop", {"type": "content_block_stop", **where}
        reason = "tool_use" if any(isinstance(part, ToolCall) for part in answer) else "end_turn"
        yield (
            "message_delta",
            {"type": "message_delta", "delta": {**ending, "stop_reason": reason}, "usage": {"output_tokens": 10}},
        )
        yield "message_stop", {"type": "message_stop"}

    def other(self, request: Request) -> Any:
        if request.path == "/v1/messages/count_tokens":
            return {"input_tokens": 10}
        if request.path == "/v1/messages":
            text = [{"type": "text", "text": "A scripted model"}]
            usage = {"input_tokens": 1, "output_tokens": 1}
            head = {"id": "msg_0", "type": "message", "role": "assistant", "model": self.MODEL}
            return {**head, "content": text, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}
        if request.path == "/v1/models":
            return {"data": [], "has_more": False, "first_id": None, "last_id": None}
        return {}


class Responses:
    """OpenAI's Responses, as Codex, openai-agents and the AI SDK use them."""

    def agent_request(self, request: Request) -> ModelRequest | None:
        if request.method != "POST" or request.path != "/v1/responses" or not request.body.get("tools"):
            return None
        results = [
            Result(each["call_id"], _text(each.get("output")))
            for each in request.body["input"]
            if each.get("type") in ("function_call_output", "custom_tool_call_output")
        ]
        return ModelRequest(list(self._offered(request.body["tools"])), results)

    def _offered(self, tools: Sequence[Any]) -> Iterator[OfferedTool]:
        for tool in tools:
            if tool["type"] == "namespace":
                yield from (OfferedTool(each["name"], tool["name"]) for each in tool["tools"])
            else:
                yield OfferedTool(tool.get("name", tool["type"]))

    def events(self, request: Request, answer: Answer) -> Iterator[Event]:
        response = {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "model": "scripted",
            "status": "in_progress",
            "output": [],
        }
        yield from self._named("response.created", {"response": response})
        kinds = {each.get("name"): each["type"] for each in request.body["tools"]}
        items = []
        for index, part in enumerate(answer):
            if isinstance(part, Say):
                text = [{"type": "output_text", "text": part.text, "annotations": []}]
                item: dict[str, Any] = {"type": "message", "role": "assistant", "id": f"msg_{index}", "content": text}
            elif kinds.get(part.name) == "custom":
                name = {"type": "custom_tool_call", "id": f"fc_{part.call_id}", "call_id": part.call_id}
                item = {**name, "name": part.name, "input": part.arguments["input"]}
            else:
                name = {"type": "function_call", "id": f"fc_{part.call_id}", "call_id": part.call_id}
                item = {**name, "name": part.name, "arguments": json.dumps(part.arguments)}
                if part.space:
                    item["namespace"] = part.space
            items.append({**item, "status": "completed"})
            place = {"output_index": index, "item_id": item["id"], "content_index": 0}
            yield from self._named("response.output_item.added", {**place, "item": {**item, "status": "in_progress"}})
            if isinstance(part, Say):
                yield from self._named("response.output_text.delta", {**place, "delta": part.text})
            yield from self._named("response.output_item.done", {**place, "item": items[-1]})
        usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        final = {**response, "status": "completed", "output": items, "usage": {**usage, **details}}
        yield from self._named("response.completed", {"response": final})

    def _named(self, name: str, data: dict[str, Any]) -> Iterator[Event]:
        yield name, {"type": name, "sequence_number": 0, **data}

    def other(self, request: Request) -> Any:
        return {"models": [], "data": [], "object": "list"} if request.path == "/v1/models" else {}


class ChatCompletions:
    """OpenAI's chat completions, as every other client uses them."""

    def agent_request(self, request: Request) -> ModelRequest | None:
        if not request.path.endswith("/chat/completions") or not request.body.get("tools"):
            return None
        results = [
            Result(each["tool_call_id"], _text(each.get("content")))
            for each in request.body["messages"]
            if each["role"] == "tool"
        ]
        return ModelRequest([OfferedTool(each["function"]["name"]) for each in request.body["tools"]], results)

    def events(self, request: Request, answer: Answer) -> Iterator[Event]:
        message = self._message(answer)
        if not request.body.get("stream"):
            yield WHOLE, self._completion(message)
            return
        calls = [{"index": index, **each} for index, each in enumerate(message.get("tool_calls", []))]
        delta = {**message, "tool_calls": calls} if calls else message
        yield "", self._chunk({"index": 0, "delta": delta, "finish_reason": None})
        yield "", self._chunk({"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"})

    def _completion(self, message: dict[str, Any]) -> Any:
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {**self._chunk(choice), "object": "chat.completion"}

    def other(self, request: Request) -> Any:
        return self._completion(self._message([Say("A scripted model")]))

    def _message(self, answer: Answer) -> dict[str, Any]:
        text = "".join(part.text for part in answer if isinstance(part, Say))
        calls = [
            {
                "id": part.call_id,
                "type": "function",
                "function": {"name": part.name, "arguments": json.dumps(part.arguments)},
            }
            for part in answer
            if isinstance(part, ToolCall)
        ]
        return {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}

    def _chunk(self, choice: Any) -> dict[str, Any]:
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        head = {"id": "chat_1", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
        return {**head, "choices": [choice], "usage": usage}


class Gemini:
    """generateContent, as Gemini CLI uses it."""

    def agent_request(self, request: Request) -> ModelRequest | None:
        if not request.path.endswith(":streamGenerateContent") or not request.body.get("tools"):
            return None
        names = [
            OfferedTool(each["name"]) for tool in request.body["tools"] for each in tool.get("functionDeclarations", [])
        ]
        answers = [
            part["functionResponse"] for part in request.body["contents"][-1]["parts"] if "functionResponse" in part
        ]
        results = [Result(each["id"], _text(each["response"]), "error" in each["response"]) for each in answers]
        return ModelRequest(names, results)

    def events(self, request: Request, answer: Answer) -> Iterator[Event]:
        parts = [
            {"text": part.text}
            if isinstance(part, Say)
            else {"functionCall": {"id": part.call_id, "name": part.name, "args": part.arguments}}
            for part in answer
        ]
        yield "", self._whole(parts)

    def other(self, request: Request) -> Any:
        if request.path.endswith(":countTokens"):
            return {"totalTokens": 10}
        return self._whole([{"text": '{"reasoning": "A scripted model", "next_speaker": "user"}'}])

    def _whole(self, parts: Sequence[Any]) -> Any:
        candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini"}
