"""Only the keyboard is used: a question, its scope, a reason, the history and an undo."""

from pathlib import Path

import pytest

from tests.e2e.console_person import Browser, call, up
from tests.waiting import until


@pytest.mark.trial("console", is_long=True)
def test_approving_and_undoing_work_with_only_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    file = project / "a.txt"
    file.write_text("one\n")
    with up(project, tmp_path / "state") as rig:
        person = browser.person_at(rig, at="inbox")
        writing = call(rig, "edit_file", path="a.txt", edits=[{"oldText": "one", "newText": "two"}])
        person.does("read", "Edit a.txt?")
        person.does("key", "q")
        person.does("tabTo", ".panel .scope input")
        person.does("key", "ArrowDown")
        person.does("see", "Until you remove it", ".panel")
        person.does("key", "ArrowUp")
        person.does("gone", ".panel .grant-editor")
        person.does("tabTo", ".panel .primary")
        person.does("key", "Enter")
        writing.communicate(timeout=60)
        assert file.read_text() == "two\n"

        removing = call(rig, "delete_path", path="a.txt")
        person.does("read", "Delete a.txt?")
        person.does("key", "q")
        person.does("tabTo", ".panel .foot input:not([type=radio])")
        person.does("type", "We still need it")
        person.does("tabTo", ".panel .primary")
        person.does("key", "n")
        assert "We still need it" in removing.communicate(timeout=60)[0]
        assert file.exists()

        person.does("key", "Control+k")
        person.does("type", "history")
        person.does("key", "Enter")
        person.does("see", "you denied it", ".timeline")
        person.does("tabTo", ".step-open")
        person.does("key", "Enter")
        person.does("tabTo", ".step-record button.plain:not([disabled])")
        person.does("key", "Enter")
        until(lambda: file.read_text() == "one\n", "the edit was not undone")
        person.leaves()
