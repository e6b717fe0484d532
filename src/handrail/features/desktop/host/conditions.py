"""What can go wrong at a desktop and nowhere else; the rest of the tree is `ports/errors.py`."""

from handrail.ports.errors import Declined, Failure, InvalidParams, NotFound


class ElementNotFound(NotFound):
    """Nothing on the screen is what the call means."""


class StaleElement(ElementNotFound):
    """What an elementRef meant is gone or has become something else; `details["stale"]` is true."""

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message, hint="Look for it again with desktop.find.", stale=True, **details)


class AnchorNotFound(NotFound):
    """The element that others are looked for near by is not there."""


class PathNotFound(NotFound):
    """Following the child indexes leads nowhere."""


class ModalBlocking(Failure):
    """A modal window takes the input that the call meant for another one."""


class CallerNotAllowed(Failure):
    """The workspace's allow-list does not have the caller, or can't be read."""


class Unconfirmed(Declined):
    """The call needs a confirmation and has none that is good; `details["reason"]` says why."""


class UnknownMethod(InvalidParams):
    """The contract has no such method."""
