"""What works on this machine, what is missing, how to get it: for `handrail doctor` and the console."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from handrail.features import built_in
from handrail.features.desktop.feature import EXTRA as DESKTOP
from handrail.features.webgal.feature import EXTRA as WEBGAL
from handrail.kernel.checks import Check, attempt, first_line
from handrail.ports.errors import Failure
from handrail.wiring import doctor_browsers as browsers

_OLDEST_PYTHON = (3, 11)
_MOST_PROBLEMS = 5


def report(project: Path, state: Path | None) -> dict[str, Any]:
    """`{ok, checks}`; ok when everything that handrail needs is there."""
    checks = list(_checks(project, state))
    is_well = all(check.ok for check in checks if check.required)
    return {"ok": is_well, "checks": [check._asdict() for check in checks]}


def _checks(project: Path, state: Path | None) -> Iterator[Check]:
    yield _python()
    yield _state(state)
    yield _project(project, state)
    yield _sandbox()
    yield _ripgrep()
    yield _diff()
    yield _mcp_sdk()
    yield from _optional_features()
    yield _server(state)
    yield browsers.extension()
    yield browsers.chromium()
    yield browsers.browsers(state)
    if WEBGAL.is_installed:
        yield browsers.engine(project)
        yield browsers.preview_browser()
    if DESKTOP.is_installed:
        yield _desktop(project, state)
    yield _apps()


def _python() -> Check:
    import platform

    wanted = ".".join(map(str, _OLDEST_PYTHON))
    is_new = sys.version_info >= _OLDEST_PYTHON
    fix = None if is_new else f"Install Python {wanted} or newer."
    return Check("Python", is_new, f"{platform.python_version()} at {sys.executable}", fix)


def _state(state: Path | None) -> Check:
    from handrail.wiring import state_format

    def look() -> str:
        path, number = state_format(state)
        if not os.access(path, os.W_OK):
            raise PermissionError(f"{path} can't be written to")
        return f"{path}, format {number}"

    return attempt("state directory", look, "Name a folder that you may write to with --state or $HANDRAIL_STATE.")


def _project(project: Path, state: Path | None) -> Check:
    from handrail.kernel.approvals import NobodyToAsk
    from handrail.wiring import open_house, policy_file

    def look() -> str:
        house = open_house(project, state, NobodyToAsk())
        try:
            if policy_file(house) is None:
                policy = "no policy of its own"
            else:
                policy = "its policy is trusted" if house.policy.is_trusted() else "its policy is not trusted"
            return f"{house.project.location}, {policy}"
        finally:
            house.close()

    return attempt("project", look, "Name the project's folder with --project, or mend what is named here.")


def _sandbox() -> Check:
    from handrail.wiring import has_openat2

    if has_openat2():
        return Check("sandbox", True, "openat2(2)", required=False)
    return Check(
        "sandbox", True, "one component after the other: this kernel or container has no openat2(2)", required=False
    )


def _ripgrep() -> Check:
    from handrail.wiring import ripgrep_program

    def look() -> str:
        program = ripgrep_program()
        return f"{first_line(program, '--version')} at {program}"

    return attempt("ripgrep", look, "search_files needs it. Install handrail again: it brings ripgrep along.")


def _diff() -> Check:
    def look() -> str:
        line = first_line("diff", "--version")
        if "GNU" not in line:
            raise OSError(f"not GNU diff: {line}")
        return line

    return attempt("GNU diff", look, "Large diffs are slow without it: install the package diffutils.", required=False)


def _mcp_sdk() -> Check:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Check("MCP SDK", True, f"mcp {version('mcp')}")
    except PackageNotFoundError:
        return Check("MCP SDK", False, "not installed", "`handrail mcp` needs it: pip install 'mcp>=2.3,<3'")


def _optional_features() -> Iterator[Check]:
    known = [extra for feature in built_in() for extra in (feature.extra, *feature.further_extras) if extra is not None]
    installed = ", ".join(extra.name for extra in known if extra.is_installed)
    yield Check("optional features", True, f"installed: {installed}", required=False)
    for extra in known:
        if not extra.is_installed:
            yield Check(extra.name, False, "not installed", extra.how_to_install, required=False)


def _server(state: Path | None) -> Check:
    from handrail.wiring import running_server

    name, server = "handrail up", running_server(state)
    if server is None or server.pid == 0:
        return Check(name, True, "not running", required=False)
    if server.is_running and _answers(server.host, server.port):
        return Check(name, True, f"running at {server.url}, process {server.pid}", required=False)
    return Check(
        name,
        False,
        f"server.json names process {server.pid} at {server.url}, and nothing answers there",
        "It ended without tidying up. Start `handrail up` again: it replaces the file.",
        required=False,
    )


def _desktop(project: Path, state: Path | None) -> Check:
    """What the desktop's host says of this session."""
    from handrail.wiring import desktop_checkup

    try:
        found = desktop_checkup(project, state)
    except Failure as failure:
        return Check("desktop", False, failure.message, failure.hint, required=False)
    ok = found["healthy"]
    detail = [f"can be seen and acted on, {found['session']}"] if ok else []
    fixes = dict.fromkeys(issue["fix"] for issue in found["fixes"] if issue["fix"])
    detail += dict.fromkeys(found["issues"])
    return Check("desktop", ok, " ".join(detail), " ".join(fixes) or None, required=False)


def _apps() -> Check:
    from handrail.wiring import descriptor_problems

    count, problems = descriptor_problems()
    if not problems:
        return Check("apps", True, f"{count} found", required=False)
    told = "; ".join(map(str, problems[:_MOST_PROBLEMS]))
    more = f"; and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
    fix = "`handrail apps check FILE` tells everything about a descriptor."
    return Check("apps", False, f"{count} found. {told}{more}", fix, required=False)


def _answers(host: str, port: int) -> bool:
    import socket

    try:
        with socket.create_connection((host.strip("[]"), port), timeout=1.0):
            return True
    except OSError:
        return False
