"""One value, one digest: against the vectors that RFC 8785 publishes."""

import json
import math
import struct
from hashlib import sha256
from typing import Any

import pytest

from handrail.kernel.digest import canonical, digest, shorten
from handrail.ports.errors import InvalidParams

# RFC 8785 §3.2.2, and the UTF-8 octets of §3.2.4
SAMPLE = r"""{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}"""
SAMPLE_OCTETS = """
7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e
75 6d 62 65 72 73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30
2c 34 2e 35 2c 30 2e 30 30 32 2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24
5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22 7d
"""

# RFC 8785 §3.2.3
SORTING = r"""{
  "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}"""
SORTED_VALUES = [
    "Carriage Return",
    "One",
    "Control",
    "Latin Small Letter O With Diaeresis",
    "Euro Sign",
    "Emoji: Grinning Face",
    "Hebrew Letter Dalet With Dagesh",
]

# RFC 8785 appendix B
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


def test_the_rfcs_sample_gives_the_rfcs_octets() -> None:
    octets = bytes.fromhex(SAMPLE_OCTETS)
    assert canonical(json.loads(SAMPLE)) == octets
    assert digest(json.loads(SAMPLE)) == sha256(octets).hexdigest()


def test_keys_are_sorted_by_their_utf_16_units_as_in_the_rfc() -> None:
    assert list(json.loads(canonical(json.loads(SORTING))).values()) == SORTED_VALUES


@pytest.mark.parametrize(("bits", "spelling"), NUMBERS)
def test_numbers_are_spelled_as_in_appendix_b(bits: str, spelling: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(number) == spelling.encode()


def test_equal_values_in_different_spellings_have_the_same_digest() -> None:
    assert digest({"a": 1, "b": [2.0]}) == digest(json.loads('{ "b": [2], "a": 1.0 }'))


def test_different_values_have_different_digests() -> None:
    spellings: list[Any] = [1, "1", True, None, [], {}, [1], {"a": 1}, {"a": None}, {"b": 1}, ""]
    assert len({digest(value) for value in spellings}) == len(spellings)


def test_a_digest_is_whole_inside_and_short_outside() -> None:
    assert len(digest({})) == 64
    assert shorten(digest({})) == digest({})[:16]


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53, "\ud800", {"\ud800": 1}, {1: 2}, object()])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(InvalidParams):
        digest(value)


def test_a_value_that_nests_too_deep_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InvalidParams, match="too deep"):
        digest(value)
