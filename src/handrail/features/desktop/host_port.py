"""The port to the desktop's host, the one process that touches tree, screen and keyboard; contract 1 is its wire."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol


class DesktopHost(Protocol):
    async def call(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        timeout_ms: int,
        request_id: str | None = None,
        meta: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """The method's result. What the host refuses is raised with its own code; `meta` is added to that of the call.

        Offline: no host answers. Timeout: it has not answered in time. A call that is cancelled is aborted there.
        """
        ...

    async def close(self) -> None: ...
