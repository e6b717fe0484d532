"""Routes the namespace's messages to the plugins' and the pages' handlers, and checks plugins as they join."""

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any

from handrail.faces.socketio.messages import OK, decode_message, error_ack, page_error_ack
from handrail.faces.socketio.rooms import Rooms
from handrail.features.browser.bus.pairing import Pairings
from handrail.features.browser.bus.protocol import check_own_extension
from handrail.features.browser.routes import page_socket, plugin_socket
from handrail.features.browser.routes.page_socket import PageSocket, Writer
from handrail.features.browser.routes.plugin_socket import PluginSocket, check_client_id
from handrail.ports.agents import Agent
from handrail.ports.errors import Conflict, Declined, Failure, InvalidParams

logger = logging.getLogger(__name__)


class BrowserSockets:
    """With `speaks_legacy`, it also accepts the old event names (contract 2 §3.1)."""

    def __init__(
        self, pairings: Pairings, plugins: PluginSocket, pages: PageSocket, *, speaks_legacy: bool = False
    ) -> None:
        self._pairings = pairings
        self._plugins = plugins
        self._pages = pages
        self._rooms: Rooms | None = None
        self._outdated: set[str] = set()
        self._for_plugins = {plugin_socket.EVENT} | ({plugin_socket.LEGACY_EVENT} if speaks_legacy else set())
        self._for_pages = {page_socket.EVENT} | ({page_socket.LEGACY_EVENT} if speaks_legacy else set())

    def open(self, rooms: Rooms) -> None:
        self._rooms = rooms

    @property
    def events(self) -> Collection[str]:
        return self._for_plugins | self._for_pages

    def is_own_token(self, auth: Mapping[str, Any]) -> bool:
        token = auth.get("token")
        client = self._pairings.client_of(token) if isinstance(token, str) else None
        return client is not None and client == auth.get("clientId")

    async def join_plugin(self, sid: str, auth: Mapping[str, Any]) -> None:
        check_client_id(auth.get("clientId"))
        if not self.is_own_token(auth):
            raise Declined("A browser needs the token that it was paired with, for its own clientId.", reason="client")
        self._check_version(auth)
        await self._plugins.join(self._open_rooms, sid, auth.get("clientId"))

    def _check_version(self, auth: Mapping[str, Any]) -> None:
        """Logs each outdated extension once: an old one retries forever without telling its user why."""
        try:
            extension = self._pairings.extension_of(auth.get("token"))
            check_own_extension(extension, auth.get("version"), auth.get("protocol"))
        except Conflict as outdated:
            if (client := str(auth.get("clientId"))[:128]) not in self._outdated:
                self._outdated.add(client)
                logger.warning("refused the browser %s. %s", client, outdated.message)
            raise

    async def join_frontend(
        self,
        sid: str,
        auth: Mapping[str, Any],
        *,
        person: str | None,
        agent: Agent | None,
        may_write: Callable[[], bool],
    ) -> None:
        writer = Writer(person, agent, may_write)
        await self._pages.join(self._open_rooms, sid, auth.get("taskId"), writer)

    async def leave(self, sid: str) -> None:
        self._plugins.leave(sid)
        self._pages.leave(sid)

    async def receive(self, sid: str, event: str, data: tuple[Any, ...]) -> dict[str, Any]:
        is_plugin = self._plugins.has(sid)
        try:
            message = decode_message(data)
            if event not in (self._for_plugins if is_plugin else self._for_pages):
                raise InvalidParams(f"{event} is not for a {'plugin' if is_plugin else 'frontend'}.")
            if is_plugin:
                await self._plugins.receive(sid, event, message)
            else:
                await self._pages.receive(self._open_rooms, sid, message)
        except Failure as failure:
            return error_ack(failure) if is_plugin else page_error_ack(failure)
        return OK

    @property
    def _open_rooms(self) -> Rooms:
        assert self._rooms is not None
        return self._rooms
