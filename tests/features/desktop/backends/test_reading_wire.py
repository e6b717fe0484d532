"""Encoded method calls: dbus-fast decodes what was encoded."""

import socket
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio.message_reader import build_message_reader
from hypothesis import given
from hypothesis import strategies as st

from handrail.features.desktop.backends.atspi import calls
from handrail.features.desktop.backends.atspi.calls import Call
from handrail.features.desktop.backends.atspi.connection import session_bus, unix_sockets

RULE = ([0, 0], 1, {"tag": "a", "level": "2"}, 1, [-(2**31), 5, 0, 2**31 - 1], 2, ["Action"], 1, False)


def read(written: bytes) -> Message:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        received: list[Message] = []
        ours.sendall(written)
        build_message_reader(theirs, received.append, lambda error: None, False)()
    [message] = received
    return message


@pytest.mark.parametrize(
    ("signature", "values"),
    [
        ("", []),
        ("s", ["Prüfstand 🧭"]),
        ("ss", ["", "x"]),
        ("yqiuxtdb", [1, 2, -3, 4, -5, 6, 0.5, True]),
        ("ii", [0, 4097]),
        ("sass", ["object:", ["a", "bc"], ":1.5"]),
        ("(aiia{ss}iaiiasib)uib", [RULE, 1, 0, True]),
        ("a(so)", [[("x", "/a"), ("yz", "/b")]]),
        ("at", [[]]),
    ],
)
def test_messages_survive_encoding_and_decoding(signature: str, values: list[Any]) -> None:
    message = read(Call("org.example.Odd", "Do", signature, *values).message("/some/path", ":1.5", 7))
    assert message.message_type is MessageType.METHOD_CALL
    assert (message.interface, message.member, message.path) == ("org.example.Odd", "Do", "/some/path")
    assert (message.destination, message.serial, message.signature) == (":1.5", 7, signature)
    assert message.body == values


def test_a_variant_carries_its_own_type() -> None:
    message = read(Call("org.example.Odd", "Set", "sv", "CurrentValue", Variant("d", 2.5)).message("/", None, 1))
    assert message.destination is None
    assert message.body[1].signature == "d"
    assert message.body[1].value == 2.5


@given(path=st.from_regex(r"/[a-z]{0,40}", fullmatch=True), text=st.text().filter(lambda text: "\0" not in text))
def test_every_length_is_padded_right(path: str, text: str) -> None:
    message = read(Call("a.b", "C", "si", text, 1).message(path, ":1.1", 1))
    assert (message.path, message.body) == (path, [text, 1])


def test_values_that_do_not_fit_their_signature_are_refused() -> None:
    with pytest.raises(ValueError, match="signature"):
        Call("a.b", "C", "ss", "one")


def test_only_the_promised_type_is_an_answer() -> None:
    message = read(Call("a.b", "C", "v", Variant("s", "x")).message("/", None, 1))
    assert calls.NAME.is_answer(message.signature, message.body)
    assert not calls.PARENT.is_answer(message.signature, message.body)
    assert not calls.ROLE.is_answer(message.signature, message.body)


def test_addresses_name_the_sockets_that_can_be_reached() -> None:
    address = "tcp:host=localhost,port=1;unix:path=/run/a%20b,guid=1;unix:abstract=/tmp/x"
    assert list(unix_sockets(address)) == [b"/run/a b", b"\0/tmp/x"]
    assert list(unix_sockets("nonsense")) == []


def test_without_a_session_there_is_no_session_bus() -> None:
    assert session_bus({"XDG_RUNTIME_DIR": "/nowhere"}) is None
    assert session_bus({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}) == "unix:path=/x"
