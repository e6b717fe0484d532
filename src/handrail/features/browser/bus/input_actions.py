"""Browser actions that act on a page as a person would: click, type, press, choose, hover, scroll, upload."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.features.browser.bus.browser_action import (
    AT_MOST_ONE_ELEMENT,
    ONE_ELEMENT,
    BrowserAction,
    Dialog,
    ElementParams,
    InputResult,
)
from handrail.ports.effect import Effect

_MOST_FILES = 20


class ClickParams(ElementParams, frozen=True, kw_only=True):
    strategy: Literal["cdp_mouse", "dom_click"] | UnsetType = UNSET
    dialog: Dialog | UnsetType = UNSET
    prompt_text: str | UnsetType = UNSET


class ClickResult(InputResult, frozen=True, kw_only=True):
    clicked: Literal[True]
    strategy: str | UnsetType = UNSET


CLICK = BrowserAction("browser_click", "Click", ClickParams, ClickResult, 5, Effect.UI_CONTROL, schema=ONE_ELEMENT)


class TypeParams(ElementParams, frozen=True, kw_only=True):
    text: Annotated[str, Meta(max_length=200_000)]
    submit: bool = False
    append: bool = False
    strategy: Literal["cdp_key", "dom_input"] | UnsetType = UNSET


class TypeResult(InputResult, frozen=True, kw_only=True):
    typed: Literal[True]
    strategy: str | UnsetType = UNSET


TYPE = BrowserAction("browser_type", "Type", TypeParams, TypeResult, 10, Effect.UI_CONTROL, schema=ONE_ELEMENT)


class PressKeyParams(ElementParams, frozen=True, kw_only=True):
    key: Annotated[str, Meta(min_length=1, max_length=64)]
    dialog: Dialog | UnsetType = UNSET
    prompt_text: str | UnsetType = UNSET


class PressKeyResult(InputResult, frozen=True, kw_only=True):
    pressed: Literal[True]
    key: str


PRESS_KEY = BrowserAction(
    "browser_press_key", "Press a key", PressKeyParams, PressKeyResult, 5, Effect.UI_CONTROL, schema=AT_MOST_ONE_ELEMENT
)


class SelectOptionParams(ElementParams, frozen=True, kw_only=True):
    values: Annotated[list[str], Meta(min_length=1, max_length=200)]


class SelectOptionResult(InputResult, frozen=True, kw_only=True):
    selected: list[str]


SELECT_OPTION = BrowserAction(
    "browser_select_option",
    "Choose options",
    SelectOptionParams,
    SelectOptionResult,
    5,
    Effect.UI_CONTROL,
    schema=ONE_ELEMENT,
)


class HoverResult(InputResult, frozen=True, kw_only=True):
    hovered: Literal[True]


HOVER = BrowserAction("browser_hover", "Hover", ElementParams, HoverResult, 5, Effect.UI_CONTROL, schema=ONE_ELEMENT)


class ScrollParams(ElementParams, frozen=True, kw_only=True):
    direction: Literal["up", "down", "left", "right"] | UnsetType = UNSET
    amount: Annotated[int, Meta(ge=1, le=1_000_000, description="Pixels; usually most of a screen.")] | UnsetType = (
        UNSET
    )


class ScrollResult(InputResult, frozen=True, kw_only=True):
    scrolled: Literal[True]
    x: float
    y: float
    at_end: bool


SCROLL = BrowserAction(
    "browser_scroll", "Scroll", ScrollParams, ScrollResult, 5, Effect.UI_CONTROL, schema=AT_MOST_ONE_ELEMENT
)


class UploadParams(ElementParams, frozen=True, kw_only=True):
    paths: (
        Annotated[list[str], Meta(min_length=1, max_length=_MOST_FILES, description="Files of the project.")]
        | UnsetType
    ) = UNSET
    artifact_ids: Annotated[list[str], Meta(min_length=1, max_length=_MOST_FILES)] | UnsetType = UNSET


class UploadResult(InputResult, frozen=True, kw_only=True):
    uploaded: Literal[True]
    files: list[str]


UPLOAD = BrowserAction(
    "browser_upload",
    "Upload files",
    UploadParams,
    UploadResult,
    60,
    Effect.UI_CONTROL,
    schema={**ONE_ELEMENT, "anyOf": [{"required": ["paths"]}, {"required": ["artifactIds"]}]},
    for_server=frozenset({"paths"}),
    for_plugin=("artifactIds",),
)
