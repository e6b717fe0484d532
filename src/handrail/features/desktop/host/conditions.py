"""Conditions of the desktop feature; general ones are in `ports/errors.py`."""

from handrail.ports.errors import Declined, Failure, InvalidParams, NotFound


class ElementNotFound(NotFound):
    """No element or window matches the call."""


class AmbiguousWindow(NotFound):
    """Several windows match, and none of them is in front; `details["windows"]` lists them."""


class StaleElement(ElementNotFound):
    """The element of an elementRef is gone or has changed; `details["stale"]` is true."""

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message, hint="Look for it again with desktop.find.", stale=True, **details)


class AnchorNotFound(NotFound):
    """The anchor of a `near` selector was not found."""


class PathNotFound(NotFound):
    """A path of child indexes leads to no element."""


class ModalBlocking(Failure):
    """A modal window blocks the target window."""


class CallerNotAllowed(Failure):
    """The workspace's allow-list doesn't contain the caller, or can't be read."""


class Unconfirmed(Declined):
    """The call has no valid confirmation; `details["reason"]` says why."""


class UnknownMethod(InvalidParams):
    """The contract has no method of this name."""
