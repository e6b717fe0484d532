"""What a review shows of a real overlay."""

import os
import stat
from pathlib import Path

import msgspec
import pytest

from handrail.features.review.item import Item
from handrail.features.review.plan import FileChoice
from handrail.ports.errors import NotFound
from tests.features.review.cages import Cage, Rig

FILES = {"a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n", "src/deep/c.txt": "c\n", "run.sh": "#!/bin/sh\n"}


def items(cage: Cage) -> dict[str, Item]:
    with cage.review() as review:
        return {item.path: item for item in review.items}


def test_every_kind_of_change_is_listed_in_its_group(rig: Rig) -> None:
    rig.write({**FILES, ".gitignore": "node_modules/\n*.log\n", "picture.bin": bytes(range(256))})
    rig.commit_all()
    rig.write({"notes.txt": "mine, not tracked\n"})
    cage = rig.cage()
    cage.run(
        """
        sed -i s/two/TWO/ a.txt
        echo new > new.txt
        mkdir -p node_modules/x empty; echo 1 > node_modules/x/index.js; echo 2 > node_modules/y.js
        echo log > debug.log
        printf 'a\\0b' > picture.bin
        rm src/b.txt
        chmod +x run.sh
        echo more >> notes.txt
        """
    )
    changes = items(cage)
    assert {path: (item.group, item.status) for path, item in changes.items()} == {
        "a.txt": ("tracked", "modified"),
        "new.txt": ("new", "added"),
        "node_modules": ("ignored", "added"),
        "debug.log": ("ignored", "added"),
        "picture.bin": ("binary", "modified"),
        "src/b.txt": ("tracked", "deleted"),
        "run.sh": ("tracked", "modified"),
        "notes.txt": ("new", "modified"),
        "empty": ("new", "folder"),
    }
    assert changes["node_modules"].files == 2
    assert (changes["a.txt"].added, changes["a.txt"].removed, changes["a.txt"].hunks) == (1, 1, 1)
    assert changes["run.sh"].mode == "644 → 755"


def test_copies_that_the_agent_did_not_change_are_left_out(rig: Rig) -> None:
    rig.write(FILES)
    rig.commit_all()
    cage = rig.cage()
    cage.run("touch a.txt; chmod +x run.sh; chmod -x run.sh; mkdir src/x; rmdir src/x; echo b > src/b.txt")
    assert (cage.folder.upper / "src/b.txt").exists()
    assert items(cage) == {}


def test_a_removed_or_replaced_folder_lists_its_deleted_files(rig: Rig) -> None:
    rig.write({**FILES, "lib/d.txt": "d\n", "lib/e.txt": "e\n"})
    cage = rig.cage()
    cage.run("rm -r src; rm -r lib; mkdir lib; echo E > lib/e.txt")
    changes = items(cage)
    assert {path: item.status for path, item in changes.items()} == {
        "src": "folder deleted",
        "src/deep": "folder deleted",
        "src/b.txt": "deleted",
        "src/deep/c.txt": "deleted",
        "lib/d.txt": "deleted",
        "lib/e.txt": "modified",
    }


def test_special_files_are_refused(rig: Rig) -> None:
    rig.write({**FILES, ".env": "KEY=1\n"})
    cage = rig.cage()
    cage.run(
        """
        ln -s /home/ann/.ssh/id_ed25519 key; ln -s ../../etc/passwd escaping
        mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
        rm a.txt; ln -s /etc/shadow a.txt
        rm -r src; ln -s /root src
        echo KEY=2 > .env; mkdir -p .handrail; echo x > .handrail/policy.toml
        mkdir closed; echo x > closed/x; chmod 000 closed
        """
    )
    changes = items(cage)
    refused = {path for path, item in changes.items() if item.refused}
    expected = {"key", "escaping", "pipe", "socket", "a.txt", "src", ".env", ".handrail/policy.toml"}
    assert expected <= refused, changes
    assert "leads out of the project" in str(changes["key"].refused)
    assert "leads out of the project" in str(changes["escaping"].refused)
    assert str(changes["pipe"].refused) == "it is a named pipe"
    with cage.review() as review:
        plan = review.plan(dict.fromkeys(changes, FileChoice()))
        assert not {step.path for step in plan.steps} & expected


def test_set_uid_is_noted_and_not_taken(rig: Rig) -> None:
    rig.write(FILES)
    cage = rig.cage()
    cage.run("echo tool > tool; chmod 6755 tool")
    assert items(cage)["tool"].notes == ["set-uid or set-gid is not taken"]


def test_files_that_run_later_are_marked(rig: Rig) -> None:
    rig.write(FILES)
    cage = rig.cage()
    cage.run(
        "mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; echo {} > package.json; echo {} > .mcp.json"
    )
    changes = items(cage)
    assert all(changes[path].runs_later for path in (".github/workflows/ci.yml", "package.json", ".mcp.json"))


def test_git_is_never_listed(rig: Rig) -> None:
    rig.write(FILES)
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        "git config core.fsmonitor 'touch pwned'; echo evil > .git/hooks/pre-commit; mkdir -p sub; git init -q sub"
    )
    assert not [path for path in items(cage) if ".git" in path.split("/")]


def test_names_of_any_kind_are_listed(rig: Rig) -> None:
    rig.write(FILES)
    rig.commit_all()
    cage = rig.cage()
    names = ["new\nline", "esc\x1b[31mred", "-rf", "quote'\"", "ünïcode", "trailing ", "a%2e%2e", "tab\t"]
    script = "import sys\n" + "".join(f"open({name!r}, 'w').write('x')\n" for name in names)
    script += "open(b'bad\\xff', 'w').write('x'); open('back\\\\slash', 'w').write('x'); open('~home', 'w').write('x')"
    cage.run(script, program=("python3", "-c"))
    changes = items(cage)
    assert set(names) <= set(changes)
    refused = {path for path, item in changes.items() if item.refused}
    assert refused == {"bad\\xff", "back\\slash", "~home"}
    assert msgspec.json.encode(list(changes.values()))


def test_a_huge_file_is_refused_without_being_read(rig: Rig) -> None:
    rig.write(FILES)
    cage = rig.cage()
    cage.run("truncate -s 50G huge.bin")
    assert "larger than" in str(items(cage)["huge.bin"].refused)


def test_without_a_saved_base_nothing_is_guessed(rig: Rig) -> None:
    rig.write(FILES)
    cage = rig.cage()
    (cage.folder.base / "manifest").unlink()
    with pytest.raises(NotFound, match="wasn't saved"), cage.review():
        pass


def test_the_person_s_files_are_only_read(rig: Rig) -> None:
    rig.write(FILES)
    rig.commit_all()
    cage = rig.cage()
    before = {path: path.stat() for path in rig.project.rglob("*")}
    cage.run("echo x >> a.txt; rm run.sh")
    items(cage)
    after = {path: path.stat() for path in rig.project.rglob("*") if path.name != ".handrail"}
    changed = [path for path in before if before[path].st_mtime_ns != after[path].st_mtime_ns and path.is_file()]
    assert changed == []
    assert stat.S_ISREG(os.lstat(rig.project / "run.sh").st_mode)


def test_a_folder_that_git_would_take_for_a_repository_is_marked(rig: Rig) -> None:
    """When the person enters it, git runs what its settings name: hooks, monitors, filters."""
    rig.write({"a.txt": "a\n", "docs/refs/x": "x\n"})
    rig.commit_all()
    cage = rig.cage()
    cage.run(
        "git init -q --bare docs; git --git-dir=docs config core.fsmonitor /tmp/evil; echo x > config; echo y > HEAD"
    )
    cage.run("mkdir sub; git init -q sub; printf '[submodule]' > .gitmodules")
    with cage.review() as review:
        later = {item.path for item in review.items if item.runs_later}
        paths = {item.path for item in review.items}
    assert {"docs/config", "docs/HEAD", ".gitmodules"} <= later
    assert not {"config", "HEAD"} & later
    assert not any(".git/" in path for path in paths)


def test_files_of_a_submodule_are_listed_by_its_own_rules(rig: Rig, tmp_path: Path) -> None:
    """A real one, with its repository in the project's. Its .git is never taken."""
    rig.write(FILES)
    rig.commit_all()
    for path, text in {"x.py": "x = 1\n", ".gitignore": "*.o\n"}.items():
        (tmp_path / path).write_text(text)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "library"]):
        rig.git("-C", str(tmp_path), *words)
    rig.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path), "lib")
    rig.git("commit", "-qm", "with it")
    rig.own()
    cage = rig.cage()
    cage.run("sed -i s/1/2/ lib/x.py; echo n > lib/new.py; echo o > lib/a.o; echo 'gitdir: /etc' > lib/.git; rm a.txt")
    assert {path: (item.group, item.status) for path, item in items(cage).items()} == {
        "a.txt": ("tracked", "deleted"),
        "lib/x.py": ("tracked", "modified"),
        "lib/new.py": ("new", "added"),
        "lib/a.o": ("ignored", "added"),
    }
