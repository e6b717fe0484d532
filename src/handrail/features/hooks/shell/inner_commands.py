"""Finds the commands that wrappers such as `sudo` start, however deeply they are nested."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handrail.features.hooks.shell.syntax import Word

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
_SHELL_VALUES = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
# For each wrapper, the options that take the next word as their value.
_OPTIONS_WITH_VALUE = {
    "sudo": {
        "-u",
        "-g",
        "-h",
        "-p",
        "-C",
        "-D",
        "-R",
        "-r",
        "-t",
        "-T",
        "-U",
        "--user",
        "--group",
        "--chdir",
        "--host",
    },
    "doas": {"-u", "-C"},
    "env": {"-u", "-C", "--unset", "--chdir"},
    "nice": {"-n", "--adjustment"},
    "ionice": {"-c", "-n", "-p", "--class", "--classdata"},
    "timeout": {"-k", "-s", "--kill-after", "--signal"},
    "stdbuf": {"-i", "-o", "-e"},
    "xargs": {"-I", "-L", "-n", "-P", "-s", "-d", "-a", "-E", "--max-args", "--max-procs", "--replace", "--delimiter"},
    "time": {"-f", "-o"},
    "strace": {"-e", "-o", "-p", "-s", "-u", "-E", "-P"},
    "watch": {"-n", "--interval"},
    "flock": {"-w", "-E", "--timeout", "--wait"},
    "chroot": {"--userspec", "--groups"},
    "taskset": set(),
    "setsid": set(),
    "nohup": set(),
    "command": set(),
    "builtin": set(),
    "exec": {"-a"},
    "busybox": set(),
    "coproc": set(),
    "unbuffer": set(),
    "catchsegv": set(),
    "caffeinate": {"-t", "-w"},
    "systemd-run": {"-p", "-u", "--unit", "--property"},
}
_WORDS_BEFORE = {"timeout": 1, "flock": 1, "chroot": 1, "taskset": 1}
"""The number of the wrapper's own words: a duration, a lock file, a new root, a mask."""
_LOOKUP_OPTIONS = {"command": {"-v", "-V"}}


@dataclass(frozen=True, slots=True)
class InnerCommand:
    """A command that a wrapper starts: a program's words, or a script's text. Unknown if both are None."""

    words: tuple[Word, ...] | None = None
    script: str | None = None
    has_assignments: bool = False


def inner_commands(words: Sequence[Word]) -> list[InnerCommand]:
    """Returns the commands that this program starts; empty if it isn't known to start any."""
    name = program_name(words)
    if name is None:
        return []
    if name in _SHELLS:
        return _from_shell(words)
    if name == "eval":
        return [InnerCommand(script=_join_texts(words[1:]))]
    if name == "find":
        return _from_find(words)
    if name == "su":
        return [_from_option(words, ("-c", "--command"))]
    if name == "script":
        return [_from_option(words, ("-c", "--command"))]
    if name == "parallel":
        return [InnerCommand()]
    if name == "env" and any(
        word.text is not None and word.text.startswith(("-S", "--split-string")) for word in words
    ):
        return [InnerCommand()]
    if name in _OPTIONS_WITH_VALUE:
        return _from_wrapper(name, words)
    return []


def program_name(words: Sequence[Word]) -> str | None:
    """Without its folder; None if it is unknown until the shell runs it."""
    if not words or words[0].text is None:
        return None
    return words[0].text.rpartition("/")[2]


def _from_wrapper(name: str, words: Sequence[Word]) -> list[InnerCommand]:
    remaining, has_assignments = list(words[1:]), False
    own_words = _WORDS_BEFORE.get(name, 0)
    while remaining:
        text = remaining[0].text
        if text is None:
            return [InnerCommand()]
        if text in _LOOKUP_OPTIONS.get(name, ()):
            return []
        if text == "--":
            remaining.pop(0)
            break
        if text.startswith("-") and text != "-":
            if name == "flock" and text in ("-c", "--command"):
                return [InnerCommand(script=remaining[1].text if len(remaining) > 1 else None)]
            remaining.pop(0)
            if text in _OPTIONS_WITH_VALUE[name] and remaining:
                remaining.pop(0)
        elif _ASSIGNMENT.fullmatch(text) and name in ("env", "sudo", "doas"):
            has_assignments = True
            remaining.pop(0)
        elif own_words:
            own_words -= 1
            remaining.pop(0)
        else:
            break
    if not remaining:
        return []
    if name == "watch":
        return [InnerCommand(script=_join_texts(remaining))]
    return [InnerCommand(words=tuple(remaining), has_assignments=has_assignments)]


def _from_shell(words: Sequence[Word]) -> list[InnerCommand]:
    """`bash -c TEXT`, also `-lc`. Without a script or a file, it runs its input."""
    is_value = False
    for index, word in enumerate(words[1:], 1):
        if word.text is None:
            return [InnerCommand()]
        if is_value:
            is_value = False
            continue
        is_value = word.text in _SHELL_VALUES
        if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*", word.text):
            script = words[index + 1].text if index + 1 < len(words) else None
            return [InnerCommand(script=script)]
        if not word.text.startswith(("-", "+")):
            return []  # a script file is a program of its own, which isn't analysed here
    return [InnerCommand()]


def _from_find(words: Sequence[Word]) -> list[InnerCommand]:
    commands = list[InnerCommand]()
    for index, word in enumerate(words):
        if word.text in ("-exec", "-execdir", "-ok", "-okdir"):
            words_inside = list[Word]()
            for each in words[index + 1 :]:
                if each.text in (";", "+"):
                    break
                words_inside.append(each)
            commands.append(InnerCommand(words=tuple(words_inside)) if words_inside else InnerCommand())
    return commands


def _from_option(words: Sequence[Word], names: tuple[str, ...]) -> InnerCommand:
    for index, word in enumerate(words[:-1]):
        if word.text in names or re.fullmatch(r"-[A-Za-z]*c", word.text or ""):
            return InnerCommand(script=words[index + 1].text)
    return InnerCommand()


def _join_texts(words: Sequence[Word]) -> str | None:
    texts = [word.text for word in words]
    return None if None in texts else " ".join(text or "" for text in texts)
