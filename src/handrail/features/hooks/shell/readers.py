"""What a command that only reads would read. Which programs and options those are is in `read_tables.py`.

`Reads.paths` are all words that may name a file: the caller checks where they lead.
"""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from handrail.features.hooks.shell.options import Options, long_names, split_options
from handrail.features.hooks.shell.read_tables import (
    FIND_FLAGS,
    FIND_TESTS,
    GIT,
    GIT_OPTIONS,
    GIT_SHORT,
    GREP,
    NO_FILES,
    PLAIN,
    RG,
    VERSIONS,
)


class Reads(NamedTuple):
    """`is_deep`: everything below its folders may be read, `skips_hidden` without what git and dots hide.

    `globs` are names that a search takes in although they are hidden or ignored. `is_git`: it reads the repository
    that it runs in; if it is deep, the files that git tracks. `lists_only`: names and sizes, no content.
    """

    paths: tuple[str, ...] = ()
    is_deep: bool = False
    skips_hidden: bool = False
    is_git: bool = False
    lists_only: bool = False
    globs: tuple[str, ...] = ()


_SED = re.compile(r"\d+p|\d+,(?:\d+|\$)p|\$p|/[A-Za-z0-9_ .-]+/p|\$=")
_AWK = re.compile(r"\{ ?print(?: \$(?:\d+|NF)(?:, ?\$(?:\d+|NF))*)? ?\}")
_JQ = re.compile(r"[A-Za-z0-9_.\[\]|,:()\" ?-]*")
_JQ_REACHES = re.compile(
    r"\b(?:env|input|inputs|include|import|halt|halt_error|input_filename|debug|getpath|\$__loc__)\b"
)
_SYSTEM_FOLDERS = ("/bin/", "/usr/bin/")


def what_it_reads(words: Sequence[str]) -> Reads | None:
    """None where the program, or one of its options, isn't known to only read."""
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
    if name in NO_FILES:
        return Reads() if split_options(NO_FILES[name], rest) is not None else None
    if name in PLAIN:
        return _plain(name, rest)
    special = _SPECIAL.get(name)
    return None if special is None else special(rest)


def _only_prints(words: list[str]) -> bool:
    """`printf -v` and `%n` set a variable, and some shells compute what stands for a number."""
    has_format = bool(words) and not words[0].startswith("-") and "%n" not in words[0]
    return has_format and not any(char in word for word in words[1:] for char in "$`[")


def _plain(name: str, rest: list[str]) -> Reads | None:
    found = split_options(PLAIN[name], rest)
    if found is None:
        return None
    operands, given, files = found
    if name == "strings" and any(each.startswith("@") for each in operands):
        return None  # it would read its options from that file
    lists = name in ("ls", "stat", "du", "df", "readlink", "realpath")
    is_deep = name == "diff" and bool(given & {"-r", "--recursive"})
    if name == "tr":
        return Reads()
    return Reads((*operands, *files), is_deep=is_deep, lists_only=lists)


def _sort(rest: list[str]) -> Reads | None:
    found = split_options(
        Options("bdfghiMnRrVcCmsuz", "kt", long_names("reverse unique numeric-sort key field-separator")), rest
    )
    return None if found is None else Reads(tuple(found[0]))


def _uniq(rest: list[str]) -> Reads | None:
    found = split_options(Options("cdDiuz", "fsw", long_names("count repeated unique ignore-case")), rest)
    return Reads(tuple(found[0])) if found is not None and len(found[0]) < 2 else None  # the second is its output


def _tree(rest: list[str]) -> Reads | None:
    found = split_options(Options("adfphsugDCnFiQNS", "LIP", long_names("dirsfirst noreport gitignore prune")), rest)
    return None if found is None else Reads(tuple(found[0]), lists_only=True)


def _grep(rest: list[str]) -> Reads | None:
    found = split_options(GREP, rest)
    if found is None:
        return None
    operands, given, files = found
    is_deep = bool(given & {"-r", "--recursive"})
    has_pattern = bool(given & {"-e", "-f", "--regexp", "--file"})
    paths = operands if has_pattern else operands[1:]
    return Reads((*(paths or (["."] if is_deep else [])), *files), is_deep=is_deep)


def _rg(rest: list[str]) -> Reads | None:
    found = split_options(RG, rest)
    if found is None:
        return None
    operands, given, files = found
    has_pattern = bool(given & {"-e", "-f", "--regexp", "--file", "--files", "--type-list"})
    paths = operands if has_pattern else operands[1:]
    globs = _globs(rest)
    knows_globs = bool(globs) == bool(given & {"-g", "--glob", "--iglob"})
    skips = knows_globs and not given & {"-u", "-.", "--hidden", "--no-ignore", "--no-ignore-vcs"}
    lists = bool(given & {"--files"})
    return Reads((*(paths or ["."]), *files), is_deep=True, skips_hidden=skips, lists_only=lists, globs=globs)


def _globs(words: Sequence[str]) -> tuple[str, ...]:
    """The values of `-g`, `--glob` and `--iglob`, where each stands by itself."""
    found = list[str]()
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        name, has_value, value = word.partition("=")
        if name in ("--glob", "--iglob"):
            found.append(value if has_value else following)
        elif word.startswith("-g"):
            found.append(word[2:] or following)
    return tuple(found)


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
    """Printing lines alone: `sed -n 10,20p FILE`."""
    if len(rest) < 2 or rest[0] != "-n" or not _SED.fullmatch(rest[1]):
        return None
    return Reads(tuple(rest[2:])) if not any(word.startswith("-") for word in rest[2:]) else None


def _awk(rest: list[str]) -> Reads | None:
    """Printing columns alone, of files or of a pipe."""
    if rest[:1] and re.fullmatch(r"-F.{1,3}", rest[0]):
        rest = rest[1:]
    if not rest or not _AWK.fullmatch(rest[0]) or any(word.startswith("-") or "=" in word for word in rest[1:]):
        return None
    return Reads(tuple(rest[1:]))


def _jq(rest: list[str]) -> Reads | None:
    """Filters that reach nothing but their input."""
    found = split_options(Options("rcSsjae", long=long_names("raw-output compact-output sort-keys slurp tab")), rest)
    if found is None or not found[0]:
        return None
    expression, *files = found[0]
    is_safe = _JQ.fullmatch(expression) is not None and not _JQ_REACHES.search(expression)
    return Reads(tuple(files)) if is_safe else None


def _date(rest: list[str]) -> Reads | None:
    return Reads() if all(word.startswith("+") or word in ("-u", "-I", "-Is", "-R") for word in rest) else None


def _git(rest: list[str]) -> Reads | None:
    """Without options before the command: `-c` can set programs to run, `-C` and `--git-dir` another repository."""
    rest = [word for word in rest if word != "--no-pager"] if rest[:1] == ["--no-pager"] else rest
    if not rest or rest[0] not in GIT:
        return None
    command = rest[0]
    found = split_options(Options(GIT_SHORT, long=GIT_OPTIONS), rest[1:])
    if found is None:
        return None
    operands, given, _ = found
    if not GIT[command](operands, given):
        return None
    pattern_first = command == "grep" and "-e" not in given
    paths = [each.rpartition(":")[2] for each in (operands[1:] if pattern_first else operands)]
    return Reads(tuple(path for path in paths if path), is_git=True, is_deep=command == "grep")


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
