"""Plain dialogue, told from all other lines of a scene at once: it breaks no rule and names nothing but a voice.

Most lines of a game are that. A head that starts with a plain letter may have been meant as a command: whoever asks
decides about those.
"""

import re
from collections import Counter
from collections.abc import Callable

import msgspec

from handrail.core.webgal.commands import COMMANDS
from handrail.core.webgal.javascript import BLANKS

# Wide letters are those of a command that was typed in the wrong width.
_START = r"[^\x00-\x7f；：Ａ-Ｚａ-ｚ\s\ufeff]"
# A hyphen after a blank starts an argument, or was meant to. `*+` gives nothing back: a mark ends the try at once.
_HYPHEN = r"(?<![ \t\u3000\u00a0])-"
_REST = rf"[^:：;{{\\\n-]*+(?:{_HYPHEN}[^:：;{{\\\n-]*+)*+"
_NO_COMMAND = rf"(?!(?:{'|'.join(COMMANDS)})(?![A-Za-z]))"
_HEAD = rf"(?:{_START}|{_NO_COMMAND}[A-Za-z]){_REST}"
_TEXT = rf"[^;{{\\\n-]*+(?:{_HYPHEN}[^;{{\\\n-]*+)*+"
_BLANK = r"[\s\ufeff]*+"
_NONE = rf"{_BLANK}none{_BLANK}(?:[;-]|$)"
_ALONE = rf"(?:{_START}|{_NO_COMMAND}(?!{_NONE})[A-Za-z0-9\"'(.]){_REST}"
# The blank before an argument belongs to the text, or to nobody. In this order each may stand once.
_VOICE = r"(?:-([^\s=:;{\\%#-][^\s=:;{\\]*\.(?i:ogg|mp3|wav)))?"
_COMMON = ("notend", "fontSize=(?:default|small|medium|large)", "(?:left|right|center)", "next")
_FLAGS = "".join(rf"(?: ?(?<= )-{argument})?+" for argument in _COMMON)
_ARGUMENTS = rf"(?:(?=-)(?<= ){_VOICE}{_FLAGS})?"
# One match a line: with a speaker or without one, a comment, nothing, or something else.
_LINE = re.compile(
    rf"^(?:(?:((?:{_HEAD})?+:)(?!{_NONE})({_TEXT})|({_ALONE})){_ARGUMENTS};[ \t]*+$|;.*+$|$|(.+)$)", re.MULTILINE
)


class Sifted(msgspec.Struct, frozen=True):
    """The lines to be looked at, with their numbers; of the others, who speaks how often, and (line, column, voice)."""

    remarkable: list[tuple[int, str]]
    speakers: Counter[str]
    voices: list[tuple[int, int, str]]


def sifted(text: str, is_plain: Callable[[str], bool]) -> Sifted:
    """`is_plain` decides about what stands before a colon."""
    lines = _LINE.findall(text)
    heads = Counter([parts[0] for parts in lines])
    heads.pop("", None)
    odd = {head for head in heads if head[0].isascii() and head != ":" and not is_plain(head[:-1])}
    if odd:
        whole = text.split("\n")
        remarkable = [
            (number, parts[4] or whole[number - 1])
            for number, parts in enumerate(lines, start=1)
            if parts[4] or parts[0] in odd
        ]
    else:
        remarkable = [(number, parts[4]) for number, parts in enumerate(lines, start=1) if parts[4]]
    voices = [
        (number, len(head) + len(said or alone) + 1, voice)
        for number, (head, said, alone, voice, _) in enumerate(lines, start=1)
        if voice and head not in odd
    ]
    speakers: Counter[str] = Counter()
    for head, count in heads.items():
        if head not in odd:
            name = head[:-1].rstrip(BLANKS)
            speakers[name] = speakers.get(name, 0) + count
    return Sifted(remarkable, speakers, voices)
