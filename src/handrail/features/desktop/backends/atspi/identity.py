"""Under which names an app may be meant: what the session, its process and its windows call it."""

import configparser
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handrail.features.desktop.backends.atspi.desktop_files import DesktopFiles

_INTERPRETERS = re.compile(r"(python|perl|ruby|node|java|gjs|bash|sh|electron)[\d.]*(-console)?$")
_SCOPE = re.compile(r"/app(?:-[a-zA-Z0-9]+)?-([A-Za-z0-9_.\\]+?)(?:@[^/]*|-\d+)\.(?:scope|service)")


@dataclass(frozen=True, slots=True)
class Identity:
    app_id: str
    ids: frozenset[str]


class Identities:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._files = DesktopFiles(environment)

    def of(self, pid: int, app_name: str, classes: Sequence[str]) -> Identity:
        program = _program(pid)
        desktop_id = _launched_as(pid) or self._files.id_of((*classes, app_name), program)
        app_id = desktop_id or next(iter(reversed(classes)), "") or app_name or program
        names = {app_name, program, *classes, app_id}
        if desktop_id:
            names |= {desktop_id, f"{desktop_id}.desktop"}
        return Identity(app_id, frozenset(name for name in names if name))


def _program(pid: int) -> str:
    """The executable's name; for scripts the one that the kernel shows, which is the script's."""
    try:
        program = os.path.basename(os.readlink(f"/proc/{pid}/exe")).removesuffix(" (deleted)")
    except OSError:
        return ""
    return _text(f"/proc/{pid}/comm").strip() if _INTERPRETERS.match(program) else program


def _launched_as(pid: int) -> str | None:
    """What started it says which app it is: a sandbox, a desktop shell, systemd."""
    sandbox = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        sandbox.read_string(_text(f"/proc/{pid}/root/.flatpak-info"))
        if name := sandbox.get("Application", "name", fallback=None):
            return name
    except configparser.Error:
        pass
    variables = dict(one.partition("=")[::2] for one in _text(f"/proc/{pid}/environ").split("\0"))
    if variables.get("GIO_LAUNCHED_DESKTOP_FILE_PID") == str(pid):
        file = variables.get("GIO_LAUNCHED_DESKTOP_FILE", "")
        return file.rpartition("/applications/")[2].replace("/", "-").removesuffix(".desktop") or None
    scope = _SCOPE.search(_text(f"/proc/{pid}/cgroup"))
    return re.sub(r"\\x([0-9a-f]{2})", lambda escaped: chr(int(escaped[1], 16)), scope[1]) if scope else None


def _text(path: str) -> str:
    try:
        with open(path, errors="replace") as file:
            return file.read(1 << 20)
    except OSError:
        return ""
