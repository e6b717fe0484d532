"""An unprivileged user with a home, a project and a state directory, because the tests themselves may run as root."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HANDRAIL = Path(sys.executable).parent / "handrail"
PYTHON = str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")
"""For programs inside a cage, where the tests' environment doesn't exist."""
ROOT = Path(__file__).parents[3]
UID = 54321
SECRET = "a-secret-of-the-persons"

_SET_UP = """
set -e
IFS='
'  # the lists are lines
# Shows what the user has to read although a folder above it is closed to others.
number=0
for path in $SHOWN; do
    number=$((number + 1)); mkdir -p "$SCRATCH/shown$number"; mount --rbind "$path" "$SCRATCH/shown$number"
done
for folder in $CLOSED; do mount -t tmpfs -o mode=755 none "$folder"; done
number=0
for path in $SHOWN; do
    number=$((number + 1)); mkdir -p "$path"; mount --rbind "$SCRATCH/shown$number" "$path"
done
unset IFS
if [ -n "$HOSTS" ]; then mount --bind "$HOSTS" /etc/hosts; fi
if [ -n "$RESOLVER" ]; then mount --bind "$RESOLVER" /etc/resolv.conf; fi
exec setpriv --reuid "$RUN_UID" --regid "$RUN_UID" --clear-groups --inh-caps=-all -- "$@"
"""


@dataclass(frozen=True, slots=True)
class PlainUser:
    """`home` contains keys and `project`; both belong to the user."""

    folder: Path
    as_root: bool = False

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.home / "shop"

    @property
    def state(self) -> Path:
        return self.home / ".local/state/handrail"

    @property
    def hosts(self) -> Path:
        """The launcher's `/etc/hosts`."""
        return self.folder / "hosts"

    @property
    def resolver(self) -> Path:
        """The launcher's `/etc/resolv.conf`."""
        return self.folder / "resolv.conf"

    @property
    def environment(self) -> dict[str, str]:
        environ = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        more = {"HOME": str(self.home), "HANDRAIL_CALL_PERSON": "false", "MY_TOKEN": SECRET, "TERM": "xterm"}
        return {**environ, **more, "PYTHONPATH": str(ROOT)}

    def command(self, words: Sequence[str]) -> list[str]:
        """Returns the command that runs these words as this user."""
        if os.geteuid() != 0 or self.as_root:
            return list(words)
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", _SET_UP, "sh", *words]

    @property
    def set_up(self) -> dict[str, str]:
        """Variables that `command` needs."""
        unreadable = {path: folder for path in (Path(sys.base_prefix), ROOT) if (folder := _closed_above(path))}
        return {
            "CLOSED": "\n".join(sorted({str(folder) for folder in unreadable.values()})),
            "SHOWN": "\n".join(map(str, unreadable)),
            "SCRATCH": str(self.folder),
            "HOSTS": str(self.hosts) if self.hosts.exists() else "",
            "RESOLVER": str(self.resolver) if self.resolver.exists() else "",
            "RUN_UID": str(UID),
        }

    def start(self, words: Sequence[str], **more: Any) -> "subprocess.Popen[bytes]":
        environment = {**self.environment, **more.pop("env", {}), **self.set_up}
        return subprocess.Popen(self.command(words), env=environment, cwd=self.project, **more)

    def run(self, words: Sequence[str], **more: Any) -> "subprocess.CompletedProcess[bytes]":
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with self.start(words, **{**pipes, **more}) as result:
            out, err = result.communicate(timeout=120)
        return subprocess.CompletedProcess(list(words), result.returncode, out, err)

    def handrail(self, *words: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        return self.run([str(HANDRAIL), *words], **more)

    def driver(self, request: Mapping[str, Any]) -> list[str]:
        """The command that runs `driver.py`."""
        return [sys.executable, "-m", "tests.features.cage.driver", json.dumps(request)]

    def driven(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Returns what `driver.py` prints."""
        result = self.run(self.driver(request))
        assert result.returncode == 0, result.stderr.decode()
        match: dict[str, Any] = json.loads(result.stdout)
        return match


@contextmanager
def plain_user(*, as_root: bool = False) -> Iterator[PlainUser]:
    folder = Path(tempfile.mkdtemp(prefix="handrail-cage-"))
    user = PlainUser(folder, as_root)
    folder.chmod(0o755)
    for path in (user.home, user.project, user.home / ".ssh", user.state):
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    (user.home / ".ssh/id_ed25519").write_text(SECRET)
    (user.state / "console.key").write_text(SECRET)
    (user.home / ".gitconfig").write_text(f"[user]\n\tname = Ann\n\temail = ann@example.org\n[x]\n\ttoken = {SECRET}\n")
    (user.project / "README.md").write_text("# Shop\n")
    (user.home / "shown").mkdir()
    (user.home / "shown/file").write_text("Anyone may read this.\n")
    (user.project / ".handrail/artifacts").mkdir(parents=True)
    (user.project / ".handrail/artifacts/kept").write_text(SECRET)
    if os.geteuid() == 0 and not as_root:
        for path in (user.home, *user.home.rglob("*")):
            os.chown(path, UID, UID)
    try:
        yield user
    finally:
        shutil.rmtree(folder)


def _closed_above(path: Path) -> Path | None:
    """The topmost parent folder that other users can't enter."""
    return next((each for each in reversed(path.parents) if not each.stat().st_mode & 0o001), None)
