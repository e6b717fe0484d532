"""From `handrail run` to the project, as a user without privileges; two reviews at once, and one that is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.features.cage.plain_user import UID, PlainUser, plain_user
from tests.features.review.cages import Rig
from tests.persons import without_presence
from tests.waiting import until

HANDRAIL = str(Path(sys.executable).with_name("handrail"))


@pytest.fixture
def user() -> Iterator[PlainUser]:
    with plain_user() as rig:
        (rig.state / "config.toml").write_text('presence = "never"\n')
        if os.geteuid() == 0:
            os.chown(rig.state / "config.toml", UID, UID)
        yield rig


def output_of(user: PlainUser, *words: str) -> str:
    result = user.handrail(*words)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode()


def test_an_agents_changes_in_the_cage_are_reviewed_and_applied(user: PlainUser) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        assert user.run(["git", *words]).returncode == 0
    output_of(user, "run", "--", "sh", "-c", "echo more >> README.md; echo n > new.txt; git commit -qam inside")
    assert (user.project / "README.md").read_text() == "# Shop\n"
    listing = output_of(user, "review")
    assert "M  README.md  +1 −0" in listing
    assert "A  new.txt  +1 −0" in listing
    assert "inside" in output_of(user, "review", "--commits")
    assert "Took 2 changes." in output_of(user, "review", "--take-all")
    assert (user.project / "README.md").read_text() == "# Shop\nmore\n"
    assert (user.project / "new.txt").read_text() == "n\n"


def test_an_agent_cannot_hide_its_changes_by_closing_folders(user: PlainUser) -> None:
    script = "echo more >> README.md; mkdir closed; echo x > closed/x; chmod 0 closed ."
    result = user.handrail("run", "--", "sh", "-c", script)
    assert "the agent changed 2 files" in result.stderr.decode()
    listing = output_of(user, "review")
    assert "M  README.md  +1 −0" in listing
    assert "closed" in listing
    assert "Took 1 change." in output_of(user, "review", "--take-all")
    assert (user.project / "README.md").read_text() == "# Shop\nmore\n"


def command(rig: Rig) -> list[str]:
    return [HANDRAIL, "review", "--take-all", "--project", str(rig.project), "--state", str(rig.state)]


@pytest.mark.trial("review", is_long=True)
def test_two_reviews_at_once_write_everything_once(rig: Rig) -> None:
    without_presence(rig.state)
    rig.write({f"f{number}.txt": "a\n" for number in range(200)})
    cage = rig.cage()
    cage.run("for file in f*.txt; do echo b > $file; done")
    both = [subprocess.Popen(command(rig), stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    for process in both:
        process.communicate(timeout=60)
    assert 0 in [process.returncode for process in both]
    assert {path.read_text() for path in rig.project.glob("*.txt")} == {"b\n"}


@pytest.mark.trial("review", is_long=True)
def test_a_review_that_is_killed_is_done_or_not_done(rig: Rig) -> None:
    without_presence(rig.state)
    rig.write({f"f{number}.txt": "a\n" for number in range(300)})
    cage = rig.cage()
    cage.run("for file in f*.txt; do echo b > $file; done")
    process = subprocess.Popen(command(rig), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    intent = rig.project / ".webgal_agent/intent.json"
    first = rig.project / "f0.txt"
    until(lambda: (intent.exists() and first.read_text() == "b\n") or process.poll() is not None)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with rig.opened() as project:
        project.part("workspace")
        assert {path.read_text() for path in rig.project.glob("*.txt")} in ({"a\n"}, {"b\n"})
    assert subprocess.run(command(rig), capture_output=True).returncode == 0
    assert {path.read_text() for path in rig.project.glob("*.txt")} == {"b\n"}
