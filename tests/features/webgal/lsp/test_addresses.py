"""Converting between file URIs and paths."""

from pathlib import Path

import pytest

from handrail.features.webgal.lsp.documents import ProjectUris, path_of

NAMES = ["a b.txt", "100%.txt", "%2e%2e.txt", "'\"#?&.txt", "雪😀.txt", "C:.txt", "[x]{y}.txt", "a\\b.txt"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_comes_back_as_it_was(name: str) -> None:
    addresses = ProjectUris("/my game", "/my game")
    uri = addresses.uri(f"game/scene/{name}")
    assert uri.isascii()
    assert addresses.below(uri) == f"game/scene/{name}"
    assert addresses.below(Path(f"/my game/{name}").as_uri()) == name


def test_paths_through_a_link_keep_the_clients_spelling(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    addresses = ProjectUris(str(link), str(link))
    assert addresses.below((real / "a.txt").as_uri()) == "a.txt"
    assert addresses.uri("a.txt") == (link / "a.txt").as_uri()


@pytest.mark.parametrize(
    "uri",
    ["http://x/a.txt", "file://host/a.txt", "untitled:a", "", "file:", "file:///a%00b", "file:///%ff", "file://[x"],
)
def test_addresses_of_other_machines_have_no_path(uri: str) -> None:
    assert path_of(uri) is None


def test_a_folder_whose_name_begins_alike_is_another_one() -> None:
    assert ProjectUris("/game", "/game").below("file:///game2/a.txt") is None
