"""The port to the desktop's host, the one process that touches tree, screen and keyboard; contract 1 is its wire."""

from collections.abc import Mapping
from typing import Any, Protocol


class DesktopHost(Protocol):
    async def call(
        self, method: str, params: Mapping[str, Any], *, timeout_ms: int, request_id: str | None = None
    ) -> dict[str, Any]:
        """The method's result; `meta` is added on the way. What the host refuses is raised with its own code.

        Offline: no host answers. Timeout: it has not answered in time. A call that is cancelled is aborted there.
        """
        ...

    async def close(self) -> None: ...
