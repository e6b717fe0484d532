"""Taking changes: all, some files, some hunks, merged with the person's own edits."""

import asyncio
import os
import random
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from handrail.features.review.merge import Merge
from handrail.kernel.call import Call
from handrail.ports.errors import Conflict, Failure
from handrail.ports.identity import Caller
from tests.features.review.cages import PERSON, Cage, Rig

LINES = "".join(f"line {number}\n" for number in range(40))


def take(cage: Cage, **params: Any) -> dict[str, Any]:
    return asyncio.run(cage.take(**params))


def undo(rig: Rig, **params: Any) -> Any:
    with rig.opened() as project:
        return asyncio.run(project.gate.run(Call("undo_write", params, PERSON))).result


def tree(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    return {
        path.relative_to(folder).as_posix(): (
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(folder.rglob("*"))
        if path.relative_to(folder).parts[0] not in (".git", ".handrail", ".webgal_agent")
    }


def test_everything_is_taken_at_once_and_undone_at_once(rig: Rig) -> None:
    rig.write({"a.txt": "one\ntwo\n", "src/b.txt": "b\n", "src/deep/c.bin": bytes(range(256)), "run.sh": "x\n"})
    rig.write({"crlf.txt": b"one\r\ntwo\r\n"})
    rig.commit_all()
    before = tree(rig.project)
    cage = rig.cage()
    cage.run(
        """
        sed -i s/two/TWO/ a.txt; rm -r src; chmod +x run.sh; mkdir -p new/inner empty
        printf '\\001\\000\\002' > new/inner/x.bin; printf 'one\\r\\nTWO\\r\\n' > crlf.txt
        """
    )
    outcome = take(cage)
    assert "left" not in outcome
    after = tree(rig.project)
    assert after["a.txt"][1] == b"one\nTWO\n"
    assert after["crlf.txt"][1] == b"one\r\nTWO\r\n"
    assert after["new/inner/x.bin"][1] == b"\1\0\2"
    assert after["run.sh"][0] == 0o755
    assert "src" not in after
    assert "empty" in after
    with cage.review() as review:
        assert review.items == [], "what was taken is no longer pending"
    undo(rig)
    assert tree(rig.project) == before


def test_what_was_taken_is_counted_as_it_was_listed_and_is_not_pending(rig: Rig) -> None:
    rig.write({"a.txt": "one\n"})
    cage = rig.cage()
    cage.run("mkdir -p new/inner; echo tool > new/inner/tool; chmod 755 new/inner/tool; echo two >> a.txt")
    with cage.review() as review:
        listed = [item.path for item in review.items]
    assert listed == ["a.txt", "new/inner/tool"]
    outcome = take(cage)
    assert (outcome["taken"], outcome["paths"]) == (2, listed)
    with cage.review() as review:
        assert review.items == []


def test_a_file_that_became_a_folder_is_taken_in_two_steps(rig: Rig) -> None:
    """Also where only the person has a file."""
    rig.write({"a.txt": "one\n", "shop": "file\n", "other": "x\n"})
    cage = rig.cage()
    cage.run("rm shop; mkdir -p shop/inner; echo in > shop/inner/x; mkdir mine; echo y > mine/y; echo two >> a.txt")
    rig.write({"mine": "a person's file\n"})
    with cage.review() as review:
        changes = {item.path: item for item in review.items}
    assert (changes["shop"].status, changes["shop"].refused) == ("deleted", None)
    assert changes["shop/inner/x"].refused == "the project has a file at 'shop': take its removal first"
    assert changes["mine/y"].refused == "the project has a file at 'mine'"
    take(cage)
    assert ((rig.project / "a.txt").read_text(), (rig.project / "shop").exists()) == ("one\ntwo\n", False)
    take(cage)
    assert (rig.project / "shop/inner/x").read_text() == "in\n"
    assert (rig.project / "mine").read_text() == "a person's file\n"
    with cage.review() as review:
        assert [item.path for item in review.items] == ["mine/y"]


def test_single_files_and_hunks_are_taken(rig: Rig) -> None:
    rig.write({"a.txt": LINES, "b.txt": "b\n", "c.txt": "c\n"})
    cage = rig.cage()
    cage.run("sed -i -e 's/line 5$/FIVE/' -e 's/line 20$/TWENTY/' -e 's/line 35$/LAST/' a.txt")
    cage.run("echo B > b.txt; echo C > c.txt")
    take(cage, items=[{"path": "a.txt", "hunks": [0, 2]}, {"path": "c.txt"}])
    text = (rig.project / "a.txt").read_text()
    assert "FIVE" in text
    assert "LAST" in text
    assert "line 20\n" in text
    assert (rig.project / "b.txt").read_text() == "b\n"
    assert (rig.project / "c.txt").read_text() == "C\n"
    with cage.review() as review:
        assert [(item.path, item.hunks) for item in review.items] == [("a.txt", 1), ("b.txt", 1)]
    take(cage)
    assert "TWENTY" in (rig.project / "a.txt").read_text()


def test_edits_elsewhere_are_kept_and_edits_at_the_same_place_are_conflicts(rig: Rig) -> None:
    rig.write({"a.txt": LINES})
    rig.commit_all()
    cage = rig.cage()
    cage.run("sed -i -e 's/line 5$/AGENT 5/' -e 's/line 20$/AGENT 20/' a.txt")
    edited = LINES.replace("line 20\n", "MINE 20\n").replace("line 39\n", "MINE 39\n")
    for is_renamed in (False, True):  # an editor that writes in place, and one that saves by rename
        rig.write({"a.new" if is_renamed else "a.txt": edited})
        if is_renamed:
            (rig.project / "a.new").rename(rig.project / "a.txt")
        with cage.review() as review:
            (item,) = review.items
            assert item.conflict == "you edited the same places as the agent"
    outcome = take(cage)
    assert outcome["left"] == ["a.txt: you edited the same places as the agent"]
    text = (rig.project / "a.txt").read_text()
    assert "AGENT 5\n" in text
    assert "MINE 20\n" in text
    assert "MINE 39\n" in text
    assert "AGENT 20" not in text


@pytest.mark.parametrize(
    ("agents", "mine"),
    [("rm a.txt", "mine\n"), ("printf 'a\\0b' > a.txt", "mine\n"), ("echo new > a.txt", None)],
    ids=["deleted and edited", "binary and edited", "edited and deleted"],
)
def test_unmergeable_changes_are_conflicts_and_stay(rig: Rig, agents: str, mine: str | None) -> None:
    rig.write({"a.txt": "old\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run(agents)
    if mine is None:
        (rig.project / "a.txt").unlink()
    else:
        rig.write({"a.txt": mine})
    before = tree(rig.project)
    assert len(take(cage)["left"]) == 1
    assert tree(rig.project) == before


def test_both_made_the_same_file(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    cage = rig.cage()
    cage.run("echo same > same.txt; echo agent > other.txt")
    rig.write({"same.txt": "same\n", "other.txt": "mine\n"})
    with cage.review() as review:
        assert [(item.path, item.conflict) for item in review.items] == [
            ("other.txt", "you created it since the start, with other content")
        ]
    take(cage)
    assert (rig.project / "other.txt").read_text() == "mine\n"


def test_an_edit_between_looking_and_taking_is_refused(rig: Rig) -> None:
    rig.write({"a.txt": LINES, "b.txt": "b\n"})
    cage = rig.cage()
    cage.run("sed -i s/line.5$/FIVE/ a.txt; echo B > b.txt")
    with cage.review() as review:
        items = [{"path": item.path, "digest": item.digest} for item in review.items]
    rig.write({"a.txt": LINES + "mine\n"})
    with pytest.raises(Conflict):
        take(cage, items=items)
    assert (rig.project / "b.txt").read_text() == "b\n", "all or nothing"
    cage.run("echo other > b.txt")
    rig.write({"a.txt": LINES})
    with pytest.raises(Conflict):
        take(cage, items=items)


def test_an_agent_can_not_take_changes(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    cage = rig.cage()
    with rig.opened() as project:
        for tool in ("take_changes", "discard_changes"):
            for face in ("mcp", "http"):
                with pytest.raises(Failure, match="no tool named"):
                    asyncio.run(project.gate.run(Call(tool, {"cage": cage.id}, Caller(face, "a", "uid:0", "agent:x"))))


def test_discarding_a_cage_deletes_it_and_leaves_the_project_unchanged(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    cage = rig.cage()
    cage.run("echo b > a.txt; mkdir closed; chmod 000 closed")
    with rig.opened() as project:
        asyncio.run(project.gate.run(Call("discard_changes", {"cage": cage.id}, PERSON)))
    assert not cage.folder.path.exists()
    assert (rig.project / "a.txt").read_text() == "a\n"


def test_a_running_cage_is_not_discarded(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    cage = rig.cage()
    with cage.folder.lock(), rig.opened() as project, pytest.raises(Conflict):
        asyncio.run(project.gate.run(Call("discard_changes", {"cage": cage.id}, PERSON)))
    assert cage.folder.upper.exists()


def test_git_status_is_as_if_the_person_had_written_it(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run("echo b > a.txt; git add -A; git commit -qm inside; git config core.hooksPath evil")
    take(cage)
    assert rig.git("status", "--porcelain", "--", "a.txt") == " M a.txt\n"
    assert rig.git("log", "--format=%s") == "start\n"
    assert "evil" not in (rig.project / ".git/config").read_text()


def test_chosen_hunks_and_then_the_rest_give_the_agents_text() -> None:
    """Repeated lines make the place of a hunk ambiguous; whatever is taken first, the rest still fits."""
    chance = random.Random(7)
    for _ in range(2000):
        base = [chance.choice(["{", "}", "", "a", "b", "c"]) for _ in range(chance.randrange(1, 14))]
        agents = list(base)
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(agents) + 1)
            agents[at : at + chance.randrange(3)] = [
                chance.choice(["{", "}", "", "x"]) for _ in range(chance.randrange(3))
            ]
        old, new = "\n".join(base).encode(), "\n".join(agents).encode()
        merge = Merge(old, old, new)
        choice = {place for place in range(len(merge.hunks)) if chance.random() < 0.5}
        partly = merge.result(choice)
        again = Merge(old, partly, new)
        assert again.result(range(len(again.hunks))) == new or any(each.state == "conflict" for each in again.hunks)
        assert merge.result(range(len(merge.hunks))) == new
        assert merge.result(()) == old


def test_a_merge_equals_gits_where_git_sees_no_conflict(tmp_path: Path) -> None:
    chance = random.Random(3)
    compared = 0
    for number in range(60):
        base = [f"{chance.randrange(30)}" for _ in range(30)]
        sides = []
        for name in ("mine", "agent"):
            side = list(base)
            at = chance.randrange(len(side))
            side[at : at + chance.randrange(3)] = [name] * chance.randrange(3)
            sides.append(side)
        texts = ["\n".join(lines).encode() + b"\n" for lines in (sides[0], base, sides[1])]
        paths = [tmp_path / f"{number}-{name}" for name in ("mine", "base", "agent")]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text)
        git = subprocess.run(["git", "merge-file", "-p", *map(str, paths)], capture_output=True)
        merge = Merge(texts[1], texts[0], texts[2])
        if any(each.state == "conflict" for each in merge.hunks):
            continue
        if git.returncode == 0:
            compared += 1
            assert merge.result(range(len(merge.hunks))) == git.stdout
    assert compared > 20


def test_hard_links_are_only_read(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    cage = rig.cage()
    cage.run("echo x > x; ln x y")
    take(cage)
    assert os.stat(rig.project / "x").st_nlink == 1
    assert (rig.project / "y").read_text() == "x\n"
