"""The page that is photographed, with the real engine: what is done for the picture is undone afterwards."""

from pathlib import Path

import pytest

from handrail.features.webgal.preview_ports import Destination
from handrail.kernel.policy import compose
from handrail.kernel.policy_document import PolicyDocument
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.settings import Settings
from handrail.wiring.previews import open_preview_session

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
STAGE = "[__PIXI_APP__.renderer.resolution, __PIXI_APP__.renderer.view.width, __PIXI_APP__.renderer.screen.width]"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_the_stage_is_drawn_as_large_as_it_is_shown_and_the_engine_never_knows(
    tmp_path: Path,
) -> None:
    (tmp_path / "game/scene").mkdir(parents=True)
    (tmp_path / "game/scene/start.txt").write_text("雪乃:好;\n")
    policy = compose(PolicyDocument(), is_trusted=True, user_rules=())
    files = LocalFolder.open(str(tmp_path))
    preview_session = open_preview_session(files, lambda: policy, Settings(terre="off"), is_server=False)
    try:
        await preview_session.show("game", Destination("start.txt", 1))
        assert preview_session._page is not None
        page = preview_session._page.tab
        assert await page.value("[document.documentElement.style.opacity, innerWidth]") == ["", 1280]
        assert await page.value(STAGE) == [0.5, 1280, 2560]
        await page.value("handrailLook()")
        assert await page.value("document.documentElement.style.opacity") == "0"
        assert await page.value(STAGE) == [1, 2560, 2560]
    finally:
        await preview_session.close()
        files.close()
