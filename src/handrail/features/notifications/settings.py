"""Settings of notifications. Their secret parts are in the secret store."""

import msgspec


class NotificationSettings(msgspec.Struct, frozen=True):
    notify_after_seconds: float = 15.0
    """How long an approval is pending before somebody is notified."""
    notify_details: bool = True
    """Name the agent and the file or host. Otherwise a notification only reports that something is pending."""
    push_contact: str = ""
    """A `mailto:` or `https:` address that push services may write to; Apple's requires one."""
    push_services: tuple[str, ...] = ()
    """Origins of further push services, in addition to those of the known browsers."""

    def __post_init__(self) -> None:
        if not 0 <= self.notify_after_seconds <= 86_400:
            raise ValueError("`notify_after_seconds` must be between 0 and 86400")
        if self.push_contact and not self.push_contact.startswith(("mailto:", "https://")):
            raise ValueError("`push_contact` must begin with mailto: or https://")
