"""The names of roles and states."""

import re
import subprocess

import pytest

from handrail.features.desktop.backends.atspi import roles

LISTED = """
import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi
for kind in (Atspi.Role, Atspi.StateType):
    for number in range(int(kind.LAST_DEFINED)):
        print(kind.__name__, number, kind(number).value_nick)
"""


def installed() -> list[tuple[str, int, str]]:
    """The names that the installed AT-SPI uses."""
    result = subprocess.run(["/usr/bin/python3", "-c", LISTED], capture_output=True, text=True, check=True).stdout
    return [(kind, int(number), name) for kind, number, name in (line.split() for line in result.splitlines())]


def test_every_role_and_state_of_at_spi_has_its_name() -> None:
    for kind, number, name in installed():
        if kind == "Role":
            assert roles.native_name(number) == name.replace("-", " ")
            assert re.fullmatch("AX[A-Z][A-Za-z]+", roles.ax_name(number, frozenset()))
        else:
            assert name in roles.state_names((1 << number & 0xFFFFFFFF, 1 << number >> 32))


def test_a_role_of_the_future_is_unknown_and_no_error() -> None:
    assert roles.ax_name(4_000, frozenset()) == "AXUnknown"
    assert roles.native_name(4_000) == "role 4000"


@pytest.mark.parametrize("name", ["AXButton", "axbutton", "push button", "PUSH_BUTTON", "ROLE_PUSH_BUTTON", "button"])
def test_a_button_can_be_asked_for_in_many_ways(name: str) -> None:
    assert 43 in roles.roles_named(name)
    assert roles.has_name("push button", "AXButton", name)
    assert not roles.has_name("check box", "AXCheckBox", name)


@pytest.mark.parametrize("role", [61, 79])
def test_a_field_of_many_lines_is_an_area(role: int) -> None:
    assert roles.ax_name(role, frozenset()) == "AXTextField"
    assert roles.ax_name(role, {"multi-line"}) == "AXTextArea"
    assert role in roles.roles_named("AXTextArea") & roles.roles_named("AXTextField")


def test_the_names_of_other_platforms_are_understood() -> None:
    assert roles.has_name("combo box", "AXComboBox", "AXPopUpButton")
    assert roles.has_name("page tab", "AXRadioButton", "AXTab")
    assert not roles.has_name("radio button", "AXRadioButton", "AXTab")


def test_an_unknown_role_is_mapped_to_nothing() -> None:
    assert not roles.roles_named("AXNoSuchRole")
    assert not roles.roles_named("")


def test_usable_elements_are_enabled_in_every_toolkit() -> None:
    sensitive = 1 << 24
    assert roles.state_names((sensitive, 0)) == {"sensitive", "enabled"}
    assert roles.state_names(()) == frozenset()
