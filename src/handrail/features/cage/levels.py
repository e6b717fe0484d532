"""How well this machine can confine an agent (full, narrow or not at all), and why."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from handrail.features.cage.session import Level

_BUBBLEWRAP = ("/usr/local/bin/bwrap", "/usr/bin/bwrap", "/bin/bwrap")
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_VERSION = 1
NEEDED_LANDLOCK = 6
"""The first version that also isolates abstract sockets and signals."""
_MACHINES = ("x86_64", "aarch64")
_PROBE = (
    "import sys; sys.path.insert(0, sys.argv[1]); import namespace as n; n.enter_namespaces(has_network=False);"
    "import os, tempfile; t = tempfile.mkdtemp(); [os.mkdir(f'{t}/{d}') for d in 'luw'];"
    "s = os.stat(f'{t}/l'); n.mount_overlay(f'{t}/l', (s.st_dev, s.st_ino), f'{t}/u', f'{t}/w')"
)


class Confinement:
    """`why` is what is missing for a higher level; `fix` says what to do about it."""

    def __init__(self, level: Level, bubblewrap: str | None, why: str = "", fix: str = "") -> None:
        self.level = level
        self.bubblewrap = bubblewrap
        self.why = why
        self.fix = fix


def best_level() -> Confinement:
    """Looks quickly at what is installed and enabled. The kernel may still refuse when the cage is made."""
    if sys.platform != "linux":
        return Confinement("none", None, "only Linux has what the cage needs", "Run the agent in a Linux machine.")
    bubblewrap = next((path for path in _BUBBLEWRAP if os.access(path, os.X_OK)), None)
    if bubblewrap is None:
        return below_full(None, "bubblewrap isn't installed", "Install it: sudo apt install bubblewrap")
    if (obstacle := _namespace_obstacle()) is not None:
        return below_full(bubblewrap, obstacle, "Allow user namespaces for bwrap; see docs/cage.md.")
    return Confinement("full", bubblewrap)


def below_full(bubblewrap: str | None, why: str, fix: str) -> Confinement:
    """Returns the best level without namespaces."""
    if os.geteuid() == 0:
        return Confinement("none", bubblewrap, f"{why}; the narrow cage can't hold root", f"Run it as yourself. {fix}")
    if os.uname().machine not in _MACHINES:
        return Confinement("none", bubblewrap, f"{why}; the narrow cage isn't made for this machine", fix)
    if (version := landlock_version()) < NEEDED_LANDLOCK:
        older = f"this kernel's Landlock is version {version}, and {NEEDED_LANDLOCK} is needed"
        return Confinement("none", bubblewrap, f"{why}; {older}", fix)
    return Confinement("narrow", bubblewrap, why, fix)


def _namespace_obstacle() -> str | None:
    if _number("/proc/sys/user/max_user_namespaces", 1) == 0:
        return "user namespaces are switched off (user.max_user_namespaces)"
    if _number("/proc/sys/kernel/unprivileged_userns_clone", 1) == 0 and os.geteuid() != 0:
        return "user namespaces are switched off (kernel.unprivileged_userns_clone)"
    if _number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 1 and os.geteuid() != 0:
        return "AppArmor bars user namespaces (kernel.apparmor_restrict_unprivileged_userns)"
    return None


def probe_level() -> Confinement:
    """Also tries to make the namespaces and the overlay, for `handrail doctor`. Blocks."""
    import subprocess

    confinement = best_level()
    if confinement.level != "full":
        return confinement
    command = [sys.executable, "-I", "-c", _PROBE, os.path.dirname(__file__)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    if result.returncode == 0:
        return confinement
    error = result.stderr.strip().rpartition("\n")[2]
    return below_full(confinement.bubblewrap, f"the kernel refused: {error}", "See docs/cage.md for what it needs.")


def landlock_version() -> int:
    import ctypes

    version = int(ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION))
    return max(version, 0)


def _number(path: str, otherwise: int) -> int:
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return otherwise
