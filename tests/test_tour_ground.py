"""Where the tour takes place: what is cleared for it, what is not, and what comes of a clearing that was cut short."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from demo.__main__ import main
from demo.ground import FOLDER, ROOT, NotPossible, fresh_ground
from demo.trouble import told


def leave_behind(folder: Path) -> None:
    """What a tour leaves to be looked at, as far as it matters here."""
    with fresh_ground(folder) as ground:
        ground.report.write_text("the last one's")
        (ground.home / "elsewhere").symlink_to(folder.parent)


def test_the_readme_names_the_folder_which_is_another_one_than_older_demonstrations_had() -> None:
    assert f"`{FOLDER.relative_to(ROOT)}`" in (ROOT / "README.md").read_text()
    assert FOLDER != ROOT / "build" / "demo"


def test_a_folder_that_holds_something_else_is_not_cleared(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(NotPossible, match="not from a demonstration"), fresh_ground(tmp_path):
        pass
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_the_last_tour_is_cleared_and_nothing_that_it_links_to(tmp_path: Path) -> None:
    leave_behind(tmp_path / "tour")
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "tour" / "link").symlink_to(tmp_path)
    with fresh_ground(tmp_path / "tour") as ground:
        assert not ground.report.exists()
        assert not list(ground.folder.glob("**/elsewhere")) + list(ground.folder.glob("link"))
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("removed", [0, 1, 7])
def test_a_clearing_that_was_cut_short_is_done_again(
    removed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_behind(tmp_path / "tour")
    remaining = iter(range(removed))

    def unlink(*given: Any, **named: Any) -> None:
        if next(remaining, None) is None:
            raise KeyboardInterrupt
        os_unlink(*given, **named)

    os_unlink = os.unlink
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        with pytest.raises(KeyboardInterrupt), fresh_ground(tmp_path / "tour"):
            pass
    with fresh_ground(tmp_path / "tour") as ground:
        assert not ground.report.exists()


def test_the_sockets_of_a_tour_that_was_killed_are_removed_before_the_next_one(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from demo.ground import fresh_ground\n"
        "with fresh_ground(pathlib.Path(sys.argv[1])) as ground: print(ground.sockets, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "tour")]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        sockets = Path(killed.stdout.readline().strip())
        killed.kill()
    assert (sockets / "runtime").is_dir()
    with fresh_ground(tmp_path / "tour") as ground:
        assert not sockets.exists()
        assert ground.sockets.is_dir()
    assert not ground.sockets.exists()


def test_nothing_else_is_removed_whatever_the_mark_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, ours = tmp_path / "mine", tmp_path / "handrail-demo-ours_123"
    for folder in (mine, ours):
        (folder / "kept").mkdir(parents=True)
    link = tmp_path / "handrail-demo-link_123"
    link.symlink_to(mine)
    leave_behind(tmp_path / "tour")
    for named in (
        str(mine),
        str(link),
        f"{link}/",
        f"{ours}/../mine",
        ours.name,
        "",
        "\0",
        str(tmp_path / "handrail-demo-none_123"),
    ):
        (tmp_path / "tour" / ".handrail-demo").write_text(named)
        leave_behind(tmp_path / "tour")
    (tmp_path / "tour" / ".handrail-demo").write_text(str(ours))
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: ours.stat().st_uid + 1)
        leave_behind(tmp_path / "tour")
    assert all((folder / "kept").is_dir() for folder in (mine, ours))


def test_what_is_in_the_way_is_told_with_what_to_do_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tour").touch()
    monkeypatch.delenv("ANSWER", raising=False)
    monkeypatch.setattr(sys, "argv", ["demo", "--folder", str(tmp_path / "tour")])
    assert main() == 1
    complained = capsys.readouterr().err
    assert complained.startswith(f"make demo: {tmp_path / 'tour'}: ")
    assert complained.endswith('or go elsewhere: make demo ARGS="--folder PATH".\n')


def test_what_cannot_be_removed_is_told_with_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_behind(tmp_path / "tour")
    kept = tmp_path / "tour" / "home" / "elsewhere"

    def unlink(path: str, **_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        patch.setattr(Path, "iterdir", lambda folder: iter([folder / "home"]))
        with pytest.raises(PermissionError) as refused, fresh_ground(tmp_path / "tour"):
            pass
    assert told(refused.value, tmp_path).startswith(f"{kept}: Permission denied. It seems to be somebody else's")


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "/a/b"),
            "/a/b: No space left on device. Make room there, or",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "/tour: No space left on device. Make room there, or"),
        (shutil.Error([("/game/a", "/tour/a", "[Errno 28] No space")]), "/tour/a could not be written ([Errno 28]"),
        (ConnectionError("The line was cut"), "The line was cut. The logs of what was started are in /tour/logs."),
        (TimeoutError(), "TimeoutError. The logs"),
    ],
)
def test_every_refusal_of_the_system_says_where_and_what_to_do(failure: OSError, words: str) -> None:
    assert told(failure, Path("/tour")).startswith(words)
