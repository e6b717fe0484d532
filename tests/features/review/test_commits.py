"""Commits made in the cage: fetched without the agent's configuration, shown, and taken one by one."""

import asyncio
import os
from typing import Any

import pytest

from handrail.features.review.commits import Commit
from handrail.features.review.reviews import Reviews
from handrail.ports.errors import InputOutput, NotFound
from tests.features.review.cages import Cage, Rig


def fetched(cage: Cage) -> list[Commit]:
    with cage.rig.opened() as project:
        return Reviews(project).commits(cage.id).fetch()


def take(cage: Cage, commit: str) -> dict[str, Any]:
    return asyncio.run(cage.take(commit=commit))


@pytest.fixture
def cage(rig: Rig) -> Cage:
    rig.write({"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "run.sh": "x\n"})
    rig.commit_all()
    return rig.cage()


def test_commits_are_shown_and_taken_one_by_one(rig: Rig, cage: Cage) -> None:
    cage.run(
        """
        sed -i s/one/ONE/ a.txt; git commit -qam 'First: a'
        git checkout -qb feature; echo B > b.txt; chmod +x run.sh; echo n > new.txt; git add -A; git commit -qm 'Second'
        git gc -q
        """
    )
    first, second = fetched(cage)
    assert (first.subject, second.subject) == ("First: a", "Second")
    assert first.author == "Ann <ann@example.org>"
    assert "new.txt" in second.stat
    assert rig.git("log", "--format=%s", "--branches") == "start\n", "no branch of the person's has moved"
    take(cage, second.id)
    assert (rig.project / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert (rig.project / "b.txt").read_text() == "B\n"
    assert (rig.project / "new.txt").read_text() == "n\n"
    assert (rig.project / "run.sh").stat().st_mode & 0o777 == 0o755
    rig.git("add", "b.txt", "new.txt", "run.sh")
    rig.git("commit", "-q", "-C", second.id)
    assert rig.git("log", "-1", "--format=%s") == "Second\n"


def test_a_commit_merges_with_the_persons_edits_or_is_left(rig: Rig, cage: Cage) -> None:
    cage.run("sed -i s/one/ONE/ a.txt; git commit -qam one; sed -i s/ONE/1/ a.txt; git commit -qam two")
    first, second = fetched(cage)
    rig.write({"a.txt": "one\ntwo\nmine\n"})
    assert take(cage, second.id)["left"] == ["a.txt: you edited the same places as the agent"]
    take(cage, first.id)
    assert (rig.project / "a.txt").read_text() == "ONE\ntwo\nmine\n"


def test_nothing_of_the_agents_configuration_or_hooks_runs(rig: Rig, cage: Cage) -> None:
    cage.run(
        """
        git commit -q --allow-empty -m c
        for hook in pre-commit post-checkout reference-transaction post-merge pre-auto-gc; do
            printf '#!/bin/sh\\ntouch %s/pwned\\n' "$(dirname "$PWD")" > .git/hooks/$hook; chmod +x .git/hooks/$hook
        done
        git config uploadpack.packObjectsHook "touch $(dirname "$PWD")/pwned"
        git config core.fsmonitor "touch $(dirname "$PWD")/pwned"
        git config core.sshCommand "touch $(dirname "$PWD")/pwned"
        mkdir -p .git/objects/info; echo /etc > .git/objects/info/alternates
        ln -s /etc .git/objects/ff
        """
    )
    assert len(fetched(cage)) == 1
    assert not (rig.folder / "pwned").exists()
    assert not (rig.project / ".git/hooks/pre-commit").exists()


def test_a_commits_files_that_run_later_are_named(cage: Cage) -> None:
    cage.run("echo '{}' > package.json; echo x > plain.txt; git add -A; git commit -qm c")
    (commits,) = fetched(cage)
    assert commits.runs_later == ("package.json: its scripts run on npm commands",)


def test_control_characters_and_a_signature_in_a_commit_hide_no_other(rig: Rig, cage: Cage) -> None:
    rig.git("config", "log.showSignature", "true")
    rig.git("config", "color.ui", "always")
    cage.run(
        r"""
        echo x > a.txt
        GIT_AUTHOR_NAME=$(printf 'A\001\033[2Jnn') git commit -qam "$(printf 'One\001two\001\n\nbody\001')"
        echo y > b.txt; git commit -qam Signed
        signature='gpgsig -----BEGIN PGP SIGNATURE-----\n iQ==\n -----END PGP SIGNATURE-----'
        git cat-file commit HEAD | sed "/^committer/a $signature" > s
        git update-ref HEAD "$(git hash-object -t commit -w s)"; rm s
        """
    )
    commits = fetched(cage)
    assert [each.subject for each in commits] == ["One\x01two\x01", "Signed"]
    assert commits[0].message == "One\x01two\x01\n\nbody\x01"
    assert "\x1b" not in commits[0].stat
    take(cage, commits[1].id)
    assert (rig.project / "b.txt").read_text() == "y\n"


def test_refs_and_objects_that_make_no_sense_are_skipped(rig: Rig, cage: Cage) -> None:
    cage.run(
        """
        git commit -q --allow-empty -m good
        echo not-a-commit > .git/refs/heads/bad; printf '%040d\\n' 1 > .git/refs/heads/missing
        ln -s /etc/passwd .git/refs/heads/link
        mkdir -p '.git/refs/heads/-x'; git rev-parse HEAD > '.git/refs/heads/-x/y'
        echo garbage > .git/objects/pack/pack-0123456789012345678901234567890123456789.pack
        """
    )
    assert [commit.subject for commit in fetched(cage)] == ["good"]


def test_a_forged_object_is_not_fetched(rig: Rig, cage: Cage) -> None:
    """Its name is the hash of something else."""
    cage.run(
        """
        echo evil > b.txt; git commit -qam good
        blob=$(git rev-parse HEAD:b.txt); other=$(echo other | git hash-object -w --stdin)
        to=.git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
        from=.git/objects/$(echo $other | cut -c1-2)/$(echo $other | cut -c3-)
        chmod +w $to; cp $from $to
        """
    )
    with pytest.raises(InputOutput):
        fetched(cage)


def test_a_commit_that_is_not_the_agents_is_not_taken(rig: Rig, cage: Cage) -> None:
    head = rig.git("rev-parse", "HEAD").strip()
    cage.run("git commit -q --allow-empty -m c")
    fetched(cage)
    for wrong in (head, "HEAD", "--output=x", "0" * 40):
        with pytest.raises(NotFound):
            take(cage, wrong)


def test_a_commits_links_are_taken_if_they_stay_in_the_project(rig: Rig, cage: Cage) -> None:
    cage.run(
        """
        ln -s a.txt inside; ln -sf a.txt b.txt; ln -s ../outside climbing; ln -s /etc/passwd absolute
        ln -s inside/../.. through; ln -s .git/config settings
        git add -A; git commit -qm Links
        ln -sfn run.sh inside; git commit -qam Moved
        rm inside; git commit -qam Gone
        """
    )
    links, renames, removals = (each.id for each in fetched(cage))
    result = take(cage, links)
    assert sorted(result["paths"]) == ["b.txt", "inside"]
    assert {line.partition(":")[0] for line in result["left"]} == {"absolute", "climbing", "settings", "through"}
    assert (os.readlink(rig.project / "inside"), os.readlink(rig.project / "b.txt")) == ("a.txt", "a.txt")
    take(cage, renames)
    assert os.readlink(rig.project / "inside") == "run.sh"
    (rig.project / "inside").unlink()
    os.symlink("b.txt", rig.project / "inside")
    assert take(cage, removals)["left"] == ["inside: you changed it since the start; the agent deleted it"]
    assert os.readlink(rig.project / "inside") == "b.txt"


def test_a_commits_submodule_is_left_and_the_rest_is_taken(rig: Rig, cage: Cage) -> None:
    cage.run(
        """
        git init -q lib; git -C lib commit -q --allow-empty -m x; echo B > b.txt; mkdir run; echo y > run/y
        rm run.sh; mv run run.sh
        git add -A; git commit -qm Sub
        """
    )
    (rig.project / "run.sh").unlink()
    rig.write({"run.sh/y": "mine\n"})
    (commits,) = fetched(cage)
    remaining = take(cage, commits.id)["left"]
    assert "lib: it is a submodule; cherry-pick the commit yourself" in remaining
    assert (rig.project / "b.txt").read_text() == "B\n"
    assert (rig.project / "run.sh/y").read_text() == "mine\n"


def test_without_commits_or_without_git_there_are_none(rig: Rig) -> None:
    rig.write({"a.txt": "a\n"})
    cage = rig.cage()
    cage.run("git init -q; git add -A; git commit -qm x")
    assert fetched(cage) == []
