"""The test desktop: a command can use it, and nothing is left of it, however it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import desktop_keeper
from tests.desktop_session import DesktopSession, NotReady
from tests.waiting import until

# In a process of its own: python-xlib can't wait for descriptors beyond 1,023, of which thousands of tests leave many.
pytestmark = pytest.mark.alone

COMMAND = [sys.executable, "-m", "tests.desktop_session"]
DAEMON = "sleep 600 & disown; setsid sleep 601 & echo started"
PATIENCE = 20.0


def test_a_command_runs_on_a_desktop_and_its_code_comes_back() -> None:
    script = 'test -S "$XDG_RUNTIME_DIR/bus" && test -n "$DISPLAY" && exit 7'
    assert subprocess.run([*COMMAND, "--", "sh", "-c", script], check=False).returncode == 7


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_a_desktop_whose_owner_is_ended(number: signal.Signals) -> None:
    owner = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    message = dict(line.removeprefix("export ").strip().split("=", 1) for line in iter(owner.stdout.readline, "\n"))
    folder, socket = Path(message["XDG_RUNTIME_DIR"]).parent, Path(f"/tmp/.X11-unix/X{message['DISPLAY'][1:]}")
    everything = desktop_keeper.below({owner.pid})
    assert folder.exists()
    own = socket.stat()  # another session may take the same number

    owner.send_signal(number)
    owner.wait()
    owner.stdout.close()
    until(
        lambda: not (desktop_keeper.living(everything) or folder.exists() or is_still(socket, own)),
        lambda: desktop_keeper.living(everything),
    )


def is_still(path: Path, stat: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), stat)
    except FileNotFoundError:
        return False


def test_background_programs_end_with_the_desktop() -> None:
    with DesktopSession() as session:
        app = session.start(["bash", "-c", DAEMON], wait_for="nothing")
        until(lambda: "started" in app.said and not app.is_running)
        until(lambda: len(_sleepers()) == 2)
        sleepers = _sleepers()
    assert not desktop_keeper.living(sleepers)


def test_a_program_that_ends_without_a_window_is_reported_with_its_output(desktop_session: DesktopSession) -> None:
    with pytest.raises(NotReady, match="no such luck"):
        desktop_session.start(["sh", "-c", "echo no such luck; exit 1"])
    with pytest.raises(NotReady, match="no-such-program"):
        desktop_session.start(["no-such-program"])


def _sleepers() -> set[int]:
    """Both become `sleep` a moment after their start."""
    return {pid for pid in desktop_keeper.below({os.getpid()}) if _command_line(pid).startswith(b"sleep\x0060")}


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
