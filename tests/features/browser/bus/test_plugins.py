"""When a snapshot is stale, and which browser it shows."""

from typing import Any, cast

from handrail.features.browser.bus.plugins import STALE_AFTER_MS, Plugins
from handrail.ports.browser import PluginRecord
from tests.features.browser.bus.bench_bus import ListConnection


class Unstored:
    def save(self, plugin: PluginRecord) -> None: ...


def test_a_snapshot_that_nothing_was_heard_of_for_half_a_minute_is_stale() -> None:
    plugins = Plugins(cast("Any", Unstored()), lambda: 0)
    plugin = plugins.connect("p1", ListConnection())
    plugin.view.replace({"windows": [], "tabs": [], "tabGroups": []}, 1_000)
    fresh, old = plugin.snapshot(1_000 + STALE_AFTER_MS), plugin.snapshot(1_001 + STALE_AFTER_MS)
    assert (fresh.connected, fresh.stale, fresh.age_ms) == (True, False, 30_000)
    assert (old.connected, old.stale, old.age_ms) == (True, True, 30_001)


def test_a_line_that_was_replaced_does_not_disconnect_the_new_one() -> None:
    plugins = Plugins(cast("Any", Unstored()), lambda: 0)
    first, second = ListConnection(), ListConnection()
    plugin = plugins.connect("p1", first)
    plugins.disconnect("p1", first)
    assert plugin.connection is None
    plugins.connect("p1", second)
    plugins.disconnect("p1", first)
    assert plugin.connection is second
