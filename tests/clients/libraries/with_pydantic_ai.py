"""pydantic-ai."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from session import CALL_SECONDS, MODEL, MODEL_URL, SERVER, Work, drive


@asynccontextmanager
async def agent() -> AsyncIterator[Work]:
    tools = MCPToolset(StdioTransport(SERVER[0], SERVER[1:]), init_timeout=60, read_timeout=CALL_SECONDS)
    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=f"{MODEL_URL}/v1", api_key=MODEL))
    worker = Agent(model, toolsets=[tools], retries=3)
    async with worker:

        async def work(prompt: str) -> str:
            return (await worker.run(prompt)).output

        yield work


drive(agent())
