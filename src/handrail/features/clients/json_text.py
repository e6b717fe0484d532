"""Edits single values in a JSON text, which may have comments and trailing commas, and keeps all other characters."""

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
    """A value with its position. `starts` are the positions of its entries; in an object, of their keys."""

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
        """Returns the last value with this key, as JSON parsers do."""
        if self.keys is None or key not in self.keys:
            return None
        return self.children[len(self.keys) - 1 - self.keys[::-1].index(key)]


class JsonText:
    """ValueError if the text isn't JSON, even with comments and trailing commas."""

    def __init__(self, text: str) -> None:
        self.text = text if text.strip("\ufeff \t\r\n") else "{}\n"
        self._break = "\r\n" if "\r\n" in text else "\n"
        self._root = self._parse()

    @property
    def value(self) -> Any:
        return self._root.value

    def set(self, keys: Sequence[Key], value: Any) -> None:
        """Creates missing objects on the way."""
        node, depth = self._find(keys)
        if depth == len(keys):
            self._replace((node.start, node.end, self._format(value, self._indent_of(node.start))))
            return
        if not node.is_object:
            raise ValueError(f"`{'.'.join(map(str, keys[:depth]))}` isn't an object")
        for key in reversed(keys[depth + 1 :]):
            value = {key: value}
        self._insert(node, value, str(keys[depth]))

    def append(self, keys: Sequence[Key], value: Any) -> None:
        """Adds the value to the list there."""
        self._insert(self._find(keys)[0], value)

    def remove(self, keys: Sequence[Key]) -> None:
        parent, _ = self._find(keys[:-1])
        node = parent.child(keys[-1])
        assert node is not None
        index = parent.children.index(node)
        start = len(self.text[: parent.starts[index]].rstrip())
        if (comma := self._comma_after(node.end)) is not None:
            self._replace((start, comma + 1, ""))
        elif index > 0 and (earlier := self._comma_after(parent.children[index - 1].end)) is not None:
            self._replace((earlier, earlier + 1, ""), (max(start, earlier + 1), node.end, ""))
        else:
            self._replace((start, node.end, ""))
        container, _ = self._find(keys[:-1])
        if not self.text[container.start + 1 : container.end - 1].strip():
            self._replace((container.start + 1, container.end - 1, ""))

    def _insert(self, node: _Node, value: Any, key: str | None = None) -> None:
        own_indent = self._indent_of(node.start)
        last = node.children[-1].end if node.children else None
        is_spread = not node.children or "\n" in self.text[node.start : node.starts[0]]
        indent = self._indent_of(node.starts[0]) if node.children and is_spread else own_indent + self._indent_unit()
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        if last is not None and not is_spread:
            self._replace((last, last, f", {name}{json.dumps(value, ensure_ascii=False)}"))
            return
        tail = len(self.text[: node.end - 1].rstrip())  # after comments that follow the last entry
        ending = "" if "\n" in self.text[tail : node.end - 1] else self._break + own_indent
        has_comma = last is not None and self._comma_after(last) is not None
        entry = f"{self._break}{indent}{name}{self._format(value, indent)}{',' if has_comma else ''}{ending}"
        comma = [] if last is None or has_comma else [(last, last, ",")]
        self._replace(*comma, (tail, tail, entry))

    def _replace(self, *changes: tuple[int, int, str]) -> None:
        """Each change is a start, an end and the text between them, in the order of the text."""
        for start, end, text in reversed(changes):
            self.text = self.text[:start] + text + self.text[end:]
        self._root = self._parse()

    def _format(self, value: Any, indent: str) -> str:
        text = json.dumps(value, ensure_ascii=False, indent=self._indent_unit())
        return text.replace("\n", self._break + indent)

    def _indent_unit(self) -> str:
        """The indentation of one level in this text."""
        match = re.search(r"\n([ \t]+)\S", self.text)
        return match[1] if match else "  "

    def _indent_of(self, index: int) -> str:
        line = self.text[self.text.rfind("\n", 0, index) + 1 : index]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _comma_after(self, index: int) -> int | None:
        index = self._skip(index)
        return index if self.text[index : index + 1] == "," else None

    def _find(self, keys: Sequence[Key]) -> tuple[_Node, int]:
        node = self._root
        for depth, key in enumerate(keys):
            if (child := node.child(key)) is None:
                return node, depth
            node = child
        return node, len(keys)

    def _skip(self, index: int) -> int:
        match = _SPACE.match(self.text, index)
        return index if match is None else match.end()

    def _parse(self) -> _Node:
        root = self._parse_value(self._skip(0), 0)
        if self._skip(root.end) != len(self.text):
            raise self._error(root.end, "there is more after the value")
        return root

    def _parse_value(self, index: int, depth: int) -> _Node:
        if depth > _DEEPEST:
            raise self._error(index, "it is nested too deeply")
        opening = self.text[index : index + 1]
        if opening in _CLOSING and opening:
            return self._parse_entries(index, _CLOSING[opening], depth)
        match = _SCALAR.match(self.text, index)
        if match is None:
            raise self._error(index, "a value is missing")
        try:
            return _Node(index, match.end(), json.loads(match[0]))
        except ValueError:
            raise self._error(index, "this isn't a value") from None

    def _parse_entries(self, start: int, closing: str, depth: int) -> _Node:
        keys: list[Key] = []
        node = _Node(start, keys=keys, is_object=closing == "}")
        index = self._skip(start + 1)
        while self.text[index : index + 1] != closing:
            node.starts.append(index)
            if node.is_object:
                name = self._parse_value(index, depth + 1)
                index = self._skip(name.end)
                if not isinstance(name.scalar, str) or self.text[index : index + 1] != ":":
                    raise self._error(index, "a name and a colon are missing")
                keys.append(name.scalar)
                index = self._skip(index + 1)
            else:
                keys.append(len(keys))
            node.children.append(self._parse_value(index, depth + 1))
            index = self._skip(node.children[-1].end)
            if self.text[index : index + 1] == ",":
                index = self._skip(index + 1)
            elif self.text[index : index + 1] != closing:
                raise self._error(index, f"a comma or {closing} is missing")
        node.end = index + 1
        return node

    def _error(self, index: int, why: str) -> ValueError:
        return ValueError(f"line {self.text.count(chr(10), 0, index) + 1}: {why}")
