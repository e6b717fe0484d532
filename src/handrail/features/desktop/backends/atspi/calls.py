"""The calls of AT-SPI2 that reading needs, spelled once."""

from collections.abc import Collection
from typing import Any

from handrail.features.desktop.backends.atspi.wire import Call

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
APPLICATION = "org.a11y.atspi.Application"
CACHE = "org.a11y.atspi.Cache"
COLLECTION = "org.a11y.atspi.Collection"
COMPONENT = "org.a11y.atspi.Component"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"

REGISTRY = "org.a11y.atspi.Registry"
REGISTRY_PATH = "/org/a11y/atspi/registry"
ROOT_PATH = "/org/a11y/atspi/accessible/root"
CACHE_PATH = "/org/a11y/atspi/cache"
NULL_PATH = "/org/a11y/atspi/null"
BUS = "org.freedesktop.DBus"
BUS_PATH = "/org/freedesktop/DBus"

_PROPERTIES = "org.freedesktop.DBus.Properties"
_ON_SCREEN = 0
_ALL, _ANY = 1, 2
_CANONICAL = 1
_NO_LIMIT = 0


def _property(interface: str, name: str, kind: str) -> Call:
    return Call(_PROPERTIES, "Get", "ss", interface, name, returns=f"v{kind}")


GET_ADDRESS = Call("org.a11y.Bus", "GetAddress", returns="s")
BUS_ADDRESS = Call(APPLICATION, "GetApplicationBusAddress", returns="s")
TOOLKIT = _property(APPLICATION, "ToolkitName", "s")
TOOLKIT_VERSION = _property(APPLICATION, "Version", "s")

CHILDREN = Call(ACCESSIBLE, "GetChildren", returns="a(so)")
INDEX = Call(ACCESSIBLE, "GetIndexInParent", returns="i")
INTERFACES = Call(ACCESSIBLE, "GetInterfaces", returns="as")
ROLE = Call(ACCESSIBLE, "GetRole", returns="u")
STATE = Call(ACCESSIBLE, "GetState", returns="au")
NAME = _property(ACCESSIBLE, "Name", "s")
PARENT = _property(ACCESSIBLE, "Parent", "(so)")

EXTENTS = Call(COMPONENT, "GetExtents", "u", _ON_SCREEN, returns="(iiii)")
ACTIONS = Call(ACTION, "GetActions", returns="a(sss)")
CURRENT_VALUE = _property(VALUE, "CurrentValue", "d")
# Qt tells lists of children instead of counts, and always nothing.
ITEMS = Call(CACHE, "GetItems", returns="a((so)(so)(so)iiassusau)")


def text(start: int, end: int) -> Call:
    return Call(TEXT, "GetText", "ii", start, end, returns="s")


def pid_of(name: str) -> Call:
    return Call(BUS, "GetConnectionUnixProcessID", "s", name, returns="u")


def matches(roles: Collection[int]) -> Call:
    """Everything of these roles below an object, or simply everything, in the order of the tree."""
    words = [0, 0, 0, 0]
    for role in roles:
        words[role // 32] |= 1 << role % 32
    signed = [word - (1 << 32) if word >> 31 else word for word in words]
    rule: tuple[Any, ...] = ([0, 0], _ALL, {}, _ALL, signed, _ANY if roles else _ALL, [], _ALL, False)
    return Call(COLLECTION, "GetMatches", "(aiia{ss}iaiiasib)uib", rule, _CANONICAL, _NO_LIMIT, True, returns="a(so)")


def add_match(rule: str) -> Call:
    return Call(BUS, "AddMatch", "s", rule)


def register(event: str, app: str) -> Call:
    return Call(REGISTRY, "RegisterEvent", "sass", event, [], app)


def register_as_before(event: str, _app: str) -> Call:
    """For registries before at-spi2-core 2.36, which know no apps here."""
    return Call(REGISTRY, "RegisterEvent", "s", event)
