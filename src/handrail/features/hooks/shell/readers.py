"""Determines what a command that only reads would read. The programs and options are listed in `read_tables.py`.

`Reads.paths` are all words that may name a file; the caller checks what they are.
"""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from handrail.features.hooks.shell.options import Options, long_names, split_options
from handrail.features.hooks.shell.read_tables import (
    FILE_READERS,
    FIND_FLAGS,
    FIND_TESTS,
    GIT,
    GIT_OPTIONS,
    GIT_PATCHES,
    GIT_SHORT,
    GIT_SUMMARIES,
    GREP,
    RG,
    VERSIONS,
    WITHOUT_FILES,
)


class Reads(NamedTuple):
    """`is_deep`: everything below its folders may be read; with `skips_hidden`, except hidden and ignored files.

    `globs` are names that a search includes even if they are hidden or ignored. `is_git`: it reads the repository that
    it runs in; if it is also deep, all tracked files. `shows_changes`: it may show the content of any file in the
    repository and its history. `lists_only`: names and sizes, no content. `follows_links`: of those below its folders,
    too.
    """

    paths: tuple[str, ...] = ()
    is_deep: bool = False
    skips_hidden: bool = False
    is_git: bool = False
    lists_only: bool = False
    globs: tuple[str, ...] = ()
    shows_changes: bool = False
    follows_links: bool = False


_SED = re.compile(r"\d+p|\d+,(?:\d+|\$)p|\$p|/[A-Za-z0-9_ .-]+/p|\$=")
_AWK = re.compile(r"\{ ?print(?: \$(?:\d+|NF)(?:, ?\$(?:\d+|NF))*)? ?\}")
_JQ = re.compile(r"[A-Za-z0-9_.\[\]|,:()\" ?-]*")
_JQ_REACHES = re.compile(
    r"\b(?:env|input|inputs|include|import|halt|halt_error|input_filename|debug|getpath|\$__loc__)\b"
)
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")


def files_read_by(words: Sequence[str]) -> Reads | None:
    """None if the program, or one of its options, isn't known to only read."""
    name, rest = words[0], list(words[1:])
    for folder in _SYSTEM_FOLDERS:
        if name.startswith(folder):
            name = name.removeprefix(folder)
    if "/" in name:
        return None
    if name in VERSIONS and rest == ["--version"]:
        return Reads()
    if name in ("cd", "pushd"):
        return Reads(tuple(rest), lists_only=True) if len(rest) == 1 and not rest[0].startswith("-") else None
    if name == "echo" or (name == "printf" and _only_prints(rest)):
        return Reads()
    if name in WITHOUT_FILES:
        return Reads() if split_options(WITHOUT_FILES[name], rest) is not None else None
    if name in FILE_READERS:
        return _file_reader(name, rest)
    special = _SPECIAL.get(name)
    return None if special is None else special(rest)


def _only_prints(words: list[str]) -> bool:
    """`printf -v` and `%n` set a variable, and some shells evaluate expressions in place of numbers."""
    has_format = bool(words) and not words[0].startswith("-") and "%n" not in words[0]
    return has_format and not any(char in word for word in words[1:] for char in "$`[")


def _file_reader(name: str, rest: list[str]) -> Reads | None:
    split = split_options(FILE_READERS[name], rest)
    if split is None:
        return None
    operands, _, files = split
    if name == "strings" and any(each.startswith("@") for each in operands):
        return None  # it reads options from that file
    lists_only = name in ("ls", "stat", "du", "df", "readlink", "realpath")
    if name == "tr":
        return Reads()
    is_diff = name == "diff"  # of folders it compares the files, even without -r
    return Reads((*operands, *files), is_deep=is_diff, lists_only=lists_only, follows_links=is_diff)


def _sort(rest: list[str]) -> Reads | None:
    split = split_options(
        Options("bdfghiMnRrVcCmsuz", "kt", long_names("reverse unique numeric-sort key field-separator")), rest
    )
    return None if split is None else Reads(tuple(split[0]))


def _uniq(rest: list[str]) -> Reads | None:
    split = split_options(Options("cdDiuz", "fsw", long_names("count repeated unique ignore-case")), rest)
    return (
        Reads(tuple(split[0])) if split is not None and len(split[0]) < 2 else None
    )  # the second operand is its output


def _tree(rest: list[str]) -> Reads | None:
    split = split_options(Options("adfphsugDCnFiQNS", "LIP", long_names("dirsfirst noreport gitignore prune")), rest)
    return None if split is None else Reads(tuple(split[0]), lists_only=True)


def _grep(rest: list[str]) -> Reads | None:
    split = split_options(GREP, rest)
    if split is None:
        return None
    operands, flags, files = split
    is_deep = bool(flags & {"-r", "--recursive"})
    has_pattern = bool(flags & {"-e", "-f", "--regexp", "--file"})
    paths = operands if has_pattern else operands[1:]
    return Reads((*(paths or (["."] if is_deep else [])), *files), is_deep=is_deep)


def _rg(rest: list[str]) -> Reads | None:
    split = split_options(RG, rest)
    if split is None:
        return None
    operands, flags, files = split
    has_pattern = bool(flags & {"-e", "-f", "--regexp", "--file", "--files", "--type-list"})
    paths = operands if has_pattern else operands[1:]
    globs = _globs(rest)
    knows_globs = bool(globs) == bool(flags & {"-g", "--glob", "--iglob"})
    skips_hidden = knows_globs and not flags & {"-u", "-.", "--hidden", "--no-ignore", "--no-ignore-vcs"}
    lists_only = bool(flags & {"--files"})
    return Reads(
        (*(paths or ["."]), *files), is_deep=True, skips_hidden=skips_hidden, lists_only=lists_only, globs=globs
    )


def _globs(words: Sequence[str]) -> tuple[str, ...]:
    """The values of `-g`, `--glob` and `--iglob`, if each is an option of its own."""
    globs = list[str]()
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        name, has_value, value = word.partition("=")
        if name in ("--glob", "--iglob"):
            globs.append(value if has_value else following)
        elif word.startswith("-g"):
            globs.append(word[2:] or following)
    return tuple(globs)


def _find(rest: list[str]) -> Reads | None:
    paths = list[str]()
    while rest and not rest[0].startswith(("-", "!", "(")):
        paths.append(rest.pop(0))
    while rest:
        word = rest.pop(0)
        if word in FIND_TESTS and rest:
            rest.pop(0)
        elif word not in FIND_FLAGS:
            return None
    return Reads(tuple(paths or ["."]), lists_only=True)


def _sed(rest: list[str]) -> Reads | None:
    """Only printing lines: `sed -n 10,20p FILE`."""
    if len(rest) < 2 or rest[0] != "-n" or not _SED.fullmatch(rest[1]):
        return None
    return Reads(tuple(rest[2:])) if not any(word.startswith("-") for word in rest[2:]) else None


def _awk(rest: list[str]) -> Reads | None:
    """Only printing columns of files or of a pipe."""
    if rest[:1] and re.fullmatch(r"-F.{1,3}", rest[0]):
        rest = rest[1:]
    if not rest or not _AWK.fullmatch(rest[0]) or any(word.startswith("-") or "=" in word for word in rest[1:]):
        return None
    return Reads(tuple(rest[1:]))


def _jq(rest: list[str]) -> Reads | None:
    """Only filters that access nothing but their input."""
    split = split_options(Options("rcSsjae", long=long_names("raw-output compact-output sort-keys slurp tab")), rest)
    if split is None or not split[0]:
        return None
    expression, *files = split[0]
    is_safe = _JQ.fullmatch(expression) is not None and not _JQ_REACHES.search(expression)
    return Reads(tuple(files)) if is_safe else None


def _date(rest: list[str]) -> Reads | None:
    return Reads() if all(word.startswith("+") or word in ("-u", "-I", "-Is", "-R") for word in rest) else None


def _git(rest: list[str]) -> Reads | None:
    """Only without options before the command: `-c` can set programs to run, `-C` and `--git-dir` another folder."""
    rest = [word for word in rest if word != "--no-pager"] if rest[:1] == ["--no-pager"] else rest
    if not rest or rest[0] not in GIT:
        return None
    command = rest[0]
    split = split_options(Options(GIT_SHORT, long=GIT_OPTIONS), rest[1:])
    if split is None:
        return None
    operands, flags, _ = split
    if not GIT[command](operands, flags):
        return None
    pattern_first = command == "grep" and "-e" not in flags
    paths = [each.rpartition(":")[2] for each in (operands[1:] if pattern_first else operands)]
    shows_changes = _shows_changes(command, flags)
    return Reads(
        tuple(path for path in paths if path), is_git=True, is_deep=command == "grep", shows_changes=shows_changes
    )


def _shows_changes(command: str, flags: set[str]) -> bool:
    if command in ("log", "reflog"):
        return bool(flags & GIT_PATCHES)
    if command == "cat-file":
        return "-p" in flags
    if command == "diff":
        return not flags & GIT_SUMMARIES or bool(flags & GIT_PATCHES)
    return command == "show"


_SPECIAL: dict[str, Callable[[list[str]], Reads | None]] = {
    "sort": _sort,
    "uniq": _uniq,
    "tree": _tree,
    "grep": _grep,
    "egrep": _grep,
    "fgrep": _grep,
    "rg": _rg,
    "find": _find,
    "sed": _sed,
    "awk": _awk,
    "jq": _jq,
    "date": _date,
    "git": _git,
}
