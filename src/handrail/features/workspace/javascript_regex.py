"""Translates JavaScript's regular expressions to RE2's syntax where the two differ.

In JavaScript `\\s` is all Unicode white space, and there are four line ends: `.` matches none of them, and with the
flag `m` the anchors `^` and `$` match at each. RE2's anchors know only `\\n`, so a text with other line ends is marked:
each line end becomes `\\n`, a mark and `\\n`, and what matches it in the pattern matches the three together.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handrail.features.workspace.backends.regex_program import MARKS

Range = tuple[int, int]

_LINE_ENDS = ("\n", "\r", "\u2028", "\u2029")
_DIGIT: Sequence[Range] = ((0x30, 0x39),)
_WORD: Sequence[Range] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_FOLDED_WORD: Sequence[Range] = (*_WORD, (0x17F, 0x17F), (0x212A, 0x212A))  # the long s and the Kelvin sign
_SPACE: Sequence[Range] = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_LAST = 0x10FFFF
_WITHOUT_LINE_ENDS = re.compile(r"\\p\{(?:[LMNPS].?|(?!Common|Any)\w{3,})\}")  # categories, or scripts
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f"}
_ESCAPED = frozenset("^$\\.*+?()[]{}|/-")
_TOKEN = re.compile(
    r"""\\u\{(?P<long>[0-9a-fA-F]{1,6})\} | \\u(?P<four>[0-9a-fA-F]{4}) | \\x(?P<two>[0-9a-fA-F]{2})
      | \\(?P<nul>0)(?![0-9]) | \\c(?P<control>[a-zA-Z])
      | \\(?P<property>[pP])\{(?:(?:Script|sc|General_Category|gc)=)?(?P<name>[^}]*)\}
      | \\(?P<escape>[\s\S]) | (?P<char>[\s\S])""",
    re.VERBOSE,
)
_TIMES = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_GROUP = re.compile(r"\((?:\?(?:(?P<on>[ims]*)(?:-(?P<off>[ims]+))?(?P<end>[:)])|P?<[^=!][^>]*>))?")


def to_re2(pattern: str, flags: str, *, is_marked: bool) -> str | None:
    """Translates a pattern, for a text with marked or unmarked line ends. None if JavaScript rejects the syntax."""
    try:
        return "".join(_Translator(pattern, flags, is_marked).parts())
    except _UnknownSyntax:
        return None


def has_line_anchors(pattern: str, flags: str) -> bool:
    return ("^" in pattern or "$" in pattern) and ("m" in flags or bool(re.search(r"\(\?[is]*m", pattern)))


def mark(text: bytes) -> bytes | None:
    """Marks the line ends; returns None if there is nothing to mark or the text already contains a mark."""
    if not any(end.encode() in text for end in _LINE_ENDS[1:]) or any(mark_bytes in text for mark_bytes in MARKS):
        return None
    return _LINE_END.sub(lambda end: _MARKED[end.group()], text)


def unmark(text: bytes) -> bytes:
    return _MARKED_END.sub(lambda end: _UNMARKED[end.group()], text)


_MARKED = {end.encode(): b"\n%s\n" % one for end, one in zip(_LINE_ENDS, MARKS, strict=True)}
_UNMARKED = {marked: end for end, marked in _MARKED.items()}
_LINE_END = re.compile(b"|".join(_MARKED))
_MARKED_END = re.compile(b"|".join(_UNMARKED))


class _UnknownSyntax(Exception):
    pass


@dataclass(frozen=True)
class _Set:
    """A set of characters. Properties are `\\p{…}` or `\\P{…}`."""

    ranges: Sequence[Range]
    properties: Sequence[str] = ()
    is_negated: bool = False

    def to_re2(self) -> str:
        return f"[{'^' * self.is_negated}{_format_ranges(self.ranges)}{''.join(self.properties)}]"

    def to_marked_re2(self) -> str:
        """Leaves out the characters of marks, and adds each line end in the set as its marked form."""
        if not all(_WITHOUT_LINE_ENDS.fullmatch(name) for name in self.properties):
            raise _UnknownSyntax
        ends = [
            end for end in _LINE_ENDS if self.is_negated != any(low <= ord(end) <= high for low, high in self.ranges)
        ]
        marks = [(0x0A, 0x0A), (_LAST - len(MARKS) + 1, _LAST)]
        if self.is_negated:
            other_characters = _Set([*self.ranges, *marks], self.properties, is_negated=True)
        else:
            other_characters = _Set(list(_without(self.ranges, marks)), self.properties)
        alternatives = [other_characters.to_re2()] if other_characters.ranges or other_characters.properties else []
        return f"(?:{'|'.join([*alternatives, *(_MARKED[end.encode()].decode() for end in ends)])})"


def _format_ranges(ranges: Sequence[Range]) -> str:
    return "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in ranges)


def _complement(ranges: Sequence[Range]) -> Sequence[Range]:
    return list(_without([(0, _LAST)], ranges))


def _without(ranges: Sequence[Range], others: Sequence[Range]) -> Iterator[Range]:
    for low, high in ranges:
        for start, end in sorted(others):
            if low <= end and start <= high:
                if low < start:
                    yield low, start - 1
                low = end + 1
        if low <= high:
            yield low, high


class _Translator:
    def __init__(self, pattern: str, flags: str, is_marked: bool) -> None:
        self._pattern = pattern
        self._at = 0
        self._flags = [frozenset(flags)]
        """The flags of the pattern and of each open group."""
        self._is_marked = is_marked
        self._has_empty_class = self._has_lone_bracket = False

    def parts(self) -> Iterator[str]:
        while self._at < len(self._pattern):
            char = self._pattern[self._at]
            if char == "(":
                yield self._group()
            elif char == "[":
                yield self._format(self._class())
            elif times := _TIMES.match(self._pattern, self._at):
                self._at = times.end()
                yield times.group()
            elif char in ")|^$*+?":
                if char == ")" and len(self._flags) > 1:
                    self._flags.pop()
                self._at += 1
                yield char
            else:
                self._has_lone_bracket |= char == "]"
                yield self._atom()
        if self._has_empty_class and self._has_lone_bracket:  # for RE2, both may be the ends of one class
            raise _UnknownSyntax

    def _group(self) -> str:
        opening = _GROUP.match(self._pattern, self._at)
        if opening is None or self._pattern.startswith("?", opening.end()):
            raise _UnknownSyntax
        flags = self._flags[-1] | set(opening["on"] or "") - set(opening["off"] or "")
        if opening["end"] == ")":
            self._flags[-1] = flags
        else:
            self._flags.append(flags)
        self._at = opening.end()
        return opening.group()

    def _atom(self) -> str:
        if self._pattern[self._at] == ".":
            self._at += 1
            ends = [(ord(end), ord(end)) for end in _LINE_ENDS]
            return self._format(_Set([(0, _LAST)]) if "s" in self._flags[-1] else _Set(ends, is_negated=True))
        if self._pattern.startswith(("\\b", "\\B"), self._at):
            self._at += 2
            return self._pattern[self._at - 2 : self._at]
        characters = self._one()
        if characters.properties and characters.properties[0].startswith("\\P"):  # a marked text needs the negated form
            characters = _Set([], [f"\\p{characters.properties[0][2:]}"], is_negated=True)
        return self._format(characters)

    def _class(self) -> _Set:
        self._at += 1
        is_negated = self._pattern.startswith("^", self._at)
        self._at += is_negated
        ranges, properties = list[Range](), list[str]()
        while not self._pattern.startswith("]", self._at):
            if self._pattern.startswith("[:", self._at):
                raise _UnknownSyntax
            characters = self._one()
            if self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at):
                self._at += 1
                characters = _Set([(_single(characters), _single(self._one()))])
            ranges += characters.ranges
            properties += characters.properties
        self._at += 1
        if not ranges and not properties:
            self._has_empty_class = True
            return _Set([(0, _LAST)], is_negated=not is_negated)
        return _Set(ranges, properties, is_negated)

    def _one(self) -> _Set:
        """Reads a character, or an escape that stands for one or several."""
        token = _TOKEN.match(self._pattern, self._at)
        if token is None:
            raise _UnknownSyntax
        self._at = token.end()
        if token["property"]:
            return _Set([], [f"\\{token['property']}{{{token['name']}}}"])
        if letter := token["control"]:
            return _character(chr(ord(letter) % 32))
        if digits := token["long"] or token["four"] or token["two"] or token["nul"]:
            return _character(chr(min(int(digits, 16), _LAST)))
        if (escape := token["escape"]) is None:
            return _character(token["char"])
        word = _FOLDED_WORD if "i" in self._flags[-1] else _WORD
        escapes = {"d": _DIGIT, "s": _SPACE, "w": word}
        if escape.lower() in escapes:
            ranges = escapes[escape.lower()]
            return _Set(ranges if escape.islower() else _complement(ranges))
        if escape == "b":
            return _character("\b")
        if escape not in _CONTROLS and escape not in _ESCAPED:
            raise _UnknownSyntax
        return _character(_CONTROLS.get(escape, escape))

    def _format(self, characters: _Set) -> str:
        return characters.to_marked_re2() if self._is_marked else characters.to_re2()


def _character(char: str) -> _Set:
    return _Set([(ord(char), ord(char))])


def _single(characters: _Set) -> int:
    if characters.properties or len(characters.ranges) != 1 or characters.ranges[0][0] != characters.ranges[0][1]:
        raise _UnknownSyntax
    return characters.ranges[0][0]
