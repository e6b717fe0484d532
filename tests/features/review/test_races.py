"""A review while an editor saves, with 10,000 files, and with both kinds of line endings."""

import asyncio
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from handrail.features.review.merge import Merge
from handrail.ports.errors import Conflict
from tests.effort import count, tries
from tests.features.review.cages import Cage, Rig

LINES = "".join(f"line {number}\n" for number in range(40))
MANY = tries(1_000, 10_000)


def test_no_save_of_an_editor_is_lost_while_changes_are_taken(rig: Rig) -> None:
    """Whatever wins, the file has the editor's last save, with the agent's change or without it."""
    rig.write({"a.txt": LINES})
    rig.commit_all()
    cage = rig.cage()
    cage.run("sed -i 's/line 5$/AGENT 5/' a.txt")
    file = rig.project / "a.txt"
    saves: list[str] = []
    is_over = threading.Event()

    def edit() -> None:
        """As editors do: read, change at the end, save by rename, look at the file first."""
        while not is_over.is_set():
            text = file.read_text()
            mark = f"save {len(saves)}\n"
            new = Path(f"{file}~")
            new.write_text(text + mark)
            if file.read_text() == text:
                new.rename(file)
                saves.append(mark)

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        for _ in range(6):
            with suppress(Conflict):
                asyncio.run(cage.take())
    finally:
        is_over.set()
        editor.join()
    text = file.read_text()
    assert text.replace("AGENT 5", "line 5").startswith(LINES)
    assert [mark for mark in saves if mark not in text] == []


@pytest.mark.parametrize("agents", ["sed -i 's/line 5\\r$/AGENT 5\\r/' a.txt", "sed -i 's/line 5\\r$/AGENT 5/' a.txt"])
def test_line_endings_stay_and_are_merged_line_by_line(rig: Rig, agents: str) -> None:
    crlf = LINES.replace("\n", "\r\n")
    rig.write({"a.txt": crlf})
    rig.commit_all()
    cage = rig.cage()
    cage.run(agents)
    rig.write({"a.txt": crlf.replace("line 30\r\n", "MINE 30\r\n")})
    asyncio.run(cage.take())
    text = (rig.project / "a.txt").read_bytes().decode()
    assert text.count("\r\n") == 40 - ("AGENT 5\n" in text)
    assert "MINE 30\r\n" in text
    assert "AGENT 5" in text


def test_an_agent_that_changed_every_line_ending_conflicts_with_any_edit() -> None:
    base = LINES.encode()
    merge = Merge(base, base.replace(b"line 7\n", b"MINE 7\n"), base.replace(b"\n", b"\r\n"))
    assert any(each.state == "conflict" for each in merge.hunks)


@pytest.mark.trial("many files", is_long=True)
def test_thousands_of_files_are_reviewed_taken_and_undone(rig: Rig) -> None:
    rig.write({f"folder{number % 100}/file{number}.txt": f"old {number}\n" for number in range(MANY)})
    rig.commit_all()
    count(MANY)
    cage: Cage = rig.cage()
    cage.run("find . -name '*.txt' -exec sed -i s/old/new/ {} +; rm folder7/file7.txt; echo x > folder8/made.txt")
    with cage.review() as review:
        assert len(review.items) == MANY + 1
    result = asyncio.run(cage.take())
    assert (result["taken"], "left" in result) == (MANY + 1, False)
    last = MANY - 1
    assert (rig.project / f"folder{last % 100}/file{last}.txt").read_text() == f"new {last}\n"
    with cage.review() as review:
        assert review.items == []
