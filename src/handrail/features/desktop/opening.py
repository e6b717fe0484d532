"""Opens the desktop for a project, keeps the server's host running, and checks and tidies the desktop."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from socket import socketpair
from typing import TYPE_CHECKING, Any

from handrail.features.desktop.desktop import Desktop
from handrail.features.desktop.settings import DesktopSettings
from handrail.kernel.checks import Check, CheckContext
from handrail.kernel.evidence import utc_now
from handrail.kernel.pruning import Limits, prune
from handrail.kernel.settings import load_one
from handrail.ports.errors import Disabled, Failure, NotFound

if TYPE_CHECKING:
    from handrail.kernel.project import Project
    from handrail.ports.peers import Identify
    from handrail.ports.stores import Stores


_SERVER_HOST_WAIT_SECONDS = 15.0
_CHECK_HOST_UNUSED_SECONDS = 1


def open_desktop(project: Project) -> Desktop:
    """Connects on first use. Inside the server it waits for the host that the server itself keeps running."""
    from handrail.features.desktop.host_client.client import HostClient
    from handrail.features.desktop.host_client.discovery import find_host

    folder, patience = os.path.realpath(project.location), _SERVER_HOST_WAIT_SECONDS if project.is_server else 0.0
    host = HostClient(folder, partial(find_host, project.stores.path, folder, patience=patience))
    executor = partial(own_executor, project.machine.identify)
    return Desktop(host, project.files, executor, project.policy.current)


def own_executor(identify: Identify) -> str:
    """Returns how the host identifies this process, so that tokens issued to it are valid for no other process."""
    from handrail.features.desktop.host.confirmation import gateway_scope

    one_end, other_end = socketpair()
    with one_end, other_end:
        caller = identify(one_end)
    caller.close()
    return gateway_scope(caller.peer)


def is_on(project: Project) -> bool:
    return project.settings_of(DesktopSettings).desktop


@asynccontextmanager
async def host_beside_server(project: Project) -> AsyncIterator[None]:
    """Keeps a host running beside the server, which other processes use too, unless the settings turn it off."""
    from handrail.features.desktop.host_client.discovery import SOCKET
    from handrail.features.desktop.host_client.process import keep_host_running

    if not project.is_server or not is_on(project):
        yield
        return
    state = project.stores.path
    async with keep_host_running(state / SOCKET, project.location, state):
        yield


def fetch_doctor_report(project: str, stores: Stores, *, is_on: bool) -> dict[str, Any]:
    """Returns the report of `desktop.doctor`. A host that is started for it ends at once. Offline, Disabled."""
    from handrail.features.desktop.host_client.client import HostClient
    from handrail.features.desktop.host_client.discovery import find_host

    if not is_on:
        raise Disabled("switched off", hint="The setting `desktop` turns it on.")

    async def ask() -> dict[str, Any]:
        client = HostClient(
            project, partial(find_host, stores.path, project, unused_seconds=_CHECK_HOST_UNUSED_SECONDS)
        )
        try:
            return await client.call("desktop.doctor", {}, timeout_ms=10_000)
        finally:
            await client.close()

    return asyncio.run(ask())


def tidy(project: Project) -> None:
    """Removes old evidence, which contract 1 keeps outside of `.handrail`."""
    from handrail.features.desktop.host.execution import ROOT

    settings = project.settings
    limits = Limits(timedelta(days=settings.evidence_max_days), settings.evidence_max_megabytes * 1_000_000)
    prune(project.files, [ROOT], limits, utc_now())
    with suppress(NotFound):  # version 0.1 left it readable for others
        project.files.make_private(ROOT)


def checks(context: CheckContext) -> Iterator[Check]:
    yield from _password_checks(context)
    if sys.platform == "darwin":
        detail = "not supported on macOS: docs/ports/macos.md describes a port, which was never built or run"
        yield Check("desktop", False, detail, required=False)
        return
    stores = context.program.open_stores(context.state)
    try:
        is_on = load_one(DesktopSettings, stores.path).desktop
        report = fetch_doctor_report(str(context.folder.resolve()), stores, is_on=is_on)
    except Failure as failure:
        yield Check("desktop", False, failure.message, failure.hint, required=False)
        return
    ok = report["healthy"]
    detail = [f"can be read and controlled, {report['session']}"] if ok else []
    fixes = dict.fromkeys(issue["fix"] for issue in report["fixes"] if issue["fix"])
    detail += dict.fromkeys(report["issues"])
    yield Check("desktop", ok, " ".join(detail), " ".join(fixes) or None, required=False)


def _password_checks(context: CheckContext) -> Iterator[Check]:
    """Reports passwords that version 0.1 stored, if there are any."""
    from handrail.features.desktop.stored_passwords import files_with_passwords, questions_with_passwords

    files = sum(1 for _ in files_with_passwords(context.folder))
    questions = questions_with_passwords(Path(context.program.open_stores(context.state).prompts.location))
    if files or questions:
        counts = [
            _count_text(files, "file of evidence", "files of evidence"),
            _count_text(questions, "question", "questions"),
        ]
        detail = f"{' and '.join(filter(None, counts))} of version 0.1 with a password that was typed on the desktop"
        where = shlex.quote(str(context.folder))
        fix = f"Delete them: handrail desktop forget-passwords --project {where}"
        yield Check("stored passwords", False, detail, fix, required=False)


def _count_text(number: int, one: str, several: str) -> str:
    return "" if not number else f"1 {one}" if number == 1 else f"{number} {several}"
