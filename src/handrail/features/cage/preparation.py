"""Everything about a run that is decided before the cage is made: what was asked for, checked and put together."""

from __future__ import annotations

import os
import pwd
import sys

from handrail.features.cage.clients import client_of
from handrail.features.cage.environment import environment
from handrail.features.cage.etc_files import etc_files, private_home
from handrail.features.cage.levels import best_level
from handrail.features.cage.models import MODEL_APIS, upstream
from handrail.features.cage.mounts import (
    check_may_be_shown,
    copied_files,
    handrail_mounts,
    named_mount,
    program_mounts,
    system_mounts,
    toolchain_mounts,
)
from handrail.features.cage.run_folder import new_folder
from handrail.features.cage.spec import HOME, CageSpec, Mount
from handrail.features.cage.worktree import repository_mounts
from handrail.ports.errors import NotFound, Unsupported
from handrail.ports.state_name import state_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from handrail.features.cage.clients import CagedClient
    from handrail.features.cage.levels import Confinement
    from handrail.features.cage.models import Upstream
    from handrail.features.cage.run_folder import RunFolder

OWN_FOLDERS = (".handrail", ".webgal_agent")
"""handrail's own folders in a project: evidence of other work, which no tool may read either."""
HOOKS_FOLDER = "/run/handrail"
"""Where hooks inside find their socket, in place of a state directory."""


class Wanted:
    """What the command line says."""

    def __init__(
        self,
        command: tuple[str, ...],
        project: str,
        client: str | None = None,
        mounts: Sequence[str] = (),
        variables: Sequence[str] = (),
    ) -> None:
        self.command = command
        self.project = project
        self.client = client
        self.mounts = mounts
        self.variables = variables


class Prepared:
    """`project` is the person's; at the narrow level the agent's, in `spec`, is a copy."""

    def __init__(
        self,
        spec: CageSpec,
        project: str,
        confinement: Confinement,
        state: str,
        folder: RunFolder,
        client: CagedClient | None,
        token: str,
        upstreams: Sequence[Upstream],
        hooks: str,
    ) -> None:
        self.spec = spec
        self.project = project
        self.confinement = confinement
        self.state = state
        self.folder = folder
        self.client = client
        self.token = token
        self.upstreams = upstreams
        self.hooks = hooks
        """The folder with the socket on which hooks are answered."""

    @property
    def id(self) -> str:
        return self.folder.id

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
        level, why = self.confinement.level, self.confinement.why
        cage = f"cage {level}" if level == "full" else f"cage {level}, because {why}"
        parts = [cage, f"{self.title} in {self.project}", "hosts need your approval"]
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


def prepare(
    wanted: Wanted,
    given_state: str | None,
    token: str,
    environ: Mapping[str, str] = os.environ,
    confinement: Confinement | None = None,
) -> Prepared:
    """Makes the run's folder. NotFound, InvalidParams, Unsupported."""
    confinement = confinement or best_level()
    if confinement.level == "none":
        raise Unsupported(
            f"No cage can be made here: {confinement.why}.",
            hint=f"{confinement.fix} Or run the agent unconfined: handrail run --uncaged.",
        )
    state, home, user = state_name(given_state, environ), environ.get("HOME") or "/", _user()
    project = _project(wanted.project, state, home)
    mounts, links = system_mounts()
    mounts += toolchain_mounts(home, environ)
    mounts += repository_mounts(project)
    mounts += (named_mount(text, [state], home) for text in wanted.mounts)
    mounts += program_mounts(wanted.command[0], environ, [*mounts, Mount(project, project)])
    client = client_of(wanted.client, wanted.command[0])
    upstreams = [found for api in MODEL_APIS if (found := upstream(api, environ)) is not None]
    is_narrow = confinement.level == "narrow"
    os.makedirs(state, mode=0o700, exist_ok=True)
    agents_home = private_home(state, client.name if client is not None else "", is_narrow=is_narrow)
    inside = agents_home if is_narrow else HOME
    variables = environment(environ, user, inside, mounts, token, wanted.variables)
    folder = new_folder(state, is_narrow=is_narrow)
    seen = folder.copy if is_narrow else project  # where the agent finds the project
    files = etc_files(seen, user)
    if not is_narrow:
        mounts, copied = copied_files(mounts)
        files = copied | files
    hooks = f"/tmp/handrail-{os.urandom(8).hex()}"  # noqa: S108 - a socket's path must be short
    if client is not None:
        has_key = any(one.api is client.api for one in upstreams)
        variables |= {**client.always, **(client.with_key if has_key else {})}
        from handrail.features.hooks.offers import hook_settings

        mounts += handrail_mounts(project)
        if not is_narrow:
            mounts.append(Mount(hooks, HOOKS_FOLDER))
        asked_at = hooks if is_narrow else HOOKS_FOLDER
        settings = hook_settings(client.name, [sys.executable, "-m", "handrail"], asked_at)
        entries = {} if settings is None else settings.entries
        files |= {path: text.encode() for path, text in client.etc(has_key, entries).items()}
        client.prepare(agents_home, seen)
    if is_narrow:
        from handrail.features.cage.narrow.settings import placed

        variables |= placed(files, agents_home, folder.path)
    spec = CageSpec(
        project=seen,
        command=_seen_from(seen, project, wanted.command),
        environment=variables,
        upper=folder.upper,
        work=folder.work,
        home=agents_home,
        mounts=tuple(mounts),
        links=tuple(links),
        hidden=[path for name in OWN_FOLDERS if _is_folder(path := os.path.join(project, name))],
        files=files,
    )
    return Prepared(spec, project, confinement, state, folder, client, token, upstreams, hooks)


def _seen_from(seen: str, project: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """A program of the project itself is run from where the agent finds it."""
    first = command[0]
    return (seen + first.removeprefix(project), *command[1:]) if first.startswith(project + "/") else command


def _project(given: str, state: str, home: str) -> str:
    project = os.path.realpath(given)
    if not os.path.isdir(project):
        raise NotFound(f"There is no project folder {given}.", hint="Name an existing folder with --project.")
    check_may_be_shown(project, [state], home, "The project")
    return project


def _is_folder(path: str) -> bool:
    """Itself, not through a link."""
    return os.path.isdir(path) and not os.path.islink(path)


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
