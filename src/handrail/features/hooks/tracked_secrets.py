"""Finds files of secrets that the project's repository tracks: git shows them without opening them by name."""

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from handrail.features.hooks.path_scope import is_within
from handrail.ports.folded_name import fold_name
from handrail.ports.secret_files import is_secret_path

_SECONDS = 5.0
_MAY_BE_SECRET = re.compile(
    rb"env|rc|netrc|pgpass|credential|htpasswd|ssh|aws|gnupg|azure|boto|s3cfg|vault|docker|kube|pem|key|p12|pfx|jks|id_"
    rb"|gcloud|config/gh|handrail|webgal_agent|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""A quick filter: most names in a project match none of these."""
_LISTS = (("ls-files", "-z", "--cached"), ("ls-tree", "-r", "-z", "--name-only", "HEAD"))
"""What is staged, and what is committed: a staged deletion still shows the old content."""


def first_secret(names: Iterable[bytes]) -> str | None:
    """The first of these paths that is closed by default."""
    for line in filter(_MAY_BE_SECRET.search, names):
        name = line.decode(errors="replace")
        parts = {fold_name(part) for part in name.split("/")}
        if ".git" not in parts and (is_secret_path(name) or not parts.isdisjoint((".handrail", ".webgal_agent"))):
            return name
    return None


def tracked_secret(root: str, paths: Sequence[str] | None) -> str | None:
    """What is said about a file of secrets that the repository around `root` tracks; None if it tracks none.

    With `paths`, only those at or below them count.
    """
    top = next((each for each in (Path(root), *Path(root).parents) if os.path.lexists(each / ".git")), None)
    if top is None:
        return None
    limits = None if paths is None else [place for path in paths for place in (path, os.path.realpath(path))]
    try:
        for words in _LISTS:
            result = subprocess.run(
                ["git", "-c", "core.fsmonitor=false", *words],
                cwd=top, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
            names = [
                name
                for name in result.stdout.split(b"\0")
                if limits is None or any(is_within(os.path.join(top, os.fsdecode(name)), limit) for limit in limits)
            ]
            if (secret := first_secret(names)) is not None:
                return f"{secret}, which the repository tracks and which is closed to agents."
    except (OSError, subprocess.SubprocessError):
        return "more files than can be looked at."
    return None
