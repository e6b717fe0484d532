"""Apple Events: the event that carries a request, and the transport that sends it on macOS."""

import asyncio
import ctypes
import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

from handrail.features.apps.calls.envelopes import MAX_REPLY, encode_request
from handrail.features.apps.model import App, AppleEventsExecution, AppRequest, AppTool
from handrail.ports.errors import BadAnswer, Declined, Offline, Timeout, Unsupported

TICKS_PER_SECOND = 60
_NO_PROCESS = frozenset({-600, -10810, -10814, -1728})
_CONNECTION_LOST = frozenset({-609, -903})
_TIMED_OUT = -1712
_NOT_PERMITTED = frozenset({-1743, -1744})


def four_chars(code: str) -> int:
    """`aai ` becomes 0x61616920: big-endian, as in the headers of macOS."""
    raw = code.encode("mac_roman")
    if len(raw) != 4:
        raise ValueError(f"{code!r} doesn't have four characters")
    return int.from_bytes(raw, "big")


DIRECT_OBJECT = four_chars("----")
ERROR_NUMBER = four_chars("errn")
ERROR_STRING = four_chars("errs")
TYPE_BUNDLE_ID = four_chars("bund")
TYPE_UTF8 = four_chars("utf8")
TYPE_INT32 = four_chars("long")


@dataclass(frozen=True, slots=True)
class AppleEvent:
    """`target` is the content of a descriptor of the type TYPE_BUNDLE_ID, `text` of one of the type TYPE_UTF8."""

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


def raise_for_status(status: int, bundle_id: str, text: str = "") -> NoReturn:
    """Raises the failure for an error number of the Apple Event Manager or of the app."""
    detail = f" ({text})" if text else ""
    if status == _TIMED_OUT:
        raise Timeout(f"{bundle_id} did not answer in time.")
    if status in _NOT_PERMITTED:
        raise Declined(
            f"macOS does not let handrail send Apple Events to {bundle_id}.",
            hint="System Settings, Privacy & Security, Automation.",
            reason="automation",
        )
    if status in _NO_PROCESS:
        raise Offline(f"{bundle_id} is not installed, or can't be started: error {status}{detail}.")
    if status in _CONNECTION_LOST:
        raise Offline(f"{bundle_id} ended before it answered: error {status}{detail}.")
    raise BadAnswer(f"{bundle_id} answered the Apple Event with error {status}{detail}.", osStatus=status)


_FRAMEWORK = "/System/Library/Frameworks/CoreServices.framework/CoreServices"
_WAIT_REPLY = 3
_AUTO_RETURN_ID = -1
_NOT_RUNNING = -600
_POLL_SECONDS = 0.2


class _Desc(ctypes.Structure):
    _pack_ = 2  # the Apple Event Manager's structures are aligned as on the 68000
    _fields_ = (("type", ctypes.c_uint32), ("data", ctypes.c_void_p))


class AppleEventsTransport:
    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        place = app.execution
        assert isinstance(place, AppleEventsExecution)
        deadline = time.monotonic() + timeout
        event = apple_event(place, encode_request(request), timeout)
        status, reply = await asyncio.to_thread(_send, event)
        if status == _NOT_RUNNING:
            await _launch(place.bundle_id)
            while status == _NOT_RUNNING and (remaining := deadline - time.monotonic()) > 0:
                await asyncio.sleep(_POLL_SECONDS)
                status, reply = await asyncio.to_thread(_send, apple_event(place, encode_request(request), remaining))
        if status:
            raise_for_status(status, place.bundle_id, reply.decode(errors="replace")[:300])
        if len(reply) > MAX_REPLY:
            raise BadAnswer(f"{app.id} answered more than {MAX_REPLY} bytes.", maxBytes=MAX_REPLY)
        return reply

    async def close(self) -> None:
        """Nothing stays open between two events."""


async def _launch(bundle_id: str) -> None:
    process = await asyncio.create_subprocess_exec(
        "/usr/bin/open", "-g", "-b", bundle_id, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    if await process.wait() != 0:
        raise Offline(f"{bundle_id} is not installed, or can't be started.")


def _send(event: AppleEvent) -> tuple[int, bytes]:
    """Returns the error number (0 for none) and the text of the answer or of the error."""
    manager = _manager()
    with ExitStack() as stack:

        def new_desc() -> _Desc:
            desc = _Desc()
            stack.callback(manager.AEDisposeDesc, ctypes.byref(desc))
            return desc

        target, message, reply = new_desc(), new_desc(), new_desc()
        status = manager.AECreateDesc(TYPE_BUNDLE_ID, event.target, len(event.target), ctypes.byref(target))
        status = status or manager.AECreateAppleEvent(
            event.event_class, event.event_id, ctypes.byref(target), _AUTO_RETURN_ID, 0, ctypes.byref(message)
        )
        status = status or manager.AEPutParamPtr(
            ctypes.byref(message), DIRECT_OBJECT, TYPE_UTF8, event.text, len(event.text)
        )
        status = status or manager.AESendMessage(
            ctypes.byref(message), ctypes.byref(reply), _WAIT_REPLY, event.timeout_ticks
        )
        if status:
            return status, b""
        number = _parameter(manager, reply, ERROR_NUMBER, TYPE_INT32)
        if number is not None and (code := int.from_bytes(number, "little", signed=True)):
            return code, _parameter(manager, reply, ERROR_STRING, TYPE_UTF8) or b""
        return 0, _parameter(manager, reply, DIRECT_OBJECT, TYPE_UTF8) or b""


def _parameter(manager: ctypes.CDLL, event: _Desc, keyword: int, kind: int) -> bytes | None:
    desc = _Desc()
    if manager.AEGetParamDesc(ctypes.byref(event), keyword, kind, ctypes.byref(desc)):
        return None
    try:
        size = manager.AEGetDescDataSize(ctypes.byref(desc))
        data = ctypes.create_string_buffer(size)
        return data.raw if manager.AEGetDescData(ctypes.byref(desc), data, size) == 0 else None
    finally:
        manager.AEDisposeDesc(ctypes.byref(desc))


@cache
def _manager() -> ctypes.CDLL:
    """Declares the C type of every argument: a `long` or a pointer must not be passed as an int."""
    try:
        library = ctypes.CDLL(_FRAMEWORK)
    except OSError:
        raise Unsupported("There are no Apple Events on this machine.") from None
    code, desc, size, data = ctypes.c_uint32, ctypes.POINTER(_Desc), ctypes.c_long, ctypes.c_char_p
    signatures = {
        "AECreateDesc": (ctypes.c_int16, code, data, size, desc),
        "AECreateAppleEvent": (ctypes.c_int16, code, code, desc, ctypes.c_int16, ctypes.c_int32, desc),
        "AEPutParamPtr": (ctypes.c_int16, desc, code, code, data, size),
        "AESendMessage": (ctypes.c_int32, desc, desc, ctypes.c_int32, size),
        "AEGetParamDesc": (ctypes.c_int16, desc, code, code, desc),
        "AEGetDescDataSize": (size, desc),
        "AEGetDescData": (ctypes.c_int16, desc, data, size),
        "AEDisposeDesc": (ctypes.c_int16, desc),
    }
    for name, (result_type, *argument_types) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result_type, argument_types
    return library
