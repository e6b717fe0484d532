"""What the cage shows of this machine: system folders, toolchains in the person's home, and folders of `--mount`."""

from __future__ import annotations

import os
import sys

import handrail
from handrail.features.cage.spec import HOME, Mount
from handrail.ports.errors import InvalidParams, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OWN_FOLDERS = (".handrail", ".webgal_agent")
"""handrail's own folders in a project. They contain evidence of other work, so no tool may read them."""
_SYSTEM = ("/usr", "/opt", "/nix/store", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = (
    "alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts", "inputrc",
    "java-17-openjdk", "java-21-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime",
    "magic", "maven", "mime.types", "os-release", "pki/ca-trust", "pki/tls/cert.pem", "pki/tls/certs", "protocols",
    "services", "shells", "ssl/cert.pem", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone",
)  # fmt: skip
TOOLCHAINS = (
    (".asdf", "ASDF_DATA_DIR"), (".bun/bin", ""), (".cargo/bin", ""), (".claude/local", ""), (".deno/bin", ""),
    (".fnm", ""), (".ghcup/bin", ""), (".juliaup", ""), (".local/bin", ""), (".local/lib", ""),
    (".local/share/claude", ""), (".local/share/fnm", "FNM_DIR"), (".local/share/mise", "MISE_DATA_DIR"),
    (".local/share/pipx", ""), (".local/share/pnpm", "PNPM_HOME"), (".local/share/pypoetry", ""),
    (".local/share/uv/python", ""), (".local/share/uv/tools", ""),
    (".npm-global/bin", ""), (".npm-global/lib", ""), (".nvm", "NVM_DIR"), (".pyenv", "PYENV_ROOT"),
    (".rbenv", "RBENV_ROOT"), (".rustup", "RUSTUP_HOME"), (".sdkman/candidates", ""), (".volta", "VOLTA_HOME"),
    ("anaconda3", ""), ("go/bin", ""), ("miniconda3", ""), ("sdk", ""), (".local/go", "GOROOT"),
)  # fmt: skip
"""Folders in the home, and the variable that may name another location. None contains keys: Cargo, uv and
npm keep tokens beside their programs."""
_MOST_COPIED = 256 * 1024
_NEVER = ("/", "/boot", "/dev", "/etc", "/proc", "/root", "/run", "/sys", "/usr", "/var", "/home", "/tmp")  # noqa: S108
_KEYS = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/gh", ".password-store")


def system_mounts() -> tuple[list[Mount], list[tuple[str, str]]]:
    """Returns folders to mount, and links (such as /bin) that lead into them."""
    mounts, links = [], []
    for path in _SYSTEM:
        if os.path.islink(path):
            links.append((path, os.readlink(path)))
        elif os.path.isdir(path):
            mounts.append(Mount(path, path))
    for name in _ETC:
        path = f"/etc/{name}"
        if os.path.exists(path):
            mounts.append(Mount(os.path.realpath(path), path))
    return mounts, links


def copied_files(mounts: Sequence[Mount]) -> tuple[list[Mount], dict[str, bytes]]:
    """Returns the other mounts, and small files of /etc: copying all takes less time than a single mount."""
    remaining, files = [], {}
    for mount in mounts:
        content = _content(mount.source) if mount.target.startswith("/etc/") else None
        if content is None:
            remaining.append(mount)
        else:
            files[mount.target] = content
    return remaining, files


def _content(path: str) -> bytes | None:
    """None for a folder, a large file, and a file that can't be read."""
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_COPIED + 1)
    except OSError:
        return None
    return content if len(content) <= _MOST_COPIED else None


def toolchain_mounts(home: str, environ: Mapping[str, str]) -> Iterator[Mount]:
    for name, variable in TOOLCHAINS:
        path = environ.get(variable) or os.path.join(home, name)
        real = os.path.realpath(path)
        if os.path.isdir(real) and _is_below(real, os.path.realpath(home)) and real != os.path.realpath(home):
            yield Mount(real, os.path.abspath(path))


def program_mounts(command: str, environ: Mapping[str, str], shown: Sequence[Mount]) -> Iterator[Mount]:
    """The packages that a command installed by npm needs. NotFound, InvalidParams."""
    program = _program(command, environ.get("PATH", ""))
    if program is None:
        raise NotFound(f"Unknown command {command!r}.", hint="Check its name, or give its whole path.")
    program = os.path.abspath(program)
    for path in dict.fromkeys((program, os.path.realpath(program))):
        if any(_is_below(path, mount.target) for mount in shown):
            continue
        parts = path.split("/")
        if "node_modules" not in parts:
            raise InvalidParams(
                f"{program} can't be seen in the cage.", hint=f"Add its folder: --mount {os.path.dirname(path)}"
            )
        packages = "/".join(parts[: parts.index("node_modules") + 1])
        yield Mount(packages, packages)


def check_interpreter(command: str, environ: Mapping[str, str], mounts: Sequence[Mount]) -> None:
    """Refuses a script whose interpreter can't be seen in the cage. InvalidParams, NotFound."""
    program = _program(command, environ.get("PATH", ""))
    words = _first_line_words(program) if program is not None else []
    if not words:
        return
    is_searched = os.path.basename(words[0]) == "env"
    names = [word for word in words[1:] if not word.startswith("-") and "=" not in word] if is_searched else words
    interpreters = _programs(names[0], environ.get("PATH", "")) if names else []
    if not interpreters:
        raise NotFound(f"{command} needs {' '.join(names[:1])}, which isn't installed.", hint="Install it.")
    folders = [os.path.dirname(os.path.abspath(path)) for path in interpreters]
    if not any(_is_shown(folder, mounts) for folder in folders):
        raise InvalidParams(
            f"{command} needs {interpreters[0]}, which can't be seen in the cage.",
            hint=f"Add its folder: --mount {folders[0]}",
        )


def _is_shown(folder: str, mounts: Sequence[Mount]) -> bool:
    paths = (folder, os.path.realpath(folder))
    return any(_is_below(path, mount.target) for path in paths for mount in mounts)


def _first_line_words(program: str) -> list[str]:
    """The words after `#!`; none if the program isn't a script."""
    with open(program, "rb") as file:
        first = file.readline(256)
    return os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []


def _program(command: str, search_path: str) -> str | None:
    """Searches PATH as a shell does."""
    return next(iter(_programs(command, search_path)), None)


def _programs(command: str, search_path: str) -> list[str]:
    """All programs of this name, those that a shell finds first at the beginning."""
    folders = [folder for folder in search_path.split(":") if folder]
    candidates = [command] if "/" in command else [os.path.join(folder, command) for folder in folders]
    return [path for path in candidates if os.path.isfile(path) and os.access(path, os.X_OK)]


def handrail_mounts(project: str) -> Iterator[Mount]:
    """handrail itself, which the client's hooks need: its Python, its packages and its own code."""
    package_folder = os.path.dirname(os.path.dirname(os.path.abspath(handrail.__file__)))
    mounted: list[str] = []
    for path in (sys.base_prefix, sys.prefix, package_folder):
        real = os.path.realpath(path)
        if not any(_is_below(real, folder) for folder in ("/usr", "/opt", project, *mounted)):
            mounted.append(real)
            yield Mount(real, path)


def named_mount(text: str, forbidden: Sequence[str], home: str) -> Mount:
    """`DIR`, `DIR:ro` or `DIR:rw` of `--mount`. InvalidParams, NotFound."""
    name, colon, mode = text.rpartition(":")
    if not colon or mode not in ("ro", "rw"):
        name, mode = text, "ro"
    real = os.path.realpath(os.path.expanduser(name))
    if not os.path.isdir(real):
        raise NotFound(f"--mount: {name!r} is not a folder.", hint="Name an existing folder.")
    check_may_be_shown(real, forbidden, home, "--mount")
    return Mount(real, real, is_writable=mode == "rw")


def check_may_be_shown(real: str, forbidden: Sequence[str], home: str, what: str) -> None:
    """Refuses folders with keys, with handrail's state, and of the system. InvalidParams."""
    keys = [os.path.realpath(os.path.join(home, name)) for name in _KEYS]
    if real in _NEVER or _is_below(os.path.realpath(home), real) or real == HOME or _is_below(real, HOME):
        raise InvalidParams(f"{what}: {real} is too much to show an agent.", hint="Name a folder inside it.")
    if any(_is_below(real, root) for root in ("/proc", "/sys", "/dev", "/run", "/etc", "/boot")):
        raise InvalidParams(f"{what}: {real} belongs to the system.", hint="Name a folder of your own.")
    if not set(OWN_FOLDERS).isdisjoint(real.split("/")):
        raise InvalidParams(f"{what}: {real} contains handrail's own records.", hint="Name another folder.")
    for closed in (*keys, *map(os.path.realpath, forbidden)):
        if _is_below(real, closed) or _is_below(closed, real):
            raise InvalidParams(
                f"{what}: {real} contains something that an agent must not see: {closed}.", hint="Name another folder."
            )


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
