"""Errors about missing parts of a preview (engine, port, browser) tell people what to do."""

import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest

from handrail.features.webgal import engines
from handrail.kernel import dialect as webgal
from handrail.kernel.approval import NoApprover
from handrail.kernel.call import Call
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller
from handrail.wiring import Wiring

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project/game/scene").mkdir(parents=True)
    (tmp_path / "project/game/scene/start.txt").write_text("a:b;\n")
    return tmp_path / "project"


async def error(project: Path) -> dict[str, Any]:
    """Of a preview, as the contract spells it."""
    rig = Wiring().open_project(project, project.parent / "state", NoApprover(), flags={"terre": "off"})
    try:
        with pytest.raises(Failure) as raised:
            await rig.gate.run(Call("preview_scene", {}, Caller("mcp", "test", "pid:1", "stdio:test")))
        return dict(webgal.envelope(raised.value)["error"])
    finally:
        await rig.part("webgal").preview_session.close()
        rig.close()


async def test_without_the_engine_a_preview_fails_with_install_instructions(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "ENGINE_FOLDER", project / "nowhere")
    message = await error(project)
    assert message["code"] == "E_PREVIEW_FAIL"
    assert message["message"] == "The WebGAL engine is not installed, and the project doesn't include one."
    assert "make setup" in message["hint"]
    with pytest.raises(Failure, match="not installed"):
        engines.describe_engine(Wiring().machine.open_folder, project)


async def test_without_a_free_port_a_preview_fails_with_the_reason(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def taken(*expected: Any, **more: Any) -> asyncio.Server:
        raise OSError(errno.EADDRINUSE, "Address already in use")

    monkeypatch.setattr(asyncio, "start_server", taken)
    message = await error(project)
    assert message["code"] == "E_PREVIEW_FAIL"
    assert message["message"] == "Could not open a port for the preview: Address already in use."


@pytest.mark.parametrize(("program", "why"), [("exit 1", "ended at once"), ("exec cat <&3", "did not start")])
async def test_a_browser_that_does_not_start_is_reported_with_a_command_to_try(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, why: str
) -> None:
    monkeypatch.setattr("handrail.features.browser.chromium.headless._START_TIMEOUT", 0.3)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    broken = tmp_path / "bin/chromium"
    broken.parent.mkdir()
    broken.write_text(f"#!/bin/sh\n{program}\n")
    broken.chmod(0o755)
    message = await error(project)
    assert message["code"] == "E_PREVIEW_FAIL"
    assert str(broken) in message["message"]
    assert why in message["message"]
    assert "start it yourself" in message["hint"]


@pytest.mark.parametrize(
    ("version", "is_own"), [("4.4.5.3", False), ("4.2.9", False), ("4.5.18", True), ("4.6.4", True)]
)
async def test_an_engine_that_follows_no_preview_is_replaced_by_ours_with_a_note(
    project: Path, version: str, is_own: bool
) -> None:
    (project / "index.html").write_text('<title>WebGAL</title><script src="./assets/index.js"></script>')
    (project / "assets").mkdir()
    (project / "assets/index.js").write_text(f'const a={{version:"WebGAL {version}"}};')
    open_folder = Wiring().machine.open_folder
    files = open_folder(str(project))
    engine, page = engines.find_engine(open_folder, files, "game")
    assert ((engine is files), page) == (is_own, ".")
    older = engines.older_engine(files, "game")
    assert (older is None) is is_own
    assert older is None or version in engines.older_engine_note(older)
    assert version in engines.describe_engine(open_folder, project)
    for each in {id(engine): engine, id(files): files}.values():
        each.close()
