"""Settings for a narrow cage, written into a home that agents of other runs may change at the same time."""

from pathlib import Path
from typing import Any

import pytest

from handrail.features.cage.narrow.settings import place_settings
from handrail.features.cage.run_folder import new_folder


@pytest.mark.parametrize("file", ["/etc/claude-code/managed-settings.json", "/etc/codex/config.toml"])
def test_a_link_made_at_the_worst_moment_does_not_lead_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    """Right after the folder was found to be none."""
    home, persons, make = tmp_path / "home", tmp_path / "persons", Path.mkdir
    for folder in (home, persons):
        folder.mkdir()

    def make_and_swap(folder: Path, **options: Any) -> None:
        make(folder, **options)
        if folder.parent == home:
            folder.rmdir()
            folder.symlink_to(persons)

    run = new_folder(str(tmp_path / "state")).path
    monkeypatch.setattr(Path, "mkdir", make_and_swap)
    with pytest.raises(OSError, match="home"):
        place_settings({file: b"{}"}, str(home), run)
    assert list(persons.iterdir()) == []


def test_a_closed_folder_in_the_home_is_opened_again(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir(mode=0)
    place_settings({"/etc/claude-code/managed-settings.json": b"{}"}, str(tmp_path), new_folder(str(tmp_path)).path)
    assert (tmp_path / ".claude").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / ".claude/settings.json").read_bytes() == b"{}"
