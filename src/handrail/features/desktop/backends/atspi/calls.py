"""The calls of AT-SPI2 and of the bus, encoded as D-Bus messages."""

import struct
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from dbus_fast import Variant
from dbus_fast._private.marshaller import Marshaller
from dbus_fast.signature import get_signature_tree

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
APPLICATION = "org.a11y.atspi.Application"
CACHE = "org.a11y.atspi.Cache"
COLLECTION = "org.a11y.atspi.Collection"
COMPONENT = "org.a11y.atspi.Component"
DOCUMENT = "org.a11y.atspi.Document"
SELECTION = "org.a11y.atspi.Selection"
TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"

REGISTRY = "org.a11y.atspi.Registry"
REGISTRY_PATH = "/org/a11y/atspi/registry"
ROOT_PATH = "/org/a11y/atspi/accessible/root"
CACHE_PATH = "/org/a11y/atspi/cache"
NULL_PATH = "/org/a11y/atspi/null"
BUS = "org.freedesktop.DBus"
BUS_PATH = "/org/freedesktop/DBus"

_HEADER = struct.Struct("<cBBBIII")
_UINT32 = struct.Struct("<I")
_METHOD_CALL = 1
_PROTOCOL = 1
_ON_SCREEN, _IN_WINDOW = 0, 1
_ALL, _ANY = 1, 2
_CANONICAL = 1
_NO_LIMIT = 0
_MANAGES_DESCENDANTS = 31
ROOT_PANE_ROLE = 46
_TABLE_ROLE, _TREE_ROLE, _TREE_TABLE_ROLE = 55, 65, 66


class Call:
    """A method with its arguments. `returns` is the signature of the answer; for a variant, `v` and its content's."""

    __slots__ = ("body", "interface", "member", "returns", "signature")

    def __init__(
        self, interface: str, member: str, signature: str = "", *values: Any, returns: str | None = None
    ) -> None:
        self.interface = interface
        self.member = member
        self.signature = signature
        if len(values) != len(get_signature_tree(signature).types):
            raise ValueError(f"{len(values)} values for the signature {signature}")
        self.body = bytes(Marshaller(signature, list(values)).marshall())
        self.returns = returns

    def is_answer(self, signature: str, body: Sequence[Any]) -> bool:
        if self.returns is None or signature == self.returns:
            return True
        return signature == "v" and self.returns == f"v{body[0].signature}"

    def message(self, path: str, destination: str | None, serial: int) -> bytes:
        fields = _fields(self.interface, self.member, self.signature, destination)
        name = path.encode()
        length = len(fields) + 9 + len(name)
        return b"".join(
            (
                _HEADER.pack(b"l", _METHOD_CALL, 0, _PROTOCOL, len(self.body), serial, length),
                fields,
                b"\x01\x01o\x00",
                _UINT32.pack(len(name)),
                name,
                b"\0" * (1 + -length % 8),
                self.body,
            )
        )


@lru_cache(maxsize=4096)
def _fields(interface: str, member: str, signature: str, destination: str | None) -> bytes:
    """Encodes all header fields except the path, which differs from call to call and therefore comes last."""
    texts = ((2, "s", interface), (3, "s", member), (6, "s", destination), (8, "g", signature))
    fields = [[code, Variant(kind, text)] for code, kind, text in texts if text]
    encoded = bytes(Marshaller("a(yv)", [fields]).marshall()[8:])
    return encoded + b"\0" * (-len(encoded) % 8)


def property_of(interface: str, name: str, kind: str | None = None) -> Call:
    return Call("org.freedesktop.DBus.Properties", "Get", "ss", interface, name, returns=kind and f"v{kind}")


GET_ADDRESS = Call("org.a11y.Bus", "GetAddress", returns="s")
BUS_ADDRESS = Call(APPLICATION, "GetApplicationBusAddress", returns="s")
TOOLKIT = property_of(APPLICATION, "ToolkitName", "s")
TOOLKIT_VERSION = property_of(APPLICATION, "Version", "s")

CHILD_COUNT = property_of(ACCESSIBLE, "ChildCount", "i")
CHILDREN = Call(ACCESSIBLE, "GetChildren", returns="a(so)")
ATTRIBUTES = Call(ACCESSIBLE, "GetAttributes", returns="a{ss}")
INDEX = Call(ACCESSIBLE, "GetIndexInParent", returns="i")
INTERFACES = Call(ACCESSIBLE, "GetInterfaces", returns="as")
ROLE = Call(ACCESSIBLE, "GetRole", returns="u")
STATE = Call(ACCESSIBLE, "GetState", returns="au")
LENGTH = property_of(TEXT, "CharacterCount")
CARET = property_of(TEXT, "CaretOffset")
NAME = property_of(ACCESSIBLE, "Name", "s")
SELECTED = property_of(SELECTION, "NSelectedChildren", "i")
PARENT = property_of(ACCESSIBLE, "Parent", "(so)")

EXTENTS = Call(COMPONENT, "GetExtents", "u", _ON_SCREEN, returns="(iiii)")
EXTENTS_IN_WINDOW = Call(COMPONENT, "GetExtents", "u", _IN_WINDOW, returns="(iiii)")
COLUMNS = property_of(TABLE, "NColumns", "i")
ACTIONS = Call(ACTION, "GetActions", returns="a(sss)")
CURRENT_VALUE = property_of(VALUE, "CurrentValue", "d")
# Qt's answer has a different signature and is always empty
ITEMS = Call(CACHE, "GetItems", returns="a((so)(so)(so)iiassusau)")


def selected_child(index: int) -> Call:
    return Call(SELECTION, "GetSelectedChild", "i", index, returns="(so)")


def set_value(number: float) -> Call:
    return Call("org.freedesktop.DBus.Properties", "Set", "ssv", VALUE, "CurrentValue", Variant("d", number))


def text(start: int, end: int) -> Call:
    return Call(TEXT, "GetText", "ii", start, end, returns="s")


WHOLE_TEXT = text(0, -1)
"""Doesn't work in GTK 4, where -1 means nothing."""


def document_attribute(name: str) -> Call:
    return Call(DOCUMENT, "GetAttributeValue", "s", name, returns="s")


def pid_of(name: str) -> Call:
    return Call(BUS, "GetConnectionUnixProcessID", "s", name, returns="u")


def at_point(x: int, y: int) -> Call:
    return Call(COMPONENT, "GetAccessibleAtPoint", "iiu", x, y, _ON_SCREEN, returns="(so)")


def cell_at(row: int, column: int) -> Call:
    return Call(TABLE, "GetAccessibleAt", "ii", row, column, returns="(so)")


def row_at(index: int) -> Call:
    return Call(TABLE, "GetRowAtIndex", "i", index, returns="i")


def column_at(index: int) -> Call:
    return Call(TABLE, "GetColumnAtIndex", "i", index, returns="i")


def matches(roles: Collection[int]) -> Call:
    """Searches below an object for these roles, or for everything, in tree order."""
    return _search(roles=roles)


def managing_descendants(max_count: int) -> Call:
    """Finds the first objects that create their children only on request."""
    return _search(states=[_MANAGES_DESCENDANTS], max_count=max_count)


def tables(max_count: int) -> Call:
    """Finds tables and trees, because Qt's create their children on request without reporting it."""
    return _search(roles=[_TABLE_ROLE, _TREE_ROLE, _TREE_TABLE_ROLE], max_count=max_count)


def _search(roles: Collection[int] = (), states: Collection[int] = (), max_count: int = _NO_LIMIT) -> Call:
    wanted_roles, wanted_states = _bits(roles, 4), _bits(states, 2)
    rule: tuple[Any, ...] = (wanted_states, _ALL, {}, _ALL, wanted_roles, _ANY if roles else _ALL, [], _ALL, False)
    return Call(COLLECTION, "GetMatches", "(aiia{ss}iaiiasib)uib", rule, _CANONICAL, max_count, True, returns="a(so)")


def _bits(numbers: Collection[int], words: int) -> list[int]:
    bitmap = [0] * words
    for number in numbers:
        bitmap[number // 32] |= 1 << number % 32
    return [word - (1 << 32) if word >> 31 else word for word in bitmap]


FIRST_ROOT_PANE = _search(roles=[ROOT_PANE_ROLE], max_count=1)


def add_match(rule: str) -> Call:
    return Call(BUS, "AddMatch", "s", rule)


def register(event: str, app: str) -> Call:
    return Call(REGISTRY, "RegisterEvent", "sass", event, [], app)


def register_old(event: str, _app: str) -> Call:
    """For registries before at-spi2-core 2.36, which don't accept an app."""
    return Call(REGISTRY, "RegisterEvent", "s", event)
