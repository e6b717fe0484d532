"""The agent's environment: a few of the person's variables, its own home, and the address of handrail's proxy."""

from __future__ import annotations

import os

from handrail.features.cage.mounts import TOOLCHAINS
from handrail.features.cage.spec import ENDPOINT_PORT, Mount
from handrail.ports.errors import InvalidParams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENDPOINT = f"http://127.0.0.1:{ENDPOINT_PORT}"
TOKEN_VARIABLE = "HANDRAIL_CAGE_TOKEN"
"""The client finds its token for handrail's MCP server here."""
_PASSED_ON = ("COLORTERM", "LANG", "LANGUAGE", "NO_COLOR", "TERM", "TERM_PROGRAM", "TZ")
_ESSENTIAL = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment(
    environ: Mapping[str, str], user: str, home: str, mounts: Sequence[Mount], token: str, requested: Sequence[str]
) -> dict[str, str]:
    """`home` is the agent's; `requested` are the variables of `--env`. InvalidParams."""
    variables = {name: environ[name] for name in environ if name in _PASSED_ON or name.startswith("LC_")}
    for name, variable in TOOLCHAINS:
        if variable and (path := _toolchain_path(name, variable, environ, mounts)):
            variables[variable] = path
    proxy = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), ENDPOINT)
    variables |= {**proxy, **{name.lower(): value for name, value in proxy.items()}}
    variables |= {
        "HOME": home,
        "USER": user,
        "LOGNAME": user,
        "SHELL": "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh",
        "PATH": _path(environ.get("PATH", ""), mounts),
        "NO_PROXY": "127.0.0.1,localhost,::1",
        "no_proxy": "127.0.0.1,localhost,::1",
        "NODE_USE_ENV_PROXY": "1",
        "JAVA_TOOL_OPTIONS": " ".join(
            f"-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={ENDPOINT_PORT}" for scheme in ("http", "https")
        ),
        "HANDRAIL_CAGE": "1",
        TOKEN_VARIABLE: token,
    }
    for name in requested:
        if name not in environ:
            raise InvalidParams(f"--env: the variable {name} isn't set.", hint="Set it, or leave it out.")
        variables[name] = environ[name]
    return variables


def _path(search_path: str, mounts: Sequence[Mount]) -> str:
    """Returns the person's PATH without folders that don't exist inside."""
    folders = [folder for folder in search_path.split(":") if any(_contains(mount, folder) for mount in mounts)]
    essential = [folder for folder in _ESSENTIAL.split(":") if folder not in folders]
    return ":".join([*folders, *essential])


def _contains(mount: Mount, folder: str) -> bool:
    return folder == mount.target or folder.startswith(mount.target + "/")


def _toolchain_path(name: str, variable: str, environ: Mapping[str, str], mounts: Sequence[Mount]) -> str | None:
    path = environ.get(variable) or os.path.join(environ.get("HOME", ""), name)
    return path if any(mount.target == path for mount in mounts) else None
