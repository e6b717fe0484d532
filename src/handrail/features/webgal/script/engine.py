"""Reads an engine's built script: its version, and the commands and arguments that it knows.

Bundlers keep these names, in different forms:

- up to 4.3: `case"setBgAni":return t.perform_bgAni`
- up to 4.4: `{scriptString:"setBgAni",scriptType:…}`
- from 4.5 on: `setTransform:x(y.setTransform,z)`
"""

import re

import msgspec

# `a="4.5.18",b={version:a,` or `{version:"WebGAL 4.4.5.3",`
_VERSION = re.compile(
    rb'="([0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.-]{0,20})",[\w$]+=\{version:'
    rb'|version:"WebGAL ([0-9]+\.[0-9]+[0-9A-Za-z.-]{0,20})"'
)
_COMMAND = re.compile(
    rb'case"(\w+)":return [\w$]+\.\w+'
    rb'|scriptString:"(\w+)"'
    rb"|[{,](\w+):[\w$]+\([\w$]+\.\w+,[\w$]+[,)]"
)
_ARGUMENT = re.compile(rb'\.key===?"(\w+)"|[\w$]\([\w$]+,"(\w+)"\)')
_ALWAYS = frozenset({"changeBg", "changeScene", "choose", "setVar"})
"""Every engine knows these; without them, the pattern matched something else."""
_NUMBER = re.compile(r"\d+")
_PARTS = 3


class Engine(msgspec.Struct, frozen=True):
    """Without commands, only the version is known."""

    version: str
    commands: frozenset[str] = frozenset()
    arguments: frozenset[str] = frozenset()

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers, for comparisons: (4, 5, 18)."""
        return tuple(int(part) for part in _NUMBER.findall(self.version)[:_PARTS])


def read_engine(script: bytes) -> Engine | None:
    """Reads an engine's built script; returns None if it doesn't name its version."""
    version = _VERSION.search(script)
    if version is None:
        return None
    number = (version[1] or version[2]).decode()
    commands = _names(_COMMAND, script)
    return Engine(number, commands, _names(_ARGUMENT, script)) if commands >= _ALWAYS else Engine(number)


def _names(pattern: re.Pattern[bytes], script: bytes) -> frozenset[str]:
    return frozenset(next(filter(None, groups)).decode() for groups in pattern.findall(script))
