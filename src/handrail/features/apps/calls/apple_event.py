"""The Apple Event that carries a request, as values that the Apple Event Manager takes: four-character codes are
numbers, texts are UTF-8, times are ticks. Knows no library of macOS.
"""

from dataclasses import dataclass
from typing import NoReturn

from handrail.features.apps.model import AppleEventsExecution
from handrail.ports.errors import BadAnswer, Declined, Offline, Timeout

TICKS_PER_SECOND = 60
_NO_PROCESS = frozenset({-600, -10810, -10814, -1728})
_CONNECTION_LOST = frozenset({-609, -903})
_TIMED_OUT = -1712
_NOT_PERMITTED = frozenset({-1743, -1744})


def four_chars(code: str) -> int:
    """`aai ` is 0x61616920: big-endian, as the headers of macOS write it."""
    raw = code.encode("mac_roman")
    if len(raw) != 4:
        raise ValueError(f"{code!r} has not four characters")
    return int.from_bytes(raw, "big")


DIRECT_OBJECT = four_chars("----")
ERROR_NUMBER = four_chars("errn")
ERROR_STRING = four_chars("errs")
TYPE_BUNDLE_ID = four_chars("bund")
TYPE_UTF8 = four_chars("utf8")
TYPE_INT32 = four_chars("long")


@dataclass(frozen=True, slots=True)
class AppleEvent:
    """`target` and `text` are the bytes of descriptors of the types TYPE_BUNDLE_ID and TYPE_UTF8."""

    target: bytes
    event_class: int
    event_id: int
    text: bytes
    timeout_ticks: int


def apple_event(place: AppleEventsExecution, request: bytes, timeout: float) -> AppleEvent:
    return AppleEvent(
        target=place.bundle_id.encode(),
        event_class=four_chars(place.event_class),
        event_id=four_chars(place.event_id),
        text=request,
        timeout_ticks=max(1, round(timeout * TICKS_PER_SECOND)),
    )


def refuse(status: int, bundle_id: str, words: str = "") -> NoReturn:
    """What an error number of the Apple Event Manager, or of the app in its reply, means for the call."""
    because = f" ({words})" if words else ""
    if status == _TIMED_OUT:
        raise Timeout(f"{bundle_id} did not answer in time.")
    if status in _NOT_PERMITTED:
        raise Declined(
            f"macOS does not let handrail send Apple Events to {bundle_id}.",
            hint="System Settings, Privacy & Security, Automation.",
            reason="automation",
        )
    if status in _NO_PROCESS:
        raise Offline(f"{bundle_id} is not installed, or can't be started: error {status}{because}.")
    if status in _CONNECTION_LOST:
        raise Offline(f"{bundle_id} ended before it answered: error {status}{because}.")
    raise BadAnswer(f"{bundle_id} answered the Apple Event with error {status}{because}.", osStatus=status)
