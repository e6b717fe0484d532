"""Names of keys: exactly those that the keyboard knows are accepted."""

import pytest

from handrail.features.desktop.backends import keysyms as x11
from handrail.features.desktop.host.methods.hotkey import KEYS, MODIFIERS, parse_combinations
from handrail.ports.errors import InvalidParams


def test_the_keyboard_knows_every_name_and_no_other() -> None:
    assert set(x11.NAMED_KEYS) == KEYS
    assert set(x11.MODIFIERS) == MODIFIERS


@pytest.mark.parametrize("name", ["Page_Up", "page-up", "PageUp", "F24", "a", "A", "世", "+", "\n", "ctrl+Page Down"])
def test_a_key_is_known_as_the_keyboard_spells_it(name: str) -> None:
    (combination,) = parse_combinations([name])
    assert combination.key is not None
    assert x11.key(combination.key)


@pytest.mark.parametrize("name", ["nosuchkey", "ab", "f99", "fn", "ctrl+nosuchkey", "\0", "\u202e"])
def test_a_key_that_no_keyboard_has_is_refused_with_its_place(name: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        parse_combinations([name])
    assert str(refused.value.details["field"]).startswith("params.keys")
