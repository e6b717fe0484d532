"""A real program without accessibility: xterm is listed, and text and keys reach it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handrail.features.desktop.backends.linux import LinuxDesktop
from handrail.features.desktop.backends.x11 import input as x11_input
from handrail.features.desktop.desktop_port import KeyCombination, Query, Window
from tests.desktop_session import App, DesktopSession
from tests.waiting import eventually


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def desktop(desktop_session: DesktopSession) -> AsyncIterator[LinuxDesktop]:
    with desktop_session.entered():
        linux_desktop = LinuxDesktop()
        yield linux_desktop
        await linux_desktop.close()


async def window_of(desktop: LinuxDesktop, app: App) -> Window:
    async def listed() -> list[Window]:
        return [one for one in await desktop.windows() if one.pid in app.pids]

    return (await eventually(listed, "the terminal's window"))[0]


async def test_a_terminal_that_reads_its_keys_late_still_gets_letters_that_the_layout_lacks(
    desktop: LinuxDesktop, desktop_session: DesktopSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(x11_input, "_SPARE_KEYS_SECONDS", 5.0)
    written = tmp_path / "written"
    app = desktop_session.start(["xterm", "-T", "Late", "-e", "sh", "-c", f"cat > {written}"], wait_for="window")
    await eventually(written.exists, "the program in the terminal")
    window = await window_of(desktop, app)
    terminal = window.pid
    os.kill(terminal, signal.SIGSTOP)
    asyncio.get_running_loop().call_later(0.5, os.kill, terminal, signal.SIGCONT)
    await desktop.type_text(window, None, "Grüße", clear_before=False)
    await desktop.send_keys(window, [KeyCombination((), "enter"), KeyCombination(("ctrl",), "d")], delay_ms=20)
    await eventually(lambda: not app.is_running, "the end of the terminal")
    assert written.read_text() == "Grüße\n"


async def test_a_terminal_without_accessibility_takes_text_and_keys(
    desktop: LinuxDesktop, desktop_session: DesktopSession, tmp_path: Path
) -> None:
    written = tmp_path / "written"
    app = desktop_session.start(["xterm", "-T", "Bare", "-e", "sh", "-c", f"cat > {written}"], wait_for="window")
    await eventually(written.exists, "the program in the terminal")
    window = await window_of(desktop, app)
    assert not window.is_readable
    assert "xterm" in {name.lower() for name in window.ids}
    assert (await desktop.tree(window, max_depth=9, max_nodes=9)).root.element.title == "Bare"
    assert await desktop.find(window, Query(role="AXButton")) == []
    await desktop.type_text(window, None, "Grüße from outside", clear_before=False)
    await desktop.send_keys(window, [KeyCombination((), "enter"), KeyCombination(("ctrl",), "d")], delay_ms=20)
    await eventually(lambda: not app.is_running, "the end of the terminal")
    assert written.read_text() == "Grüße from outside\n"
    assert await desktop.read_element(window.handle) is None


async def test_doctor_names_programs_that_cant_be_read(desktop: LinuxDesktop, desktop_session: DesktopSession) -> None:
    app = desktop_session.start(["xterm"], wait_for="window")
    await window_of(desktop, app)
    readiness = await desktop.readiness()
    assert any("XTerm exposes no elements" in issue.message for issue in readiness.issues)
    desktop_session.end(app)
