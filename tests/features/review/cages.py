"""A project, and a run in a real overlay: mounted by a user without privileges, as the cage does it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from handrail import wiring
from handrail.features.cage.session import CageFolder, new_cage
from handrail.features.review.base import save_base
from handrail.features.review.review import Review
from handrail.features.review.reviews import Reviews
from handrail.kernel.approval import CommandApprover
from handrail.kernel.call import Call
from handrail.kernel.project import Project
from handrail.ports.identity import Caller

UID = 54321
_MOUNT = 'mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$UPPER,workdir=$WORK,userxattr" "$LOWER"'
PERSON = Caller("cli", "ann", "uid:0", "person:test")
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"} | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ann"), ("EMAIL", "ann@example.org"))
}


@dataclass
class Rig:
    """The project's folder and the state directory; `write` is the person's own edit."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "shop"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.own()

    def own(self) -> None:
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{UID}:{UID}", str(self.folder)], check=True)

    def git(self, *words: str) -> str:
        result = subprocess.run(
            ["git", "-c", "safe.directory=*", *words],
            cwd=self.project,
            capture_output=True,
            env={**os.environ, **GIT},
            check=True,
        )
        self.own()
        return result.stdout.decode()

    def commit_all(self) -> None:
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")

    def cage(self) -> "Cage":
        folder, _ = new_cage(self.state, str(self.project), "claude", ("claude",), "full")
        self.own()
        save_base(str(self.project), folder.base)
        self.own()
        return Cage(self, folder)

    @contextmanager
    def opened(self) -> Iterator[Project]:
        project = wiring.Wiring().open_project(self.project, self.state, CommandApprover())
        try:
            yield project
        finally:
            project.close()


@dataclass
class Cage:
    rig: Rig
    folder: CageFolder

    @property
    def id(self) -> str:
        return self.folder.path.name

    def run(self, script: str, *, program: tuple[str, ...] = ("sh", "-ec")) -> None:
        """As the agent: in the overlay, in the project."""
        inside = f'{_MOUNT} && cd "$LOWER" && exec "$@"'
        words = ["unshare", "-Urm", "sh", "-ec", inside, "sh", *program, script]
        if os.geteuid() == 0:
            words = ["setpriv", "--reuid", str(UID), "--regid", str(UID), "--clear-groups", *words]
        places = {"LOWER": self.rig.project, "UPPER": self.folder.upper, "WORK": self.folder.work}
        environ = {**os.environ, **GIT, **{name: str(path) for name, path in places.items()}, "HOME": "/nonexistent"}
        result = subprocess.run(words, env=environ, capture_output=True)
        assert result.returncode == 0, result.stderr.decode()

    @contextmanager
    def review(self) -> Iterator[Review]:
        with self.rig.opened() as project:
            review = Reviews(project).open(self.id)
            try:
                yield review
            finally:
                review.close()

    async def take(self, **params: Any) -> dict[str, Any]:
        """Through the gate, as the command and the console do."""
        with self.rig.opened() as project:
            reply = await project.gate.run(Call("take_changes", {"cage": self.id, **params}, PERSON))
            result: dict[str, Any] = msgspec.to_builtins(reply.result)
            return result


@contextmanager
def new_rig() -> Iterator[Rig]:
    folder = Path(tempfile.mkdtemp(prefix="handrail-review-"))
    folder.chmod(0o755)
    rig = Rig(folder)
    rig.project.mkdir()
    rig.state.mkdir(mode=0o700)
    rig.own()
    try:
        yield rig
    finally:
        for path, folders, _ in os.walk(folder):
            for name in folders:
                if not (Path(path) / name).is_symlink():
                    (Path(path) / name).chmod(0o700)
        shutil.rmtree(folder)
