"""Finds where the engine's library (angular-expressions) fails to read an expression."""

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"(?P<blank>\s+)"
    r"|(?P<value>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\{[^{}]*\}|\d[\w.$]*|[\w$]+(?:\.[^\W\d][\w$]*)*|\.\d+)"
    r"|(?P<sign>===?|!\s*==?|[<>]\s*=(?!=)|&&|\|\||[-+*/%<>?:])"  # the engine leaves out blanks beside most signs
    r"|(?P<mark>.)",
    re.DOTALL,
)
_CALL = re.compile(r"\s*[A-Za-z_$][\w$]*\s*\(.*\)\s*")
_PREFIXES = frozenset("-+!")
_PARTNERS = {")": "(", "]": "["}
_OPENING = frozenset(_PARTNERS.values())
_CONJUNCTIONS = frozenset({"and", "or", "not"})


class Fault(NamedTuple):
    """`mark` is the sign or word at which reading fails."""

    mark: str
    is_unpaired: bool = False


def fault_in(expression: str, *, is_condition: bool) -> Fault | None:
    """Returns None if the expression can be read.

    Names in conditions may have blanks: the engine looks them up as a whole. Only a `setVar` can call a function, and
    only if its whole value is the call: elsewhere the engine reads the function's name as a variable.
    """
    can_call = not is_condition and _CALL.fullmatch(expression) is not None
    open_brackets: list[tuple[str, bool]] = []
    before, has_value = "", False
    for match in _TOKEN.finditer(expression):
        kind, token = match.lastgroup, match.group()
        if kind == "blank":
            continue
        if token in "'\"":
            return Fault(token, is_unpaired=True)
        if kind == "value":
            continues_name = is_condition and before[-1:].isalpha() and token[0].isalpha()
            if has_value and (not continues_name or token.lower() in _CONJUNCTIONS):
                return Fault(token)
            has_value = True
        elif token in _OPENING:
            if has_value != (token == "[") and not (has_value and can_call):
                return Fault(before or token)
            open_brackets.append((token, has_value))
            has_value = False
        elif token in _PARTNERS:
            bracket, is_call = open_brackets.pop() if open_brackets else ("", False)
            if bracket != _PARTNERS[token]:
                return Fault(token, is_unpaired=True)
            if not has_value and not (is_call and before == "("):
                return Fault(_beside(before, token))
            has_value = True
        elif has_value and (kind == "sign" or (token == "," and open_brackets and open_brackets[-1] == ("(", True))):
            has_value = False
        elif has_value or token not in _PREFIXES:
            return Fault(token if kind == "mark" else _beside(before, token))
        before = token
    if open_brackets:
        return Fault(open_brackets[-1][0], is_unpaired=True)
    return Fault(before) if before and not has_value else None


def _beside(before: str, token: str) -> str:
    """Returns the sign whose value is missing: the one before, unless nothing or an opening bracket is there."""
    return token if before in ("", "(", "[", ",") else before
