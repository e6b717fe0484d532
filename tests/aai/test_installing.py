"""The effects of `--install` and `--uninstall`, and what the command line refuses."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from handrail.aai import App
from tests.aai import trial_app

PROGRAM = str(trial_app.__file__)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    return tmp_path


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    words = (sys.executable, PROGRAM, *words)
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)


def test_installing_writes_the_descriptor_and_the_activation_file_and_uninstalling_removes_them(home: Path) -> None:
    descriptor = home / ".aai/com.example.trial/aai.json"
    activation = home / ".local/share/dbus-1/services/com.example.trial.service"
    result = run("--install", "--idle", "90")
    assert result.stdout.splitlines() == [f"wrote {descriptor}", f"wrote {activation}"]
    assert json.loads(descriptor.read_text()) == trial_app.app.describe()
    assert activation.read_text() == (
        f"[D-BUS Service]\nName=com.example.trial\nExec={sys.executable} {PROGRAM} --idle 90\n"
    )
    assert sorted(path.name for path in descriptor.parent.iterdir()) == ["aai.json"]
    assert run("--uninstall").stdout.splitlines() == [f"removed {descriptor}", f"removed {activation}"]
    assert not descriptor.parent.exists()
    assert trial_app.app.uninstall() == []


def test_installing_an_app_on_stdio_writes_only_its_descriptor(home: Path) -> None:
    trial_app.app.install(command=["a"])
    trial_app.app.install(command=[sys.executable, PROGRAM], stdio=True)
    descriptor = json.loads((home / ".aai/com.example.trial/aai.json").read_text())
    assert descriptor["execution"] == {"type": "stdio", "command": sys.executable, "args": [PROGRAM, "--stdio"]}
    assert list((home / ".local/share/dbus-1/services").iterdir()) == []


def test_data_home_decides_where_the_activation_file_goes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    written = trial_app.app.install(command=["/opt/it's a/app", "\\"])
    assert written[1] == home / "data/dbus-1/services/com.example.trial.service"
    assert written[1].read_text().endswith("Exec='/opt/it'\"'\"'s a/app' '\\\\'\n")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert trial_app.app.install(command=["a"])[1].is_relative_to(home / ".local/share")


def test_an_installation_that_fails_leaves_the_old_descriptor(home: Path) -> None:
    (written, _) = trial_app.app.install(command=["a"])
    before = written.read_bytes()
    app = App("com.example.trial", name="\ud800", description="no text at all")
    with pytest.raises(UnicodeEncodeError):
        app.install(command=["b"])
    assert written.read_bytes() == before
    assert [path.name for path in written.parent.iterdir()] == ["aai.json"]
    assert stat.S_ISREG(os.lstat(written).st_mode)


def test_the_descriptor_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    trial_app.app.run(["--describe"])
    assert json.loads(capsys.readouterr().out) == trial_app.app.describe()


@pytest.mark.parametrize(
    ("words", "status", "word"),
    [
        ((), "com.example.trial: There is no session bus to be reached on", ""),
        (("--idle", "0"), 2, "more than 0 seconds"),
        (("--install", "--uninstall"), 2, "not allowed with"),
    ],
)
def test_impossible_installations_are_reported(
    home: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], status: int | str, word: str
) -> None:
    with pytest.raises(SystemExit) as error:
        trial_app.app.run(words)
    assert error.value.code == status if isinstance(status, int) else status in str(error.value.code)
    assert word in capsys.readouterr().err


def test_an_invalid_bus_name_is_reported_before_anything_is_written(home: Path) -> None:
    app = App("com.1example.x", name="x", description="y")
    with pytest.raises(ValueError, match="no part begins with a digit"):
        app.install(command=["a"])
    assert not (home / ".aai").exists()
    assert app.install(stdio=True, command=["a"])
