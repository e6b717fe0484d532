"""Tables of programs that only read, with the options for which that is true.

Commands that only read need no approval, so these tables err on the side of asking. An option is listed only if it
doesn't write a file, start a program or use the network.
"""

from collections.abc import Callable, Sequence

from handrail.features.hooks.shell.options import Options, long_names, names

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

FILE_READERS: dict[str, Options] = {
    "ls": Options(
        short=_LETTERS.replace("I", "").replace("w", "").replace("T", ""),
        valued="IwT",
        long=long_names(
            "all almost-all human-readable color sort time reverse recursive directory size inode full-time si"
        ),
    ),
    "cat": Options("AbeEnstTuv", long=long_names("number show-all number-nonblank squeeze-blank show-ends show-tabs")),
    "head": Options("qvz0", "nc", long_names("lines bytes quiet silent verbose")),
    "tail": Options("qvz0", "nc", long_names("lines bytes quiet silent verbose")),
    "wc": Options("clmwL", long=long_names("bytes chars lines words max-line-length")),
    "nl": Options("p", "bdfhilnsvw"),
    "od": Options("abcdfhilosxv", "AjNt"),
    "stat": Options("tf", "c", long_names("format printf terse file-system")),
    "file": Options("bhikrs0", long=long_names("brief mime mime-type mime-encoding")),
    "du": Options("abcDhHkmsSxl0", "dt", long_names("all human-readable max-depth summarize total apparent-size")),
    "df": Options("ahHiklPT", "t", long_names("human-readable")),
    "cut": Options("sz", "bcdf", long_names("bytes characters delimiter fields only-delimited output-delimiter")),
    "tr": Options("cCdst", long=long_names("complement delete squeeze-repeats")),
    "cmp": Options("bls", "in"),
    "comm": Options("123z", long=long_names("check-order nocheck-order")),
    "paste": Options("sz", "d"),
    "fold": Options("bs", "w"),
    "rev": Options(),
    "tac": Options("br", "s"),
    "column": Options("txnse", "osN"),
    "expand": Options("i", "t"),
    "strings": Options("af", "nt"),
    "md5sum": Options("bt"),
    "sha1sum": Options("bt"),
    "sha256sum": Options("bt"),
    "cksum": Options(),
    "readlink": Options("efmnqsvz"),
    "realpath": Options("emLPqsz"),
    "diff": Options(
        "abBcdeEinNqrstuwyZ",
        "UC",
        long_names("unified brief recursive ignore-all-space ignore-space-change side-by-side color stat width"),
    ),
}
WITHOUT_FILES: dict[str, Options] = {
    "true": Options(),
    "false": Options(),
    "pwd": Options("LP"),
    "basename": Options("az", "s"),
    "dirname": Options("z"),
    "whoami": Options(),
    "id": Options("ugnGr"),
    "uname": Options("asnrvmpio"),
    "nproc": Options(),
    "seq": Options("w", "fs"),
    "which": Options("as"),
    "type": Options("aftpP"),
    "sleep": Options(),
    "arch": Options(),
    "tty": Options("s"),
}
GREP = Options(
    "EFGPiIvwxclLnoqsHhzrybaTU0",
    "eABCmf",
    long_names(
        "extended-regexp fixed-strings perl-regexp ignore-case invert-match word-regexp line-regexp count color colour"
        " files-with-matches files-without-match max-count only-matching quiet no-messages line-number with-filename"
        " no-filename after-context before-context context text recursive include exclude exclude-dir null regexp file"
    ),
    frozenset({"-f", "--file"}),
    long_names("regexp after-context before-context context max-count include exclude exclude-dir"),
)
RG = Options(
    "iSsvwxclnNHhoqFPU0pVu.",
    "eABCmgtTMjrf",
    long_names(
        "ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count count-matches files"
        " files-with-matches files-without-match line-number no-line-number with-filename no-filename heading"
        " no-heading only-matching quiet fixed-strings pcre2 multiline null pretty regexp after-context before-context"
        " context max-count glob iglob type type-not type-list max-columns max-depth threads replace color colors"
        " column sort sortr stats trim vimgrep json hidden no-ignore no-ignore-vcs no-messages version passthru file"
    ),
    frozenset({"-f", "--file"}),
    long_names(
        "regexp after-context before-context context max-count glob iglob type type-not max-columns max-depth threads"
        " replace color colors sort sortr"
    ),
)
FIND_TESTS = names(
    "-name -iname -path -ipath -wholename -regex -iregex -regextype -type -maxdepth -mindepth -size -mtime -mmin -ctime"
    " -cmin -atime -amin -perm -user -group -links -printf"
)
FIND_FLAGS = names("-print -print0 -prune -empty -not ! -o -or -a -and -depth -ls -xdev -true")
GIT_OPTIONS = long_names(
    "oneline stat shortstat numstat name-only name-status graph all decorate abbrev-commit abbrev pretty format"
    " date author grep since until after before max-count reverse follow patch no-patch no-color color color-words"
    " word-diff cached staged unified summary no-merges merges first-parent porcelain short branch branches tags"
    " remotes show-current list verbose ignored untracked-files ignore-submodules others exclude-standard deleted"
    " modified stage quiet verify show-toplevel abbrev-ref is-inside-work-tree git-dir symbolic-full-name numbered"
    " email line-porcelain minimal diff-filter ignore-all-space ignore-space-change raw contains merged no-merged"
    " sort points-at is-ancestor long dirty always exact-match cached-only left-right cherry-pick count topo-order"
    " date-order no-renames find-renames cc no-ext-diff no-textconv no-pager heads"
)
GIT_SHORT = "abcdefghiklmnpqrstuvwxyzABCDEFGHIKLMNPQRSTUVWXYZ0123456789"
"""All except `-O` and `-o`. Words after these are checked like operands, because they may be some."""
GIT_PATCHES = frozenset(
    {*("-p", "-u", "-c", "-m", "-U", "-W", "-L"), *long_names("patch unified cc word-diff color-words")}
)
"""They show changes beside or instead of a summary."""
GIT_SUMMARIES = long_names("stat shortstat numstat name-only name-status raw no-patch quiet") | {"-s"}
_BRANCH_LISTS = {"-a", "-r", "-v", "--all", "--list", "--show-current", "--verbose", "--remotes", "--sort", "--format"}
GIT: dict[str, Callable[[Sequence[str], set[str]], bool]] = {
    "status": lambda operands, flags: True,
    "log": lambda operands, flags: True,
    "show": lambda operands, flags: True,
    "diff": lambda operands, flags: "--no-index" not in flags,
    "blame": lambda operands, flags: True,
    "shortlog": lambda operands, flags: bool(operands),  # without a revision it reads stdin
    "describe": lambda operands, flags: True,
    "rev-parse": lambda operands, flags: True,
    "rev-list": lambda operands, flags: True,
    "merge-base": lambda operands, flags: True,
    "ls-files": lambda operands, flags: True,
    "ls-tree": lambda operands, flags: True,
    "cat-file": lambda operands, flags: bool(flags & {"-p", "-t", "-s", "-e"}),
    "branch": lambda operands, flags: not operands and flags <= _BRANCH_LISTS,
    "tag": lambda operands, flags: not operands and flags <= {"-l", "-n", "--list", "--sort"},
    "remote": lambda operands, flags: not operands and flags <= {"-v", "--verbose"},
    "stash": lambda operands, flags: list(operands) == ["list"] and not flags,
    "reflog": lambda operands, flags: list(operands) in ([], ["show"]),
    "worktree": lambda operands, flags: list(operands) == ["list"],
    "grep": lambda operands, flags: not flags & {"-O", "-f", "--open-files-in-pager"},
}
VERSIONS = names(
    "node npm npx bun deno python python3 pip pip3 uv ruff mypy java javac ruby gcc g++ clang make cmake git rg jq"
    " docker bash sh zsh tsc curl wget sed awk tree"
)
"""They say their version and do nothing else. Not yarn, pnpm, cargo, rustc and go: a file of the project can say which
program these start."""
