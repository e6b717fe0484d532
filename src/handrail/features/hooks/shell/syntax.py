"""Parses a shell command with its grammar (tree-sitter-bash): each program that would run, its words and redirects.

What the text can't determine stays unknown: a word that is expanded at run time has no text, and a construct that isn't
supported becomes a doubt, a sentence for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MOST_BYTES = 100_000
_DEEPEST = 60

_ANSI_SIMPLE = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ANSI = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is what the program gets, None if that is unknown until the shell runs it. `raw` is as written."""

    text: str | None
    raw: str
    is_pattern: bool = False
    """Whether it has an unquoted `*`, `?` or `[`, or begins with an unquoted `~`."""


@dataclass(frozen=True, slots=True)
class Redirect:
    operator: str
    target: Word

    @property
    def writes(self) -> bool:
        return ">" in self.operator

    @property
    def is_descriptor(self) -> bool:
        """`2>&1` and `>&-` name no file."""
        return self.operator in (">&", "<&") and re.fullmatch(r"\d+-?|-", self.target.raw) is not None


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its words. Without words it only sets variables or opens redirects."""

    words: tuple[Word, ...]
    assignments: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    depth: int = 0
    """The number of subshells, substitutions and functions around it."""


@dataclass(slots=True)
class Script:
    programs: list[SimpleCommand] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    """Redirects of whole groups."""
    inputs: list[str] = field(default_factory=list)
    """The contents of here-documents and here-strings."""
    doubts: list[str] = field(default_factory=list)

    def doubt(self, why: str) -> None:
        if why not in self.doubts:
            self.doubts.append(why)


def parse_script(text: str) -> Script:
    """Never fails: anything that can't be parsed becomes a doubt."""
    script = Script()
    try:
        data = text.encode()
    except UnicodeEncodeError:
        script.doubt("It contains characters that are not text.")
        return script
    if "\0" in text or len(data) > MOST_BYTES:
        script.doubt("It is too long to parse." if len(data) > MOST_BYTES else "It contains a NUL character.")
        return script
    root = _parser().parse(data).root_node
    if root.has_error:
        script.doubt("It can't be read as a shell command.")
    _SyntaxVisitor(script).visit(root, 0)
    return script


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


_CONTAINERS = frozenset(
    {
        *("program", "list", "pipeline", "negated_command", "compound_statement", "do_group", "if_statement"),
        *("elif_clause", "else_clause", "while_statement", "for_statement", "c_style_for_statement", "case_statement"),
        *("case_item", "test_command", "unary_expression", "binary_expression", "parenthesized_expression"),
    }
)
_NESTED = frozenset({"subshell", "command_substitution", "process_substitution", "function_definition"})
_INERT = frozenset(
    {"comment", "variable_name", "number", "test_operator", "file_descriptor", "extglob_pattern", "regex"}
)
_VALUES = frozenset(
    {
        *("word", "raw_string", "string", "concatenation", "ansi_c_string", "simple_expansion", "expansion"),
        *("arithmetic_expansion", "brace_expression", "translated_string", "ternary_expression", "postfix_expression"),
        *("subscript", "array", "special_variable_name", "string_content", "heredoc_content"),
    }
)


class _SyntaxVisitor:
    def __init__(self, script: Script) -> None:
        self._script = script

    def visit(self, node: Node, depth: int) -> None:
        if depth > _DEEPEST:
            self._script.doubt("It is nested too deeply to be read.")
            return
        kind = node.type
        if kind == "command":
            self._command(node, (), depth)
        elif kind == "redirected_statement":
            self._redirected(node, depth)
        elif kind == "variable_assignment":
            self._script.programs.append(SimpleCommand((), (_raw(node),), depth=depth))
            self._visit_children(node, depth)
        elif kind in ("declaration_command", "unset_command"):
            words = tuple(self._word(child, depth) for child in node.children)
            self._script.programs.append(SimpleCommand(words, depth=depth))
        elif kind in _NESTED:
            if kind == "function_definition":
                self._script.doubt("It defines a function, which may take the name of a program.")
            self._visit_children(node, depth + 1)
        elif kind in _CONTAINERS:
            self._visit_children(node, depth)
        elif kind in ("ERROR",):
            self._script.doubt("It can't be read as a shell command.")
            self._visit_children(node, depth)
        elif kind in _VALUES:
            self._word(node, depth)
        elif node.is_named and kind not in _INERT:
            self._script.doubt(f"It has something that isn't understood: {kind.replace('_', ' ')}.")
            self._visit_children(node, depth)

    def _visit_children(self, node: Node, depth: int) -> None:
        for child in node.named_children:
            self.visit(child, depth + 1)

    def _redirected(self, node: Node, depth: int) -> None:
        body, redirects = None, list[Redirect]()
        for child in node.named_children:
            if child.type.endswith("redirect"):
                redirects += self._redirect(child, depth)
            else:
                body = child
        if body is None:
            self._script.redirects += redirects
        elif body.type == "command":
            self._command(body, tuple(redirects), depth)
        else:
            self._script.redirects += redirects
            self.visit(body, depth)

    def _redirect(self, node: Node, depth: int) -> Iterator[Redirect]:
        if node.type == "file_redirect":
            operator = next((child.type for child in node.children if not child.is_named), "")
            targets = [child for child in node.named_children if child.type != "file_descriptor"]
            for target in targets[:1]:
                yield Redirect(operator, self._word(target, depth))
            if not targets or len(targets) > 1:
                # The grammar parses further words as more files; the shell treats them as arguments.
                self._script.doubt("It has words after a redirect that may be arguments.")
                for target in targets[1:]:
                    self._word(target, depth)
        elif node.type == "herestring_redirect":
            for child in node.named_children:
                word = self._word(child, depth)
                self._script.inputs.append(word.raw if word.text is None else word.text)
        else:  # a here-document; the rest of its line belongs to the same command
            for child in node.named_children:
                if child.type == "heredoc_body":
                    self._script.inputs.append(_raw(child))
                    for part in child.named_children:
                        self.visit(part, depth + 1)
                elif child.type == "file_redirect":
                    yield from self._redirect(child, depth)
                elif child.type not in ("heredoc_start", "heredoc_end", "file_descriptor"):
                    self._script.doubt("It continues after a here-document.")
                    self.visit(child, depth)

    def _command(self, node: Node, outer_redirects: tuple[Redirect, ...], depth: int) -> None:
        words, assignments, redirects = list[Word](), list[str](), list(outer_redirects)
        for child in node.children:
            if child.type == "variable_assignment":
                assignments.append(_raw(child))
                self._visit_children(child, depth)
            elif child.type.endswith("redirect"):
                redirects += self._redirect(child, depth)
            elif child.type == "command_name":
                words += [self._word(part, depth) for part in child.named_children]
            elif child.is_named or child.type not in ("<", ">"):
                words.append(self._word(child, depth))
        self._script.programs.append(SimpleCommand(tuple(words), tuple(assignments), tuple(redirects), depth))

    def _word(self, node: Node, depth: int) -> Word:
        """Also visits the commands that run to produce the word."""
        raw, kind = _raw(node), node.type
        if depth > _DEEPEST:
            self._script.doubt("It is nested too deeply to be read.")
            return Word(None, raw)
        if kind in ("word", "number", "test_operator") or not node.is_named:
            if node.named_child_count:
                self._visit_children(node, depth)
                return Word(None, raw)
            return _bare_word(raw)
        if kind == "raw_string":
            return Word(raw[1:-1], raw)
        if kind == "ansi_c_string":
            return Word(_decode_ansi(raw[2:-1]), raw)
        if kind == "string":
            return self._string(node, raw, depth)
        if kind == "concatenation":
            return self._joined(node, raw, depth)
        if kind in _NESTED:
            self._visit_children(node, depth + 1)
            return Word(None, raw)
        for child in node.named_children:
            if child.type in _NESTED or child.type in _VALUES or child.named_child_count:
                self._word(child, depth + 1)
        return Word(None, raw)

    def _string(self, node: Node, raw: str, depth: int) -> Word:
        inner = [child for child in node.named_children if child.type != "string_content"]
        for child in inner:
            self._word(child, depth + 1)
        if inner or re.search(r"(?<!\\)(?:\\\\)*[$`]", raw[1:-1]):
            return Word(None, raw)
        return Word(re.sub(r'\\([$`"\\])', r"\1", raw[1:-1].replace("\\\n", "")), raw)

    def _joined(self, node: Node, raw: str, depth: int) -> Word:
        """Joins the pieces of one word. If the grammar left a gap between them, the word is unknown."""
        pieces = [self._word(child, depth) for child in node.named_children]
        if "".join(piece.raw for piece in pieces) != raw or _has_braces(pieces):
            return Word(None, raw)
        if any(piece.text is None for piece in pieces):
            return Word(None, raw)
        return Word("".join(piece.text or "" for piece in pieces), raw, any(piece.is_pattern for piece in pieces))


def _has_braces(pieces: list[Word]) -> bool:
    bare = "".join(piece.raw for piece in pieces if not piece.raw.startswith(("'", '"')))
    return "{" in bare and ("," in bare or ".." in bare)


def _bare_word(raw: str) -> Word:
    if "{" in raw and ("," in raw or ".." in raw):
        return Word(None, raw)
    is_pattern = _GLOB.search(re.sub(r"\\.", "", raw)) is not None or raw.startswith("~")
    text = re.sub(r"\\(.)", r"\1", raw.replace("\\\n", ""), flags=re.DOTALL)
    return Word(text, raw, is_pattern)


def _decode_ansi(text: str) -> str | None:
    def decode(match: re.Match[str]) -> str:
        two, four, eight, octal, other = match.groups()
        if two or four or eight:
            return chr(min(int(two or four or eight, 16), 0x10FFFF))
        if octal:
            return chr(int(octal, 8) & 0xFF)
        return _ANSI_SIMPLE.get(other, "\0")

    decoded = _ANSI.sub(decode, text)
    return None if "\0" in decoded else decoded


def _raw(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
