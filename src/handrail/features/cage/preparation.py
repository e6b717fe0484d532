"""Everything about a run that is decided before the cage is made: options are checked and put together."""

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
    OWN_FOLDERS,
    check_interpreter,
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

HOOKS_FOLDER = "/run/handrail"
"""The folder with the socket that hooks inside connect to, in place of a state directory."""


class RunRequest:
    """The arguments of `handrail run`."""

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


class PreparedRun:
    """`project` is the person's. In a narrow cage, `spec.project` is the agent's copy."""

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
        """The folder with the socket where hooks are answered."""

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
    def start_message(self) -> str:
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
        """Whether the client itself signs in or talks to its model there. With a key it needs none of these hosts."""
        return self.client is not None and not self.has_key and host in self.client.hosts


def prepare(
    request: RunRequest,
    state_option: str | None,
    token: str,
    environ: Mapping[str, str] = os.environ,
    confinement: Confinement | None = None,
) -> PreparedRun:
    """Makes the run's folder. NotFound, InvalidParams, Unsupported."""
    confinement = confinement or best_level()
    if confinement.level == "none":
        raise Unsupported(
            f"No cage can be made here: {confinement.why}.",
            hint=f"{confinement.fix} Or run the agent unconfined: handrail run --uncaged.",
        )
    state, home, user = state_name(state_option, environ), environ.get("HOME") or "/", _user()
    project = _project(request.project, state, home)
    mounts, links = system_mounts()
    mounts += toolchain_mounts(home, environ)
    mounts += repository_mounts(project)
    mounts += (named_mount(text, [state], home) for text in request.mounts)
    mounts += program_mounts(request.command[0], environ, [*mounts, Mount(project, project)])
    check_interpreter(request.command[0], environ, [*mounts, Mount(project, project)])
    client = client_of(request.client, request.command[0])
    upstreams = [model for api in MODEL_APIS if (model := upstream(api, environ)) is not None]
    is_narrow = confinement.level == "narrow"
    os.makedirs(state, mode=0o700, exist_ok=True)
    agent_home = private_home(state, client.name if client is not None else "", is_narrow=is_narrow)
    home_inside = agent_home if is_narrow else HOME
    variables = environment(environ, user, home_inside, mounts, token, request.variables)
    folder = new_folder(state, is_narrow=is_narrow)
    agent_project = folder.copy if is_narrow else project  # where the agent sees the project
    files = etc_files(agent_project, user)
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
        hooks_inside = hooks if is_narrow else HOOKS_FOLDER
        settings = hook_settings(client.name, [sys.executable, "-m", "handrail"], hooks_inside)
        entries = {} if settings is None else settings.entries
        files |= {path: text.encode() for path, text in client.etc(has_key, entries).items()}
        client.prepare(agent_home, agent_project, has_key, entries)
    if is_narrow:
        from handrail.features.cage.narrow.settings import place_settings

        variables |= place_settings(files, agent_home, folder.path)
    spec = CageSpec(
        project=agent_project,
        command=_with_agent_path(agent_project, project, request.command),
        environment=variables,
        upper=folder.upper,
        work=folder.work,
        home=agent_home,
        mounts=tuple(mounts),
        links=tuple(links),
        hidden=[path for name in OWN_FOLDERS if _is_folder(path := os.path.join(project, name))],
        files=files,
    )
    return PreparedRun(spec, project, confinement, state, folder, client, token, upstreams, hooks)


def _with_agent_path(agent_project: str, project: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """Adjusts the path of a program that is in the project to where the agent sees it."""
    first = command[0]
    return (agent_project + first.removeprefix(project), *command[1:]) if first.startswith(project + "/") else command


def _project(path: str, state: str, home: str) -> str:
    project = os.path.realpath(path)
    if not os.path.isdir(project):
        raise NotFound(f"There is no project folder {path}.", hint="Name an existing folder with --project.")
    check_may_be_shown(project, [state], home, "--project")
    return project


def _is_folder(path: str) -> bool:
    """Whether it is a folder itself, not a link to one."""
    return os.path.isdir(path) and not os.path.islink(path)


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
