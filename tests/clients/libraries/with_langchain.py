"""langchain, with langchain-mcp-adapters."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI
from session import CALL_SECONDS, MODEL, MODEL_URL, SERVER, Work, drive


@asynccontextmanager
async def agent() -> AsyncIterator[Work]:
    limit = {"read_timeout_seconds": timedelta(seconds=CALL_SECONDS)}
    connection = {"transport": "stdio", "command": SERVER[0], "args": SERVER[1:], "session_kwargs": limit}
    client = MultiServerMCPClient({"handrail": connection})
    async with client.session("handrail") as session:
        model = ChatOpenAI(model=MODEL, base_url=f"{MODEL_URL}/v1", api_key=MODEL)
        worker = create_agent(model, await load_mcp_tools(session))

        async def work(prompt: str) -> str:
            result = await worker.ainvoke({"messages": [{"role": "user", "content": prompt}]})
            return str(result["messages"][-1].content)

        yield work


drive(agent())
