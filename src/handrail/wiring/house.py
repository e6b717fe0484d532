"""An open project: every part of the house put together behind the gate."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.features import built_in
from handrail.features.browser.browser import Browser
from handrail.features.desktop.desktop import Desktop
from handrail.features.people.summons import Summons
from handrail.features.webgal.backends.programs.kept import KeptPrograms
from handrail.features.webgal.port import Checks, WebGal
from handrail.features.webgal.previews.preview_session import PreviewSession
from handrail.features.webgal.scripts import Scripts
from handrail.features.webgal.tools.browser_action import LocalTab
from handrail.features.workspace.backends import ripgrep
from handrail.features.workspace.backends.gnudiff import GnuDiff
from handrail.features.workspace.backends.regexes.replacer import Re2Replacer
from handrail.features.workspace.change import settle
from handrail.features.workspace.changes import WorkspaceChanges
from handrail.features.workspace.dry_runs import DryRuns
from handrail.features.workspace.idempotency import Idempotency
from handrail.features.workspace.snapshots import Snapshots
from handrail.features.workspace.workspace import AGENT_FOLDER, Workspace
from handrail.kernel.approval import Approver
from handrail.kernel.audit import Audit
from handrail.kernel.evidence import Evidence, utc_now
from handrail.kernel.gate import Gate
from handrail.kernel.recorder import Recorder
from handrail.kernel.registry import Registry, surface_of
from handrail.kernel.summoning import nobody_is_called
from handrail.kernel.tokens import OwnTokens
from handrail.ports.errors import Failure, InvalidParams, NotFound
from handrail.ports.paths import ClosedFolders
from handrail.stores.local import settings as settings_file
from handrail.stores.local.consents import SqliteConsents
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.policy_source import PolicySource
from handrail.stores.local.prompt_queue import LoggedPrompts
from handrail.stores.local.settings import Settings
from handrail.stores.local.state import State, open_state
from handrail.stores.local.tokens import SqliteTokens
from handrail.stores.local.user_rules import UserRules
from handrail.wiring.approving import InQueue, queue_approver, summons_to
from handrail.wiring.apps import OpenApps, open_apps
from handrail.wiring.browsers import open_bus, remote_bus
from handrail.wiring.desktops import host_client, own_executor
from handrail.wiring.previews import kept_previews, open_preview_session
from handrail.wiring.sign_ins import credentials_in

if TYPE_CHECKING:
    from handrail.features.browser.bus.bus import LocalBus
    from handrail.features.desktop.host_client.client import HostClient

SURFACES = ("workspace", "webgal", "browser", "desktop", "apps", "people")
HANDRAIL_FOLDER = ".handrail"


@dataclass(frozen=True, slots=True)
class House:
    """An open project: everything a face needs."""

    settings: Settings
    state: State
    gate: Gate
    policy: PolicySource
    workspace: Workspace
    audit: Audit
    evidence: Evidence
    project: LocalFolder
    prompts: LoggedPrompts
    summons: Summons
    scripts: Scripts
    preview_session: PreviewSession
    """Where scenes are shown; started by the first one."""
    host: HostClient
    """The desktop's host, which is looked for when it is first called."""
    apps: OpenApps
    """The apps of this machine, whose descriptors are read when they are first asked for."""
    bus: LocalBus | None = None
    """The bus to browsers, where this process is to be the server."""

    @property
    def registry(self) -> Registry:
        return self.gate.registry

    def close(self) -> None:
        self.summons.close()
        self.scripts.close()
        self.audit.close()
        self.state.close()
        self.project.close()


def describe() -> Registry:
    """Every tool, without a project: what the docs and `handrail tools` need."""
    return Registry([surface_of(feature) for feature in built_in()], not_installed=_not_installed())


def open_house(
    project: Path,
    state_dir: Path | None,
    approver: Approver | InQueue,
    *,
    surfaces: Collection[str] | None = None,
    flags: Mapping[str, Any] | None = None,
    is_server: bool = False,
) -> House:
    """The server has the bus to browsers; every other process reaches that of the server which runs."""
    check_surfaces(surfaces)
    state = open_state(state_dir)
    settings = settings_file.load(state.path, flags or {})
    closed = ClosedFolders(())
    files = _open_project(project, closed)
    own, house_folder = files.subfolder(AGENT_FOLDER), files.subfolder(HANDRAIL_FOLDER)
    policy = PolicySource(house_folder, state.path, UserRules(state.path), closed)
    policy.load()
    checks = Checks(files, policy.current, os.environ.get("HANDRAIL_LANG", ""))
    workspace = Workspace(
        files=files,
        own=own,
        policy=policy.latest,
        snapshots=Snapshots(own, utc_now),
        dry_runs=DryRuns(own, utc_now),
        idempotency=Idempotency(own, utc_now),
        differ=GnuDiff(),
        searcher=ripgrep.Ripgrep(),
        replacer=Re2Replacer(),
        now=utc_now,
        tools=lambda: [entry.tool for entry in registry],
        review=checks.review,
    )
    prompts = LoggedPrompts(state.path)
    bus = open_bus(state) if is_server else None
    browser = Browser(bus or remote_bus(state.path), files)
    host = host_client(state, files.location, is_server=is_server)
    desktop = Desktop(host, files, own_executor, policy.current)
    apps = open_apps(credentials_in(state.path))
    scripts = Scripts(files, policy.current, KeptPrograms(), os.environ, sysconfig.get_path("scripts"))
    preview_session = open_preview_session(files, policy.current, settings, is_server=is_server)
    previews = preview_session if is_server else kept_previews(preview_session, state, settings, files)
    webgal_port = WebGal(checks, WorkspaceChanges(workspace), scripts, previews, LocalTab(preview_session, files))
    ports = {
        "workspace": workspace,
        "webgal": webgal_port,
        "browser": browser,
        "desktop": desktop,
        "apps": apps.port,
        "people": prompts,
    }
    registry = Registry(
        [surface_of(feature, ports.get(feature.name)) for feature in built_in()],
        surfaces if settings.desktop else {*(surfaces or SURFACES)} - {"desktop"},
        in_developer_mode=lambda: policy.current().is_for_developers,
        not_installed=_not_installed(),
    )
    audit, evidence = Audit(state.journal("audit")), Evidence(house_folder, {"desktop": files.subfolder(".")})
    has_terminal = isinstance(approver, InQueue) and approver.has_terminal
    if isinstance(approver, InQueue):
        approver = queue_approver(state, prompts, approver)
    summons = summons_to(settings, state.path, Path(files.location))
    gate = Gate(
        registry,
        policy.fetch,
        approver,
        OwnTokens(),
        Recorder(evidence, audit, files.location),
        executor_tokens=SqliteTokens(state.database),
        consents=SqliteConsents(state.database),
        summon=summons.call if settings.call_person and not has_terminal else nobody_is_called,
    )
    _recover(workspace)
    return House(
        settings=settings,
        state=state,
        gate=gate,
        policy=policy,
        workspace=workspace,
        audit=audit,
        evidence=evidence,
        project=files,
        prompts=prompts,
        summons=summons,
        scripts=scripts,
        preview_session=preview_session,
        host=host,
        apps=apps,
        bus=bus,
    )


def check_surfaces(surfaces: Collection[str] | None) -> None:
    features = {feature.name: feature for feature in built_in() if feature.tools}
    for name in surfaces or ():
        if name not in features:
            raise InvalidParams(f"There is no surface named {name!r}.", hint=f"Known are: {', '.join(features)}.")
        if not features[name].is_installed:
            raise InvalidParams(f"The surface {name!r} isn't installed.", hint=features[name].how_to_install)


def _not_installed() -> dict[str, str]:
    return {feature.name: feature.how_to_install for feature in built_in() if not feature.is_installed}


def _open_project(project: Path, closed: ClosedFolders) -> LocalFolder:
    try:
        return LocalFolder.open(os.path.abspath(project), closed)
    except NotFound:
        raise NotFound(
            f"There is no project folder {project}.", hint="Name an existing folder with --project."
        ) from None


def _recover(workspace: Workspace) -> None:
    """What a killed process left half done is settled before the first call."""
    try:
        settle(workspace)
    except Failure:
        return
