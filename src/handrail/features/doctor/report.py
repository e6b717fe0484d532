"""The setup check for `handrail doctor` and the console: what works, what is missing, and how to get it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from handrail.kernel.approval import NoApprover
from handrail.kernel.checks import Check, CheckContext, attempt
from handrail.kernel.feature import Feature, load
from handrail.kernel.program import Program
from handrail.ports.errors import Failure

_OLDEST_PYTHON = (3, 11)
_FIX = "Fix the problem named here."


def report(program: Program, folder: Path, state: Path | None) -> dict[str, Any]:
    """Returns `{ok, checks}`; ok if everything that handrail needs is there."""
    checks = list(_checks(CheckContext(program, folder, state)))
    is_ok = all(check.ok for check in checks if check.required)
    return {"ok": is_ok, "checks": [check._asdict() for check in checks]}


def _checks(context: CheckContext) -> Iterator[Check]:
    yield _python()
    yield _state(context)
    yield _project(context)
    yield _sandbox(context.program)
    yield _mcp_sdk()
    yield from _optional_features(context.program)
    yield _server(context)
    for feature in context.program.features:
        if feature.checks and feature.missing_extra is None:
            yield from _feature_checks(feature, context)


def _python() -> Check:
    import platform

    oldest = ".".join(map(str, _OLDEST_PYTHON))
    is_new = sys.version_info >= _OLDEST_PYTHON
    fix = None if is_new else f"Install Python {oldest} or newer."
    return Check("Python", is_new, f"{platform.python_version()} at {sys.executable}", fix)


def _state(context: CheckContext) -> Check:
    def describe() -> str:
        stores = context.program.open_stores(context.state)
        path, number = stores.path, stores.format
        if not os.access(path, os.W_OK):
            raise PermissionError(f"{path} can't be written to")
        return f"{path}, format {number}"

    return attempt("state directory", describe, "Name a folder that you may write to with --state or $HANDRAIL_STATE.")


def _project(context: CheckContext) -> Check:
    def describe() -> str:
        project = context.program.open_project(context.folder, context.state, NoApprover())
        try:
            if project.policy.file is None:
                policy = "no policy of its own"
            else:
                policy = "its policy is trusted" if project.policy.is_trusted() else "its policy is not trusted"
            return f"{project.location}, {policy}"
        finally:
            project.close()

    return attempt("project", describe, "Name the project's folder with --project, or fix the problem named here.")


def _sandbox(program: Program) -> Check:
    if program.machine.has_openat2():
        return Check("sandbox", True, "openat2(2)", required=False)
    return Check(
        "sandbox", True, "checks each path component: this kernel or container has no openat2(2)", required=False
    )


def _mcp_sdk() -> Check:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Check("MCP SDK", True, f"mcp {version('mcp')}")
    except PackageNotFoundError:
        return Check("MCP SDK", False, "not installed", "`handrail mcp` needs it: pip install 'mcp>=2.3,<3'")


def _optional_features(program: Program) -> Iterator[Check]:
    extras = [each for feature in program.features for each in (feature.extra, *feature.further_extras) if each]
    installed = [extra.name for extra in extras if extra.is_installed]
    yield Check("optional features", True, f"installed: {', '.join(installed)}", required=False)
    for extra in extras:
        if not extra.is_installed:
            yield Check(extra.name, False, "not installed", extra.how_to_install, required=False)


def _feature_checks(feature: Feature, context: CheckContext) -> Iterator[Check]:
    """A feature whose checks fail is reported as one more problem, and doesn't hide the others."""
    try:
        yield from load(feature.checks)(context)
    except Failure as failure:
        yield Check(feature.title, False, failure.message, failure.hint or _FIX, required=False)
    except OSError as error:
        yield Check(feature.title, False, str(error), _FIX, required=False)


def _server(context: CheckContext) -> Check:
    name = "handrail up"
    try:
        server = context.program.open_stores(context.state).running_server()
    except (Failure, OSError):  # reported as a problem of the state directory
        server = None
    if server is None or server.pid == 0:
        return Check(name, True, "not running", required=False)
    if server.is_running and _answers(server.host, server.port):
        return Check(name, True, f"running at {server.url}, process {server.pid}", required=False)
    return Check(
        name,
        False,
        f"server.json names process {server.pid} at {server.url}, but nothing answers there",
        "It ended without cleaning up. Start `handrail up` again: it replaces the file.",
        required=False,
    )


def _answers(host: str, port: int) -> bool:
    import socket

    try:
        with socket.create_connection((host.strip("[]"), port), timeout=1.0):
            return True
    except OSError:
        return False
