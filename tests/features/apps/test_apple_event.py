"""The Apple Event of the contract, as it is passed to the Apple Event Manager."""

import pytest

from handrail.features.apps.backends.apple_events import (
    DIRECT_OBJECT,
    TYPE_BUNDLE_ID,
    TYPE_UTF8,
    apple_event,
    four_chars,
    raise_for_status,
)
from handrail.features.apps.calls.envelopes import encode_request, request_for
from handrail.features.apps.model import AppleEventsExecution
from handrail.ports.errors import BadAnswer, Declined, Failure, Offline, Timeout


def test_the_codes_are_those_of_the_contract() -> None:
    event = apple_event(AppleEventsExecution(bundle_id="com.example.mail"), b"{}", 30)
    assert event.event_class == four_chars("aai ") == 0x61616920
    assert event.event_id == four_chars("exec") == 0x65786563
    assert (DIRECT_OBJECT, TYPE_UTF8, TYPE_BUNDLE_ID) == (0x2D2D2D2D, 0x75746638, 0x62756E64)


def test_the_request_is_the_direct_object_in_utf_8_and_the_target_a_bundle_id() -> None:
    request = request_for("send", {"text": "漢字"})
    event = apple_event(AppleEventsExecution(bundle_id="com.example.mail"), encode_request(request), 30)
    assert event.text == encode_request(request)
    assert "漢字".encode() in event.text
    assert event.target == b"com.example.mail"


@pytest.mark.parametrize(("seconds", "ticks"), [(30, 1800), (0.5, 30), (0, 1)])
def test_a_timeout_is_sent_in_ticks(seconds: float, ticks: int) -> None:
    assert apple_event(AppleEventsExecution(bundle_id="a.b"), b"", seconds).timeout_ticks == ticks


@pytest.mark.parametrize("code", ["aai", "aai  ", "漢字漢字"])
def test_a_code_has_four_characters(code: str) -> None:
    with pytest.raises((ValueError, UnicodeEncodeError)):
        four_chars(code)


@pytest.mark.parametrize(
    ("status", "condition"), [(-1712, Timeout), (-1743, Declined), (-600, Offline), (-609, Offline), (-1708, BadAnswer)]
)
def test_an_error_number_becomes_a_failure(status: int, condition: type[Failure]) -> None:
    with pytest.raises(condition):
        raise_for_status(status, "com.example.mail")
