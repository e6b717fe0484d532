"""`undo --to` brings back everything that only agents have changed, whatever they did to it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from handrail.kernel.approval import PresetAnswer
from handrail.kernel.call import Call
from handrail.ports.errors import Failure
from handrail.ports.identity import Caller
from handrail.wiring import Wiring
from tests.effort import chance, count, tries
from tests.features.workspace.test_units import Tree, make_project, tree
from tests.wire.stage import put

pytestmark = pytest.mark.anyio
PERSON = Caller("cli", "ann", "uid:0", "person:test")
AGENT = Caller("mcp", "agent", "pid:1", "stdio:test")
LONG_AGO = "2020-01-01T00:00:00+00:00"
PATHS = ("a.txt", "src", "src/crlf.txt", "src/deep", "src/deep/picture.bin", "run.sh", "new", "new/inner", "b.txt")
Act = tuple[str, dict[str, Any]]


def write(path: str, content: str) -> Act:
    return "write_files", {"files": [{"path": path, "content": content}]}


def move(path: str, to: str) -> Act:
    return "move_path", {"path": path, "to": to}


def delete(path: str) -> Act:
    return "delete_path", {"path": path, "recursive": True}


def make(path: str) -> Act:
    return "make_folder", {"path": path}


class Desk:
    """A project, an agent that may do everything, and a person who takes it all back."""

    def __init__(self, folder: Path) -> None:
        self._folder = make_project(folder / "project")
        self._project = Wiring().open_project(self._folder, folder / "state", PresetAnswer("allow"))

    @property
    def tree(self) -> Tree:
        return {name: entry for name, entry in tree(self._folder).items() if not name.startswith(".handrail")}

    async def do(self, acts: Sequence[Act]) -> None:
        """Does what is possible of it."""
        for name, params in acts:
            before = self.tree
            try:
                await self._project.gate.run(Call(name, params, AGENT))
            except Failure:
                assert self.tree == before

    async def return_to_the_start(self) -> None:
        await self._project.gate.run(Call("undo_write", {"to": LONG_AGO}, PERSON))

    def close(self) -> None:
        self._project.close()


@contextmanager
def opened(folder: Path) -> Iterator[Desk]:
    desk = Desk(folder)
    try:
        yield desk
    finally:
        desk.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    "acts",
    [
        [write("a.txt", "1"), move("a.txt", "b.txt"), write("b.txt", "2")],
        [make("new/inner"), delete("new/inner"), delete("new")],
        [delete("a.txt"), make("a.txt")],
        [write("src/crlf.txt", "1"), move("src", "new"), write("src/crlf.txt", "2")],
    ],
)
async def test_everything_is_as_it_was(tmp_path: Path, acts: list[Act]) -> None:
    with opened(tmp_path) as desk:
        before = desk.tree
        await desk.do(acts)
        await desk.return_to_the_start()
        assert desk.tree == before


async def test_what_cannot_be_undone_does_not_stop_the_rest(tmp_path: Path) -> None:
    """The folder that was at the file's place can't come back, nor what was in it."""
    with opened(tmp_path) as desk:
        before = desk.tree
        await desk.do([make("b.txt/inner"), delete("b.txt"), delete("src/crlf.txt"), move("run.sh", "b.txt")])
        put(tmp_path, "project/b.txt", "somebody else's")
        await desk.return_to_the_start()
        moved = before.pop("run.sh")
        assert desk.tree == {**before, "b.txt": (*moved[:2], b"somebody else's")}


def some_act(dice: Random, number: int) -> Act:
    path, to = dice.choice(PATHS), dice.choice(PATHS)
    copy = "copy_path", {"path": path, "to": to}
    edit = "edit_file", {"path": path, "edits": [{"oldText": "o", "newText": f"o{number}", "all": True}]}
    return dice.choice([write(path, f"{number}\n"), move(path, to), delete(path), make(path), copy, edit])


@pytest.mark.trial("files")
@pytest.mark.timeout(tries(60, 900))
async def test_everything_is_as_it_was_after_any_acts(tmp_path: Path) -> None:
    dice = chance()
    for number in range(tries(6, 300)):
        count()
        acts = [some_act(dice, at) for at in range(12)]
        with opened(tmp_path / str(number)) as desk:
            before = desk.tree
            await desk.do(acts)
            if desk.tree != before:
                await desk.return_to_the_start()
                assert desk.tree == before, acts
