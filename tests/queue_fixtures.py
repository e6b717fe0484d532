"""Fixtures of a queue in a temporary state directory, for all test folders that need one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_queue import PromptQueue
from handrail.stores.local.prompt_store import prompt_store


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def log(state: Path) -> Path:
    return state / "ui-prompts.jsonl"


@pytest.fixture
async def queue(state: Path) -> AsyncIterator[PromptQueue]:
    prompt_queue = LogPromptQueue(prompt_store(state))
    yield prompt_queue
    await prompt_queue.close()


@pytest.fixture
async def other(state: Path) -> AsyncIterator[PromptQueue]:
    """Another program's view of the same directory."""
    prompt_queue = LogPromptQueue(prompt_store(state))
    yield prompt_queue
    await prompt_queue.close()
