"""Edits single values in a JSON text, which may have comments and trailing commas, and keeps every other character."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Key = str | int
_DEEPEST = 100
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null')
_CLOSING = {"{": "}", "[": "]"}


@dataclass(slots=True)
class _Node:
    """A value and where it stands. `starts` are where its entries begin: at the key, in an object."""

    start: int
    end: int = 0
    scalar: Any = None
    keys: list[Key] | None = None
    starts: list[int] = field(default_factory=list)
    children: list["_Node"] = field(default_factory=list)
    is_object: bool = False

    @property
    def value(self) -> Any:
        if self.keys is None:
            return self.scalar
        values = [child.value for child in self.children]
        return dict(zip(self.keys, values, strict=True)) if self.is_object else values

    def child(self, key: Key) -> "_Node | None":
        """The last of this key, as every reader takes it."""
        if self.keys is None or key not in self.keys:
            return None
        return self.children[len(self.keys) - 1 - self.keys[::-1].index(key)]


class JsonText:
    """ValueError where the text isn't JSON, even with comments and trailing commas."""

    def __init__(self, text: str) -> None:
        self.text = text if text.strip("\ufeff \t\r\n") else "{}\n"
        self._break = "\r\n" if "\r\n" in text else "\n"
        self._root = self._parsed()

    @property
    def value(self) -> Any:
        return self._root.value

    def set(self, keys: Sequence[Key], value: Any) -> None:
        """Objects that are missing on the way are made."""
        node, depth = self._deepest(keys)
        if depth == len(keys):
            self._apply((node.start, node.end, self._written(value, self._indent_of(node.start))))
            return
        if not node.is_object:
            raise ValueError(f"`{'.'.join(map(str, keys[:depth]))}` isn't an object")
        for key in reversed(keys[depth + 1 :]):
            value = {key: value}
        self._insert(node, value, str(keys[depth]))

    def append(self, keys: Sequence[Key], value: Any) -> None:
        """To the list found there."""
        self._insert(self._deepest(keys)[0], value)

    def remove(self, keys: Sequence[Key]) -> None:
        parent, _ = self._deepest(keys[:-1])
        node = parent.child(keys[-1])
        assert node is not None
        at = parent.children.index(node)
        start = len(self.text[: parent.starts[at]].rstrip())
        if (comma := self._comma_after(node.end)) is not None:
            self._apply((start, comma + 1, ""))
        elif at > 0 and (earlier := self._comma_after(parent.children[at - 1].end)) is not None:
            self._apply((earlier, earlier + 1, ""), (max(start, earlier + 1), node.end, ""))
        else:
            self._apply((start, node.end, ""))
        left, _ = self._deepest(keys[:-1])
        if not self.text[left.start + 1 : left.end - 1].strip():
            self._apply((left.start + 1, left.end - 1, ""))

    def _insert(self, node: _Node, value: Any, key: str | None = None) -> None:
        own_indent = self._indent_of(node.start)
        last = node.children[-1].end if node.children else None
        is_spread = not node.children or "\n" in self.text[node.start : node.starts[0]]
        indent = self._indent_of(node.starts[0]) if node.children and is_spread else own_indent + self._unit()
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        if last is not None and not is_spread:
            self._apply((last, last, f", {name}{json.dumps(value, ensure_ascii=False)}"))
            return
        tail = len(self.text[: node.end - 1].rstrip())  # after comments that follow the last entry
        ending = "" if "\n" in self.text[tail : node.end - 1] else self._break + own_indent
        has_comma = last is not None and self._comma_after(last) is not None
        entry = f"{self._break}{indent}{name}{self._written(value, indent)}{',' if has_comma else ''}{ending}"
        comma = [] if last is None or has_comma else [(last, last, ",")]
        self._apply(*comma, (tail, tail, entry))

    def _apply(self, *changes: tuple[int, int, str]) -> None:
        """Each a start, an end and the new text between them, in their order."""
        for start, end, text in reversed(changes):
            self.text = self.text[:start] + text + self.text[end:]
        self._root = self._parsed()

    def _written(self, value: Any, indent: str) -> str:
        text = json.dumps(value, ensure_ascii=False, indent=self._unit())
        return text.replace("\n", self._break + indent)

    def _unit(self) -> str:
        """What one level is indented by in this text."""
        found = re.search(r"\n([ \t]+)\S", self.text)
        return found[1] if found else "  "

    def _indent_of(self, at: int) -> str:
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _comma_after(self, at: int) -> int | None:
        at = self._skip(at)
        return at if self.text[at : at + 1] == "," else None

    def _deepest(self, keys: Sequence[Key]) -> tuple[_Node, int]:
        node = self._root
        for depth, key in enumerate(keys):
            if (child := node.child(key)) is None:
                return node, depth
            node = child
        return node, len(keys)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return at if found is None else found.end()

    def _parsed(self) -> _Node:
        root = self._read(self._skip(0), 0)
        if self._skip(root.end) != len(self.text):
            raise self._wrong(root.end, "there is more after the value")
        return root

    def _read(self, at: int, depth: int) -> _Node:
        if depth > _DEEPEST:
            raise self._wrong(at, "it is nested too deeply")
        opening = self.text[at : at + 1]
        if opening in _CLOSING and opening:
            return self._read_entries(at, _CLOSING[opening], depth)
        found = _SCALAR.match(self.text, at)
        if found is None:
            raise self._wrong(at, "a value is missing")
        try:
            return _Node(at, found.end(), json.loads(found[0]))
        except ValueError:
            raise self._wrong(at, "this isn't a value") from None

    def _read_entries(self, start: int, closing: str, depth: int) -> _Node:
        keys: list[Key] = []
        node = _Node(start, keys=keys, is_object=closing == "}")
        at = self._skip(start + 1)
        while self.text[at : at + 1] != closing:
            node.starts.append(at)
            if node.is_object:
                name = self._read(at, depth + 1)
                at = self._skip(name.end)
                if not isinstance(name.scalar, str) or self.text[at : at + 1] != ":":
                    raise self._wrong(at, "a name and a colon are missing")
                keys.append(name.scalar)
                at = self._skip(at + 1)
            else:
                keys.append(len(keys))
            node.children.append(self._read(at, depth + 1))
            at = self._skip(node.children[-1].end)
            if self.text[at : at + 1] == ",":
                at = self._skip(at + 1)
            elif self.text[at : at + 1] != closing:
                raise self._wrong(at, f"a comma or {closing} is missing")
        node.end = at + 1
        return node

    def _wrong(self, at: int, why: str) -> ValueError:
        return ValueError(f"line {self.text.count(chr(10), 0, at) + 1}: {why}")
