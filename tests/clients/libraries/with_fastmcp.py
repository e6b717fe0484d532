"""fastmcp's client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from chat import converse
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from session import CALL_SECONDS, SERVER, Work, drive


@asynccontextmanager
async def agent() -> AsyncIterator[Work]:
    async with Client(StdioTransport(SERVER[0], SERVER[1:]), timeout=CALL_SECONDS) as client:

        async def call(name: str, arguments: dict[str, Any]) -> str:
            try:
                result = await client.call_tool_mcp(name, arguments)
            except Exception as error:
                return f"{type(error).__name__}: {error}"
            return str(result.model_dump_json())

        async def work(prompt: str) -> str:
            tools = [each.model_dump(by_alias=True) for each in await client.list_tools()]
            return await converse(prompt, tools, call)

        yield work


drive(agent())
