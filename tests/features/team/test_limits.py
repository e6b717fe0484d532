"""Limits of approvers and of rules: which calls they cover, however host and effect are written."""

import subprocess
import sys

import pytest

from handrail.ports.prompt_queue import ApprovalSubject
from handrail.ports.team import Limits


def call_at(place: str) -> ApprovalSubject:
    return ApprovalSubject("agent:claude", "browser_click", "UI_CONTROL", "/srv/shop", place, "", "")


@pytest.mark.parametrize("pattern", ["*.bank.example", "*.Bank.Example", "*.bank.example."])
@pytest.mark.parametrize(
    "place",
    ["https://www.bank.example/pay", "https://WWW.BANK.EXAMPLE/", "https://www.bank.example./", "www.bank.example"],
)
def test_a_host_is_the_same_in_any_case_and_with_a_dot_at_its_end(pattern: str, place: str) -> None:
    assert Limits(hosts=(pattern,)).cover(call_at(place))


@pytest.mark.parametrize("place", ["https://bank.example.evil.example/", "https://evil.example/www.bank.example", ""])
def test_another_host_is_not_covered(place: str) -> None:
    assert not Limits(hosts=("*.bank.example",)).cover(call_at(place))


@pytest.mark.parametrize("pattern", ["UI_CONTROL", "ui_control", "ui_*"])
def test_an_effect_is_the_same_in_any_case(pattern: str) -> None:
    assert Limits(effects=(pattern,)).cover(call_at(""))
    assert not Limits(effects=("read",)).cover(call_at(""))


@pytest.mark.parametrize("words", [["approvals", "require", "2"], ["token", "add", "bo", "--role", "approver"]])
def test_an_effect_that_does_not_exist_is_refused_before_anything_is_stored(words: list[str]) -> None:
    address = "postgresql://nobody@127.0.0.1:1/none"
    command = [sys.executable, "-m", "handrail", "team", *words, "--effect", "exectue", "--database", address]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "Unknown effect 'exectue'." in result.stderr
