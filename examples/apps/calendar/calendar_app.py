"""Calendars as ICS files in one folder, `$CALENDARS` or `calendars` below the data folder: a file a calendar.

What other programs keep in those files stays as it is: only events that are named are added or taken out.
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
_MOST = 500


class Appointment(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`start` and `end` are days for what lasts whole days, and moments with a time zone for everything else."""

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
    """List what is in the calendar between two moments, each repetition by itself, the earliest first.

    Args:
        start: The first moment, with its time zone.
        end: The moment after the last, at most a year later.
        calendar: One calendar; without it, all.
    """
    if not timedelta(0) < end - start <= _LONGEST:
        raise app.Error("BAD_RANGE", "`end` must come after `start`, by at most 366 days.")
    names = sorted(path.stem for path in _folder().glob("*.ics")) if calendar is None else [calendar]
    found = list[tuple[datetime, Appointment]]()
    for name in names:
        whole = _read(name, must_exist=calendar is not None)
        repeated = {str(event.get("UID", "")) for event in whole.events if "RRULE" in event or "RDATE" in event}
        each = recurring_ical_events.of(whole, skip_bad_series=True).between(start, end)
        found += [(_sortable(one.start), _told(one, name, str(one.get("UID", "")) in repeated)) for one in each]
    found.sort(key=lambda one: (one[0], one[1].uid))
    return Agenda([event for _, event in found[:_MOST]], len(found) <= _MOST)


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
    """Put an event into a calendar, which is made where it is missing.

    Args:
        summary: What it is, in a few words.
        start: A moment with its time zone, or a day for what lasts whole days.
        end: The moment when it is over, or the day after the last.
        calendar: Whose file it goes into.
        location: Where.
        description: Everything else.
        repeat: How often it comes again.
        times: How many times in all, where it repeats; without it, for ever.
    """
    first, over = _when("start", start), _when("end", end)
    if isinstance(first, datetime) != isinstance(over, datetime) or not first < over:
        raise app.Error("BAD_RANGE", "`end` must come after `start`, both as moments or both as days.")
    if times is not None and repeat is None:
        raise app.Error("BAD_RANGE", "`times` is for what repeats: `repeat` is missing.")
    event = Event.new(
        summary=summary, start=first, end=over, location=location or None, description=description or None
    )
    if repeat is not None:
        event.add("rrule", {"freq": repeat} if times is None else {"freq": repeat, "count": times})
    with _changing(calendar, must_exist=False) as whole:
        whole.add_component(event)
    return _told(event, calendar, repeat is not None)


@app.tool
def delete_event(uid: str, calendar: Name) -> Removed:
    """Delete an event, with all its repetitions.

    Args:
        uid: As `list_events` tells it.
        calendar: As `list_events` tells it.
    """
    with _changing(calendar, must_exist=True) as whole:
        kept = [part for part in whole.subcomponents if not (part.name == "VEVENT" and part.get("UID") == uid)]
        if len(kept) == len(whole.subcomponents):
            raise app.Error("NO_SUCH_EVENT", f"{calendar} has no event with the uid {uid}.")
        whole.subcomponents = kept
    return Removed(uid, calendar)


def _when(field: str, text: str) -> date:
    try:
        moment = date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or (isinstance(moment, datetime) and moment.tzinfo is None):
        raise app.Error("BAD_TIME", f"{field}: {text!r} is neither a day (2030-01-31) nor a moment with its zone.")
    return moment


def _told(event: Event, calendar: str, is_repeated: bool) -> Appointment:
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
    """Days and moments without a zone are the user's own."""
    moment = start if isinstance(start, datetime) else datetime.combine(start, time())
    return moment.astimezone(UTC)


def _folder() -> Path:
    data = os.environ.get("XDG_DATA_HOME")
    given = os.environ.get("CALENDARS")
    return Path(given) if given else (Path(data) if data else Path.home() / ".local" / "share") / "calendars"


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
    """The calendar to change. It is on disk when the block ends, and as it was when it raises."""
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = _read(name, must_exist=must_exist)
        yield whole
        beside = folder / f".{name}.{secrets.token_hex(4)}"
        try:
            with beside.open("xb") as new:
                new.write(whole.to_ical())
                new.flush()
                os.fsync(new.fileno())
            beside.replace(folder / f"{name}.ics")
        finally:
            beside.unlink(missing_ok=True)


def main() -> None:
    app.run(idle=300)


if __name__ == "__main__":
    main()
