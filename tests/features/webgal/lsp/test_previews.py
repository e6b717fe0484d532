"""An editor shows a line of an open text in the real engine, and gets the game's variables there."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from handrail.features.browser.chromium.headless import HeadlessChromium
from tests.features.webgal.lsp.editor import Editor

PREVIEW, VARIABLES = "handrail.server.preview", "handrail.server.variables"
STAGE = "handrail/previewState"
SCENE = """\
setVar:love=1;
雪乃:你好;
choose:走:away|留:stay;
label:away;
setVar:love=2;
雪乃:再见;
end;
label:stay;
雪乃:好;
end;
label:lost;
雪乃:?;
"""


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    scene = tmp_path / "game/scene/start.txt"
    scene.parent.mkdir(parents=True)
    scene.write_text("雪乃:旧;\n", encoding="utf-8")
    editor = Editor()
    editor.initialize(tmp_path, {"language": "en"})
    editor.open(scene.as_uri(), SCENE)
    yield editor
    if not editor._loop.is_closed():
        editor.end()


def uri_of(editor: Editor) -> str:
    return next(iter(editor._versions))


def run(editor: Editor, command: str, **args: object) -> Any:
    params = {"command": command, "arguments": [{"uri": uri_of(editor), **args}]}
    return editor.request_raw(types.WORKSPACE_EXECUTE_COMMAND, params)


@pytest.mark.trial("previews", is_long=True)
def test_the_unsaved_line_is_shown_and_the_page_reports_the_stage(editor: Editor) -> None:
    stages: list[dict[str, Any]] = []

    @editor.client.feature(STAGE)
    def record_stage(stage: Any) -> None:
        with editor._changed:
            stages.append(stage._asdict())
            editor._changed.notify_all()

    result = run(editor, PREVIEW, line=5, variables={"名字": "雪; 乃", "class": 3})
    url = result.url

    async def watch() -> None:
        browser = HeadlessChromium()
        page = await browser.open_page([urlsplit(url).netloc])
        await page.go(url)
        await asyncio.to_thread(editor.wait, lambda: any(stage["line"] == 5 for stage in stages), "line 6")
        run(editor, PREVIEW, line=8)
        await asyncio.to_thread(editor.wait, lambda: any(stage["line"] == 8 for stage in stages), "line 9")
        await browser.close()

    asyncio.run(watch())
    at_six = next(stage for stage in stages if stage["line"] == 5)
    assert at_six["uri"] == uri_of(editor)
    values = at_six["variables"]
    assert {2, 3, "雪; 乃"} <= set(values._asdict().values())


def test_one_address_serves_every_line_and_ends_with_the_server(editor: Editor) -> None:
    first, second = run(editor, PREVIEW, line=1), run(editor, PREVIEW)
    assert first.url == second.url
    with urlopen(first.url) as page:
        assert b"preview" in page.read()
    editor.end()
    with pytest.raises(OSError):
        urlopen(first.url)


def test_an_unreachable_line_is_reported(editor: Editor) -> None:
    result = run(editor, PREVIEW, line=11)
    assert "Line 12 can't be reached" in result.note


@pytest.mark.parametrize("params", [{"line": -1}, {"line": "x"}, {"uri": "file:///elsewhere.txt"}])
def test_a_wrong_place_is_refused(editor: Editor, params: dict[str, object]) -> None:
    with pytest.raises(JsonRpcException):
        run(editor, PREVIEW, **params)


def test_the_variables_of_the_open_text_are_listed(editor: Editor) -> None:
    (love,) = run(editor, VARIABLES)
    assert (love["name"], len(love["sets"]), len(love["reads"])) == ("love", 2, 0)
