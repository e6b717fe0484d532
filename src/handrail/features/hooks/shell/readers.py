"""Programs that only read, with the options that keep it so. What isn't listed here is not known to only read.

A command that only reads asks nothing, so this table errs on the side of asking. An option counts as known only if it
neither writes a file nor starts a program nor talks to the network. `Reads.paths` are all words that may name a file:
the caller checks where they lead.
"""

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple


class Reads(NamedTuple):
    """`is_deep`: everything below its folders may be read, `skips_hidden` without what git and dots hide.

    `globs` are names that a search takes in although they are hidden or ignored. `is_git`: it reads the repository
    that it runs in. `lists_only`: names and sizes, no content.
    """

    paths: tuple[str, ...] = ()
    is_deep: bool = False
    skips_hidden: bool = False
    is_git: bool = False
    lists_only: bool = False
    globs: tuple[str, ...] = ()


_SHORT = re.compile(r"-[A-Za-z0-9]+")
_NUMBER = re.compile(r"-\d+")


class _Options(NamedTuple):
    """`short` letters without a value, `valued` ones with a value (attached or the next word), `long` names.

    A `long` name may have a value behind `=`; one of `long_valued` takes the next word where it has none. `files` are
    options, short or long, whose value is a file.
    """

    short: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()


def _split(options: _Options, words: Sequence[str]) -> tuple[list[str], set[str], list[str]] | None:
    """Operands, options that are set, and files named by options; None where an option isn't known."""
    operands, given, files = list[str](), set[str](), list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return operands + rest, given, files
        if word == "-" or not word.startswith("-"):
            operands.append(word)
        elif word.startswith("--"):
            name, has_value, value = word.partition("=")
            if name not in options.long:
                return None
            given.add(name)
            if name in options.long_valued or name in options.files:
                if not has_value and (not rest or rest[0].startswith("-")):
                    return None
                value = value if has_value else rest.pop(0)
            if name in options.files:
                files.append(value)
        elif _NUMBER.fullmatch(word) and "0" in options.short:
            continue
        else:
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                given.add(f"-{letter}")
                if letter in options.valued:
                    if not letters and not rest:
                        return None
                    if not letters and rest[0].startswith("-"):
                        return None  # who takes it for an option of its own would be right as often
                    value, letters = letters or rest.pop(0), ""
                    if f"-{letter}" in options.files:
                        files.append(value)
                elif letter not in options.short:
                    return None
    return operands, given, files


def _long(names: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in names.split())


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

_PLAIN: dict[str, _Options] = {
    "ls": _Options(
        short=_LETTERS.replace("I", "").replace("w", "").replace("T", ""),
        valued="IwT",
        long=_long("all almost-all human-readable color sort time reverse recursive directory size inode full-time si"),
    ),
    "cat": _Options("AbeEnstTuv", long=_long("number show-all number-nonblank squeeze-blank show-ends show-tabs")),
    "head": _Options("qvz0", "nc", _long("lines bytes quiet silent verbose")),
    "tail": _Options("qvz0", "nc", _long("lines bytes quiet silent verbose")),
    "wc": _Options("clmwL", long=_long("bytes chars lines words max-line-length")),
    "nl": _Options("p", "bdfhilnsvw"),
    "od": _Options("abcdfhilosxv", "AjNt"),
    "stat": _Options("tf", "c", _long("format printf terse file-system")),
    "file": _Options("bhikrs0", long=_long("brief mime mime-type mime-encoding")),
    "du": _Options("abcDhHkmsSxl0", "dt", _long("all human-readable max-depth summarize total apparent-size")),
    "df": _Options("ahHiklPT", "t", _long("human-readable")),
    "cut": _Options("sz", "bcdf", _long("bytes characters delimiter fields only-delimited output-delimiter")),
    "tr": _Options("cCdst", long=_long("complement delete squeeze-repeats")),
    "cmp": _Options("bls", "in"),
    "comm": _Options("123z", long=_long("check-order nocheck-order")),
    "paste": _Options("sz", "d"),
    "fold": _Options("bs", "w"),
    "rev": _Options(),
    "tac": _Options("br", "s"),
    "column": _Options("txnse", "osN"),
    "expand": _Options("i", "t"),
    "strings": _Options("af", "nt"),
    "md5sum": _Options("bt"),
    "sha1sum": _Options("bt"),
    "sha256sum": _Options("bt"),
    "cksum": _Options(),
    "readlink": _Options("efmnqsvz"),
    "realpath": _Options("emLPqsz"),
    "diff": _Options(
        "abBcdeEinNqrstuwyZ",
        "UC",
        _long("unified brief recursive ignore-all-space ignore-space-change side-by-side color stat width"),
    ),
}
_NO_FILES: dict[str, _Options] = {
    "true": _Options(),
    "false": _Options(),
    "pwd": _Options("LP"),
    "basename": _Options("az", "s"),
    "dirname": _Options("z"),
    "whoami": _Options(),
    "id": _Options("ugnGr"),
    "uname": _Options("asnrvmpio"),
    "nproc": _Options(),
    "seq": _Options("w", "fs"),
    "which": _Options("as"),
    "type": _Options("aftpP"),
    "sleep": _Options(),
    "arch": _Options(),
    "tty": _Options("s"),
}
_GREP = _Options(
    "EFGPiIvwxclLnoqsHhzrybaTU0",
    "eABCmfdD",
    _long(
        "extended-regexp fixed-strings perl-regexp ignore-case invert-match word-regexp line-regexp count color colour"
        " files-with-matches files-without-match max-count only-matching quiet no-messages line-number with-filename"
        " no-filename after-context before-context context text recursive include exclude exclude-dir null regexp file"
    ),
    frozenset({"-f", "--file"}),
    _long("regexp after-context before-context context max-count include exclude exclude-dir"),
)
_RG = _Options(
    "iSsvwxclnNHhoqFPU0pVu.",
    "eABCmgtTMjrf",
    _long(
        "ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count count-matches files"
        " files-with-matches files-without-match line-number no-line-number with-filename no-filename heading"
        " no-heading only-matching quiet fixed-strings pcre2 multiline null pretty regexp after-context before-context"
        " context max-count glob iglob type type-not type-list max-columns max-depth threads replace color colors"
        " column sort sortr stats trim vimgrep json hidden no-ignore no-ignore-vcs no-messages version passthru file"
    ),
    frozenset({"-f", "--file"}),
    _long(
        "regexp after-context before-context context max-count glob iglob type type-not max-columns max-depth threads"
        " replace color colors sort sortr"
    ),
)
_FIND_TESTS = frozenset(
    {
        *("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-regextype", "-type", "-maxdepth"),
        *("-mindepth", "-size", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-perm", "-user", "-group"),
        *("-links", "-printf"),
    }
)
_FIND_FLAGS = frozenset(
    {"-print", "-print0", "-prune", "-empty", "-not", "!", "-o", "-or", "-a", "-and", "-depth", "-ls", "-xdev", "-true"}
)
_SED = re.compile(r"\d+p|\d+,(?:\d+|\$)p|\$p|/[A-Za-z0-9_ .-]+/p|\$=")
_AWK = re.compile(r"\{ ?print(?: \$(?:\d+|NF)(?:, ?\$(?:\d+|NF))*)? ?\}")
_JQ = re.compile(r"[A-Za-z0-9_.\[\]|,:()\" ?-]*")
_JQ_REACHES = re.compile(
    r"\b(?:env|input|inputs|include|import|halt|halt_error|input_filename|debug|getpath|\$__loc__)\b"
)
_GIT_OPTIONS = _long(
    "oneline stat shortstat numstat name-only name-status graph all decorate abbrev-commit abbrev pretty format"
    " date author grep since until after before max-count reverse follow patch no-patch no-color color color-words"
    " word-diff cached staged unified summary no-merges merges first-parent porcelain short branch branches tags"
    " remotes show-current list verbose ignored untracked-files ignore-submodules others exclude-standard deleted"
    " modified stage quiet verify show-toplevel abbrev-ref is-inside-work-tree git-dir symbolic-full-name numbered"
    " email line-porcelain minimal diff-filter ignore-all-space ignore-space-change raw contains merged no-merged"
    " sort points-at is-ancestor long dirty always exact-match cached-only left-right cherry-pick count topo-order"
    " date-order no-renames find-renames cc no-ext-diff no-textconv no-pager heads"
)
_GIT_SHORT = "abcdefghiklmnpqrstuvwxyzABCDEFGHIKLMNPQRSTUVWXYZ0123456789"
"""All but `-O` and `-o`. What follows one of these is looked at like an operand, because it may be one."""
_BRANCH_LISTS = {"-a", "-r", "-v", "--all", "--list", "--show-current", "--verbose", "--remotes", "--sort", "--format"}
_GIT: dict[str, Callable[[Sequence[str], set[str]], bool]] = {
    "status": lambda operands, given: True,
    "log": lambda operands, given: True,
    "show": lambda operands, given: True,
    "diff": lambda operands, given: "--no-index" not in given,
    "blame": lambda operands, given: True,
    "shortlog": lambda operands, given: bool(operands),  # without a revision it waits for stdin
    "describe": lambda operands, given: True,
    "rev-parse": lambda operands, given: True,
    "rev-list": lambda operands, given: True,
    "merge-base": lambda operands, given: True,
    "ls-files": lambda operands, given: True,
    "ls-tree": lambda operands, given: True,
    "cat-file": lambda operands, given: bool(given & {"-p", "-t", "-s", "-e"}),
    "branch": lambda operands, given: not operands and given <= _BRANCH_LISTS,
    "tag": lambda operands, given: not operands and given <= {"-l", "-n", "--list", "--sort"},
    "remote": lambda operands, given: not operands and given <= {"-v", "--verbose"},
    "stash": lambda operands, given: list(operands) == ["list"] and not given,
    "reflog": lambda operands, given: list(operands) in ([], ["show"]),
    "worktree": lambda operands, given: list(operands) == ["list"],
    "grep": lambda operands, given: not given & {"-O", "-f", "--open-files-in-pager"},
}
_VERSIONS = frozenset(
    {
        *(
            "node",
            "npm",
            "npx",
            "pnpm",
            "yarn",
            "bun",
            "deno",
            "python",
            "python3",
            "pip",
            "pip3",
            "uv",
            "ruff",
            "mypy",
        ),
        *("go", "cargo", "rustc", "java", "javac", "ruby", "gcc", "g++", "clang", "make", "cmake", "git", "rg", "jq"),
        *("docker", "bash", "sh", "zsh", "tsc", "curl", "wget", "sed", "awk", "tree"),
    }
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
    if name in _VERSIONS and rest == ["--version"]:
        return Reads()
    if name in ("cd", "pushd"):
        return Reads(tuple(rest), lists_only=True) if len(rest) == 1 and not rest[0].startswith("-") else None
    if name == "echo" or (name == "printf" and _only_prints(rest)):
        return Reads()
    if name in _NO_FILES:
        return Reads() if _split(_NO_FILES[name], rest) is not None else None
    if name in _PLAIN:
        return _plain(name, rest)
    special = _SPECIAL.get(name)
    return None if special is None else special(rest)


def _only_prints(words: list[str]) -> bool:
    """`printf -v` and `%n` set a variable, and some shells compute what stands for a number."""
    has_format = bool(words) and not words[0].startswith("-") and "%n" not in words[0]
    return has_format and not any(char in word for word in words[1:] for char in "$`[")


def _plain(name: str, rest: list[str]) -> Reads | None:
    found = _split(_PLAIN[name], rest)
    if found is None:
        return None
    operands, given, files = found
    lists = name in ("ls", "stat", "du", "df", "readlink", "realpath")
    is_deep = name == "diff" and bool(given & {"-r", "--recursive"})
    if name == "tr":
        return Reads()
    return Reads((*operands, *files), is_deep=is_deep, lists_only=lists)


def _sort(rest: list[str]) -> Reads | None:
    found = _split(_Options("bdfghiMnRrVcCmsuz", "kt", _long("reverse unique numeric-sort key field-separator")), rest)
    return None if found is None else Reads(tuple(found[0]))


def _uniq(rest: list[str]) -> Reads | None:
    found = _split(_Options("cdDiuz", "fsw", _long("count repeated unique ignore-case")), rest)
    return Reads(tuple(found[0])) if found is not None and len(found[0]) < 2 else None  # the second is its output


def _tree(rest: list[str]) -> Reads | None:
    found = _split(_Options("adfphsugDCnFiQNS", "LIP", _long("dirsfirst noreport gitignore prune")), rest)
    return None if found is None else Reads(tuple(found[0]), lists_only=True)


def _grep(rest: list[str]) -> Reads | None:
    found = _split(_GREP, rest)
    if found is None:
        return None
    operands, given, files = found
    is_deep = bool(given & {"-r", "--recursive"})
    has_pattern = bool(given & {"-e", "-f", "--regexp", "--file"})
    paths = operands if has_pattern else operands[1:]
    return Reads((*(paths or (["."] if is_deep else [])), *files), is_deep=is_deep)


def _rg(rest: list[str]) -> Reads | None:
    found = _split(_RG, rest)
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
        if word in _FIND_TESTS and rest:
            rest.pop(0)
        elif word not in _FIND_FLAGS:
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
    found = _split(_Options("rcSsjae", long=_long("raw-output compact-output sort-keys slurp tab")), rest)
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
    if not rest or rest[0] not in _GIT:
        return None
    command = rest[0]
    found = _split(_Options(_GIT_SHORT, long=_GIT_OPTIONS), rest[1:])
    if found is None:
        return None
    operands, given, _ = found
    if not _GIT[command](operands, given):
        return None
    pattern_first = command == "grep" and "-e" not in given
    paths = [each.rpartition(":")[2] for each in (operands[1:] if pattern_first else operands)]
    return Reads(tuple(path for path in paths if path), is_git=True)


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
