"""Descriptors on disk: found in three folders, read again when they change, and hidden only by their own problems."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from handrail.features.apps.backends.catalogue import Catalogue, default_folders
from handrail.features.apps.model import BrokenDescriptor, UnknownApp

TOOL = {"name": "act", "description": "Acts.", "parameters": {"type": "object"}}


def descriptor(id: str, name: str = "An app", **members: Any) -> str:
    app = {"id": id, "name": name, "description": "Does things."}
    return json.dumps({"schema_version": "1.0", "app": app, "tools": [TOOL], **members})


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def catalogue(home: Path, tmp_path: Path) -> Catalogue:
    own, (users, _) = default_folders(home)
    return Catalogue(own, [users, tmp_path / "usr"])


def ids(catalogue: Catalogue) -> list[str]:
    return [app.id for app in catalogue.apps()]


def own(home: Path, id: str) -> Path:
    return home / ".aai" / id / "aai.json"


def test_the_three_folders_match_the_contract() -> None:
    home, shared = default_folders(Path("/home/me"))
    assert str(home) == "/home/me/.aai"
    assert [str(place) for place in shared] == [
        "/home/me/.local/share/applications/aai",
        "/usr/share/applications/aai",
    ]


def test_apps_of_all_places_are_listed_by_id(home: Path, tmp_path: Path, catalogue: Catalogue) -> None:
    put(tmp_path / "usr/anything.json", descriptor("org.c.app"))
    put(home / ".local/share/applications/aai/b.json", descriptor("org.b.app"))
    put(own(home, "org.a.app"), descriptor("org.a.app"))
    assert ids(catalogue) == ["org.a.app", "org.b.app", "org.c.app"]
    assert catalogue.problems() == []


def test_of_two_apps_with_one_id_the_users_own_wins_and_the_other_is_reported(
    home: Path, tmp_path: Path, catalogue: Catalogue
) -> None:
    shared = put(tmp_path / "usr/a.json", descriptor("org.a.app", "Theirs"))
    mine = put(own(home, "org.a.app"), descriptor("org.a.app", "Mine"))
    assert catalogue.find("org.a.app").name == "Mine"
    (problem,) = catalogue.problems()
    assert (problem.source, problem.field) == (str(shared), "app.id")
    assert str(mine) in problem.reason


def test_changes_are_noticed_at_the_next_call(home: Path, catalogue: Catalogue) -> None:
    assert ids(catalogue) == []
    file = put(own(home, "org.a.app"), descriptor("org.a.app", "One"))
    assert catalogue.find("org.a.app").name == "One"
    put(file, descriptor("org.a.app", "Other"))
    assert catalogue.find("org.a.app").name == "Other"
    assert [app.name for app in catalogue.apps()] == ["Other"]
    put(own(home, "org.b.app"), descriptor("org.b.app"))
    assert ids(catalogue) == ["org.a.app", "org.b.app"]
    file.unlink()
    assert ids(catalogue) == ["org.b.app"]
    with pytest.raises(UnknownApp):
        catalogue.find("org.a.app")
    own(home, "org.b.app").unlink()
    own(home, "org.b.app").parent.rmdir()
    assert ids(catalogue) == []


def test_a_linked_descriptor_is_seen_to_change(home: Path, tmp_path: Path, catalogue: Catalogue) -> None:
    real = put(tmp_path / "elsewhere/aai.json", descriptor("org.a.app", "One"))
    own(home, "org.a.app").parent.mkdir(parents=True)
    own(home, "org.a.app").symlink_to(real)
    assert catalogue.find("org.a.app").name == "One"
    put(real, descriptor("org.a.app", "Another"))
    assert catalogue.find("org.a.app").name == "Another"


def test_a_broken_descriptor_hides_only_its_own_app_and_is_reported(home: Path, catalogue: Catalogue) -> None:
    put(own(home, "org.a.app"), descriptor("org.a.app"))
    broken = put(own(home, "org.b.app"), '{"schema_version": ')
    assert ids(catalogue) == ["org.a.app"]
    with pytest.raises(BrokenDescriptor) as raised:
        catalogue.find("org.b.app")
    assert raised.value.details["problems"][0]["file"] == str(broken)
    assert [problem.source for problem in catalogue.problems()] == [str(broken)]


def test_problems_found_only_by_a_full_check_hide_an_app_too(home: Path, catalogue: Catalogue) -> None:
    tool = {**TOOL, "parameters": {"type": "no such type"}}
    put(own(home, "org.a.app"), descriptor("org.a.app", tools=[tool]))
    with pytest.raises(BrokenDescriptor, match=r"tools\[0\].parameters.type"):
        catalogue.find("org.a.app")
    assert ids(catalogue) == []


@pytest.mark.parametrize("folder", ["org.other.app", "..hidden", "a b"])
def test_an_id_must_be_the_name_of_its_folder(home: Path, catalogue: Catalogue, folder: str) -> None:
    put(own(home, folder), descriptor("org.a.app"))
    assert ids(catalogue) == []
    assert [problem.field for problem in catalogue.problems()] in ([], ["app.id"])


@pytest.mark.parametrize("id", ["../../etc/passwd", "/etc/passwd", "org.a.app/../x", "", "org.a.app\0"])
def test_a_path_like_id_finds_nothing(home: Path, catalogue: Catalogue, id: str) -> None:
    put(own(home, "org.a.app"), descriptor("org.a.app"))
    with pytest.raises(UnknownApp):
        catalogue.find(id)


def test_a_similar_name_is_suggested(home: Path, catalogue: Catalogue) -> None:
    put(own(home, "org.a.app"), descriptor("org.a.app"))
    with pytest.raises(UnknownApp) as raised:
        catalogue.find("org.a.ap")
    assert "org.a.app" in (raised.value.hint or "")


def test_a_descriptor_that_is_not_a_file_is_reported_and_blocks_nothing(home: Path, catalogue: Catalogue) -> None:
    own(home, "org.a.app").mkdir(parents=True)
    own(home, "org.b.app").parent.mkdir(parents=True)
    os.mkfifo(own(home, "org.b.app"))
    put(own(home, "org.c.app"), "x" * (5 * 1024 * 1024))
    assert ids(catalogue) == []
    assert len(catalogue.problems()) == 3


def test_a_folder_without_a_descriptor_is_ignored(home: Path, catalogue: Catalogue) -> None:
    (home / ".aai/tokens").mkdir(parents=True)
    put(home / ".aai/notes.txt", "mine")
    assert ids(catalogue) == []
    assert catalogue.problems() == []


def test_a_users_own_app_replaces_a_shared_one_at_once(home: Path, tmp_path: Path, catalogue: Catalogue) -> None:
    put(tmp_path / "usr/a.json", descriptor("org.a.app", "Shared"))
    assert catalogue.find("org.a.app").name == "Shared"
    mine = put(own(home, "org.a.app"), descriptor("org.a.app", "Mine"))
    assert catalogue.find("org.a.app").name == "Mine"
    put(mine, "{")
    assert catalogue.find("org.a.app").name == "Shared"
    mine.unlink()
    assert catalogue.find("org.a.app").name == "Shared"


def test_a_call_reads_only_one_descriptor(home: Path, catalogue: Catalogue) -> None:
    for letter in "abc":
        put(own(home, f"org.{letter}.app"), descriptor(f"org.{letter}.app"))
    first = catalogue.find("org.a.app")
    own(home, "org.b.app").unlink()
    assert catalogue.find("org.a.app") is first
    assert ids(catalogue) == ["org.a.app", "org.c.app"]
    assert catalogue.find("org.a.app") is first
