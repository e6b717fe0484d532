"""Screenshots, and outlines in them and on the screen."""

import pytest

from handrail.features.desktop.desktop_port import DesktopPort, Rect
from handrail.ports.errors import Failure
from tests.desktop_apps import texts
from tests.features.desktop.conformance import png
from tests.features.desktop.conformance.grounds import Ground
from tests.features.desktop.conformance.workbench import Workbench
from tests.waiting import eventually

A_SECOND = 1_000


@pytest.mark.trial("toolkits", is_long=True)
async def test_a_screenshot_shows_the_whole_screen(ground: Ground, desktop: DesktopPort) -> None:
    ground.app("gtk3")

    async def is_equal() -> bool:
        shot = await desktop.screenshot()
        assert shot.area == ground.size
        assert png.size(shot.png) == (ground.size.width, ground.size.height)
        return png.pixels(shot.png) == ground.pixels(ground.size)

    await eventually(is_equal, "a screen that holds still")


@pytest.mark.parametrize(
    ("requested", "captured"),
    [
        (Rect(10, 20, 33, 7), Rect(10, 20, 33, 7)),
        (Rect(-50, -50, 100, 100), Rect(0, 0, 50, 50)),
        (Rect(1900, 1000, 500, 500), Rect(1900, 1000, 20, 80)),
        (Rect(5, 5, 1, 1), Rect(5, 5, 1, 1)),
    ],
)
async def test_an_area_is_taken_as_far_as_it_is_on_the_screen(
    ground: Ground, desktop: DesktopPort, requested: Rect, captured: Rect
) -> None:
    shot = await desktop.screenshot(requested)
    assert shot.area == captured
    assert png.size(shot.png) == (captured.width, captured.height)
    assert png.pixels(shot.png) == ground.pixels(captured)


@pytest.mark.parametrize("area", [Rect(5000, 5000, 10, 10), Rect(-100, 0, 50, 50), Rect(10, 10, 0, 5)])
async def test_an_area_outside_the_screen_is_refused(desktop: DesktopPort, area: Rect) -> None:
    with pytest.raises(Failure):
        await desktop.screenshot(area)


async def test_an_outline_is_drawn_in_the_picture_and_not_on_the_screen(bench: Workbench) -> None:
    await bench.brought_to_front()
    frame = (await bench.one(texts.NOTES)).frame
    window = bench.ground.frame(bench.app)
    assert frame is not None

    async def is_drawn() -> bool:
        plain = await bench.desktop.screenshot(window)
        outlined = await bench.desktop.screenshot(window, outlined=frame)
        if bench.ground.pixels(window) != png.pixels(plain.png):
            return False
        changed = _changed(png.pixels(plain.png), png.pixels(outlined.png), window)
        left, top = min(x for x, _ in changed), min(y for _, y in changed)
        right, bottom = max(x for x, _ in changed), max(y for _, y in changed)
        around = Rect(left, top, right - left + 1, bottom - top + 1)
        return around.intersection(frame) == frame and frame.center not in changed

    await eventually(is_drawn, "an outline around the element")


async def test_a_highlight_appears_lets_clicks_through_and_disappears(bench: Workbench) -> None:
    touches = await bench.touches()
    await bench.brought_to_front()
    area = await bench.one(texts.AREA)
    assert area.frame is not None
    await bench.desktop.press(bench.window, area)  # where the pointer can't be put back, it shows from now on
    await bench.wait_for(texts.TOUCHED.format(touches + 1))
    around = Rect(area.frame.x - 3, area.frame.y - 3, area.frame.width + 6, area.frame.height).intersection(
        bench.ground.size
    )
    assert around is not None

    plain = bench.ground.pixels(around)
    await bench.desktop.highlight(area.frame, A_SECOND)
    assert bench.ground.pixels(around) != plain
    await bench.desktop.press(bench.window, area)
    await bench.wait_for(texts.TOUCHED.format(touches + 2))

    async def is_gone() -> bool:
        return bench.ground.pixels(around) == plain

    await eventually(is_gone, "the highlight to go")


def _changed(one: bytes, other: bytes, area: Rect) -> set[tuple[int, int]]:
    """Returns where two pictures of the same area differ."""
    pixels = {at // 3 for at in range(len(one)) if one[at] != other[at]}
    return {(area.x + pixel % area.width, area.y + pixel // area.width) for pixel in pixels}
