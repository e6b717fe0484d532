"""What the backend reports about its machine."""

from handrail.features.desktop.desktop_port import DesktopPort
from tests.features.desktop.conformance.grounds import Ground


async def test_a_whole_desktop_is_ready(ground: Ground, desktop: DesktopPort) -> None:
    ground.app("gtk3")
    readiness = await desktop.readiness()
    assert readiness.can_read
    assert readiness.can_look
    assert readiness.can_act
    assert readiness.os
    assert readiness.session
    assert not [issue for issue in readiness.issues if issue.about != "app"]  # other windows may tell nothing


async def test_a_closed_desktop_can_be_closed_again(ground: Ground) -> None:
    with ground.entered():
        app = ground.open()
        await app.windows()
        await app.close()
        await app.close()
