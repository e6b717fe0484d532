"""How old a snapshot may be, and whose it is."""

from handrail.features.browser.bus.plugins import STALE_AFTER_MS, Plugins
from tests.core.mimo.bench_bus import ListLine


def test_a_snapshot_that_nothing_was_heard_of_for_half_a_minute_is_stale() -> None:
    plugins = Plugins()
    plugin, _ = plugins.connect("p1", ListLine())
    plugin.view.replace({"windows": [], "tabs": [], "tabGroups": []}, 1_000)
    fresh, old = plugin.snapshot(1_000 + STALE_AFTER_MS), plugin.snapshot(1_001 + STALE_AFTER_MS)
    assert (fresh.connected, fresh.stale, fresh.age_ms) == (True, False, 30_000)
    assert (old.connected, old.stale, old.age_ms) == (True, True, 30_001)


def test_a_line_that_was_replaced_does_not_disconnect_the_new_one() -> None:
    plugins = Plugins()
    first, second = ListLine(), ListLine()
    plugin, _ = plugins.connect("p1", first)
    assert plugins.disconnect("p1", first) is plugin
    plugins.connect("p1", second)
    assert plugins.disconnect("p1", first) is None
    assert plugin.line is second
