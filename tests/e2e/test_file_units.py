"""Tools that change several paths: kill -9 during a write, and two writers on moved and deleted files."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import Server, leftovers, serving
from tests.effort import chance, count, tries
from tests.waiting import let_run, until
from tests.wire.clients import Outcome
from tests.wire.stage import put

KILLS = tries(4, 40)
FILES = 40


def version(number: int) -> list[dict[str, str]]:
    """Returns files that differ from those of other versions; every third version has some in new folders."""
    folder = f"new {number}/" if number % 3 == 0 else ""
    return [{"path": f"{folder}{at}.txt", "content": f"{number}{'x' * 2000}\n" * 10} for at in range(FILES)]


def texts(project: Path) -> dict[str, str]:
    files = project.rglob("*.txt")
    return {str(path.relative_to(project)): path.read_text() for path in files if ".webgal_agent" not in path.parts}


def kill(server: Server, delay: float) -> None:
    """Waits some time after the commit has begun. The moment is under test, so no clock can be injected."""
    intent = server.project / ".webgal_agent/intent.json"
    until(lambda: intent.exists() or server.process.poll() is not None)
    let_run(server.process, delay)
    server.process.kill()


@pytest.mark.trial("kill")
@pytest.mark.timeout(tries(180, 900))
def test_killed_at_any_moment_write_files_has_written_all_or_nothing(project: Path, state: Path) -> None:
    moments = chance()
    expected = texts(project)
    starter = ThreadPoolExecutor(1)
    waiting = [starter.submit(Server, project, state, answer="allow") for _ in range(2)]
    try:
        for number in range(1, KILLS + 1):
            count()
            server = waiting.pop(0).result()
            waiting.append(starter.submit(Server, project, state, answer="allow"))
            killer = threading.Thread(target=kill, args=(server, moments.uniform(0, 0.1)))
            killer.start()
            result = server.call_unless_gone("write_files", files=version(number))
            killer.join()
            server.kill()
            target = {**expected, **{file["path"]: file["content"] for file in version(number)}}
            # The next call of a server that survived repairs everything first.
            waiting[0].result().call("make_folder", {"path": f"after {number}"})
            texts_now = texts(project)
            assert texts_now in (expected, target), "all or nothing"
            if result is not None:
                assert result.result is not None, result.error
                assert texts_now == target, "what was acknowledged is there"
            expected = texts_now
    finally:
        for future in waiting:
            future.result().kill()
        starter.shutdown()
    assert not (project / ".webgal_agent/intent.json").exists()
    assert not (project / ".webgal_agent/staged").exists()
    with serving(project, state):
        until(lambda: leftovers(project) == [])


@pytest.mark.trial("race")
@pytest.mark.timeout(tries(180, 900))
def test_two_writers_never_lose_a_file_that_moves_or_goes(project: Path, state: Path) -> None:
    """One writer moves a folder back and forth and deletes a file in it, the other edits the file at both places."""
    put(project, "here/a.txt", "0\n")
    put(project, "here/b.txt", "kept\n")
    rounds = tries(15, 200)
    with serving(project, state) as mover, serving(project, state) as writer, ThreadPoolExecutor(2) as pool:

        def move(number: int) -> list[Outcome]:
            places = ("here", "there") if (project / "here/b.txt").exists() else ("there", "here")
            moved = mover.call("move_path", {"path": places[0], "to": places[1]})
            if moved.error is not None:  # what follows would write beside the folder
                return [moved]
            return [
                moved,
                mover.call("delete_path", {"path": f"{places[1]}/a.txt"}),
                mover.call("write_files", {"files": [{"path": f"{places[1]}/a.txt", "content": f"{number}\n"}]}),
            ]

        def write(number: int) -> list[Outcome]:
            return [
                writer.call("edit_file", {"path": f"{place}/a.txt", "edits": [_doubled(project, place)]})
                for place in ("here", "there")
            ]

        for number in range(rounds):
            count()
            outcomes = [*pool.map(lambda work, at=number: work(at), (move, write))]
            for outcome in (each for several in outcomes for each in several):
                assert outcome.error is None or outcome.code in (
                    *("E_CONFLICT", "E_NOT_FOUND", "E_BAD_ARGS", "E_IO"),
                ), outcome.error
            places = [place for place in ("here", "there") if (project / place / "b.txt").exists()]
            assert len(places) == 1, "the other file is there once, wherever the folder is"
            assert (project / places[0] / "b.txt").read_text() == "kept\n"
            for location in ("here", "there"):
                if location not in places:
                    # An edit may have created files at the folder's old place.
                    assert not list((project / location).glob("*")) if (project / location).exists() else True
        assert leftovers(project) == []


def _doubled(project: Path, place: str) -> dict[str, Any]:
    try:
        text = (project / place / "a.txt").read_text()
    except OSError:
        text = "nothing is there"
    return {"oldText": text or "-", "newText": text * 2 if len(text) < 1000 else "1\n"}
