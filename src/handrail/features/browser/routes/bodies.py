"""Request bodies of contract 2, and response bodies that aren't stored records."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from handrail.features.browser.bus import artifacts, browser_action
from handrail.features.browser.routes.plugin_socket import CLIENT_ID
from handrail.kernel import task_ids
from handrail.ports.browser import Message, TaskRecord, Wire

TaskId = Annotated[str, Meta(pattern=task_ids.PATTERN)]
ClientId = Annotated[str, Meta(pattern=CLIENT_ID)]
ShortText = Annotated[str, Meta(max_length=256)]
LongText = Annotated[str, Meta(max_length=1024)]
Params = dict[str, Any]


class NewTaskId(Wire, frozen=True, kw_only=True):
    task_id: str


class TaskDetail(Wire, frozen=True, kw_only=True):
    task: TaskRecord
    messages: list[Message]


class SelectPlugin(Wire, frozen=True, kw_only=True):
    client_id: ClientId


class LetRead(Wire, frozen=True, kw_only=True):
    """`allowed`: whether reading continues while a person has taken over."""

    allowed: bool


class GiveTask(Wire, frozen=True, kw_only=True):
    """`identity`: the agent's, as in `/api/access` and the history."""

    identity: Annotated[str, Meta(min_length=1, max_length=512)]


class Registration(Wire, frozen=True, kw_only=True):
    """How a plugin describes itself (contract 2 §2.3)."""

    extension_id: Annotated[str, Meta(min_length=1, max_length=256)]
    extension_name: ShortText = ""
    client_id: ClientId
    ua: LongText = ""
    version: ShortText = ""
    browser_name: ShortText = ""
    allow_other_client: bool = False
    timestamp: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


class Registered(Wire, frozen=True, kw_only=True):
    registered: Literal[True] = True


class Presign(Wire, frozen=True, kw_only=True):
    task_id: TaskId
    kind: Annotated[str, Meta(pattern=artifacts.KIND)]
    content_type: Annotated[str, Meta(pattern=artifacts.CONTENT_TYPE)]
    name: ShortText = ""


class Uploaded(Wire, frozen=True, kw_only=True):
    uploaded: Literal[True] = True
    download_url: str


class PairCode(Wire, frozen=True, kw_only=True):
    code: str
    expires_at: int


class Pair(Wire, frozen=True, kw_only=True):
    code: Annotated[str, Meta(min_length=1, max_length=128)]
    client_id: ClientId
    extension_id: Annotated[str, Meta(min_length=1, max_length=256)]
    name: ShortText = ""


class PairToken(Wire, frozen=True, kw_only=True):
    token: str


class PairedToken(Wire, frozen=True, kw_only=True):
    client_id: str
    extension_id: str
    name: str
    created_at: int
    socket_connected: bool
    is_launched: bool
    is_enrolled: bool


class Enroll(Wire, frozen=True, kw_only=True):
    """`presence`: proof that a person is present (`/api/passkeys`)."""

    client_id: ClientId
    presence: dict[str, Any] | None = None


class Enrollment(Wire, frozen=True, kw_only=True):
    client_id: str
    is_enrolled: bool


class Revoked(Wire, frozen=True, kw_only=True):
    revoked: Literal[True] = True


class Act(Wire, frozen=True, kw_only=True):
    """`caller`: whose default task is used if none is named. `denied`: regular expressions for addresses not to load.

    `origin`: the origin that the page must have.
    """

    actions: dict[str, Params]
    task_id: TaskId | UnsetType = UNSET
    caller: Annotated[str, Meta(min_length=1, max_length=256)] | UnsetType = UNSET
    timeout_ms: Annotated[int, Meta(ge=1, le=browser_action.MAX_TIMEOUT_MS)] | UnsetType = UNSET
    action_id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._:-]{1,128}$")] | UnsetType = UNSET
    denied: Annotated[list[str], Meta(max_length=1000)] | UnsetType = UNSET
    origin: Annotated[str, Meta(max_length=8192)] | UnsetType = UNSET


class Acted(Wire, frozen=True, kw_only=True):
    status: Literal["success", "partial"]
    result: dict[str, Any]
    warnings: tuple[str, ...]
    task_id: str
    page_url: str | UnsetType = UNSET
    """The tab's URL after the action, if known, to save the caller another request."""


class OwnTask(Wire, frozen=True, kw_only=True):
    caller: Annotated[str, Meta(min_length=1, max_length=256)]
    task_id: TaskId | UnsetType = UNSET
