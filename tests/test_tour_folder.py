"""The tour's folder: what is cleared before a tour, what isn't, and what happens after an interrupted clearing."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from demo.__main__ import main
from demo.error_text import describe_error
from demo.tour_folder import FOLDER, ROOT, TourFailed, fresh_tour_folder


def make_finished_tour(folder: Path) -> None:
    """Makes the files that a finished tour leaves behind."""
    with fresh_tour_folder(folder) as tour_folder:
        tour_folder.report.write_text("the last one's")
        (tour_folder.home / "elsewhere").symlink_to(folder.parent)


def test_the_readme_names_the_folder_which_differs_from_that_of_older_versions() -> None:
    assert f"`{FOLDER.relative_to(ROOT)}`" in (ROOT / "README.md").read_text()
    assert FOLDER != ROOT / "build" / "demo"


def test_a_folder_with_other_content_is_not_cleared(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(TourFailed, match="wasn't made by a demonstration"), fresh_tour_folder(tmp_path):
        pass
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_the_last_tour_is_cleared_but_not_the_targets_of_its_links(tmp_path: Path) -> None:
    make_finished_tour(tmp_path / "tour")
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "tour" / "link").symlink_to(tmp_path)
    with fresh_tour_folder(tmp_path / "tour") as tour_folder:
        assert not tour_folder.report.exists()
        assert not list(tour_folder.folder.glob("**/elsewhere")) + list(tour_folder.folder.glob("link"))
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("removed", [0, 1, 7])
def test_an_interrupted_clearing_is_repeated(removed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_finished_tour(tmp_path / "tour")
    remaining = iter(range(removed))

    def unlink(*args: Any, **kwargs: Any) -> None:
        if next(remaining, None) is None:
            raise KeyboardInterrupt
        os_unlink(*args, **kwargs)

    os_unlink = os.unlink
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        with pytest.raises(KeyboardInterrupt), fresh_tour_folder(tmp_path / "tour"):
            pass
    with fresh_tour_folder(tmp_path / "tour") as tour_folder:
        assert not tour_folder.report.exists()


def test_the_sockets_of_a_tour_that_was_killed_are_removed_before_the_next_one(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from demo.tour_folder import fresh_tour_folder\n"
        "with fresh_tour_folder(pathlib.Path(sys.argv[1])) as tour: print(tour.sockets, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "tour")]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        sockets = Path(killed.stdout.readline().strip())
        killed.kill()
    assert (sockets / "runtime").is_dir()
    with fresh_tour_folder(tmp_path / "tour") as tour_folder:
        assert not sockets.exists()
        assert tour_folder.sockets.is_dir()
    assert not tour_folder.sockets.exists()


def test_only_the_tours_own_folder_is_removed_whatever_its_marker_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, ours = tmp_path / "mine", tmp_path / "handrail-demo-ours_123"
    for folder in (mine, ours):
        (folder / "kept").mkdir(parents=True)
    link = tmp_path / "handrail-demo-link_123"
    link.symlink_to(mine)
    make_finished_tour(tmp_path / "tour")
    for folder_name in (
        str(mine),
        str(link),
        f"{link}/",
        f"{ours}/../mine",
        ours.name,
        "",
        "\0",
        str(tmp_path / "handrail-demo-none_123"),
    ):
        (tmp_path / "tour" / ".handrail-demo").write_text(folder_name)
        make_finished_tour(tmp_path / "tour")
    (tmp_path / "tour" / ".handrail-demo").write_text(str(ours))
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: ours.stat().st_uid + 1)
        make_finished_tour(tmp_path / "tour")
    assert all((folder / "kept").is_dir() for folder in (mine, ours))


def test_an_error_names_the_obstacle_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tour").touch()
    monkeypatch.delenv("ANSWER", raising=False)
    monkeypatch.setattr(sys, "argv", ["demo", "--folder", str(tmp_path / "tour")])
    assert main() == 1
    complained = capsys.readouterr().err
    assert complained.startswith(f"make demo: {tmp_path / 'tour'}: ")
    assert complained.endswith('or use another folder: make demo ARGS="--folder PATH".\n')


def test_a_file_that_cannot_be_removed_is_named_with_its_full_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_finished_tour(tmp_path / "tour")
    own_folder = tmp_path / "tour" / "home" / "elsewhere"

    def unlink(path: str, **_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", unlink)
        patch.setattr(Path, "iterdir", lambda folder: iter([folder / "home"]))
        with pytest.raises(PermissionError) as refusal, fresh_tour_folder(tmp_path / "tour"):
            pass
    assert describe_error(refusal.value, tmp_path).startswith(
        f"{own_folder}: Permission denied. It may belong to another user"
    )


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "/a/b"),
            "/a/b: No space left on device. Free some space there, or",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "/tour: No space left on device. Free some space there, or"),
        (shutil.Error([("/game/a", "/tour/a", "[Errno 28] No space")]), "/tour/a could not be written ([Errno 28]"),
        (ConnectionError("The line was cut"), "The line was cut. The programs' logs are in /tour/logs."),
        (TimeoutError(), "TimeoutError. The programs"),
    ],
)
def test_every_system_error_names_the_path_and_the_next_step(failure: OSError, words: str) -> None:
    assert describe_error(failure, Path("/tour")).startswith(words)
