"""An agent's symbolic links: those that stay in the project can be taken, all others are refused."""

import os
from pathlib import Path

import pytest

from handrail.features.review.item import Item
from handrail.features.review.link_targets import resolve_link
from handrail.features.review.plan import FileChoice
from handrail.kernel.call import Call
from handrail.ports.errors import InvalidParams
from tests.features.review.cages import PERSON, Cage, Rig

FILES = {"CLAUDE.md": "rules\n", "AGENTS.md": "old rules\n", "src/a.txt": "a\n", "src/deep/b.txt": "b\n"}


def items(cage: Cage) -> dict[str, Item]:
    with cage.review() as review:
        return {item.path: item for item in review.items}


def is_there(path: Path) -> bool:
    return os.path.lexists(path)


async def test_links_that_stay_in_the_project_are_shown_and_taken_and_undone(rig: Rig) -> None:
    rig.write(FILES)
    os.symlink("src", rig.project / "old")
    os.symlink("src/a.txt", rig.project / "kept")
    os.symlink("CLAUDE.md", rig.project / "becomes-file")
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        """
        ln -s ../../CLAUDE.md src/deep/up; ln -s src/deep folder; ln -s nothing dangling
        ln -sf CLAUDE.md AGENTS.md
        ln -sfn src/deep old
        rm kept; rm becomes-file; echo text > becomes-file
        """
    )
    changes = items(cage)
    assert {path: (item.group, item.status, item.link) for path, item in changes.items()} == {
        "src/deep/up": ("new", "added", "../../CLAUDE.md"),
        "folder": ("new", "added", "src/deep"),
        "dangling": ("new", "added", "nothing"),
        "AGENTS.md": ("tracked", "modified", "CLAUDE.md"),
        "old": ("tracked", "modified", "src/deep"),
        "kept": ("tracked", "deleted", None),
        "becomes-file": ("tracked", "modified", None),
    }
    result = await cage.take()
    assert "left" not in result
    project = rig.project
    targets = {name: os.readlink(project / name) for name in ("src/deep/up", "folder", "dangling", "AGENTS.md", "old")}
    assert targets == {
        "src/deep/up": "../../CLAUDE.md", "folder": "src/deep", "dangling": "nothing",
        "AGENTS.md": "CLAUDE.md", "old": "src/deep",
    }  # fmt: skip
    assert not is_there(project / "kept")
    assert not (project / "becomes-file").is_symlink()
    assert (project / "becomes-file").read_text() == "text\n"
    assert items(cage) == {}
    with rig.opened() as open_team:
        await open_team.gate.run(Call("undo_write", {}, PERSON))
    assert (project / "AGENTS.md").read_text() == "old rules\n"
    assert not (project / "AGENTS.md").is_symlink()
    assert os.readlink(project / "old") == "src"
    assert os.readlink(project / "kept") == "src/a.txt"
    assert os.readlink(project / "becomes-file") == "CLAUDE.md"
    assert not is_there(project / "folder")
    assert not is_there(project / "src/deep/up")


def test_links_that_leave_the_project_by_any_way_are_refused(rig: Rig) -> None:
    rig.write({**FILES, ".env": "KEY=1\n"})
    os.symlink("/", rig.project / "root")
    os.symlink("src", rig.project / "mine")
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        """
        ln -s /etc/passwd absolute; ln -s "$LOWER/CLAUDE.md" own-path; ln -s ../outside climbing
        ln -s . here; ln -s here/.. through-here
        ln -s mine/../.. through-mine
        ln -s root/etc/passwd through-root
        ln -s loop-b loop-a; ln -s loop-a loop-b
        ln -s .env secret; ln -s .git/config git-config; ln -s .handrail state
        ln -sfn CLAUDE.md mine; ln -s mine/../../.. through-both
        rm -r src/deep; ln -s ../CLAUDE.md src/deep
        """
    )
    changes = items(cage)
    refused = {path for path, item in changes.items() if item.refused}
    assert refused >= {
        "absolute", "own-path", "climbing", "through-here", "through-mine", "through-root", "through-both",
        "loop-a", "loop-b", "secret", "git-config", "state", "src/deep",
    }, changes  # fmt: skip
    assert changes["here"].refused is None
    assert changes["loop-a"].refused == "it is a link to 'loop-b', which leads in a circle"
    assert changes["climbing"].refused == "it is a link to '../outside', which leads out of the project"
    with cage.review() as review:
        plan = review.plan(dict.fromkeys(changes, FileChoice()))
    assert not {step.path for step in plan.steps} & refused


def test_a_link_whose_way_the_person_s_own_link_changes_is_refused(rig: Rig) -> None:
    """Whether the agent's `way` is taken isn't known: with the person's, the new link leads out."""
    rig.write(FILES)
    os.symlink("/etc", rig.project / "way")
    cage = rig.cage()
    cage.run("ln -sfn src way; ln -s way/passwd new")
    assert "leads out" in str(items(cage)["new"].refused)


async def test_a_link_that_the_person_changed_since_is_a_conflict(rig: Rig) -> None:
    rig.write(FILES)
    os.symlink("src", rig.project / "link")
    cage = rig.cage()
    cage.run("ln -sfn src/deep link")
    (rig.project / "link").unlink()
    os.symlink("CLAUDE.md", rig.project / "link")
    assert items(cage)["link"].conflict_kind == "changed"
    assert (await cage.take())["taken"] == 0
    with pytest.raises(InvalidParams, match="is a link"):
        await cage.take(items=[{"path": "link", "content": "x"}])
    await cage.take(items=[{"path": "link", "theirs": [0]}])
    assert os.readlink(rig.project / "link") == "src/deep"


def test_files_that_run_later_are_marked_even_behind_a_link(rig: Rig) -> None:
    rig.write(FILES)
    os.symlink("src/deep", rig.project / ".husky")
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        """
        mkdir settings; echo '{}' > settings/tasks.json; ln -s settings .vscode
        ln -s src/manifest package.json; echo '{}' > src/manifest
        echo 'curl evil' > src/deep/pre-commit; echo 2 > src/a.txt
        """
    )
    runs_later = {path: item.runs_later for path, item in items(cage).items()}
    assert runs_later.pop("src/a.txt") is None
    assert all(runs_later.values()), runs_later
    assert runs_later["settings/tasks.json"] == ".vscode leads here: the editor runs tasks and settings in it"
    assert set(runs_later) == {".vscode", "settings/tasks.json", "package.json", "src/manifest", "src/deep/pre-commit"}


def test_links_in_an_ignored_folder_are_part_of_its_line(rig: Rig) -> None:
    rig.write({**FILES, ".gitignore": "node_modules/\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        """
        mkdir -p node_modules/.bin node_modules/x; echo 1 > node_modules/x/cli.js
        ln -s ../x/cli.js node_modules/.bin/x
        """
    )
    changes = items(cage)
    assert list(changes) == ["node_modules"]
    assert changes["node_modules"].files == 2


@pytest.mark.parametrize(
    ("path", "target", "ends"),
    [
        ("a", "b", "b"), ("a/b", "../c", "c"), ("a", "..", None), ("a", "/b", None), ("a", "link/../x", "deep/x"),
        ("a", "link/../..", ""), ("a", "link/../../..", None), ("a", "circle", None), ("a", "out/x", None),
        ("a", ".", ""),
    ],
)  # fmt: skip
def test_targets_are_resolved_as_the_kernel_does(path: str, target: str, ends: str | None) -> None:
    links = {"link": "deep/folder", "circle": "circle", "out": "/etc"}
    assert resolve_link(path, target, links.get) == ends
