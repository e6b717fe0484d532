"""What an action changed is noticed in slow programs, too."""

import asyncio

import pytest

from handrail.features.desktop.desktop_port import Tree, Window
from handrail.features.desktop.host.effects import watch_changes
from tests.scripted_desktop import ScriptedDesktop

pytestmark = pytest.mark.anyio
WITHIN = 0.01


class SlowDesktop(ScriptedDesktop):
    """Its program shows the change only after the first look, which takes longer than the time to watch."""

    def __init__(self) -> None:
        super().__init__()
        self.has_acted = False

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        tree = await super().tree(window, max_depth=max_depth, max_nodes=max_nodes)
        if self.has_acted and self.save.title == "Save":
            is_over = asyncio.Event()
            asyncio.get_running_loop().call_later(2 * WITHIN, is_over.set)
            await is_over.wait()
            self.save.title = "Saved"
        return tree


async def test_a_change_during_a_slow_look_is_seen_by_another_one() -> None:
    desktop = SlowDesktop()
    [window] = [one for one in await desktop.windows() if one.is_front]
    async with watch_changes(desktop, window) as watch:
        desktop.has_acted = True
        assert [(one["what"], one["to"]) for one in await watch.outcome(WITHIN)] == [("title", "Saved")]


async def test_a_program_that_stops_responding_is_reported_and_its_windows_count_as_open() -> None:
    desktop = ScriptedDesktop()
    [window] = [one for one in await desktop.windows() if one.is_front]
    async with watch_changes(desktop, window) as watch:
        desktop.silenced.add(window.pid)
        assert await watch.outcome(WITHIN) == [{"what": "app", "title": "notes", "change": "stoppedResponding"}]


async def test_windows_of_a_program_that_responds_again_are_not_new() -> None:
    desktop = ScriptedDesktop()
    [window] = [one for one in await desktop.windows() if one.pid == 77]
    desktop.silenced.add(42)
    async with watch_changes(desktop, window) as watch:
        desktop.silenced.clear()
        assert await watch.outcome(WITHIN) == []
