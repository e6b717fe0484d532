"""Programs that start another program: what they start is looked at too, however deep it is wrapped."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handrail.features.hooks.shell.syntax import Word

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"})
_SHELL_VALUES = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
# Of each wrapper: the options that take the next word as their value.
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
"""Words that belong to the wrapper itself: a duration, a lock's file, a new root, a mask."""
_LOOKS_UP = {"command": {"-v", "-V"}}


@dataclass(frozen=True, slots=True)
class Inner:
    """What a wrapper starts: a program's words, or the text of a script. Unknown where both are None."""

    words: tuple[Word, ...] | None = None
    script: str | None = None
    has_assignments: bool = False


def inner_of(words: Sequence[Word]) -> list[Inner]:
    """What this program starts; empty for one that isn't known to start any."""
    name = program_name(words)
    if name is None:
        return []
    if name in _SHELLS:
        return _of_shell(words)
    if name == "eval":
        return [Inner(script=_joined(words[1:]))]
    if name == "find":
        return _of_find(words)
    if name == "su":
        return [_of_option(words, ("-c", "--command"))]
    if name == "script":
        return [_of_option(words, ("-c", "--command"))]
    if name == "parallel":
        return [Inner()]
    if name == "env" and any(
        word.text is not None and word.text.startswith(("-S", "--split-string")) for word in words
    ):
        return [Inner()]
    if name in _OPTIONS_WITH_VALUE:
        return _of_wrapper(name, words)
    return []


def program_name(words: Sequence[Word]) -> str | None:
    """Without its folder; None where it is known only when the shell runs it."""
    if not words or words[0].text is None:
        return None
    return words[0].text.rpartition("/")[2]


def _of_wrapper(name: str, words: Sequence[Word]) -> list[Inner]:
    rest, has_assignments = list(words[1:]), False
    before = _WORDS_BEFORE.get(name, 0)
    while rest:
        text = rest[0].text
        if text is None:
            return [Inner()]
        if text in _LOOKS_UP.get(name, ()):
            return []
        if text == "--":
            rest.pop(0)
            break
        if text.startswith("-") and text != "-":
            if name == "flock" and text in ("-c", "--command"):
                return [Inner(script=rest[1].text if len(rest) > 1 else None)]
            rest.pop(0)
            if text in _OPTIONS_WITH_VALUE[name] and rest:
                rest.pop(0)
        elif _ASSIGNMENT.fullmatch(text) and name in ("env", "sudo", "doas"):
            has_assignments = True
            rest.pop(0)
        elif before:
            before -= 1
            rest.pop(0)
        else:
            break
    if not rest:
        return []
    if name == "watch":
        return [Inner(script=_joined(rest))]
    return [Inner(words=tuple(rest), has_assignments=has_assignments)]


def _of_shell(words: Sequence[Word]) -> list[Inner]:
    """`bash -c TEXT`; also `-lc`. Without a script or a file it runs what it reads."""
    is_value = False
    for at, word in enumerate(words[1:], 1):
        if word.text is None:
            return [Inner()]
        if is_value:
            is_value = False
            continue
        is_value = word.text in _SHELL_VALUES
        if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*", word.text):
            script = words[at + 1].text if at + 1 < len(words) else None
            return [Inner(script=script)]
        if not word.text.startswith(("-", "+")):
            return []  # a script's file: a program of its own, which can't be read here
    return [Inner()]


def _of_find(words: Sequence[Word]) -> list[Inner]:
    found = list[Inner]()
    for at, word in enumerate(words):
        if word.text in ("-exec", "-execdir", "-ok", "-okdir"):
            inner = list[Word]()
            for each in words[at + 1 :]:
                if each.text in (";", "+"):
                    break
                inner.append(each)
            found.append(Inner(words=tuple(inner)) if inner else Inner())
    return found


def _of_option(words: Sequence[Word], names: tuple[str, ...]) -> Inner:
    for at, word in enumerate(words[:-1]):
        if word.text in names or re.fullmatch(r"-[A-Za-z]*c", word.text or ""):
            return Inner(script=words[at + 1].text)
    return Inner()


def _joined(words: Sequence[Word]) -> str | None:
    texts = [word.text for word in words]
    return None if None in texts else " ".join(text or "" for text in texts)
