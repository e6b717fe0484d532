"""A conversation with the model for clients without an agent of their own."""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from openai import AsyncOpenAI
from session import MODEL, MODEL_URL

Call = Callable[[str, dict[str, Any]], Awaitable[str]]


async def converse(prompt: str, tools: Sequence[dict[str, Any]], call: Call) -> str:
    """`tools` as MCP lists them; `call` returns the text that the model gets."""
    model = AsyncOpenAI(base_url=f"{MODEL_URL}/v1", api_key=MODEL)
    offers: list[Any] = [
        {"type": "function", "function": {"name": each["name"], "parameters": each["inputSchema"]}} for each in tools
    ]
    messages: list[Any] = [{"role": "user", "content": prompt}]
    while True:
        reply = await model.chat.completions.create(model=MODEL, messages=messages, tools=offers)
        message = reply.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message.model_dump(exclude_none=True))
        for each in message.tool_calls:
            text = await call(each.function.name, json.loads(each.function.arguments))
            messages.append({"role": "tool", "tool_call_id": each.id, "content": text})
