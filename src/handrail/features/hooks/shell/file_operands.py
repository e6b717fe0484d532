"""Programs that are known to change files, or to pass on their content, and which of their words are those files."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from handrail.features.hooks.shell.inner_commands import program_name
from handrail.features.hooks.shell.syntax import Word

_EVERY_OPERAND = frozenset(
    {
        *("rm", "rmdir", "unlink", "shred", "mv", "tee", "touch", "mkdir", "mkfifo", "mknod", "truncate", "ln"),
        *("chmod", "chown", "chgrp", "setfacl", "chattr", "patch", "sponge"),
    }
)
_LAST_OPERAND = frozenset({"cp", "install", "rsync", "scp"})
_OUTPUT_OPTIONS = {
    "sort": ("-o", "--output"),
    "curl": ("-o", "--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar"),
    "wget": ("-O", "--output-document", "-P", "--directory-prefix", "-o", "--output-file"),
    "tree": ("-o",),
    "git": ("--output",),
    "gcc": ("-o",),
    "tar": ("-f", "--file", "-C", "--directory"),
    "unzip": ("-d",),
    "find": ("-fprint", "-fprint0", "-fprintf", "-fls"),
}


_PASS_ON = frozenset(
    {
        *(
            "cat",
            "tac",
            "head",
            "tail",
            "less",
            "more",
            "bat",
            "nl",
            "od",
            "xxd",
            "hexdump",
            "strings",
            "base64",
            "base32",
        ),
        *(
            "cp",
            "mv",
            "ln",
            "install",
            "scp",
            "rsync",
            "tar",
            "zip",
            "gzip",
            "xz",
            "zstd",
            "cut",
            "paste",
            "sort",
            "uniq",
        ),
        *("wc", "tee", "diff", "cmp", "comm", "rev", "fold", "column", "vim", "vi", "nano", "emacs", "source", "."),
    }
)
_PASS_ON_AFTER_SCRIPT = frozenset({"grep", "egrep", "fgrep", "sed", "awk", "gawk", "jq", "rg", "perl"})


_SENT_FILES = ("-T", "--upload-file", "-K", "--config", "--post-file", "--body-file")
_AFTER_AT = re.compile(r"(?:-[A-Za-z]|--[a-z-]+=)?(?:[^=@<]*=)?[@<](?P<file>[^;]+)(?:;.*)?", re.DOTALL)
"""`@file`, `-d@file`, `--data=@file`, `field=@file;type=text/plain`, `field=<file`"""


def read_operands(words: Sequence[Word]) -> list[Word]:
    """The words that name files whose content this program shows or copies."""
    name = program_name(words)
    operands = [word for word in words[1:] if word.text is not None and not word.text.startswith("-")]
    if name in _PASS_ON:
        return operands
    if name in _PASS_ON_AFTER_SCRIPT:
        return operands[1:]
    if name in ("curl", "wget"):
        return [*_named_after_at(words), *_values_of(words, _SENT_FILES)]
    return [_without_prefix(word, "if=") for word in words[1:] if name == "dd" and (word.text or "").startswith("if=")]


def written_operands(words: Sequence[Word]) -> list[Word]:
    """The words that name files that this program changes or creates."""
    name = program_name(words)
    if name is None:
        return []
    operands = [word for word in words[1:] if word.text is None or not word.text.startswith("-")]
    if name in _EVERY_OPERAND:
        return operands
    if name in _LAST_OPERAND:
        return operands[-1:]
    if name == "dd":
        return [_without_prefix(word, "of=") for word in words[1:] if (word.text or "").startswith("of=")]
    if name in ("sed", "perl") and any((word.text or "").startswith(("-i", "--in-place")) for word in words[1:]):
        return operands[1:]
    return _values_of(words, _OUTPUT_OPTIONS.get(name, ()))


def _named_after_at(words: Sequence[Word]) -> list[Word]:
    matches = [(word, _AFTER_AT.fullmatch(word.text or "")) for word in words[1:]]
    return [Word(match["file"], word.raw, word.is_pattern) for word, match in matches if match is not None]


def _values_of(words: Sequence[Word], options: Sequence[str]) -> list[Word]:
    """The values of these options."""
    words_found = list[Word]()
    for word, following in zip_longest(words[1:], words[2:]):
        text = word.text or ""
        for option in options:
            if text == option and following is not None:
                words_found.append(following)
            elif option.startswith("--") and text.startswith(f"{option}="):
                words_found.append(_without_prefix(word, f"{option}="))
            elif not option.startswith("--") and len(option) == 2 and text.startswith(option) and text != option:
                words_found.append(_without_prefix(word, option))
    return words_found


def _without_prefix(word: Word, prefix: str) -> Word:
    return Word((word.text or "").removeprefix(prefix), word.raw, word.is_pattern)
