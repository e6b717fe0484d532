"""Points in time as people read them."""

from datetime import datetime


def local_time(text: object) -> str:
    """The audit's UTC in this machine's zone, to the second; what can't be read, as it is."""
    try:
        return datetime.fromisoformat(str(text)).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return str(text)
