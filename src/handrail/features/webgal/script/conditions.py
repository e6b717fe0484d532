"""Variables in conditions and texts, and whether a condition is valid."""

import re

# One equals sign, where two were meant; and the two signs of a comparison in the wrong order.
_ONE_EQUALS = re.compile(r"(?<![=!<>])=(?!=)")
_TURNED = re.compile(r"(?<![=!<>])=([<>])(?!=)")
_WIDE = str.maketrans("＝＞＜（）！＆｜＋－＊／", "=><()!&|+-*/")
_WIDE_SIGN = re.compile(r"'[^']*'|\"[^\"]*\"|(?P<sign>[＝＞＜（）！＆｜＋－＊／])")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
# What follows a comparison may be text without quotes, as in `name==Tom`.
_COMPARED = re.compile(r"(?<=[=!]=)\s*[^\W\d][\w.$]*")
_NAME = re.compile(r"(?<![\w.$'\"])[^\W\d]\w*(?![\w(])")
_INTERPOLATED = re.compile(r"(?<!\\)\{([^\W\d]\w*)\}")
_WORDS = frozenset({"true", "false", "null", "undefined", "random"})
_PAIRS = {")": "(", "]": "["}
# As the engine splits it: what is between the signs is a value, whatever it looks like.
_PIECE = re.compile(r"'[^']*'|\"[^\"]*\"|[<>=!]=|&&|\|\||[-+*/()<>!,]|[^-+*/()<>=!&|,'\"]+|.")
# The signs at which the engine splits a condition; it takes `>=` for `>` and a value that begins with `=`.
_ENGINE_SIGN = re.compile(r"([-+*/()<>!]|==|&&|\|\|)")
_FOREIGN_NAME = re.compile(r"[^\W\da-zA-Z_]+(?:[^\Wa-zA-Z]|_)*")
_LIMIT = re.compile(r"([\w.$]+)\s*([<>])=\s*([A-Za-z_$][\w.$]*)")
_BEFORE_VALUE = frozenset({"-", "+", "!", "("})
_SIGNS = frozenset({"-", "+", "*", "/", "<", ">", "!", "<=", ">=", "==", "!=", "&&", "||", ",", "(", ")"})


def names_in(condition: str) -> list[str]:
    """The variables that a condition reads, as far as that is certain."""
    plain = _COMPARED.sub(" ", _QUOTED.sub(" ", condition))
    return [name for name in _NAME.findall(plain) if name not in _WORDS]


def interpolated(text: str) -> list[str]:
    """The variables whose values are inserted into a text."""
    return _INTERPOLATED.findall(text) if "{" in text else []


def variable_places(condition: str) -> list[tuple[int, int]]:
    """Positions of the variables of a condition."""
    plain = _COMPARED.sub(_blanks, _QUOTED.sub(_blanks, condition))
    return [found.span() for found in _NAME.finditer(plain) if found.group() not in _WORDS]


def interpolated_places(text: str) -> list[tuple[int, int]]:
    """Positions of the names whose values are inserted into a text."""
    return [found.span(1) for found in _INTERPOLATED.finditer(text)]


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found.group())


def wide_sign(condition: str) -> str | None:
    """The first full-width sign, which no engine understands."""
    return next((found["sign"] for found in _WIDE_SIGN.finditer(condition) if found["sign"]), None)


def narrowed(condition: str) -> str:
    """With full-width signs replaced; quoted text stays."""
    return _WIDE_SIGN.sub(lambda found: found.group().translate(_WIDE) if found["sign"] else found.group(), condition)


def compared(condition: str) -> str:
    """With every comparison written correctly."""
    return _ONE_EQUALS.sub("==", _TURNED.sub(r"\1=", condition))


def lacks_operand(expression: str) -> str | None:
    """The sign without a value beside it, for which no engine can compile the expression: `a>1&&`, `1+`, `*2`."""
    before = "("
    for piece in [*filter(None, map(str.strip, _PIECE.findall(expression))), ")"]:
        is_sign = piece in _SIGNS
        needs_value = before in _SIGNS and before != ")"
        if is_sign and needs_value and piece not in _BEFORE_VALUE and not (before == "(" and piece == ")"):
            return piece if before in ("(", ",") else before
        before = piece
    return None


def unread_name(expression: str) -> str | None:
    """A name or text without a Latin letter, which an engine up to 4.6 neither looks up nor compiles."""
    operands = _ENGINE_SIGN.split(_QUOTED.sub('""', expression))[::2]
    bare = (operand.strip().lstrip("=").strip() for operand in operands)
    return next((each for each in bare if _FOREIGN_NAME.fullmatch(each)), None)


def unread_limit(condition: str) -> re.Match[str] | None:
    """`a>=b`, of which an engine up to 4.6 looks up `=b`: the comparison is never true."""
    return next((found for found in _LIMIT.finditer(_QUOTED.sub(_blanks, condition)) if found[3] not in _WORDS), None)


def unpaired(condition: str) -> str | None:
    """The bracket or quote without a partner."""
    bare = _QUOTED.sub("", condition)
    for quote in "'\"":
        if quote in bare:
            return quote
    opened: list[str] = []
    for char in bare:
        if char in "([":
            opened.append(char)
        elif char in _PAIRS and (not opened or opened.pop() != _PAIRS[char]):
            return char
    return opened[-1] if opened else None
