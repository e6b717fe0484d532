"""The page that is photographed, with the real engine: what is done for the picture is undone afterwards."""

from pathlib import Path

import pytest

from handrail.features.webgal.preview_ports import Destination
from handrail.kernel.approval import NoApprover
from handrail.wiring import Wiring

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
STAGE = "[__PIXI_APP__.renderer.resolution, __PIXI_APP__.renderer.view.width, __PIXI_APP__.renderer.screen.width]"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.trial("previews", is_long=True)
async def test_the_stage_is_drawn_as_large_as_it_is_shown_and_the_engine_never_knows(
    tmp_path: Path,
) -> None:
    (tmp_path / "game/scene").mkdir(parents=True)
    (tmp_path / "game/scene/start.txt").write_text("雪乃:好;\n")
    project = Wiring().open_project(tmp_path, tmp_path / ".state", NoApprover(), flags={"terre": "off"})
    preview_session = project.part("webgal").preview_session
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
        project.close()


async def test_stage_time_advances_while_line_time_is_frozen(tmp_path: Path) -> None:
    """An introduction must not be over before its picture is taken, however long that takes on a busy machine.

    A video or a sound begins in a timer that also names its end; if it didn't run, nothing would end them.
    """
    (tmp_path / "game/scene").mkdir(parents=True)
    (tmp_path / "game/scene/start.txt").write_text("雪乃:好;\n")
    project = Wiring().open_project(tmp_path, tmp_path / ".state", NoApprover(), flags={"terre": "off"})
    preview_session = project.part("webgal").preview_session
    try:
        await preview_session.show("game", Destination("start.txt", 1))
        assert preview_session._page is not None
        page = preview_session._page.tab
        await page.value(
            """(() => {
            window.fired = [];
            const stage = {
              unmountPerform: () => fired.push("ended"),
              removeStageObjectByKey: () => fired.push("cleared"),
            };
            setTimeout(() => stage.unmountPerform("intro"), 400);
            setTimeout(() => { fired.push("begun"); return () => stage.unmountPerform("film"); }, 1);
            setTimeout(() => stage.removeStageObjectByKey("bg-main-off"), 100000);
            setTimeout(function () { "use strict"; fired.push(this === window ? "window" : "nothing"); }, 500);
            })()"""
        )
        await page.value("handrailSettle()")
        assert sorted(await page.value("fired")) == ["begun", "cleared", "window"]
    finally:
        await preview_session.close()
        project.close()
