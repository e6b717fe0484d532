"""A folder that alternates with a link to the outside while tools work in it: nothing escapes."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.servers import Server, child, serving, snapshots
from tests.effort import count, tries
from tests.wire.clients import Outcome
from tests.wire.stage import put

CANARY = "the secret outside\n"
INSIDE = "what is inside\n"
REFUSED = {"E_DENY_PATH", "E_NOT_FOUND"}
ATTEMPTS = tries(60, 2_000)
pytestmark = pytest.mark.trial("race")


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder next to the project with the same names; checked when the race is over."""
    folder = tmp_path / "project-evil"
    files = [put(folder, f"{name}.txt", CANARY) for name in ("start", "other")]
    yield folder
    assert sorted(folder.iterdir()) == sorted(files)
    assert [file.read_text() for file in files] == [CANARY] * 2


@pytest.fixture
def inside(project: Path) -> Iterator[int]:
    """The real folder by descriptor, so that it is found even while the link replaces it."""
    for name in ("start", "other"):
        put(project, f"game/scene/{name}.txt", INSIDE)
    folder = os.open(project / "game/scene", os.O_RDONLY | os.O_DIRECTORY)
    yield folder
    os.close(folder)


@pytest.fixture
def server(project: Path, state: Path, outside: Path, inside: int, request: pytest.FixtureRequest) -> Iterator[Server]:
    """Swaps as fast as possible; for tests of many steps (`pauses`), slowly enough that some of them succeed."""
    (project / "decoy").symlink_to(outside)
    swapper = "swap_now_and_then.py" if request.node.get_closest_marker("pauses") else "swap_folder.py"
    with serving(project, state) as server, child(swapper, project / "game/scene", project / "decoy"):
        yield server
    for _, content in snapshots(project).values():
        assert CANARY.encode() not in content


class Tally:
    def __init__(self) -> None:
        self.done = self.refused = 0

    def count(self, outcome: Outcome) -> None:
        if outcome.error is None:
            self.done += 1
        else:
            assert outcome.code in REFUSED | {"E_CONFLICT", "E_POLICY_VIOLATION", "E_IO"}, outcome.error
            self.refused += 1


def race(attempt: Callable[[int], Outcome], at_least: int) -> Tally:
    """Repeats until there were enough attempts with both outcomes."""
    tally, number = Tally(), 0
    while number < ATTEMPTS or min(tally.done, tally.refused) < at_least:
        number += 1
        count()
        outcome = attempt(number)
        tally.count(outcome)
        assert CANARY.strip() not in str(outcome)
    return tally


def test_no_read_escapes(server: Server) -> None:
    def attempt(number: int) -> Outcome:
        outcome = server.call("read_file", {"path": "game/scene/start.txt"})
        assert outcome.result is None or outcome.result["content"] == INSIDE
        return outcome

    race(attempt, at_least=tries(20, 100))


def test_no_search_escapes(server: Server) -> None:
    """ripgrep walks by path and may read outside; its matches from there are never returned."""

    def attempt(number: int) -> Outcome:
        path = ("game", "game/scene", "game/scene/start.txt")[number % 3]
        outcome = server.call("search_files", {"path": path, "regex": "secret|inside"})
        if outcome.result is not None:
            assert {match["preview"] for match in outcome.result["matches"]} <= {INSIDE.strip()}
        return outcome

    race(attempt, at_least=10)


def test_no_listing_escapes(server: Server, outside: Path) -> None:
    (outside / "only-outside.txt").write_text(CANARY)

    def attempt(number: int) -> Outcome:
        more = {"globs": ["**/*"]} if number % 2 else {}
        outcome = server.call("list_files", {"path": "game/scene", **more})
        assert "only-outside" not in str(outcome)
        return outcome

    try:
        race(attempt, at_least=tries(20, 100))
    finally:
        (outside / "only-outside.txt").unlink()


@pytest.mark.pauses
def test_no_write_escapes(server: Server, inside: int) -> None:
    """New files, replaced files and new folders; acknowledged ones are inside."""
    written: set[str] = set()

    def attempt(number: int) -> Outcome:
        path = ("game/scene/start.txt", f"game/scene/{number}.txt", f"game/scene/{number}/deep.txt")[number % 3]
        content = f"{INSIDE}{number}\n"
        outcome = server.call("write_to_file", {"path": path, "content": content, "dryRun": True})
        if outcome.error is None:
            outcome = server.call("write_to_file", {"path": path, "content": content, "dryRun": False})
            if outcome.error is None:
                written.add(path)
        return outcome

    race(attempt, at_least=10)
    for number in itertools.count(1_000):
        if len(written) > 5:
            break
        attempt(number)
    for path in written:
        os.stat(path.removeprefix("game/scene/"), dir_fd=inside)


@pytest.mark.pauses
def test_no_replacement_escapes(server: Server) -> None:
    texts = ["what is inside", "what was inside"]

    def attempt(number: int) -> Outcome:
        find, replace = texts if number % 2 else reversed(texts)
        return server.call("replace_in_file", {"path": "game/scene/other.txt", "find": find, "replace": replace})

    race(attempt, at_least=10)


@pytest.mark.pauses
def test_nothing_is_moved_copied_or_deleted_outside(server: Server) -> None:
    """Moves into the folder, out of it, and of files in it."""

    def attempt(number: int) -> Outcome:
        path, new = "game/scene/start.txt", f"game/scene/{number}.txt"
        files = [{"path": new, "content": INSIDE}, {"path": path, "content": f"{INSIDE}{number}\n"}]
        calls = (
            ("copy_path", {"path": path, "to": f"out-{number}.txt"}),
            ("copy_path", {"path": "game/scene", "to": f"out-{number}"}),
            ("write_files", {"files": files}),
            ("move_path", {"path": f"game/scene/{number - 1}.txt", "to": f"out-{number}.txt"}),
            ("make_folder", {"path": f"game/scene/{number}/deep"}),
            ("delete_path", {"path": f"game/scene/{number - 1}", "recursive": True}),
        )
        return server.call(*calls[number % len(calls)])

    race(attempt, at_least=10)
    for path in server.project.glob("out-*"):
        for file in (path, *path.rglob("*")):
            assert not file.is_file() or CANARY not in file.read_text()
