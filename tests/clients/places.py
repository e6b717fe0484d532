"""The folders of a person who uses a client: a home, a project and handrail's state, all made for the test."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients.real_clients import PROGRAMS
from tests.e2e.servers import audit_records
from tests.persons import HANDRAIL, Person, without_presence


@dataclass(frozen=True, slots=True)
class Places:
    home: Path
    project: Path
    state: Path

    @classmethod
    def below(cls, folder: Path) -> "Places":
        places = cls(folder / "home", folder / "project", folder / "state")
        for each in (places.home, places.project, places.state):
            each.mkdir(parents=True, mode=0o700)
        without_presence(places.state)
        with (places.state / "config.toml").open("a") as config:
            config.write("warm_server = false\n")  # leaves no server behind
        return places

    @property
    def person(self) -> Person:
        return Person(self.state)

    @property
    def environment(self) -> dict[str, str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAIL_")}
        config = {"XDG_CONFIG_HOME": str(self.home / ".config"), "HANDRAIL_CALL_PERSON": "false"}
        path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
        return {**environ, "HOME": str(self.home), "PATH": path, **config}

    def handrail(self, *words: str) -> str:
        """Runs a command, which must succeed; returns its output."""
        end = words.index("--") if "--" in words else len(words)
        command = [HANDRAIL, *words[:end], "--state", str(self.state), *words[end:]]
        result = subprocess.run(command, cwd=self.project, env=self.environment, capture_output=True, timeout=120)
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout.decode()

    @contextmanager
    def served(self) -> Iterator[None]:
        """Runs `handrail up` within the context."""
        command = [
            HANDRAIL,
            "up",
            "--project",
            str(self.project),
            "--state",
            str(self.state),
            "--port",
            "0",
            "--no-open",
        ]
        with subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            server.stdout.readline()
            try:
                yield
            finally:
                server.terminate()

    def records(self) -> list[tuple[str, str, bool | None]]:
        """Returns the audit's calls: tool, event and whether it succeeded."""
        return [(each["tool"], each["event"], each.get("ok")) for each in audit_records(self.state) if "tool" in each]
