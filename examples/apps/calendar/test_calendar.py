"""Events are listed with their repetitions, added and deleted; what else is in a file stays."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from calendar_app import app

WORK = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Example//EN
X-WR-CALNAME:Work
BEGIN:VTODO
UID:todo-1
SUMMARY:Write it down
END:VTODO
BEGIN:VEVENT
UID:standup
SUMMARY:Stand-up
DTSTAMP:20300101T000000Z
DTSTART;TZID=Europe/Berlin:20300325T093000
DTEND;TZID=Europe/Berlin:20300325T094500
RRULE:FREQ=WEEKLY;COUNT=4
EXDATE;TZID=Europe/Berlin:20300408T093000
END:VEVENT
BEGIN:VEVENT
UID:trip
SUMMARY:Trip
DTSTAMP:20300101T000000Z
DTSTART;VALUE=DATE:20300401
DTEND;VALUE=DATE:20300403
END:VEVENT
END:VCALENDAR
"""
APRIL = {"start": "2030-03-20T00:00:00Z", "end": "2030-05-01T00:00:00+02:00"}


@pytest.fixture(autouse=True)
def calendars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CALENDARS", str(tmp_path))
    (tmp_path / "work.ics").write_bytes(WORK.replace("\n", "\r\n").encode())
    return tmp_path


def ask(tool: str, **params: Any) -> Any:
    request = {"version": "1.0", "tool": tool, "params": params, "request_id": "1"}
    answer = json.loads(asyncio.run(app.answer(json.dumps(request))))
    return answer.get("result") or answer["error"]["code"]


def starts(**params: Any) -> list[tuple[str, str]]:
    return [(event["summary"], event["start"]) for event in ask("list_events", **(APRIL | params))["events"]]


def test_repetitions_are_listed_one_by_one_without_the_cancelled_and_across_summer_time() -> None:
    assert [start for summary, start in starts() if summary == "Stand-up"] == [
        "2030-03-25T09:30:00+01:00",
        "2030-04-01T09:30:00+02:00",
        "2030-04-15T09:30:00+02:00",
    ]
    agenda = ask("list_events", **APRIL)
    assert agenda["is_complete"] is True
    assert {event["uid"]: event.get("is_repeated", False) for event in agenda["events"]} == {
        "standup": True,
        "trip": False,
    }


def test_an_event_is_added_listed_and_deleted_with_its_repetitions(calendars: Path) -> None:
    added = ask(
        "add_event",
        summary="Chor; Probe, 合唱",
        start="2030-04-02T19:00:00+02:00",
        end="2030-04-02T21:00:00+02:00",
        repeat="weekly",
        times=3,
        location="Aula",
    )
    assert added["calendar"] == "personal"
    assert [start[8:10] for _, start in starts(calendar="personal")] == ["02", "09", "16"]
    assert ask("delete_event", uid=added["uid"], calendar="personal") == {"uid": added["uid"], "calendar": "personal"}
    assert starts(calendar="personal") == []
    assert sorted(path.name for path in calendars.iterdir()) == [".lock", "personal.ics", "work.ics"]


def test_what_else_is_in_a_file_stays(calendars: Path) -> None:
    ask("add_event", summary="Day off", start="2030-04-20", end="2030-04-21", calendar="work")
    ask("delete_event", uid="trip", calendar="work")
    text = (calendars / "work.ics").read_text()
    assert "X-WR-CALNAME:Work" in text
    assert "UID:todo-1" in text
    assert "EXDATE;TZID=Europe/Berlin:20300408T093000" in text
    assert "Trip" not in text
    assert ("Day off", "2030-04-20") in starts()


@pytest.mark.parametrize(
    ("tool", "params", "code"),
    [
        ("list_events", {"start": APRIL["end"], "end": APRIL["start"]}, "BAD_RANGE"),
        ("list_events", {**APRIL, "end": "2039-01-01T00:00:00Z"}, "BAD_RANGE"),
        ("list_events", {**APRIL, "calendar": "../work"}, "INVALID_PARAMS"),
        ("list_events", {**APRIL, "calendar": "none"}, "NO_SUCH_CALENDAR"),
        ("list_events", {"start": "2030-03-20T00:00:00", "end": "2030-03-21T00:00:00"}, "INVALID_PARAMS"),
        ("add_event", {"summary": "x", "start": "2030-01-01", "end": "2030-01-02T00:00:00Z"}, "BAD_RANGE"),
        ("add_event", {"summary": "x", "start": "soon", "end": "later"}, "BAD_TIME"),
        ("add_event", {"summary": "x", "start": "2030-01-01T09:00", "end": "2030-01-02T09:00"}, "BAD_TIME"),
        ("delete_event", {"uid": "none", "calendar": "work"}, "NO_SUCH_EVENT"),
    ],
)
def test_bad_input_has_a_code_and_changes_nothing(calendars: Path, tool: str, params: Any, code: str) -> None:
    before = (calendars / "work.ics").read_bytes()
    assert ask(tool, **params) == code
    assert (calendars / "work.ics").read_bytes() == before


def test_a_damaged_calendar_is_told_and_left_alone(calendars: Path) -> None:
    (calendars / "work.ics").write_text("BEGIN:VEVENT")
    assert ask("list_events", **APRIL) == "DAMAGED_CALENDAR"
    assert ask("delete_event", uid="x", calendar="work") == "DAMAGED_CALENDAR"
    assert (calendars / "work.ics").read_text() == "BEGIN:VEVENT"
