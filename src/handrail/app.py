"""The composition: the only place that knows everybody."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handrail.backends import display, person, ripgrep
from handrail.backends.gnudiff import GnuDiff
from handrail.backends.localfs import beneath
from handrail.backends.localfs.folder import LocalFolder
from handrail.backends.regexes.replacer import Re2Replacer
from handrail.backends.summons import Summons, Whereabouts
from handrail.contract.approval import Approver, Question
from handrail.contract.errors import Conflict, Failure, InvalidParams, NotFound, Unsupported
from handrail.contract.paths import ClosedFolders
from handrail.contract.target import ANY_HOST
from handrail.core.audit import Audit
from handrail.core.evidence import Evidence, utc_now
from handrail.core.gate import Gate
from handrail.core.left_prompts import LeftPrompts
from handrail.core.queue_approver import BesideQuestion, QueueApprover, in_the_queue_alone
from handrail.core.registry import Registry
from handrail.core.summoning import nobody_is_called
from handrail.store import settings as settings_file
from handrail.store.once import SqliteOnce
from handrail.store.policy_source import POLICY_FILE, PolicySource, Trust
from handrail.store.private_file import make_private_folder
from handrail.store.prompt_queue import LoggedPrompts
from handrail.store.settings import Settings
from handrail.store.state import STEPS, State, open_state, state_path
from handrail.store.tokens import SqliteTokens
from handrail.store.user_rules import UserRules
from handrail.store.watching import is_watched, watching
from handrail.surfaces import browser as browser_surface
from handrail.surfaces import people as people_surface
from handrail.surfaces import workspace as workspace_surface
from handrail.surfaces.workspace.change import settle
from handrail.surfaces.workspace.dry_runs import DryRuns
from handrail.surfaces.workspace.idempotency import Idempotency
from handrail.surfaces.workspace.snapshots import Snapshots
from handrail.surfaces.workspace.workspace import AGENT_FOLDER, Workspace

if TYPE_CHECKING:
    from handrail.backends.remote_bus import BusAddress
    from handrail.contract.browser import Bus
    from handrail.core.mimo.bus import LocalBus
    from handrail.faces.http.annex import Annex
    from handrail.faces.http.desk import Desk
    from handrail.faces.http.server_file import ServerFile

logger = logging.getLogger(__name__)

SURFACES = ("workspace", "webgal", "browser", "desktop", "apps", "people")
HANDRAIL_FOLDER = ".handrail"
_TIDY_AFTER_SECONDS = 5
_TIDY_EVERY_SECONDS = 6 * 3600


@dataclass(frozen=True, slots=True)
class InQueue:
    """Approvals are asked for in the house's queue, and `beside` it. Whether a prompt outlives its caller is told."""

    beside: BesideQuestion = in_the_queue_alone
    is_left_standing: bool = True


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
    bus: LocalBus | None = None
    """The bus to browsers, where this process is to be the server."""

    @property
    def registry(self) -> Registry:
        return self.gate.registry

    def close(self) -> None:
        self.summons.close()
        self.audit.close()
        self.state.close()
        self.project.close()


def describe() -> Registry:
    """Every tool, without a project: what the docs and `handrail tools` need."""
    return Registry([workspace_surface.surface(None), browser_surface.surface(None), people_surface.surface(None)])


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
    names: list[str] = []
    workspace = Workspace(
        files=files,
        own=own,
        policy=policy.current,
        snapshots=Snapshots(own, utc_now),
        dry_runs=DryRuns(own, utc_now),
        idempotency=Idempotency(own, utc_now),
        differ=GnuDiff(),
        searcher=ripgrep.Ripgrep(),
        replacer=Re2Replacer(),
        now=utc_now,
        tool_names=lambda: names,
    )
    prompts = LoggedPrompts(state.path)
    bus = open_bus(state) if is_server else None
    browser = browser_surface.surface(bus or remote_bus(state.path), files)
    registry = Registry([workspace_surface.surface(workspace), browser, people_surface.surface(prompts)], surfaces)
    names += [entry.tool.name for entry in registry]
    audit, evidence = Audit(state.journal("audit")), Evidence(house_folder)
    has_terminal = isinstance(approver, InQueue) and approver.beside is not in_the_queue_alone
    if isinstance(approver, InQueue):
        approver = _queue_approver(state, prompts, approver)
    summons = _summons(settings, state.path, Path(files.location))
    gate = Gate(
        registry,
        policy.current,
        approver,
        SqliteTokens(state.database),
        evidence,
        audit,
        files.location,
        summon=summons.call if settings.call_person and not has_terminal else nobody_is_called,
    )
    _recover(workspace)
    return House(settings, state, gate, policy, workspace, audit, evidence, files, prompts, summons, bus)


def open_queue(state_dir: Path | None) -> LoggedPrompts:
    """The questions to people of every project on this state directory."""
    return LoggedPrompts(open_state(state_dir).path)


def watching_queue(state_dir: Path | None) -> AbstractContextManager[None]:
    """While inside, a person looks at the queue, and nobody else is called to it."""
    return watching(open_state(state_dir).path)


def open_audit(state_dir: Path | None) -> Audit:
    """The record of every project on this state directory."""
    return Audit(open_state(state_dir).journal("audit"))


def policy_file(house: House) -> bytes | None:
    """The project's own policy as it stands there now."""
    try:
        return house.project.subfolder(HANDRAIL_FOLDER).read(POLICY_FILE)
    except NotFound:
        return None


def policy_in_force(house: House) -> dict[str, Any]:
    """What `handrail policy` and the console show."""
    from handrail.core.policy_summary import summary

    source = house.policy
    return summary(
        source.load(), path=source.where, exists=policy_file(house) is not None, is_trusted=source.is_trusted()
    )


def trust_policy(house: House, shown: bytes) -> None:
    """Trusts what a person was shown, whatever the file holds by now."""
    Trust(house.state.path).add(shown, house.policy.where)


def check_surfaces(surfaces: Collection[str] | None) -> None:
    for name in surfaces or ():
        if name not in SURFACES:
            raise InvalidParams(f"There is no surface named {name!r}.", hint=f"Known are: {', '.join(SURFACES)}.")


async def serve_stdio(house: House) -> None:
    """`handrail mcp`: until the client closes our stdin."""
    from handrail.faces.mcp.stdio import serve

    async with _tidying(house):
        await serve(house.gate, elicits_approvals=house.settings.elicit_approvals)


async def serve_http(
    house: House,
    on_ready: Callable[[str, str], None],
    checkup: Callable[[], Mapping[str, Any]],
    *,
    console: Path | None = None,
    until_unused: tuple[Callable[[], Awaitable[None]], float] | None = None,
) -> None:
    """`handrail up`: until it is interrupted.

    `on_ready` gets, once it listens, the address and the address that opens the console; `checkup` tells what works;
    `console` is the folder of a built console, if not our own. With `until_unused`, it also ends once that has come
    and nobody has used it for so many seconds.
    """
    from handrail.faces.http.server import Place, UntilUnused, serve
    from handrail.faces.mcp.streamable import McpEndpoint

    place = Place(house.state.path, house.settings.host, house.settings.port)
    async with _tidying(house), _browser(house, house.bus or open_bus(house.state)) as annex:
        endpoint = McpEndpoint(house.gate, elicits_approvals=house.settings.elicit_approvals)
        until = UntilUnused(*until_unused) if until_unused is not None else None
        desk = _desk(house, checkup)
        await serve(house.gate, endpoint, desk, annex, place, on_ready, console_folder=console, until_unused=until)


def open_bus(state: State) -> LocalBus:
    """The bus to browsers, which lives in the server; it remembers in a database of its own."""
    from handrail.core.mimo.artifacts import Artifacts
    from handrail.core.mimo.bus import LocalBus
    from handrail.store.artifact_files import ArtifactFolder, artifacts_folder
    from handrail.store.batches import Batches
    from handrail.store.browser_actions import SqliteActions
    from handrail.store.browser_artifacts import SqliteArtifacts
    from handrail.store.browser_plugins import SqlitePlugins
    from handrail.store.browser_tables import browser_database
    from handrail.store.browser_tasks import SqliteTasks

    batches, files = Batches(browser_database(state.path)), ArtifactFolder(artifacts_folder(state.path))
    return LocalBus(
        SqliteTasks(batches),
        SqliteActions(batches),
        SqlitePlugins(batches),
        Artifacts(SqliteArtifacts(batches), files),
        batches.close,
    )


def remote_bus(state_dir: Path | None) -> Bus:
    """For every other process: the bus of the server that runs on this state directory."""
    from handrail.backends.remote_bus import RemoteBus

    return RemoteBus(_bus_address(state_dir))


def _bus_address(state_dir: Path | None) -> Callable[[], BusAddress | None]:
    from handrail.backends.remote_bus import BusAddress

    def find() -> BusAddress | None:
        server = running_server(state_dir)
        if server is None or not server.is_running:
            return None
        credentials = {"authorization": f"Bearer {server.token}", **console_key(state_dir)}
        return BusAddress(server.host, server.port, credentials)

    return find


def ask_server(state_dir: Path | None, method: str, path: str) -> Any:
    """What the running server's API answers to a person's own command: its data, or its refusal as a Failure."""
    from handrail.backends.remote_bus import RemoteBus

    return asyncio.run(RemoteBus(_bus_address(state_dir)).data(method, path))


EXTENSION_FOLDER = Path(__file__).parent / "extension"


def connected_browsers(state_dir: Path | None) -> list[str]:
    """Offline: no server runs, so none is."""
    plugins = ask_server(state_dir, "GET", "/api/extension/extension-list")
    return [plugin["browserName"] or plugin["clientId"] for plugin in plugins if plugin["socketConnected"]]


def extension_folder() -> Path:
    """Where the built extension is."""
    if not (EXTENSION_FOLDER / "manifest.json").is_file():
        raise NotFound("The extension is not built.", hint="Run `make setup`; a wheel brings it along.")
    return EXTENSION_FOLDER


async def launch_browser(
    state_dir: Path | None,
    server: str,
    code: str,
    on_ready: Callable[[], None],
    *,
    program: str | None = None,
    shows_window: bool = True,
) -> None:
    """A Chromium with a profile below the state directory, paired with the server by this code, until it is closed."""
    from handrail.backends.chromium import Chromium

    found, folder = program or chromium_program(), extension_folder()
    if found is None:
        raise _no_chromium(folder)
    profile = state_path(state_dir) / "chromium"
    make_private_folder(profile)
    browser = await Chromium.start(found, profile, folder, has_display=shows_window)
    try:
        await browser.pair(server, code)
        on_ready()
        await browser.wait()
    finally:
        await asyncio.shield(browser.close())


def chromium_program() -> str | None:
    from handrail.backends import chromium

    return chromium.program()


def _no_chromium(extension: Path) -> Failure:
    from handrail.backends import chromium

    if (branded := chromium.branded_program()) is None:
        return NotFound("No Chromium was found.", hint="Install the package chromium, or name one with --browser.")
    return Unsupported(
        f"{branded} no longer loads extensions from the command line.",
        hint=f'Open chrome://extensions there, switch on "Developer mode", choose "Load unpacked" and {extension}; '
        "then click on the extension and pair it with `handrail extension pair`.",
    )


@asynccontextmanager
async def _browser(house: House, bus: LocalBus) -> AsyncIterator[Annex]:
    from handrail.core.mimo.pairing import Pairings
    from handrail.faces.bus.annex import MimoAnnex

    yield MimoAnnex(bus, Pairings(bus.plugin_records), speaks_legacy=house.settings.legacy_events)
    await bus.close()


def _desk(house: House, checkup: Callable[[], Mapping[str, Any]]) -> Desk:
    from handrail.core.activity_feed import ActivityFeed
    from handrail.core.approvals import OwnCommand
    from handrail.faces.http.desk import Desk
    from handrail.store.following import FollowedFile

    journal, wanted = house.state.journal("audit"), os.environ.get("HANDRAIL_LANG", "")
    make_private_folder(Path(journal.location).parent)  # what is not there yet can't be watched
    return Desk(
        project=house.project.location,
        language=next((known for known in ("en", "zh") if wanted.lower().startswith(known)), None),
        person=user_name(),
        persons_gate=house.gate.asking(OwnCommand()),
        trying_gate=house.gate.asking(_queue_approver(house.state, house.prompts, InQueue())),
        audit=house.audit,
        evidence=house.evidence,
        prompts=house.prompts,
        policy=lambda: policy_in_force(house),
        checkup=checkup,
        follow_activity=ActivityFeed(journal, FollowedFile(Path(journal.location)).watching).follow,
        watching=lambda: watching(house.state.path),
    )


def _summons(settings: Settings, state: Path, project: Path) -> Summons:
    def running() -> str | None:
        server = running_server(state)
        return server.url if server is not None and server.is_running else None

    opens_console = settings.open_console and has_display()
    return Summons(Whereabouts(state, project, running, lambda: is_watched(state), opens_console))


def _queue_approver(state: State, prompts: LoggedPrompts, how: InQueue) -> QueueApprover:
    rules = UserRules(state.path)

    def allow_always(question: Question) -> None:
        members = {"tool": question.call.tool}
        if question.preview.host == ANY_HOST:
            return  # what was shown has no name that a rule could hold
        if question.preview.path is not None:
            members["path"] = question.preview.path
        if question.preview.host is not None:
            members["host"] = question.preview.host
        rules.allow(f"allowed for good on {utc_now():%Y-%m-%d}", **members)

    return QueueApprover(
        prompts,
        SqliteOnce(state.database),
        allow_always,
        beside=how.beside,
        is_left_standing=how.is_left_standing,
    )


@asynccontextmanager
async def _tidying(house: House) -> AsyncIterator[None]:
    """While a server runs, old evidence and leftovers of killed ones go: soon after the start, then every few hours.

    Approvals whose callers went are withdrawn in their time.
    """

    async def tidy() -> None:
        await asyncio.sleep(_TIDY_AFTER_SECONDS)
        while True:
            for chore in (_sweep, _prune_evidence):
                try:
                    await asyncio.to_thread(chore, house)
                except Failure as failure:
                    logger.warning("what should go stays: %s", failure.message)
            await asyncio.sleep(_TIDY_EVERY_SECONDS)

    chores = [asyncio.create_task(tidy()), asyncio.create_task(LeftPrompts(house.prompts).watch())]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()
        await asyncio.gather(*chores, return_exceptions=True)


def _sweep(house: House) -> None:
    """Under the lock, so that no write of a live process is taken for a dead one's."""
    own = house.workspace.own
    if own.mode(".gitignore") is not None:
        with suppress(Conflict), house.workspace.lock(patience=0):  # who has no time to wait comes again later
            own.sweep_all(".")
    house.evidence.sweep()


def _prune_evidence(house: House) -> None:
    max_age = timedelta(days=house.settings.evidence_max_days)
    house.evidence.prune(utc_now(), max_age, house.settings.evidence_max_megabytes * 1_000_000)


def running_server(state_dir: Path | None) -> ServerFile | None:
    """What server.json says; its process may have died without tidying up."""
    from handrail.faces.http.server_file import read

    return read(state_path(state_dir))


def console_key(state_dir: Path | None) -> dict[str, str]:
    """The header by which a person's own command gets a code for the console; empty where no server has left a key."""
    from handrail.faces.http.console_key import HEADER, read

    key = read(state_path(state_dir))
    return {} if key is None else {HEADER: key}


def state_format(state_dir: Path | None) -> tuple[Path, int]:
    """The state directory, made or migrated, and the version of its format."""
    return open_state(state_dir).path, len(STEPS)


# What `handrail doctor` tells of this machine.
has_openat2 = beneath.has_openat2
ripgrep_program = ripgrep.program

user_name = person.user_name
has_display = display.has_display
open_in_browser = display.open_in_browser


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
