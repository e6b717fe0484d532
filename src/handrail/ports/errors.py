"""All conditions with which a call can fail. A dialect spells them for its wire.

`recoverable`: a changed call may work. `retryable`: the same call may work later.
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Failure(Exception):
    """The root of all conditions; every dialect has a code for it."""

    recoverable = True
    retryable = False

    def __init__(self, message: str, *, hint: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details


class InvalidParams(Failure):
    """The parameters violate the tool's schema or make no sense."""


class OutsideRoot(Failure):
    """The path leaves the project, follows a link or enters a closed folder."""


class NotFound(Failure):
    """What the call names does not exist."""


class TooLarge(Failure):
    """It exceeds a limit."""


class BadEncoding(Failure):
    """The bytes aren't UTF-8 text."""


class Damaged(Failure):
    """A stored record that can't be parsed."""


class Conflict(Failure):
    """Something has changed since it was read, or somebody else has the lock."""

    retryable = True


class Changed(Conflict):
    """What a person was shown is no longer what the call would act on."""


class ShownChanged(Changed):
    """Like Changed, but nothing was done yet, so a person can be shown the difference and asked again."""


class Declined(Failure):
    """Refused by policy or by a person; the person's remark is in `details["remark"]`."""


class AskedTooOften(Declined):
    """The caller has asked people too many questions in a short time."""

    retryable = True


class NotClean(Failure):
    """A script has mistakes, and the policy requires it to have none."""


class Disabled(Failure):
    """The tool exists but is turned off."""


class Unsupported(Failure):
    """This program or this machine can't do it."""


class Timeout(Failure):
    """It took longer than its time limit."""

    retryable = True


class Aborted(Failure):
    """Stopped on request."""

    retryable = True


class Busy(Failure):
    """There is too much at once, or it comes too often."""

    retryable = True


class Gone(NotFound):
    """It existed and has expired."""


class Offline(Failure):
    """The program that should do this isn't connected or doesn't answer."""

    retryable = True


class NotReady(Offline):
    """It is still starting."""


class PermissionMissing(Failure):
    """The session gives no access to what the call needs, such as a display or the accessibility bus."""


class Unacknowledged(Timeout):
    """The program that should do this didn't acknowledge it in time."""


class Unfinished(Timeout):
    """The program that does this started it but didn't report the result in time."""


class WrongTab(Failure):
    """The browser tab doesn't exist or belongs to another task."""


class TabClosed(WrongTab):
    """The task's tab was closed; `details["by"]` says by whom."""


class BadAnswer(Failure):
    """The program that did this sent an invalid answer."""


class NotShown(Failure):
    """A game's scene or a page on this machine couldn't be shown."""

    retryable = True


class Reported(Failure):
    """An error that another program reports in its own words; its `code` is passed on."""

    def __init__(
        self, message: str, *, code: str, retryable: bool = False, hint: str | None = None, **details: Any
    ) -> None:
        super().__init__(message, hint=hint, **details)
        self.code = code
        self.retryable = retryable


class InputOutput(Failure):
    """The operating system refused, such as a full disk, a missing permission or a broken device."""

    retryable = True


class Internal(Failure):
    """A bug in handrail."""

    recoverable = False


class AuthRequired(Failure):
    """The app requires a sign-in, and there is none or it has expired."""


Table = Mapping[type[Failure], str]
"""Codes of conditions on a wire. It contains the root, so every condition has a code."""


def code_of(failure: Failure, table: Table) -> str:
    """The code of the nearest class that is in the table."""
    return table[next(cls for cls in type(failure).__mro__ if cls in table)]
