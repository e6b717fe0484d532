"""Undo, evidence, snapshots and reviews while a folder that they use alternates with a link to the outside.

Through the gate in one process, which makes more attempts than a server would.
"""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller
from handrail.wiring import Wiring
from tests.e2e.servers import child
from tests.effort import count, tries
from tests.features.review.cages import Rig, new_rig
from tests.wire.stage import put

AGENT = Caller("mcp", "agent", "uid:1000", "stdio:one")
PERSON = Caller("cli", "ann", "uid:0", "person:test")
ATTEMPTS = tries(30, 5_000)
CANARY = "the secret outside\n"
pytestmark = pytest.mark.trial("race")


class Refused(NamedTuple):
    message: str
    details: object


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """Checked when the race is over: nothing is new, changed or gone."""
    folder = tmp_path / "project-evil"
    for name in ("start.txt", "other.txt", "deep/start.txt"):
        put(folder, name, CANARY)
    before = contents(folder)
    yield folder
    assert contents(folder) == before


def contents(folder: Path) -> dict[str, str | None]:
    paths = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): path.read_text() if path.is_file() else None for path in paths}


async def race(attempt: Callable[[int], Awaitable[object]]) -> None:
    """Repeats until there were enough attempts, some of them done and some refused."""
    number = done = refused = 0
    while number < ATTEMPTS or (min(done, refused) < 3 and number < 50 * ATTEMPTS):
        number += 1
        count()
        answer = repr(await _answer(attempt(number)))
        assert CANARY.strip() not in answer
        refused += answer.startswith("Refused")
        done += not answer.startswith("Refused")
    assert min(done, refused) >= 3


async def _answer(attempt: Awaitable[object]) -> object:
    try:
        return await attempt
    except Failure as failure:
        return Refused(str(failure), failure.details)


@pytest.mark.parametrize("folder", ["game/scene", ".handrail/artifacts", ".webgal_agent/snapshots", ".webgal_agent"])
async def test_no_write_and_no_undo_escapes(folder: str, project: Path, state: Path, outside: Path) -> None:
    opened = Wiring().open_project(project, state, PresetAnswer("allow"))

    async def attempt(number: int) -> object:
        if number % 2:
            write = {"files": [{"path": "game/scene/start.txt", "content": f"{number}\n"}]}
            return (await opened.gate.run(Call("write_files", write, AGENT))).result
        return (await opened.gate.run(Call("undo_write", {}, PERSON))).result

    try:
        await attempt(1)
        (project / "decoy").symlink_to(outside)
        with child("swap_now_and_then.py", project / folder, project / "decoy"):
            await race(attempt)
    finally:
        opened.close()


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    """git trusts the project although it is another user's: the tests may run as root."""
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tdirectory = *\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with new_rig() as user:
        yield user


async def test_no_review_writes_outside_what_an_agent_changed(rig: Rig, outside: Path) -> None:
    rig.write(
        {"game/scene/start.txt": CANARY, "game/scene/other.txt": CANARY}
    )  # as outside, so that no change is noticed
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        "echo new > game/scene/start.txt; rm game/scene/other.txt; mkdir game/scene/deep; echo n > game/scene/deep/n"
    )
    (rig.project / "decoy").symlink_to(outside)
    with rig.opened() as opened:

        async def attempt(number: int) -> object:
            if number % 2:
                taken = await opened.gate.run(Call("take_changes", {"cage": cage.id}, PERSON))
                return taken.result
            return (await opened.gate.run(Call("undo_write", {}, PERSON))).result

        with child("swap_now_and_then.py", rig.project / "game/scene", rig.project / "decoy"):
            await race(attempt)
