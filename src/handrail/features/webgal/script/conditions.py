"""Reads variables in conditions and texts, and checks whether a condition is valid."""

import re

# One equals sign instead of two, and the two signs of a comparison in the wrong order.
_ONE_EQUALS = re.compile(r"(?<![=!<>])(?<![=!<>] )=(?! ?=)")
_TURNED = re.compile(r"(?<![=!<>])=([<>])(?!=)")
_WIDE = str.maketrans("＝＞＜（）！＆｜＋－＊／", "=><()!&|+-*/")
_WIDE_SIGN = re.compile(r"'[^']*'|\"[^\"]*\"|(?P<sign>[＝＞＜（）！＆｜＋－＊／])")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_QUOTED_OR_NOT = re.compile(r"('[^']*'|\"[^\"]*\")|[^'\"]+|.")
# What follows a comparison may be text without quotes, as in `name==Tom`.
_COMPARED = re.compile(r"(?<=[=!]=)\s*[^\W\d][\w.$]*")
_NAME = re.compile(r"(?<![\w.$'\"])[^\W\d]\w*(?![\w(])")
_INTERPOLATED = re.compile(r"(?<!\\)\{([^\W\d]\w*)\}")
_WORDS = frozenset({"true", "false", "null", "undefined", "random", "and", "or", "not"})
# The signs at which the engine splits a condition; it reads `>=` as `>` and a value that begins with `=`.
_ENGINE_SIGN = re.compile(r"([-+*/()<>!]|==|&&|\|\|)")
_FOREIGN_NAME = re.compile(r"[^\W\da-zA-Z_]+(?:[^\Wa-zA-Z]|_)*")
_VARIABLE = r"(?P<name>[A-Za-z_$][\w.$]*)"
_AFTER_EQUALS = re.compile(rf"(?P<left>[\w.$]+)\s*(?P<mark>[<>!]=|===)(?!=)\s*{_VARIABLE}")
_CALL = re.compile(r"\s*[A-Za-z_$][\w$]*\s*\(.*\)\s*")


def _beside(marks: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(rf"{_VARIABLE}\s*(?P<mark>{marks})"), re.compile(rf"(?P<mark>{marks})\s*{_VARIABLE}")


_UNREAD_IN_CONDITION = (_AFTER_EQUALS, *_beside("[%?:]"))
_UNREAD_IN_VALUE = _beside(r"[%?:<>!]|&&|\|\|")
_UNREAD_IN_CALL = (re.compile(rf"(?P<mark>[(,])[^()]*?(?<![\w.$]){_VARIABLE}"),)


def names_in(condition: str) -> list[str]:
    """Returns the variables that a condition certainly reads."""
    plain = _COMPARED.sub(" ", _QUOTED.sub(" ", condition))
    return [name for name in _NAME.findall(plain) if name not in _WORDS]


def interpolated(text: str) -> list[str]:
    """Returns the variables whose values are inserted into a text."""
    return _INTERPOLATED.findall(text) if "{" in text else []


def variable_places(condition: str) -> list[tuple[int, int]]:
    """Returns the positions of a condition's variables."""
    plain = _COMPARED.sub(_blanks, _QUOTED.sub(_blanks, condition))
    return [match.span() for match in _NAME.finditer(plain) if match.group() not in _WORDS]


def interpolated_places(text: str) -> list[tuple[int, int]]:
    """Returns the positions of the names whose values are inserted into a text."""
    return [match.span(1) for match in _INTERPOLATED.finditer(text)]


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match.group())


def wide_sign(condition: str) -> str | None:
    """Returns the first full-width sign, which no engine understands."""
    return next((match["sign"] for match in _WIDE_SIGN.finditer(condition) if match["sign"]), None)


def with_narrow_signs(condition: str) -> str:
    """Replaces full-width signs outside of quotes."""
    return _WIDE_SIGN.sub(lambda match: match.group().translate(_WIDE) if match["sign"] else match.group(), condition)


def with_valid_comparisons(condition: str) -> str:
    """Corrects every comparison outside of quotes."""
    return _QUOTED_OR_NOT.sub(lambda match: match[1] or _ONE_EQUALS.sub("==", _TURNED.sub(r"\1=", match[0])), condition)


def unread_name(expression: str) -> str | None:
    """Returns a name or text without a Latin letter, which an engine up to 4.6 neither looks up nor compiles."""
    operands = _ENGINE_SIGN.split(_QUOTED.sub('""', expression))[::2]
    bare = (operand.strip().lstrip("=").strip() for operand in operands)
    return next((each for each in bare if _FOREIGN_NAME.fullmatch(each)), None)


def unread_operand(condition: str) -> re.Match[str] | None:
    """Finds a variable that an engine up to 4.6 doesn't look up: in `a>=b` it reads `=b`, in `a%2` all of it."""
    return _unread(_UNREAD_IN_CONDITION, condition)


def unread_in_value(value: str) -> re.Match[str] | None:
    """Does the same for `setVar`, which looks up names between `+ - * / ( )`, and none in function calls."""
    return _unread(_UNREAD_IN_CALL if _CALL.fullmatch(value) else _UNREAD_IN_VALUE, value)


def _unread(patterns: tuple[re.Pattern[str], ...], expression: str) -> re.Match[str] | None:
    plain = _QUOTED.sub(_blanks, expression)
    matches = (match for pattern in patterns for match in pattern.finditer(plain))
    return next((match for match in matches if match["name"] not in _WORDS), None)
