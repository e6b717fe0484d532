"""Plain dialogue, told from all other lines of a scene at once: it breaks no rule and names nothing but a voice.

Most lines of a game are that. The expression knows no command: none begins with anything but a plain letter.
"""

import re
from collections import Counter

from handrail.core.webgal.javascript import BLANKS

# Wide letters are those of a command that was typed in the wrong width.
_START = r"[^\x00-\x7f；：Ａ-Ｚａ-ｚ\s\ufeff]"
# A hyphen after a blank starts an argument, or was meant to. `*+` gives nothing back: a mark ends the try at once.
_HYPHEN = r"(?<![ \t\u3000\u00a0])-"
_HEAD = rf"{_START}[^:：;{{\\\n-]*+(?:{_HYPHEN}[^:：;{{\\\n-]*+)*+"
_TEXT = rf"[^;{{\\\n-]*+(?:{_HYPHEN}[^;{{\\\n-]*+)*+"
_BLANK = r"[\s\ufeff]*+"
_NONE = rf"{_BLANK}none{_BLANK}(?:;|-)"
_END = r"(?:-([^\s=;{\\%#-][^\s=;{\\]*\.(?i:ogg|mp3|wav)))?;[ \t]*+$"
# One match a line: with a speaker or without one, a comment, nothing, or something else.
_LINE = re.compile(
    rf"^(?:(?:((?:{_HEAD})?+:)(?!{_NONE})({_TEXT})|({_HEAD})){_END}|;.*+$|$|(.+)$)",
    re.MULTILINE,
)


def sifted(text: str) -> tuple[list[tuple[int, str]], Counter[str], list[tuple[int, int, str]]]:
    """The lines that have to be looked at by themselves, with their numbers; who speaks in the others, how often; and
    the voices of those, with line and column."""
    lines = _LINE.findall(text)
    remarkable = [(number, parts[4]) for number, parts in enumerate(lines, start=1) if parts[4]]
    voices = [
        (number, len(head) + len(said or alone) + 1, voice)
        for number, (head, said, alone, voice, _) in enumerate(lines, start=1)
        if voice
    ]
    speakers: Counter[str] = Counter()
    for head, count in Counter([parts[0] for parts in lines]).items():
        if head:
            speakers[head[:-1].rstrip(BLANKS)] += count
    return remarkable, speakers, voices
