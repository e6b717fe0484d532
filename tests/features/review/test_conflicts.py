"""Conflicts resolved in the review: theirs, mine, or edited by hand."""

import asyncio
from typing import Any

import pytest

from handrail.features.review.file_view import FileView, file_view
from handrail.features.review.merge import Merge
from handrail.kernel.call import Call
from handrail.ports.errors import InvalidParams
from tests.features.review.cages import PERSON, Cage, Rig

LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def cage(rig: Rig) -> Cage:
    """Both have edited line 5 and line 30 of a.txt; the agent also line 20."""
    rig.write({"a.txt": LINES})
    rig.commit_all()
    cage = rig.cage()
    cage.run("sed -i -e 's/line 5$/AGENT 5/' -e 's/line 20$/AGENT 20/' -e 's/line 30$/AGENT 30/' a.txt")
    rig.write({"a.txt": LINES.replace("line 5\n", "MINE 5\n").replace("line 30\n", "MINE 30\n")})
    return cage


def take(cage: Cage, **params: Any) -> dict[str, Any]:
    return asyncio.run(cage.take(**params))


def view_of(cage: Cage, path: str) -> FileView:
    with cage.review() as review:
        return file_view(review.change(path))


def pending(cage: Cage) -> list[str]:
    with cage.review() as review:
        return [item.path for item in review.items]


def text(cage: Cage, path: str = "a.txt") -> str:
    return (cage.rig.project / path).read_text()


def test_accepting_theirs_replaces_only_that_place(cage: Cage) -> None:
    file = view_of(cage, "a.txt")
    first = next(hunk.place for hunk in file.hunks if hunk.state == "conflict")
    take(cage, items=[{"path": "a.txt", "digest": file.digest, "hunks": [], "theirs": [first]}])
    assert text(cage) == LINES.replace("line 5\n", "AGENT 5\n").replace("line 30\n", "MINE 30\n")
    assert [hunk.state for hunk in view_of(cage, "a.txt").hunks] == ["open", "conflict"]


def test_a_file_is_settled_once_it_has_each_of_the_agents_hunks_beside_mine(cage: Cage) -> None:
    file = view_of(cage, "a.txt")
    conflicts = [hunk.place for hunk in file.hunks if hunk.state == "conflict"]
    others = [hunk.place for hunk in file.hunks if hunk.state == "open"]
    cage.rig.write({"a.txt": text(cage) + "more of mine\n"})
    take(cage, items=[{"path": "a.txt", "hunks": others, "theirs": conflicts}])
    assert "more of mine" in text(cage)
    assert pending(cage) == []


def test_mine_stays_and_is_not_asked_again_until_the_agent_changes_the_file(cage: Cage) -> None:
    before = text(cage)
    outcome = take(cage, items=[{"path": "a.txt", "hunks": [], "settled": True}])
    assert (outcome["taken"], "left" in outcome) == (0, False)
    assert (text(cage), pending(cage)) == (before, [])
    cage.rig.write({"a.txt": before + "more of mine\n"})
    assert pending(cage) == []
    cage.run("echo more >> a.txt")
    assert pending(cage) == ["a.txt"]


def test_an_edited_file_is_written_and_undo_brings_the_conflict_back(cage: Cage) -> None:
    before = text(cage)
    file = view_of(cage, "a.txt")
    assert file.draft is not None
    text_with_markers = "<<<<<<< yours\nMINE 5\n=======\nAGENT 5\n>>>>>>> the agent's\n"
    assert file.draft.count(text_with_markers) == 1
    assert "AGENT 20\n" in file.draft
    with pytest.raises(InvalidParams, match="conflict marks"):
        take(cage, items=[{"path": "a.txt", "digest": file.digest, "content": file.draft}])
    edited = before.replace("MINE 5\n", "BOTH 5\n").replace("line 20\n", "AGENT 20\n")
    take(cage, items=[{"path": "a.txt", "digest": file.digest, "content": edited}])
    assert (text(cage), pending(cage)) == (edited, [])
    with cage.rig.opened() as project:
        asyncio.run(project.gate.run(Call("undo_write", {}, PERSON)))
    assert (text(cage), pending(cage)) == (before, ["a.txt"])


@pytest.mark.parametrize(
    ("agents", "mine", "after"),
    [
        ("rm a.txt", "mine\n", None),
        ("printf 'a\\0b' > a.txt", "mine\n", b"a\0b"),
        ("echo new > a.txt", None, b"new\n"),
    ],
    ids=["deleted and edited", "binary and edited", "edited and deleted"],
)
def test_theirs_of_a_whole_file(rig: Rig, agents: str, mine: str | None, after: bytes | None) -> None:
    rig.write({"a.txt": "old\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run(agents)
    file = rig.project / "a.txt"
    file.unlink() if mine is None else rig.write({"a.txt": mine})
    take(cage, items=[{"path": "a.txt", "theirs": [0]}])
    assert (file.read_bytes() if file.exists() else None) == after
    assert pending(cage) == []


def test_both_created_a_file(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    cage = rig.cage()
    cage.run("echo agent > new.txt")
    rig.write({"new.txt": "mine"})
    draft = view_of(cage, "new.txt").draft
    assert draft == "<<<<<<< yours\nmine\n=======\nagent\n>>>>>>> the agent's\n"
    take(cage, items=[{"path": "new.txt", "theirs": [0]}])
    assert text(cage, "new.txt") == "agent\n"


def test_a_draft_without_conflicts_is_the_merge() -> None:
    base, mine, agents = (b"a\nb\nc\nd\ne\n", b"A\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n")
    merge = Merge(base, mine, agents)
    assert merge.draft() == merge.result(range(len(merge.hunks))) == b"A\nb\nc\nd\nE\n"


def test_a_rename_is_shown_as_one(rig: Rig) -> None:
    rig.write({"old.txt": LINES, "other.txt": "x\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run("git mv old.txt new.txt; rm other.txt; echo y > more.txt")
    with cage.review() as review:
        old_names = {item.path: item.renamed_from for item in review.items}
    assert old_names == {"more.txt": None, "new.txt": "old.txt", "old.txt": None, "other.txt": None}
