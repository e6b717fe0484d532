""" "Always allow" for a client's own tools covers that command or file and nothing that looks like it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.features.hooks.hook_rig import HookResult, Rig, make_rig, said
from tests.waiting import until


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    yield from make_rig(tmp_path)


def allowed_always(rig: Rig, tool: str, given: dict[str, Any]) -> str:
    """Returns the text of what the person allows."""
    hook = rig.begin(rig.event(tool, given))
    question = rig.person.answers("--ok", "--for", "rule")["prompt"]
    assert said(hook).is_allowed
    assert rig.asks(tool, given).is_allowed, "the same again is not asked about"
    return str(next(offer["what"] for offer in question["offers"] if offer["scope"] == "rule"))


def asked_or_refused(rig: Rig, tool: str, given: dict[str, Any], client: str = "claude") -> HookResult:
    """Denies the call if a person is asked."""
    hook = rig.begin(rig.event(tool, given), client)
    until(lambda: hook.poll() is not None or rig.person.pending())
    if hook.poll() is None:
        rig.person.answers("--cancel")
    return said(hook)


def test_allowing_a_command_does_not_allow_running_it_in_another_way(rig: Rig) -> None:
    """Outside the client's sandbox, by another shell, or typed into a running program."""
    command = "make test"
    assert allowed_always(rig, "Bash", {"command": command}) == f'native_shell command "{command}"'
    assert asked_or_refused(rig, "Bash", {"command": command, "dangerouslyDisableSandbox": True}).is_denied
    assert asked_or_refused(rig, "Bash", {"command": command, "shell": "/tmp/another"}).is_denied
    assert asked_or_refused(rig, "write_stdin", {"chars": command}, "codex").is_denied


def test_allowing_a_file_in_a_folder_named_tilde_does_not_allow_one_in_the_home(rig: Rig) -> None:
    inside = str(rig.project / "~" / ".profile")
    what = allowed_always(rig, "Write", {"file_path": inside, "content": "one\n"})
    home = str(rig.project.parent / "home" / ".profile")
    assert asked_or_refused(rig, "Write", {"file_path": home, "content": "two\n"}).is_denied
    assert what == 'native_edit file "[~]/.profile"'
