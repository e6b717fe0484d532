"""`handrail review`, at a real terminal and in a pipe."""

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.features.review.cages import Cage, Rig
from tests.persons import without_presence

HANDRAIL = str(Path(sys.executable).with_name("handrail"))
LINES = "".join(f"line {number}\n" for number in range(40))


def command(rig: Rig, *words: str) -> list[str]:
    return [HANDRAIL, "review", *words, "--project", str(rig.project), "--state", str(rig.state)]


def run(rig: Rig, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command(rig, *words), capture_output=True, text=True, stdin=subprocess.DEVNULL)


def at_terminal(rig: Rig, *answers: str, words: tuple[str, ...] = ()) -> tuple[int, str]:
    """Types the answers, each once it is asked; `^C` presses Ctrl-C."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(HANDRAIL, command(rig, *words), {**os.environ, "TERM": "xterm"})
    printed = ""
    for answer in answers:
        while not printed.rsplit("\n", 1)[-1].rstrip().endswith("?"):
            printed += _read(terminal)
        printed += "\n"
        os.write(terminal, b"\x03" if answer == "^C" else answer.encode() + b"\n")
    while chunk := _read(terminal):
        printed += chunk
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), printed


def _read(terminal: int) -> str:
    poll = select.poll()  # select() refuses descriptors above 1023
    poll.register(terminal, select.POLLIN)
    assert poll.poll(60_000), "the command prints nothing"
    try:
        return os.read(terminal, 1 << 16).decode(errors="replace").replace("\x1b[0m", "").replace("\x1b[1m", "")
    except OSError:
        return ""


@pytest.fixture
def cage(rig: Rig) -> Cage:
    without_presence(rig.state)
    rig.write({"a.txt": LINES, "b.txt": "b\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        "sed -i -e 's/line 5$/FIVE/' -e 's/line 20$/TWENTY/' a.txt; rm b.txt; echo {} > package.json; ln -s /etc x"
    )
    return cage


def test_the_list_names_groups_marks_and_what_is_refused(rig: Rig, cage: Cage) -> None:
    printed = run(rig).stdout
    assert "Changed files:\n  M  a.txt  +2 −2\n  D  b.txt  +0 −1\n" in printed
    assert "package.json  +1 −0  [runs later: its scripts run on npm commands]" in printed
    assert "leads out of the project" in printed
    data = json.loads(run(rig, cage.id, "--json").stdout)
    assert [item["path"] for item in data["items"]] == ["a.txt", "b.txt", "package.json", "x"]


def test_hunks_are_taken_one_by_one_at_the_terminal(rig: Rig, cage: Cage) -> None:
    code, printed = at_terminal(rig, "n", "y", "n", "?", "y")
    assert code == 0, printed
    assert "+FIVE" in printed
    text = (rig.project / "a.txt").read_text()
    assert "line 5\n" in text
    assert "TWENTY\n" in text
    assert (rig.project / "b.txt").exists()
    assert (rig.project / "package.json").read_text() == "{}\n"
    assert "Took 2 changes." in printed
    assert "2 changes are left: `handrail review" in printed
    assert "edit the file" not in printed, "only what can be answered here is explained"
    execution = printed.rpartition("handrail undo ")[2].split()[0]
    words = [HANDRAIL, "undo", execution, "--project", str(rig.project), "--state", str(rig.state)]
    subprocess.run(words, check=True, capture_output=True)
    assert (rig.project / "a.txt").read_text() == LINES
    assert not (rig.project / "package.json").exists()


@pytest.mark.trial("review", is_long=True)
@pytest.mark.parametrize(
    ("answers", "taken"), [(("a", "n", "n"), 2), (("d", "n", "n"), 0), (("y", "q"), 1), (("q",), 0)]
)
def test_a_and_d_answer_for_the_rest_of_the_file(rig: Rig, cage: Cage, answers: tuple[str, ...], taken: int) -> None:
    code, printed = at_terminal(rig, *answers)
    assert code == 0, printed
    text = (rig.project / "a.txt").read_text()
    assert ("FIVE" in text) + ("TWENTY" in text) == taken


@pytest.mark.trial("review", is_long=True)
def test_conflicts_are_resolved_at_the_terminal(rig: Rig, cage: Cage, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = LINES.replace("line 5\n", "MINE 5\n").replace("line 20\n", "MINE 20\n")
    rig.write({"a.txt": mine})
    code, printed = at_terminal(rig, "t", "m", "q")
    assert (code, "@@ your edit, line 6 @@" in printed) == (0, True), printed
    assert (rig.project / "a.txt").read_text() == mine.replace("MINE 5", "FIVE")
    assert "a.txt" not in run(rig, "--list", cage.id).stdout
    rig.write({"a.txt": mine})
    (cage.folder.path / "settled.json").unlink()
    editor = rig.folder / "editor"
    editor.write_text('#!/bin/sh\nsed -i -e "/^<<<<<<< /d" -e "/^=======/d" -e "/^>>>>>>> /d" "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    code, printed = at_terminal(rig, "e", "q")
    assert code == 0, printed
    assert "MINE 5\nFIVE\n" in (rig.project / "a.txt").read_text()
    assert "MINE 20\nTWENTY\n" in (rig.project / "a.txt").read_text()


def test_stopping_at_a_conflict_or_at_the_mode_keeps_what_was_chosen_in_the_file(rig: Rig, cage: Cage) -> None:
    rig.write({"a.txt": LINES.replace("line 20\n", "MINE 20\n")})
    cage.run("chmod +x a.txt")
    code, printed = at_terminal(rig, "y", "q")
    assert code == 0, printed
    assert "Took 1 change." in printed
    assert (rig.project / "a.txt").read_text() == LINES.replace("line 5\n", "FIVE\n").replace("line 20\n", "MINE 20\n")
    rig.write({"a.txt": LINES})
    code, printed = at_terminal(rig, "y", "y", "q")
    assert (code, "Take its new mode" in printed) == (0, True), printed
    assert (rig.project / "a.txt").read_text() == LINES.replace("line 5\n", "FIVE\n").replace("line 20\n", "TWENTY\n")


@pytest.mark.trial("review", is_long=True)
def test_ctrl_c_takes_nothing(rig: Rig, cage: Cage) -> None:
    code, printed = at_terminal(rig, "y", "^C")
    assert code not in (0, None)
    assert "Traceback" not in printed
    assert (rig.project / "a.txt").read_text() == LINES


def test_paths_everything_and_discard(rig: Rig, cage: Cage) -> None:
    assert "Took 1 change." in run(rig, "--take", "b.txt").stdout
    assert not (rig.project / "b.txt").exists()
    assert run(rig, "--take", "nowhere").returncode != 0
    result = run(rig, "--take-all")
    assert "Took 2 changes." in result.stdout
    assert "FIVE" in (rig.project / "a.txt").read_text()
    assert "Discarded" in run(rig, "--discard").stdout
    assert "No agent has left changes" in run(rig).stdout


def test_commits_are_found_when_no_file_is_pending(rig: Rig) -> None:
    """The agent committed the person's own change, or every file was taken already."""
    without_presence(rig.state)
    rig.write({"a.txt": "a\n", ".handrail/policy.json": "{}\n"})
    rig.commit_all()
    assert "No agent has left changes" in run(rig, "--commits").stdout
    rig.write({"a.txt": "b\n"})
    rig.cage().run("git rm -q --cached .handrail/policy.json; git commit -qam 'Say b'")
    assert "No agent has left changes" in run(rig, "--list").stdout
    listed = run(rig, "--commits").stdout
    assert "Say b" in listed
    rig.write({"a.txt": "a\n"})
    taken = run(rig, "--take-commit", listed.split()[0])
    assert "Took 1 change." in taken.stdout, taken.stderr
    assert "closed folder.\n" in taken.stdout
    assert (rig.project / "a.txt").read_text() == "b\n"


def test_taking_nothing_is_an_error_that_says_what_to_do(rig: Rig, cage: Cage) -> None:
    rig.write({"a.txt": LINES.replace("line 5\n", "MINE\n").replace("line 20\n", "MINE\n"), "b.txt": "mine\n"})
    for words in (("--take", "b.txt"), ("--take", "b.txt", "--json")):
        result = run(rig, *words)
        assert result.returncode == 1, result
        assert "handrail: Nothing was taken." in result.stderr
        assert f"handrail review {cage.id} --list" in result.stderr
    assert "Not taken: b.txt" in run(rig, "--take", "b.txt").stdout
    assert (rig.project / "b.txt").read_text() == "mine\n"


def test_no_color_is_respected(rig: Rig, cage: Cage, monkeypatch: pytest.MonkeyPatch) -> None:
    red = "\x1b[31m"
    assert red in at_terminal(rig, "q")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    code, printed = at_terminal(rig, "q")
    assert (code, "-line 5" in printed) == (0, True), printed
    assert "\x1b[3" not in printed


def test_several_runs_are_listed(rig: Rig, cage: Cage) -> None:
    other = rig.cage()
    other.run("echo other > b.txt")
    printed = run(rig).stdout
    assert cage.id in printed
    assert other.id in printed
    assert {data["id"] for data in json.loads(run(rig, "--json").stdout)["reviews"]} == {cage.id, other.id}


def test_without_proof_of_a_person_nothing_is_taken(rig: Rig, cage: Cage) -> None:
    """An agent's shell, or any other one that no person's terminal is behind."""
    (rig.state / "config.toml").write_text('presence = "critical"\n')
    for words in (("--take-all",), ("--take", "b.txt"), ("--discard",), ("--take-commit", "abc")):
        result = run(rig, *words)
        assert result.returncode != 0, words
    code, printed = at_terminal(rig)
    assert code != 0
    assert "proof that a person is present" in printed
    assert "a.txt" in printed, "looking needs no proof"
    assert (rig.project / "a.txt").read_text() == LINES
    assert cage.folder.upper.exists()


@pytest.mark.trial("review", is_long=True)
def test_a_change_that_is_too_long_to_show_can_be_viewed_as_a_whole(
    rig: Rig, cage: Cage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "cat")
    cage.run("seq 1000 | sed 's/$/ of a long file/' > long.txt; rm a.txt package.json x; git checkout -q b.txt a.txt")
    code, printed = at_terminal(rig, "v", "n")
    assert code == 0, printed
    assert "600 more lines: v shows them" in printed
    assert "+1000 of a long file" in printed


@pytest.mark.trial("review", is_long=True)
def test_line_ends_of_windows_are_shown_and_no_other_program_s_words(rig: Rig, cage: Cage) -> None:
    cage.run("rm a.txt package.json x; git checkout -q b.txt a.txt; printf 'one\\r\\n' > crlf.txt")
    assert "+one\\r" in at_terminal(rig, "n")[1]


def test_names_can_not_draw_on_the_terminal(rig: Rig, cage: Cage) -> None:
    cage.run("printf x > \"$(printf 'evil\\033[2J\\nFORGED LINE')\"; printf 'a\\033[31m\\rb\\n' > esc.txt")
    printed = run(rig).stdout
    assert "\x1b" not in printed
    assert "\nFORGED" not in printed
    _, output = at_terminal(rig, "n", "d", "n", "n", "n", "n")
    assert "\x1b[31m\r" not in output
    assert "\x1b[2J" not in output
