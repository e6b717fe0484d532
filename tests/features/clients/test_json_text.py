"""A JSON text with comments: one value changes, every other character stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.features.clients.json_text import JsonText

COMMENTED = """\
// Settings of mine
{
    "a": [1, 2], // two
    /* the servers */
    "mcp": {
        "other": {"command": "true"}, // keep
    },
}
"""


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (COMMENTED, ("mcp", "handrail")),
        (COMMENTED, ("new", "deep", "er")),
        ('{"a": 1}', ("b",)),
        ("{}", ("a", "b")),
        ('{\n  "a": 1 // why\n}\n', ("b",)),
        ('{\r\n\t"a": {}\r\n}\r\n', ("a", "b")),
        ("{\n  // nothing yet\n}\n", ("a",)),
        ('\ufeff{"ü": "// no comment"}', ("b",)),
    ],
)
def test_a_set_value_is_there_and_removing_it_restores_the_text(text: str, keys: tuple[str, ...]) -> None:
    edited = JsonText(text)
    missing = next(depth for depth in range(1, len(keys) + 1) if edited._find(keys[:depth])[1] < depth)
    edited.set(keys, {"command": "x", "args": ["y"]})
    again = JsonText(edited.text)
    result = again.value
    for key in keys:
        result = result[key]
    assert result == {"command": "x", "args": ["y"]}
    assert all(line in edited.text for line in ("// two", "// keep")) or text != COMMENTED
    again.remove(keys[:missing])
    assert again.text == text


def test_a_value_is_replaced_in_its_place_and_lists_keep_their_comments() -> None:
    edited = JsonText('{"allow": [\n  "a", // first\n  "b"\n]}')
    edited.append(("allow",), "c")
    assert edited.text == '{"allow": [\n  "a", // first\n  "b",\n  "c"\n]}'
    edited.remove(("allow", 1))
    edited.set(("allow", 0), "z")
    assert edited.text == '{"allow": [\n  "z", // first\n  "c"\n]}'


@pytest.mark.parametrize(
    "text", ["{", '{"a"}', "{a: 1}", '{"a": 01}', '{"a": 1} x', '{"a": "\n"}', "[" * 5000, '{"a" 1}']
)
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="line"):
        JsonText(text)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.text(max_size=3), _VALUES, max_size=4)


@given(_OBJECTS, st.text(max_size=3), _VALUES, st.sampled_from([None, 2, "\t"]))
def test_setting_a_value_equals_setting_it_in_a_dict(
    values: dict[str, object], key: str, value: object, indent: str | int | None
) -> None:
    edited = JsonText(json.dumps(values, indent=indent, ensure_ascii=False))
    edited.set((key,), value)
    assert json.loads(edited.text) == {**values, key: value}
    edited.remove((key,))
    assert json.loads(edited.text) == {name: each for name, each in values.items() if name != key}
