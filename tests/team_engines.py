"""The engines that a team runs on, for tests: PostgreSQL, NATS and an S3, each started when needed."""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import pytest

from handrail.stores.team import setup
from tests.waiting import PATIENCE, until

_BIN = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), Path("/usr/bin"))
_SCRIPTS = Path(sys.executable).parent
_FAST = {"fsync": "off", "synchronous_commit": "on", "full_page_writes": "off", "autovacuum": "off"}


def pg_program(name: str) -> Path:
    """Runs one of PostgreSQL's own programs."""
    return _BIN / name


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def new_tenant(owner: str, name: str) -> str:
    """The address for the servers of a tenant that doesn't exist yet."""
    address = setup.add_tenant(owner, name)
    assert address is not None
    return address


class Postgres:
    """One cluster, run as an unprivileged user. `is_durable` keeps fsync on."""

    def __init__(self, folder: Path, *, is_durable: bool = False) -> None:
        self.folder = folder
        self._settings = {} if is_durable else _FAST
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0
        self._tenants = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._drop: list[str] = []
        if os.geteuid() == 0:  # PostgreSQL doesn't run as root
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._drop = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
        self._run(_BIN / "initdb", "-D", folder / "data", "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync",
                  "--locale=C")  # fmt: skip

    def start(self) -> None:
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
                    "max_connections": 200, "shared_buffers": "32MB", **self._settings}  # fmt: skip
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._drop, str(_BIN / "postgres"), "-D", str(self.folder / "data"), *words],
                stdout=log,
                stderr=log,
                cwd="/",
            )
        _until_listening(self.port)
        self._until_ready()

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)  # immediately, because nothing here is worth a checkpoint
            self._process.wait(PATIENCE)
            self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to all of its processes."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        _send(number, self._process.pid, *map(int, children))

    def new_database(self) -> str:
        """Returns the address of an empty database, for its owner."""
        self._databases += 1
        name = f"team_{self._databases}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    @cached_property
    def team(self) -> str:
        """Returns the owner's address of the database that tests share: each has its own tenant there."""
        owner = self.new_database()
        setup.migrate(owner)
        return owner

    def tenant(self) -> str:
        """The address for the servers of a new tenant."""
        self._tenants += 1
        return new_tenant(self.team, f"tenant_{self._tenants}")

    def url(self, database: str = "postgres", role: str = "owner", password: str = "") -> str:
        sign_in = f"{role}:{password}" if password else role
        return f"postgresql://{sign_in}@127.0.0.1:{self.port}/{database}"

    def sql(self, statement: str, url: str | None = None) -> str:
        """Returns what psql prints; raises an AssertionError with PostgreSQL's own message if it refuses."""
        words = [_BIN / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url or self.url()]
        result = subprocess.run([*map(str, words), "-c", statement], capture_output=True, text=True, timeout=PATIENCE)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def _until_ready(self) -> None:
        words = [str(_BIN / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        until(lambda: subprocess.run(words, timeout=PATIENCE).returncode == 0, (self.folder / "log").read_text)

    def _run(self, *words: object) -> None:
        result = subprocess.run([*self._drop, *map(str, words)], capture_output=True, text=True, cwd="/")
        assert result.returncode == 0, result.stderr


class Nats:
    options: tuple[str, ...] = ()
    """Further ones of the command line."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = shutil.which("nats-server", path=f"{_SCRIPTS}:{os.environ['PATH']}")
        assert program is not None
        words = [program, "-a", "127.0.0.1", "-p", str(self.port), "-l", os.devnull, *self.options]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _until_listening(self.port)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        _send(number, self._process.pid)


class S3:
    """moto's server. It must not keep answering: when stopped, it refuses connections."""

    def __init__(self) -> None:
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = [str(_SCRIPTS / "moto_server"), "-H", "127.0.0.1", "-p", str(self.port)]
        self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _until_listening(self.port)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None

    def new_bucket(self) -> str:
        """Returns the `s3://` address of an empty bucket."""
        name = f"team-{secrets.token_hex(4)}"
        request = urllib.request.Request(f"{self.endpoint}/{name}", method="PUT")
        with urllib.request.urlopen(request, timeout=PATIENCE):
            return f"s3://{name}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }


def _send(number: signal.Signals, *pids: int) -> None:
    """Returns once stopped processes are no longer running."""
    for pid in pids:
        os.kill(pid, number)
    if number is signal.SIGSTOP:
        until(lambda: all(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T" for pid in pids))


def _until_listening(port: int) -> None:
    def listens() -> bool:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return True
        except OSError:
            return False

    until(listens, f"nothing listens on {port}")


@contextmanager
def engine_folder(name: str, *, on_disk: bool = False) -> Iterator[Path]:
    """A folder that other users can access: pytest's own folders are private."""
    memory = (
        "/dev/shm" if not on_disk and os.access("/dev/shm", os.W_OK) else None
    )  # nothing here needs to outlive the tests
    folder = Path(tempfile.mkdtemp(prefix=f"handrail-{name}-", dir=memory))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with engine_folder("postgres") as folder:
        server = Postgres(folder / "cluster")
        server.start()
        yield server
        server.stop()


@pytest.fixture(scope="session")
def nats() -> Iterator[Nats]:
    server = Nats()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    server = S3()
    server.start()
    yield server
    server.stop()
