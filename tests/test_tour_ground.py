"""Where the tour takes place: what is cleared for it, what is not, and what comes of a clearing that was cut short."""

import os
from pathlib import Path
from typing import Any

import pytest

from demo.ground import FOLDER, ROOT, NotPossible, fresh_ground


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
