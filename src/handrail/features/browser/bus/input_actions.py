"""Browser actions that act on a page as a person would: click, type, press, choose, hover, scroll, upload."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.browser.bus.browser_action import (
    AT_MOST_ONE_ELEMENT,
    ONE_ELEMENT,
    BrowserAction,
    ClickId,
    Dialog,
    ElementParams,
    InputResult,
    TabParams,
)
from handrail.ports.effect import Effect

_MOST_FILES = 20


class PointParams(ElementParams, frozen=True, kw_only=True):
    """Without an element, x and y are a point of the viewport."""

    x: Annotated[float, Meta(description="A point of the element, or of the screenshot.")] | UnsetType = UNSET
    y: float | UnsetType = UNSET


_ELEMENT_OR_POINT = {
    "anyOf": [{"required": ["clickId"]}, {"required": ["xpath"]}, {"required": ["x", "y"]}],
    **AT_MOST_ONE_ELEMENT,
}
_Modifier = Literal["Alt", "Control", "Meta", "Shift"]


class ClickParams(PointParams, frozen=True, kw_only=True):
    button: Literal["left", "right", "middle"] | UnsetType = UNSET
    clicks: Annotated[int, Meta(ge=1, le=3)] | UnsetType = UNSET
    modifiers: Annotated[list[_Modifier], Meta(min_length=1, max_length=4)] | UnsetType = UNSET
    hold_ms: Annotated[int, Meta(ge=0, le=5000)] | UnsetType = UNSET
    strategy: Literal["cdp_mouse", "dom_click"] | UnsetType = UNSET
    dialog: Dialog | UnsetType = UNSET
    prompt_text: str | UnsetType = UNSET


class ClickResult(InputResult, frozen=True, kw_only=True):
    clicked: Literal[True]
    strategy: str | UnsetType = UNSET


CLICK = BrowserAction(
    "browser_click", "Click", ClickParams, ClickResult, 5, Effect.UI_CONTROL, schema=_ELEMENT_OR_POINT
)


class TypeParams(ElementParams, frozen=True, kw_only=True):
    text: Annotated[str, Meta(max_length=200_000)]
    submit: bool = False
    append: bool = False
    strategy: Literal["cdp_key", "dom_input"] | UnsetType = UNSET


class TypeResult(InputResult, frozen=True, kw_only=True):
    typed: Literal[True]
    strategy: str | UnsetType = UNSET


TYPE = BrowserAction("browser_type", "Type", TypeParams, TypeResult, 10, Effect.UI_CONTROL, schema=AT_MOST_ONE_ELEMENT)


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


HOVER = BrowserAction(
    "browser_hover", "Hover", PointParams, HoverResult, 5, Effect.UI_CONTROL, schema=_ELEMENT_OR_POINT
)


class ScrollParams(ElementParams, frozen=True, kw_only=True):
    direction: Literal["up", "down", "left", "right"] | UnsetType = UNSET
    amount: Annotated[int, Meta(ge=1, le=1_000_000, description="Pixels; usually most of a screen.")] | UnsetType = (
        UNSET
    )
    wheel: Annotated[bool, Meta(description="Turn the mouse wheel over the element.")] | UnsetType = UNSET


class DragParams(PointParams, frozen=True, kw_only=True):
    to_click_id: ClickId | UnsetType = UNSET
    dx: Annotated[float, Meta(description="By so many pixels.")] | UnsetType = UNSET
    dy: float | UnsetType = UNSET
    path: (
        Annotated[
            list[Annotated[list[float], Meta(min_length=2, max_length=2)]],
            Meta(min_length=2, max_length=500, description="Points [x, y] of the element: a stroke on a canvas."),
        ]
        | UnsetType
    ) = UNSET


class DragResult(InputResult, frozen=True, kw_only=True):
    dragged: Literal[True]


DRAG = BrowserAction(
    "browser_drag",
    "Drag",
    DragParams,
    DragResult,
    15,
    Effect.UI_CONTROL,
    schema={**_ELEMENT_OR_POINT, "oneOf": [{"required": [one]} for one in ("toClickId", "dx", "path")]},
)


class FormField(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    click_id: ClickId
    value: Annotated[str, Meta(max_length=200_000)] | bool


class FillParams(TabParams, frozen=True, kw_only=True):
    fields: Annotated[list[FormField], Meta(min_length=1, max_length=100)]
    submit: Annotated[bool, Meta(description="Then press Enter.")] = False


class FillResult(InputResult, frozen=True, kw_only=True):
    filled: list[str]


FILL = BrowserAction("browser_fill", "Fill in a form", FillParams, FillResult, 30, Effect.UI_CONTROL)


class SelectTextParams(ElementParams, frozen=True, kw_only=True):
    text: Annotated[str, Meta(min_length=1, max_length=10_000, description="Only this.")] | UnsetType = UNSET


class SelectTextResult(InputResult, frozen=True, kw_only=True):
    selected: str


SELECT_TEXT = BrowserAction(
    "browser_select_text", "Select text", SelectTextParams, SelectTextResult, 5, Effect.UI_CONTROL, schema=ONE_ELEMENT
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
