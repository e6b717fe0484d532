"""Calendars as ICS files in one folder, `$CALENDARS` or `calendars` in the data folder: one file per calendar.

Everything that other programs store in those files stays unchanged.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import recurring_ical_events
from icalendar import Calendar, Event

from handrail.aai import App

app = App("com.example.calendar", name="Calendar", description="The user's appointments.", version="1.0.0")

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
_LONGEST = timedelta(days=366)
_MAX_EVENTS = 500


class Appointment(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`start` and `end` are dates for all-day events, and times with a time zone for all others."""

    uid: str
    calendar: str
    summary: str
    start: str
    end: str
    is_repeated: bool = False
    location: str = ""
    description: str = ""


class Agenda(msgspec.Struct):
    events: list[Appointment]
    is_complete: bool


class Removed(msgspec.Struct):
    uid: str
    calendar: str


@app.tool(idempotent=True, examples=[{"start": "2030-01-01T00:00:00Z", "end": "2030-02-01T00:00:00Z"}])
def list_events(start: Moment, end: Moment, calendar: Name | None = None) -> Agenda:
    """List the events between two times, earliest first, each repetition separately.

    Args:
        start: The start of the range, with its time zone.
        end: The end of the range, at most a year later.
        calendar: One calendar; without it, all.
    """
    if not timedelta(0) < end - start <= _LONGEST:
        raise app.Error("BAD_RANGE", "`end` must come after `start`, by at most 366 days.")
    names = sorted(path.stem for path in _folder().glob("*.ics")) if calendar is None else [calendar]
    events = list[tuple[datetime, Appointment]]()
    for name in names:
        content = _read(name, must_exist=calendar is not None)
        repeated = {str(event.get("UID", "")) for event in content.events if "RRULE" in event or "RDATE" in event}
        each = recurring_ical_events.of(content, skip_bad_series=True).between(start, end)
        events += [(_sortable(one.start), _appointment(one, name, str(one.get("UID", "")) in repeated)) for one in each]
    events.sort(key=lambda one: (one[0], one[1].uid))
    return Agenda([appointment for _, appointment in events[:_MAX_EVENTS]], len(events) <= _MAX_EVENTS)


@app.tool
def add_event(
    summary: Annotated[str, msgspec.Meta(min_length=1, max_length=500)],
    start: str,
    end: str,
    calendar: Name = "personal",
    location: str = "",
    description: str = "",
    repeat: Literal["daily", "weekly", "monthly", "yearly"] | None = None,
    times: Annotated[int, msgspec.Meta(ge=2, le=1000)] | None = None,
) -> Appointment:
    """Add an event to a calendar, which is created if it doesn't exist.

    Args:
        summary: A short title.
        start: A time with its time zone, or a date for an all-day event.
        end: The time when it ends, or the day after the last day.
        calendar: The calendar to add it to.
        location: The place.
        description: Further details.
        repeat: How often it repeats.
        times: The total number of repetitions; without it, forever.
    """
    first, over = _when("start", start), _when("end", end)
    if isinstance(first, datetime) != isinstance(over, datetime) or not first < over:
        raise app.Error("BAD_RANGE", "`end` must come after `start`, both as times or both as dates.")
    if times is not None and repeat is None:
        raise app.Error("BAD_RANGE", "`times` needs `repeat`.")
    event = Event.new(
        summary=summary, start=first, end=over, location=location or None, description=description or None
    )
    if repeat is not None:
        event.add("rrule", {"freq": repeat} if times is None else {"freq": repeat, "count": times})
    with _changing(calendar, must_exist=False) as content:
        content.add_component(event)
    return _appointment(event, calendar, repeat is not None)


@app.tool
def delete_event(uid: str, calendar: Name) -> Removed:
    """Delete an event, with all its repetitions.

    Args:
        uid: From `list_events`.
        calendar: From `list_events`.
    """
    with _changing(calendar, must_exist=True) as content:
        remaining = [part for part in content.subcomponents if not (part.name == "VEVENT" and part.get("UID") == uid)]
        if len(remaining) == len(content.subcomponents):
            raise app.Error("NO_SUCH_EVENT", f"{calendar} has no event with the uid {uid}.")
        content.subcomponents = remaining
    return Removed(uid, calendar)


def _when(field: str, text: str) -> date:
    try:
        moment = date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or (isinstance(moment, datetime) and moment.tzinfo is None):
        raise app.Error("BAD_TIME", f"{field}: {text!r} is neither a date (2030-01-31) nor a time with its time zone.")
    return moment


def _appointment(event: Event, calendar: str, is_repeated: bool) -> Appointment:
    return Appointment(
        uid=str(event.get("UID", "")),
        calendar=calendar,
        summary=str(event.get("SUMMARY", "")),
        start=event.start.isoformat(),
        end=event.end.isoformat(),
        is_repeated=is_repeated,
        location=str(event.get("LOCATION", "")),
        description=str(event.get("DESCRIPTION", "")),
    )


def _sortable(start: date) -> datetime:
    """Dates, and times without a zone, are in the user's time zone."""
    moment = start if isinstance(start, datetime) else datetime.combine(start, time())
    return moment.astimezone(UTC)


def _folder() -> Path:
    data = os.environ.get("XDG_DATA_HOME")
    folder = os.environ.get("CALENDARS")
    return Path(folder) if folder else (Path(data) if data else Path.home() / ".local" / "share") / "calendars"


def _read(name: str, *, must_exist: bool) -> Any:
    path = _folder() / f"{name}.ics"
    try:
        return Calendar.from_ical(path.read_bytes())
    except FileNotFoundError:
        if must_exist:
            raise app.Error("NO_SUCH_CALENDAR", f"There is no calendar {name}.") from None
        return Calendar.new()
    except ValueError as error:
        raise app.Error("DAMAGED_CALENDAR", f"{path} can't be read: {error}. Nothing was changed.") from None


@contextmanager
def _changing(name: str, *, must_exist: bool) -> Iterator[Any]:
    """Yields the calendar to change. It is saved when the block ends, and unchanged if it raises."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        content = _read(name, must_exist=must_exist)
        yield content
        draft = folder / f".{name}.{secrets.token_hex(4)}"
        try:
            with draft.open("xb") as new:
                new.write(content.to_ical())
                new.flush()
                os.fsync(new.fileno())
            draft.replace(folder / f"{name}.ics")
        finally:
            draft.unlink(missing_ok=True)


def main() -> None:
    app.run(idle=300)


if __name__ == "__main__":
    main()
