"""A file is replaced completely or not at all."""

import os
from pathlib import Path

import pytest

from handrail.ports.atomic_file import Replacement, replace_file


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    replace_file(file, b"old")
    replace_file(file, b"new" * 100_000)
    assert file.read_bytes() == b"new" * 100_000
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["a.json"]


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_failure_leaves_only_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    file = tmp_path / "a.json"
    replace_file(file, b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, step, fail)
        with pytest.raises(OSError, match="No space"):
            replace_file(file, b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_it_is_on_disk_before_it_takes_the_place_and_so_is_its_name_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(descriptor: int) -> None:
        steps.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    def noted_replace(new: Path, path: Path) -> None:
        steps.append("replace")
        replace(new, path)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    replace_file(tmp_path / "a.json", b"new")
    assert [Path(step).name.partition(".a.json")[1] or step for step in steps] == [".a.json", "replace", str(tmp_path)]


def test_uncommitted_writes_are_gone(tmp_path: Path) -> None:
    new = Replacement(tmp_path / "a.json")
    new.write(b"half")
    new.close()
    assert os.listdir(tmp_path) == []


def test_a_link_at_the_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other, file = tmp_path / "other", tmp_path / "a.json"
    other.write_bytes(b"other")
    file.symlink_to(other)
    replace_file(file, b"new")
    assert (other.read_bytes(), file.read_bytes(), file.is_symlink()) == (b"other", b"new", False)
