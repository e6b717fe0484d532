"""Everything about a run that is decided before the cage is made: what was asked for, checked and put together."""

import os
import pwd
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from handrail.features.cage.clients import CagedClient, client_of
from handrail.features.cage.environment import environment
from handrail.features.cage.etc_files import etc_files, private_home
from handrail.features.cage.levels import Confinement, best_level
from handrail.features.cage.models import MODEL_APIS, Upstream, upstream
from handrail.features.cage.mounts import (
    check_may_be_shown,
    handrail_mounts,
    named_mount,
    program_mounts,
    system_mounts,
    toolchain_mounts,
)
from handrail.features.cage.run_folder import RunFolder, new_folder
from handrail.features.cage.spec import CageSpec, Mount
from handrail.ports.errors import NotFound, Unsupported
from handrail.ports.state_folder import state_path

_HIDDEN = (".handrail", ".webgal_agent")
"""handrail's own folders in a project: evidence of other work, which no tool may read either."""
HOOKS_FOLDER = "/run/handrail"
"""Where hooks inside find their socket, in place of a state directory."""


class Wanted(NamedTuple):
    """What the command line says."""

    command: tuple[str, ...]
    project: Path
    client: str | None = None
    mounts: Sequence[str] = ()
    variables: Sequence[str] = ()


class Prepared(NamedTuple):
    spec: CageSpec
    confinement: Confinement
    state: Path
    folder: RunFolder
    client: CagedClient | None
    token: str
    upstreams: Sequence[Upstream]
    hooks: Path
    """The folder with the socket on which hooks are answered."""

    def __repr__(self) -> str:
        """Without the token."""
        return f"Prepared({self.id})"

    @property
    def id(self) -> str:
        return self.folder.path.name

    @property
    def client_name(self) -> str:
        return self.client.name if self.client is not None else ""

    @property
    def title(self) -> str:
        return self.client.title if self.client is not None else os.path.basename(self.spec.command[0])

    @property
    def bubblewrap(self) -> str:
        assert self.confinement.bubblewrap is not None
        return self.confinement.bubblewrap

    @property
    def first_line(self) -> str:
        """What a person should know about this run before it starts."""
        level = self.confinement.level
        parts = [f"cage {level}", f"{self.title} in {self.spec.project}", "hosts need your approval"]
        if self.client is not None:
            outside = f"{self.client.api.title} key stays outside"
            parts.append(outside if self.has_key else "the agent can read its sign-in")
        return " · ".join(parts)

    @property
    def has_key(self) -> bool:
        """Whether handrail adds the key of the client's model."""
        return self.client is not None and any(one.api is self.client.api for one in self.upstreams)

    def is_model_host(self, host: str) -> bool:
        """Where the client signs in and talks to its model by itself. With a key it needs none of these."""
        return self.client is not None and not self.has_key and host in self.client.hosts


def prepare(wanted: Wanted, given_state: Path | None, token: str, environ: Mapping[str, str] = os.environ) -> Prepared:
    """Makes the run's folder. NotFound, InvalidParams, Unsupported."""
    confinement = best_level()
    if confinement.bubblewrap is None or confinement.level != "full":
        raise Unsupported(f"The cage doesn't work here: {confinement.why}.", hint=confinement.fix)
    state, home, user = state_path(given_state, environ), Path(environ.get("HOME") or "/"), _user()
    project = _project(wanted.project, state, home)
    mounts, links = system_mounts()
    mounts += toolchain_mounts(home, environ)
    mounts += (named_mount(text, [str(state)], home) for text in wanted.mounts)
    mounts += program_mounts(wanted.command[0], environ, [*mounts, Mount(project, project)])
    client = client_of(wanted.client, wanted.command[0])
    upstreams = [found for api in MODEL_APIS if (found := upstream(api, environ)) is not None]
    variables = environment(environ, user, mounts, token, wanted.variables)
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    agents_home = private_home(state, client.name if client is not None else "")
    files = etc_files(project, user)
    hooks = Path(f"/tmp/handrail-{os.urandom(8).hex()}")  # noqa: S108 - a socket's path must be short
    if client is not None:
        has_key = any(one.api is client.api for one in upstreams)
        variables |= {**client.always, **(client.with_key if has_key else {})}
        from handrail.features.hooks.offers import hook_settings

        mounts += handrail_mounts(project)
        mounts.append(Mount(str(hooks), HOOKS_FOLDER))
        settings = hook_settings(client.name, [sys.executable, "-m", "handrail"], HOOKS_FOLDER)
        entries = {} if settings is None else settings.entries
        files |= {path: text.encode() for path, text in client.etc(has_key, entries).items()}
        client.prepare(agents_home, project)
    folder = new_folder(state)
    spec = CageSpec(
        project=project,
        command=wanted.command,
        environment=variables,
        upper=str(folder.upper),
        work=str(folder.work),
        home=str(agents_home),
        mounts=tuple(mounts),
        links=tuple(links),
        hidden=[path for name in _HIDDEN if _is_folder(path := os.path.join(project, name))],
        files=files,
    )
    return Prepared(spec, confinement, state, folder, client, token, upstreams, hooks)


def _project(given: Path, state: Path, home: Path) -> str:
    project = os.path.realpath(given)
    if not os.path.isdir(project):
        raise NotFound(f"There is no project folder {given}.", hint="Name an existing folder with --project.")
    check_may_be_shown(project, [str(state)], home, "The project")
    return project


def _is_folder(path: str) -> bool:
    """Itself, not through a link."""
    return os.path.isdir(path) and not os.path.islink(path)


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
