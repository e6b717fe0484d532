"""What else than the common conditions a call to an app can end in."""

from handrail.ports.errors import Failure, NotFound


class UnknownApp(NotFound):
    """No descriptor names this app."""


class UnknownAppTool(NotFound):
    """The app's descriptor has no such tool."""


class AuthRequired(Failure):
    """The app wants to know in whose name it acts, and nobody has signed in, or the sign-in no longer holds."""


class BrokenDescriptor(UnknownApp):
    """The app's descriptor does not pass the checks, which hides it; the reasons are in `details["problems"]`."""
