"""Results that several of these tools share, as the catalogue of actions spells them."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from handrail.contract.errors import BadAnswer

T = TypeVar("T")


class Told(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`warnings`: it was done, and something about it is not as it should be."""

    warnings: list[str] | UnsetType = UNSET


class OpenedDialog(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    type: str
    message: str = ""


class Download(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    filename: str
    url: str = ""
    state: str = ""


class Changes(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What an action changed, in a few lines; what did not change is left out."""

    navigated: str | UnsetType = UNSET
    dialog: OpenedDialog | UnsetType = UNSET
    new_tab: int | UnsetType = UNSET
    download: Download | UnsetType = UNSET
    added: list[str] | UnsetType = UNSET
    removed: list[str] | UnsetType = UNSET
    more: int | UnsetType = UNSET


class Travelled(Told, frozen=True, kw_only=True):
    """`hops`: the pages that it came by, redirects among them, in their order."""

    hops: list[str] | UnsetType = UNSET


class Acted(Travelled, frozen=True, kw_only=True):
    changes: Changes | UnsetType = UNSET


class Box(msgspec.Struct, frozen=True, kw_only=True):
    x: float
    y: float
    w: float
    h: float


class Element(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    click_id: str
    tag: str
    role: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    value: str | UnsetType = UNSET
    states: list[str] | UnsetType = UNSET
    xpath: str | UnsetType = UNSET
    bbox: Box | UnsetType = UNSET


def read(result: Mapping[str, Any], type: type[T]) -> T:
    """What the plugin answered, as the catalogue has it; what that does not know is left out. BadAnswer."""
    try:
        return msgspec.convert(result, type)
    except msgspec.ValidationError as wrong:
        raise BadAnswer(f"The browser's answer is not what this action promises: {wrong}.") from None
