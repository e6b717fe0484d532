"""The one tree of conditions that a call can end in. A dialect spells them for its wire.

`recoverable`: a changed call may work. `retryable`: the same call may work later.
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Failure(Exception):
    """The root: every dialect maps at least this one."""

    recoverable = True
    retryable = False

    def __init__(self, message: str, *, hint: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details


class InvalidParams(Failure):
    """The parameters break the tool's schema or make no sense."""


class OutsideRoot(Failure):
    """A path that leaves the project, passes a link or enters a closed folder."""


class NotFound(Failure):
    """What the call names does not exist."""


class TooLarge(Failure):
    """More than the limits allow."""


class BadEncoding(Failure):
    """Bytes that are not UTF-8 text."""


class Damaged(Failure):
    """A stored record that can't be parsed."""


class Conflict(Failure):
    """The world changed since it was looked at, or somebody else holds the lock."""

    retryable = True


class Changed(Conflict):
    """What was shown to a person is no longer what would be acted on."""


class ShownChanged(Changed):
    """The same, found before anything was done: a person can be shown the difference and asked again."""


class Declined(Failure):
    """Refused by policy or by a person; the person's remark is in `details["remark"]`."""


class AskedTooOften(Declined):
    """People were asked too much by this caller in too short a time."""

    retryable = True


class NotClean(Failure):
    """A script with mistakes, where the policy demands a clean one."""


class Disabled(Failure):
    """The tool exists and is switched off here."""


class Unsupported(Failure):
    """Something this program, or this machine, does not do."""


class Timeout(Failure):
    """The deadline passed."""

    retryable = True


class Aborted(Failure):
    """Stopped on request."""

    retryable = True


class Busy(Failure):
    """Too much at once, or too often."""

    retryable = True


class Gone(NotFound):
    """It was there, and its time is over."""


class Offline(Failure):
    """Who should carry this out is not connected, or no longer answers."""

    retryable = True


class NotReady(Offline):
    """It is still starting."""


class PermissionMissing(Failure):
    """This session gives no access to what the call needs: no display, no accessibility bus, a closed compositor."""


class Unacknowledged(Timeout):
    """Who should carry this out did not say in time that it has begun."""


class Unfinished(Timeout):
    """Who carries this out began and did not say in time how it ended."""


class WrongTab(Failure):
    """A browser tab that is not there, or another task's."""


class TabClosed(WrongTab):
    """A tab of the task that was closed; `details["by"]` says by whom."""


class BadAnswer(Failure):
    """Who carried this out answered what isn't an answer to it."""


class NotShown(Failure):
    """A game's scene, or a page on this machine, that could not be brought on to the screen."""

    retryable = True


class Reported(Failure):
    """What the other side of a wire says went wrong, in its own words: its `code` passes through."""

    def __init__(
        self, message: str, *, code: str, retryable: bool = False, hint: str | None = None, **details: Any
    ) -> None:
        super().__init__(message, hint=hint, **details)
        self.code = code
        self.retryable = retryable


class InputOutput(Failure):
    """The operating system refused: disk full, no permission, a broken device."""

    retryable = True


class Internal(Failure):
    """A fault of ours."""

    recoverable = False


class AuthRequired(Failure):
    """The app wants to know in whose name it acts, and nobody has signed in, or the sign-in no longer holds."""


Table = Mapping[type[Failure], str]
"""How a wire spells conditions: total, because the root of all conditions is in it."""


def code_of(failure: Failure, table: Table) -> str:
    """The code of the nearest class that the table knows."""
    return table[next(cls for cls in type(failure).__mro__ if cls in table)]
