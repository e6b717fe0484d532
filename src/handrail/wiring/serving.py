"""`handrail mcp` and `handrail up`: the house behind its faces."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.stores.local.person import user_name
from handrail.stores.local.private_file import make_private_folder
from handrail.stores.local.watching import watching
from handrail.wiring.agent import mounted_agent
from handrail.wiring.app_desk import app_desk
from handrail.wiring.approving import InQueue, queue_approver
from handrail.wiring.apps import offered_tools
from handrail.wiring.browsers import open_bus
from handrail.wiring.chores import tidying
from handrail.wiring.desktops import closing, desktop_kept
from handrail.wiring.house import House
from handrail.wiring.previews import framed_previews, hosted_previews
from handrail.wiring.records import policy_in_force
from handrail.wiring.reporting import report_of

if TYPE_CHECKING:
    from handrail.faces.http.annex import Annex
    from handrail.faces.http.desk import Desk
    from handrail.features.browser.bus.bus import LocalBus
    from handrail.features.webgal.game_view import GameView


async def serve_stdio(house: House) -> None:
    """`handrail mcp`: until the client closes our stdin."""
    from handrail.faces.mcp.stdio import serve

    async with tidying(house), closing(house):
        await serve(house.gate, elicits_approvals=house.settings.elicit_approvals, app_tools=offered_tools(house))


async def serve_http(
    house: House,
    on_ready: Callable[[str, str], None],
    checkup: Callable[[], Mapping[str, Any]],
    *,
    console: Path | None = None,
    until_unused: tuple[Callable[[], Awaitable[None]], float] | None = None,
) -> None:
    """`handrail up`: until it is interrupted.

    `on_ready` gets, once it listens, the address and the address that opens the console; `checkup` tells what works;
    `console` is the folder of a built console, if not our own. With `until_unused`, it also ends once that has come
    and nobody has used it for so many seconds.
    """
    from handrail.faces.http.server import Place, UntilUnused, serve
    from handrail.faces.mcp.streamable import McpEndpoint

    place = Place(house.state.path, house.settings.host, house.settings.port)
    async with tidying(house), desktop_kept(house), _browser(house, house.bus or open_bus(house.state)) as annex:
        endpoint = McpEndpoint(
            house.gate, elicits_approvals=house.settings.elicit_approvals, app_tools=offered_tools(house)
        )
        until = UntilUnused(*until_unused) if until_unused is not None else None
        desk = _desk(house, checkup)
        await serve(house.gate, endpoint, desk, annex, place, on_ready, console_folder=console, until_unused=until)


@asynccontextmanager
async def _browser(house: House, bus: LocalBus) -> AsyncIterator[Annex]:
    from handrail.features.browser.bus.pairing import Pairings
    from handrail.features.browser.routes.mount import BrowserMount
    from handrail.features.browser.routes.page_events import PageEvents

    legacy = house.settings.legacy_events
    pages = PageEvents(bus, speaks_legacy=legacy)
    agent = mounted_agent(house, bus, pages)
    yield BrowserMount(bus, Pairings(bus.plugin_records), pages, agent, speaks_legacy=legacy)
    await bus.close()


def _desk(house: House, checkup: Callable[[], Mapping[str, Any]]) -> Desk:
    from handrail.faces.http.desk import Desk
    from handrail.features.desktop.host.last_look import LastLook
    from handrail.features.history.activity_feed import ActivityFeed
    from handrail.kernel.approvals import OwnCommand
    from handrail.stores.local.following import FollowedFile

    journal, wanted = house.state.journal("audit"), os.environ.get("HANDRAIL_LANG", "")
    make_private_folder(Path(journal.location).parent)  # what is not there yet can't be watched
    return Desk(
        project=house.project.location,
        language=next((known for known in ("en", "zh") if wanted.lower().startswith(known)), None),
        person=user_name(),
        persons_gate=house.gate.asking(OwnCommand()),
        trying_gate=house.gate.asking(queue_approver(house.state, house.prompts, InQueue())),
        audit=house.audit,
        evidence=house.evidence,
        last_look=LastLook(house.project),
        game=cache(lambda: _game(house)),
        previews=cache(lambda: framed_previews(house)),
        hosting=cache(lambda: hosted_previews(house)),
        prompts=house.prompts,
        apps=app_desk(house.state, house.audit),
        policy=lambda: policy_in_force(house),
        checkup=checkup,
        report=lambda task: report_of(house, task)[1],
        follow_activity=ActivityFeed(journal, FollowedFile(Path(journal.location)).watching).follow,
        watching=lambda: watching(house.state.path),
    )


def _game(house: House) -> GameView:
    """Made when somebody first looks: most starts need none of what checks a game."""
    from handrail.features.webgal.game_view import GameView

    return GameView(house.registry.find("check_game").surface.port)
