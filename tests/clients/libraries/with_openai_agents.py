"""openai-agents."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI
from session import CALL_SECONDS, MODEL, MODEL_URL, SERVER, Work, drive

set_tracing_disabled(True)


@asynccontextmanager
async def agent() -> AsyncIterator[Work]:
    parameters = {"command": SERVER[0], "args": SERVER[1:]}
    async with MCPServerStdio(parameters, client_session_timeout_seconds=CALL_SECONDS) as server:
        model = OpenAIResponsesModel(MODEL, AsyncOpenAI(base_url=f"{MODEL_URL}/v1", api_key=MODEL))
        worker = Agent(name="worker", model=model, mcp_servers=[server])

        async def work(prompt: str) -> str:
            run = Runner.run_streamed(worker, prompt)
            try:
                async for _ in run.stream_events():
                    pass
            finally:
                run.cancel()
            return str(run.final_output)

        yield work


drive(agent())
