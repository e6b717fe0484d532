"""What a server does on the side: old evidence goes, and what killed processes left behind."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from handrail.kernel.feature import load
from handrail.kernel.project import Project
from handrail.ports.errors import Failure

_SOON_SECONDS = 5
_EVERY_SECONDS = 6 * 3600

logger = logging.getLogger(__name__)


@asynccontextmanager
async def kept_up(project: Project) -> AsyncIterator[None]:
    """While a server runs: features tidy up soon after the start, then every few hours; their own servers run."""
    tidying = asyncio.create_task(_tidy(project))
    try:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(project.in_use())
            for feature in project.running_features:
                if feature.serving:
                    await stack.enter_async_context(load(feature.serving)(project))
            yield
    finally:
        tidying.cancel()
        await asyncio.gather(tidying, return_exceptions=True)


async def _tidy(project: Project) -> None:
    await asyncio.sleep(_SOON_SECONDS)
    while True:
        for feature in project.running_features:
            if feature.tidy:
                try:
                    await asyncio.to_thread(load(feature.tidy), project)
                except Failure as failure:
                    logger.warning("%s could not tidy up: %s", feature.name, failure.message)
        await asyncio.sleep(_EVERY_SECONDS)
