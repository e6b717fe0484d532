"""What comes from outside has one reading, or none."""

import contextlib
import json
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.kernel.strict_json import MAX_INTEGER, NotJson, check, decode
from handrail.ports.errors import InvalidParams

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
keys = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=25)


@settings(deadline=None)
@given(values, st.booleans())
def test_every_plain_value_comes_back_as_it_was(value: Any, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert decode(text) == value
    assert decode(text.encode()) == value
    check(value)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_at_all_give_a_value_or_a_refusal(data: bytes) -> None:
    with contextlib.suppress(InvalidParams):
        check(decode(data))


@settings(deadline=None)
@given(st.text(alphabet='[]{}":,\\ud8e1-.+NaIf0 \n', max_size=60))
def test_anything_that_looks_like_json_gives_a_value_or_a_refusal(text: str) -> None:
    try:
        value = decode(text)
    except InvalidParams:
        return
    check(value)
    assert json.loads(text) == value


@settings(deadline=None)
@given(st.dictionaries(keys, scalars, min_size=1), st.data())
def test_a_duplicate_key_is_refused_wherever_it_stands(members: dict[str, Any], data: st.DataObject) -> None:
    pairs = list(members.items())
    again = data.draw(st.sampled_from(pairs))
    pairs.insert(data.draw(st.integers(0, len(pairs))), again)
    text = "{" + ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in pairs) + "}"
    with pytest.raises(InvalidParams, match="appears twice"):
        decode(f'[{{"deep":{text}}}]')


def test_keys_that_are_spelled_apart_and_mean_the_same_are_duplicates() -> None:
    with pytest.raises(InvalidParams, match="'path' appears twice"):
        decode(r'{"path":"a","p\u0061th":"b"}')


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a":-Infinity}'])
def test_numbers_that_json_does_not_have_are_refused(text: str) -> None:
    with pytest.raises(InvalidParams, match="must be finite"):
        decode(text)


@pytest.mark.parametrize("text", ["1e400", "-1e309", "[1.8e308]"])
def test_a_number_that_overflows_is_refused(text: str) -> None:
    with pytest.raises(InvalidParams, match="larger than any double"):
        decode(text)


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**17, 2**64, int("9" * 4000)])
def test_an_integer_beyond_the_doubles_is_refused(number: int) -> None:
    with pytest.raises(InvalidParams, match="beyond"):
        decode(str(number))
    with pytest.raises(InvalidParams, match="beyond"):
        check({"n": [number]})


def test_an_integer_of_a_million_digits_is_refused_at_once() -> None:
    with pytest.raises(InvalidParams, match="beyond"):
        decode("9" * 1_000_000)


@pytest.mark.parametrize("number", [MAX_INTEGER, -MAX_INTEGER, 0])
def test_the_last_safe_integers_pass(number: int) -> None:
    assert decode(str(number)) == number


@pytest.mark.parametrize("text", [r'"\ud800"', r'{"\udfff":1}', r'["\ud83d\u0041"]', r'"\udE00\ud83D"', '"\ud800"'])
def test_a_lone_surrogate_is_refused(text: str) -> None:
    with pytest.raises(InvalidParams, match="lone surrogate"):
        decode(text)


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert decode(r'"\ud83d\ude00"') == "😀"


@pytest.mark.parametrize("data", [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\xaf"', b'{"a":"\xe4"}'])
def test_bytes_that_are_not_utf_8_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidParams, match="not UTF-8") as refusal:
        decode(data)
    assert not isinstance(refusal.value, NotJson)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("{", 1, 2),
        ('{\n "a": 1,\n}', 3, 1),
        ("[1] 2", 1, 5),
        ("'a'", 1, 1),
        ("01", 1, 2),
        ("\ufeff1", 1, 1),
    ],
)
def test_what_does_not_parse_is_told_with_line_and_column(text: str, line: int, column: int) -> None:
    with pytest.raises(NotJson) as refusal:
        decode(text)
    assert (refusal.value.details["line"], refusal.value.details["column"]) == (line, column)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "NaN", "9007199254740992", r'"\ud800"', "[" * 70 + "]" * 70])
def test_what_parses_and_is_refused_is_not_called_unparsable(text: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        decode(text)
    assert not isinstance(refusal.value, NotJson)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', '["[\\"{",'])
@pytest.mark.parametrize("depth", [65, 1000, 100_000, 1_000_000])
def test_deep_nesting_is_refused_quickly(opening: str, depth: int) -> None:
    started = time.process_time()
    with pytest.raises(InvalidParams, match="deeper than 64"):
        decode(opening * depth)
    assert time.process_time() - started < 2


@settings(deadline=None)
@given(st.integers(1, 90))
def test_the_limit_on_depth_is_exact(depth: int) -> None:
    text = '{"a":[' * (depth // 2) + "[" * (depth % 2) + "]" * (depth % 2) + "]}" * (depth // 2)
    if depth <= 64:
        check(decode(text))
        return
    with pytest.raises(InvalidParams, match="deeper"):
        decode(text)
    with pytest.raises(InvalidParams, match="deeper"):
        check(json.loads(text))


def test_brackets_inside_strings_do_not_nest() -> None:
    value = {"content": '[{"\\' * 1000, "end\\": ["\\", "[" * 200]}
    assert decode(json.dumps(value)) == value


def test_many_shallow_arrays_are_not_deep() -> None:
    assert decode("[" + ",".join(["[]"] * 1000) + "]") == [[]] * 1000


@pytest.mark.parametrize("data", ["1" * 11, b"1" * 11, '"' + "é" * 5 + '"'])
def test_a_text_over_the_limit_is_refused_before_it_is_parsed(data: bytes | str) -> None:
    with pytest.raises(InvalidParams, match="longer than 10 bytes"):
        decode(data, max_bytes=10)


def test_quotes_that_never_close_take_linear_time() -> None:
    started = time.process_time()
    with pytest.raises(InvalidParams):
        decode(b"[" * 100 + b'"\\' * 2_000_000)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": -math.inf}])
def test_check_refuses_numbers_that_are_not_finite(value: Any) -> None:
    with pytest.raises(InvalidParams, match="finite"):
        check(value)


@pytest.mark.parametrize("value", [{1: 2}, [object()], {"a": {1, 2}}, b"bytes"])
def test_check_refuses_what_json_does_not_have(value: Any) -> None:
    with pytest.raises(InvalidParams):
        check(value)


def test_check_survives_a_value_that_holds_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(InvalidParams, match="deeper"):
        check(loop)
