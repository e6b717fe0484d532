"""What a project's script gets to know of our environment: names that hold no secrets, and nothing else."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

_KEPT = ("HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
_SECRETS = ("*TOKEN*", "*SECRET*", "*PASSWORD*", "*PASSWD*", "*API_KEY*", "*APIKEY*", "*CREDENTIAL*", "*PRIVATE_KEY*")
_SHORTEST_SECRET = 6


def for_child(environ: Mapping[str, str], redacted: Sequence[str]) -> dict[str, str]:
    """`redacted`: names, or patterns of names, that the policy keeps out as well."""
    return {name: value for name, value in environ.items() if _matches(name, _KEPT) and not _matches(name, redacted)}


def secrets_of(environ: Mapping[str, str], redacted: Sequence[str]) -> list[str]:
    """Values that must not be shown, wherever a script may have them from. Short ones are words like any other."""
    return [
        value
        for name, value in environ.items()
        if len(value) >= _SHORTEST_SECRET and _matches(name.upper(), (*_SECRETS, *map(str.upper, redacted)))
    ]


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
