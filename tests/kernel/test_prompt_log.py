"""The log of questions and answers: what is pending follows from it, whoever writes to it."""

import json
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.kernel.prompts import entries as prompt_entries
from handrail.kernel.prompts import index as prompt_index
from handrail.kernel.prompts import view as prompt_view
from handrail.kernel.prompts.entries import digest
from handrail.kernel.prompts.log import PromptLog
from handrail.ports.errors import Conflict, InputOutput, InvalidParams, NotFound, TooLarge
from handrail.ports.prompt_entries import RequestEntry, ResponseEntry
from handrail.ports.prompts import FileChangePrompt, UnreadablePrompt
from handrail.stores.local import private_file
from handrail.stores.local.journal import JournalFile
from tests.stores.processes import finish, finish_killed, release_together, start

NOON = 1_771_070_400.123
PROMPT = {"kind": "file_change_confirm", "path": "a.txt"}
FORM = {"kind": "kv", "fields": [{"key": "user"}, {"key": "token", "secret": True}]}
OK = {"status": "ok"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ui-prompts.jsonl"


OPENED: list[PromptLog] = []


def open_log(path: Path) -> PromptLog:
    OPENED.append(PromptLog(JournalFile(path), clock=lambda: NOON))
    return OPENED[-1]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


@pytest.fixture
def log(path: Path) -> PromptLog:
    return open_log(path)


def append(path: Path, *lines: object, end: str = "\n") -> None:
    """What another program writes, without asking anybody."""
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        for line in lines:
            file.write((line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)) + end)


def asked(request_id: str, prompt: Mapping[str, Any] = PROMPT, **more: Any) -> dict[str, Any]:
    entry = {"ts": "2026-01-11T00:00:00.000Z", "type": "ui_prompt", "action": "request", "requestId": request_id}
    return {**entry, "prompt": prompt, **more}


def answered(request_id: str, **more: Any) -> dict[str, Any]:
    entry = {"ts": "2026-01-11T00:00:10.000Z", "type": "ui_prompt", "action": "response", "requestId": request_id}
    return {**entry, "response": OK, **more}


def ids(log: PromptLog) -> list[str]:
    return [entry.request_id for entry in log.view.pending()]


def test_entries_are_written_exactly_as_the_contract_has_them(log: PromptLog, path: Path) -> None:
    log.request(PROMPT, request_id="r1", run_id="run-1")
    log.request({"kind": "result", "title": "fertig\u2028完成"}, request_id="r2")
    log.respond("r1", {"status": "ok", "remark": "继续执行", "scope": "task"}, run_id="run-1")
    assert path.read_text("utf-8") == (
        '{"ts":"2026-02-14T12:00:00.123Z","type":"ui_prompt","action":"request","requestId":"r1","runId":"run-1",'
        '"prompt":{"kind":"file_change_confirm","path":"a.txt"}}\n'
        '{"ts":"2026-02-14T12:00:00.123Z","type":"ui_prompt","action":"request","requestId":"r2",'
        '"prompt":{"kind":"result","title":"fertig\u2028完成"}}\n'
        '{"ts":"2026-02-14T12:00:00.123Z","type":"ui_prompt","action":"response","requestId":"r1","runId":"run-1",'
        '"response":{"status":"ok","remark":"继续执行","scope":"task"}}\n'
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ids(open_log(path)) == ["r2"]


def test_an_answer_names_the_run_of_its_request(log: PromptLog, path: Path) -> None:
    append(path, asked("theirs", runId="run-7"))
    log.request(PROMPT, request_id="plain")
    log.respond("theirs", OK)
    log.respond("plain", OK)
    answers = [json.loads(line) for line in path.read_text("utf-8").splitlines() if '"response"' in line]
    assert [each.get("runId") for each in answers] == ["run-7", None]


def test_a_request_without_an_id_gets_one(log: PromptLog) -> None:
    made = [log.request(PROMPT), log.request(PROMPT, request_id="")]
    assert ids(log) == made
    assert [UUID(each).version for each in made] == [4, 4]


def test_pending_is_what_nobody_has_answered_the_oldest_first(log: PromptLog) -> None:
    for name in "dacb":
        log.request(PROMPT, request_id=name)
    log.respond("a", OK)
    assert ids(log) == ["d", "c", "b"]
    assert log.view.pending()[0].request == RequestEntry(
        ts="2026-02-14T12:00:00.123Z", request_id="d", prompt=FileChangePrompt(path="a.txt")
    )


def test_the_first_answer_wins_and_later_ones_are_refused(log: PromptLog, path: Path) -> None:
    log.request(PROMPT, request_id="r")
    other = open_log(path)
    assert ids(other) == ["r"]
    log.respond("r", {"status": "canceled", "remark": "no"})
    before = path.read_bytes()
    for late in (log, other, open_log(path)):
        with pytest.raises(Conflict, match="answered before"):
            late.respond("r", OK)
    assert path.read_bytes() == before


def test_an_answer_to_an_unknown_request_is_refused_and_makes_no_log(log: PromptLog, path: Path) -> None:
    with pytest.raises(NotFound):
        log.respond("r", OK)
    assert (log.view.pending(), log.view.entries().entries) == ([], [])
    assert not path.parent.exists()


def test_an_id_is_used_once(log: PromptLog, path: Path) -> None:
    log.request(PROMPT, request_id="r")
    append(path, asked("foreign", {"kind": "hologram"}), answered("early"))
    for taken in ("r", "foreign", "early"):
        with pytest.raises(Conflict, match="already"):
            log.request(PROMPT, request_id=taken)
    log.respond("r", OK)
    with pytest.raises(Conflict, match="already"):
        open_log(path).request(PROMPT, request_id="r")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"request_id": 5}, "requestId"),
        ({"request_id": "a\nb"}, "requestId"),
        ({"request_id": "x" * 201}, "requestId"),
        ({"request_id": "\ud800"}, "requestId"),
        ({"run_id": 5}, "runId"),
        ({"run_id": "\ud800"}, "runId"),
    ],
)
def test_ids_that_are_none_are_refused_and_named(log: PromptLog, path: Path, given: Any, field: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        log.request(PROMPT, **given)
    assert [problem["field"] for problem in refusal.value.details["fieldErrors"]] == [field]
    assert not path.exists()


def test_what_breaks_the_contract_leaves_the_log_alone(log: PromptLog, path: Path) -> None:
    with pytest.raises(InvalidParams):
        log.request({"kind": "kv", "fields": []})
    assert not path.exists()
    log.request({**PROMPT, "allowCancel": False}, request_id="r")
    before = path.read_bytes()
    for wrong in ({"status": "canceled"}, {"status": "yes"}, {"status": "ok", "values": {}}):
        with pytest.raises(InvalidParams):
            log.respond("r", wrong)
    assert path.read_bytes() == before
    assert ids(log) == ["r"]


def test_what_another_program_appends_shows_up(log: PromptLog, path: Path) -> None:
    log.request(PROMPT, request_id="ours")
    append(path, asked("theirs", runId="run-7"))
    assert [(each.request_id, each.request.run_id) for each in log.view.pending()][1] == ("theirs", "run-7")
    append(path, answered("ours"))
    assert ids(log) == ["theirs"]
    log.respond("theirs", OK)
    assert ids(log) == []


UNREADABLE: dict[str, str] = {
    "other types": json.dumps({**asked("x"), "type": "ui_event"}),
    "other actions": json.dumps({**asked("x"), "action": "remind"}),
    "no id": json.dumps(asked("")),
    "an answer without an id": json.dumps(answered("")),
    "an answer whose id has a line feed": json.dumps(answered("\n")),
    "an id with a line feed": json.dumps(asked("x\ny")),
    "an id that is a number": json.dumps({**asked("x"), "requestId": 5}),
    "no object": "[]",
    "a bare word": "null",
    "no JSON": "Traceback (most recent call last):",
    "an empty line": "",
    "half a line": json.dumps(asked("x"))[:-2],
    "a value over two lines": json.dumps(asked("x")).replace('"type"', '\n"type"'),
    "half a character in the id": json.dumps(asked("\ud800")),
    "a depth that breaks a stack": '{"type":"ui_prompt","x":' + "[" * 100_000,
    "a depth that closes": json.dumps(asked("x"))[:-1] + ', "x": ' + "[" * 50_000 + "]" * 50_000 + "}",
    "NUL": "\0\0\0",
}


@pytest.mark.parametrize("line", UNREADABLE.values(), ids=UNREADABLE)
def test_what_can_t_be_read_is_skipped_and_never_lost(log: PromptLog, path: Path, line: str) -> None:
    append(path, asked("before"), line, asked("after"))
    before = path.read_bytes()
    assert ids(log) == ["before", "after"]
    assert [entry.request_id for entry in log.view.entries().entries] == ["before", "after"]
    with pytest.raises(NotFound):
        log.respond("", OK)
    log.respond("before", OK)
    assert ids(log) == ids(open_log(path)) == ["after"]
    assert path.read_bytes().startswith(before)


def test_bytes_that_are_no_text_hide_nothing_else(log: PromptLog, path: Path) -> None:
    append(path, asked("a"))
    with path.open("ab") as file:
        file.write(b'{"type":"ui_prompt","action":"request","requestId":"\xff","prompt":{"kind":"result"}}\n')
        file.write(
            b'{"type":"ui_prompt","action":"request","requestId":"b","prompt":{"kind":"result","title":"\xff"}}\n'
        )
    append(path, asked("c"))
    assert [each for each in ids(log) if each != "b"] == ["a", "c"]


ODD: dict[str, str] = {
    "an unknown kind": json.dumps(asked("x", {"kind": "hologram", "fields": []})),
    "a prompt that breaks the rules": json.dumps(asked("x", {"kind": "kv", "fields": []})),
    "no prompt": json.dumps({**asked("x"), "prompt": None}),
    "a prompt that is a text": json.dumps({**asked("x"), "prompt": "hologram"}),
    "a key twice": json.dumps(asked("x")).replace('"path": "a.txt"', '"path": "a.txt", "path": "b.txt"'),
    "half a character": json.dumps(asked("x", {**PROMPT, "title": "\ud800"})),
}


@pytest.mark.parametrize("line", ODD.values(), ids=ODD)
def test_a_request_that_can_t_be_read_is_shown_as_it_is_and_can_only_be_canceled(
    log: PromptLog, path: Path, line: str
) -> None:
    append(path, asked("before"), line, asked("after"))
    assert ids(log) == ["before", "x", "after"]
    (odd,) = log.view.find_all(["x"]).values()
    assert isinstance(odd.prompt, UnreadablePrompt)
    assert odd.prompt.reason
    with pytest.raises(InvalidParams, match="can only be canceled"):
        log.respond("x", {"status": "ok"})
    log.respond("x", {"status": "canceled"})
    assert ids(log) == ids(open_log(path)) == ["before", "after"]


def test_a_request_that_can_be_read_counts_before_one_of_the_same_id_that_can_not(log: PromptLog, path: Path) -> None:
    append(path, asked("x", {"kind": "hologram"}), asked("x"))
    assert [each.prompt for each in log.view.pending()] == [FileChangePrompt(path="a.txt")]


def test_entries_in_one_line_are_all_read(log: PromptLog, path: Path) -> None:
    glued = (
        json.dumps(asked("a", {**PROMPT, "title": "}{"})) + json.dumps(asked("b")) + "\ufeff " + json.dumps(asked("c"))
    )
    append(path, asked("before"), glued, "", json.dumps(answered("b")) + json.dumps(asked("d")) + '{"type":"ui_pro')
    for reader in (log, open_log(path)):
        assert ids(reader) == ["before", "a", "c", "d"]
        assert [entry.request_id for entry in reader.view.entries().entries] == ["before", "a", "b", "c", "b", "d"]
    for request_id in ("a", "c", "d"):
        log.respond(request_id, OK)
    assert ids(log) == ids(open_log(path)) == ["before"]


def test_an_entry_that_is_added_to_a_line_without_its_end_is_told(log: PromptLog, path: Path) -> None:
    append(path, asked("a"), end="")
    page = log.view.since(0)
    assert [entry.request_id for entry in page.entries] == ["a"]
    append(path, asked("b"))
    page = log.view.since(page.position)
    assert ([entry.request_id for entry in page.entries], page.is_restart) == (["b"], False)
    assert ids(log) == ["a", "b"]


def test_a_request_without_a_usable_id_is_reported(log: PromptLog, path: Path) -> None:
    append(path, asked("a"), asked(""), asked("x\ny"), {"type": "ui_event"})
    assert len(log.view.since(0).nameless) == 2


def test_a_torn_tail_stays_and_what_follows_begins_a_line(log: PromptLog, path: Path) -> None:
    append(path, asked("a"), end="\n")
    append(path, '{"ts":"2026', end="")
    assert ids(log) == ["a"]
    log.request(PROMPT, request_id="b")
    assert ids(log) == ids(open_log(path)) == ["a", "b"]
    assert b'{"ts":"2026\n{"ts":' in path.read_bytes()


def test_what_another_program_adds_to_a_torn_tail_is_read(log: PromptLog, path: Path) -> None:
    torn = json.dumps(asked("x", {**PROMPT, "title": '{"ts":"2026"} {'}))
    append(path, asked("a"), torn[:-9] + json.dumps(asked("b")), torn[:40] + torn[:60] + json.dumps(answered("a")))
    for reader in (log, open_log(path)):
        assert ids(reader) == ["b"]
    append(path, '{"ts":' * 3000 + json.dumps(asked("c")), asked("d"))
    assert ids(log) == ids(open_log(path)) == ["b", "d"]


def test_a_last_line_that_lacks_only_its_end_counts(log: PromptLog, path: Path) -> None:
    append(path, asked("a"), asked("b"))
    assert ids(log) == ["a", "b"]
    append(path, answered("a"), end="")
    assert ids(log) == ids(open_log(path)) == ["b"]
    with pytest.raises(Conflict):
        log.respond("a", OK)
    log.respond("b", OK)
    assert ids(log) == ids(open_log(path)) == []


def test_a_line_that_comes_in_pieces_is_read_once_it_is_whole(log: PromptLog, path: Path) -> None:
    line = json.dumps(asked("a"))
    append(path, line[:50], end="")
    assert ids(log) == []
    append(path, line[50:])
    assert ids(log) == ["a"]


def test_a_prompt_with_an_answer_is_answered_in_any_order_of_entries(log: PromptLog, path: Path) -> None:
    append(path, answered("early"), asked("early"), asked("a"), answered("a"), asked("a"), answered("a"))
    assert ids(log) == []
    append(path, asked("a"), asked("early"), asked("b"), asked("b", {"kind": "result"}))
    assert ids(log) == ids(open_log(path)) == ["b"]
    assert isinstance(log.view.pending()[0].prompt, FileChangePrompt)


def test_ids_spelled_with_escapes_are_the_same_ids(log: PromptLog, path: Path) -> None:
    append(path, json.dumps(asked("请求\u2028"), ensure_ascii=True))
    assert ids(log) == ["请求\u2028"]
    log.respond("请求\u2028", OK)
    answer = log.view.answer_to("请求\u2028")
    assert answer is not None
    assert "请求\u2028".encode() in answer[1]


def test_line_separators_that_are_none_end_no_line(log: PromptLog, path: Path) -> None:
    title = "a\u2028b\u2029c\u0085d\x0b\x0c\x1c\r\n"
    log.request({"kind": "result", "title": title}, request_id="r\u2028")
    assert path.read_bytes().count(b"\n") == 1
    (entry,) = open_log(path).view.pending()
    assert (entry.request_id, entry.prompt.title) == ("r\u2028", title)


def test_drafts_without_an_id_get_the_same_one_from_every_reader(log: PromptLog, path: Path) -> None:
    append(path, asked("r", {"kind": "task_confirm", "tasks": [{"title": "a"}, {"title": "b"}]}))
    assert log.view.pending() == open_log(path).view.pending()


def test_a_diff_of_a_megabyte_is_a_prompt_like_any_other(log: PromptLog, path: Path) -> None:
    diff = "".join(f"-{number} 旧\n+{number} 新\n" for number in range(50_000))
    log.request({"kind": "file_change_confirm", "diff": diff}, request_id="large")
    log.request(PROMPT, request_id="small")
    assert path.stat().st_size > 1_000_000
    for reader in (log, open_log(path)):
        large, small = reader.view.pending()
        assert isinstance(large.prompt, FileChangePrompt)
        assert large.prompt.diff == diff
        assert small.request_id == "small"
    log.respond("large", OK)
    assert ids(log) == ids(open_log(path)) == ["small"]


def test_a_line_longer_than_any_of_ours_is_left_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_index, "_BLOCK", 1 << 10)
    for module in (prompt_index, prompt_entries):
        monkeypatch.setattr(module, "LONGEST_LINE", 1 << 14)
    log = open_log(path)
    with pytest.raises(TooLarge):
        log.request({**PROMPT, "diff": "x" * (1 << 14)})
    append(path, asked("a"), asked("huge", {**PROMPT, "diff": "x" * (1 << 18)}), asked("b"))
    assert ids(log) == ["a", "b"]
    append(path, '{"diff":"' + "x" * (1 << 18), end="")
    assert ids(log) == ["a", "b"]
    append(path, "x" * 1000 + '"}', asked("c"))
    assert ids(log) == ids(open_log(path)) == ["a", "b", "c"]


def test_another_log_under_the_same_name_is_noticed(log: PromptLog, path: Path) -> None:
    append(path, asked("old"), answered("older"))
    assert ids(log) == ["old"]
    path.rename(path.with_name("rotated"))
    assert ids(log) == []
    append(path, asked("new"), asked("newer"), asked("newest"))
    assert ids(log) == ["new", "newer", "newest"]
    path.write_text("")
    append(path, asked("last"))
    assert ids(log) == ["last"]
    log.request(PROMPT, request_id="old")
    assert ids(log) == ["last", "old"]


def test_an_answer_that_fails_is_no_success_and_nobody_has_seen_it(
    log: PromptLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.request(PROMPT, request_id="r")
    seen: list[str] = []

    def fail(descriptor: int) -> None:
        reader = PromptLog(JournalFile(path, patience=0.0))
        with pytest.raises(Conflict):
            seen.extend(ids(reader))
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(private_file, "fdatasync", fail)
        with pytest.raises(InputOutput):
            log.respond("r", OK)
    assert seen == []
    assert ids(log) == ids(open_log(path)) == ["r"]
    log.respond("r", OK)
    assert ids(log) == []


def test_a_failed_write_of_a_question_is_reported_and_readers_drop_it(
    log: PromptLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.request(PROMPT, request_id="r")
    reader = open_log(path)
    pages = [reader.view.entries()]

    def fail(descriptor: int) -> None:
        assert ids(reader) == ["r", "lost"]
        pages.append(reader.view.since(pages[-1].position))
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(private_file, "fdatasync", fail)
        with pytest.raises(InputOutput):
            log.request(PROMPT, request_id="lost")
    log.request({**PROMPT, "title": "longer than what was lost"}, request_id="r2")
    for reading in (log, reader, open_log(path)):
        assert ids(reading) == ["r", "r2"]
    after = reader.view.since(pages[-1].position)
    assert (after.is_restart, [entry.request_id for entry in after.entries]) == (True, ["r", "r2"])


def test_an_answer_takes_the_question_before_it_to_the_disk(
    log: PromptLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = open_log(path)
    synced: list[tuple[str, int]] = []

    def answer_meanwhile(descriptor: int) -> None:
        monkeypatch.setattr(private_file, "fdatasync", lambda fd: synced.append(("answer", os.fstat(fd).st_size)))
        person.respond("r", OK)
        synced.append(("question", os.fstat(descriptor).st_size))

    monkeypatch.setattr(private_file, "fdatasync", answer_meanwhile)
    log.request(PROMPT, request_id="r")
    assert [who for who, _ in synced] == ["answer", "question"]
    assert ids(log) == []


def test_answers_are_on_disk_before_anybody_is_told(log: PromptLog, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(private_file, "fdatasync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    log.request(PROMPT, request_id="r")
    log.respond("r", OK)
    assert len(synced) == 2
    assert synced[1] > synced[0] > 0


def test_secrets_are_delivered_before_the_mask_is_written(log: PromptLog, path: Path) -> None:
    log.request(FORM, request_id="r")
    given: list[tuple[str, str, dict[str, str]]] = []

    def deliver(request_id: str, line_digest: str, secrets: Mapping[str, str]) -> bool:
        assert b"response" not in path.read_bytes()
        given.append((request_id, line_digest, dict(secrets)))
        return True

    receipt = log.respond("r", {"status": "ok", "values": {"user": "ada", "token": "hunter2"}}, deliver=deliver)
    last = path.read_bytes().splitlines()[-1]
    assert given == [("r", digest(last), {"token": "hunter2"})]
    answer = log.view.answer_to("r")
    assert answer is not None
    assert answer[1] == last
    assert json.loads(last)["response"] == {"status": "ok", "values": {"user": "ada", "token": "******"}}
    assert receipt.warnings == ()
    assert b"hunter2" not in path.read_bytes()


def test_without_a_waiter_the_mask_is_written_and_a_warning_comes_back(log: PromptLog, path: Path) -> None:
    log.request(FORM, request_id="r")
    receipt = log.respond("r", {"status": "ok", "values": {"token": "hunter2"}})
    assert len(receipt.warnings) == 1
    assert "token" in receipt.warnings[0]
    assert "hunter2" not in receipt.warnings[0]
    assert b"hunter2" not in path.read_bytes()
    log.request(FORM, request_id="r2")
    assert log.respond("r2", {"status": "canceled", "values": {"token": "hunter2"}}).warnings == ()
    assert b"hunter2" not in path.read_bytes()


def test_one_who_is_too_late_delivers_nothing(log: PromptLog) -> None:
    log.request(FORM, request_id="r")
    log.respond("r", {"status": "canceled"})

    def deliver(request_id: str, line_digest: str, secrets: Mapping[str, str]) -> bool:
        raise AssertionError

    with pytest.raises(Conflict):
        log.respond("r", {"status": "ok", "values": {"token": "x"}}, deliver=deliver)


def test_a_prompt_is_found_by_its_id_with_its_first_answer(log: PromptLog, path: Path) -> None:
    assert log.view.find_all(["r"]) == {}
    append(path, answered("early"), asked("r"), json.dumps({**asked("strange"), "type": "ui_event"}))
    waiting = log.view.find_all(["r", "strange", "early", "nobody"])
    assert [(each, found.is_pending) for each, found in waiting.items()] == [("r", True)]
    assert waiting["r"].prompt == FileChangePrompt(path="a.txt")
    assert log.view.answer_to("r") is None
    append(path, answered("r", runId="first"), answered("r", runId="second"), answered("strange"))
    for reader in (log, open_log(path)):
        found = reader.view.find_all(["r", "strange"])
        assert list(found) == ["r"]
        assert found["r"].answer is not None
        assert (found["r"].answer.run_id, found["r"].place < (found["r"].answer_place or 0)) == ("first", True)
        asking, line = reader.view.answer_to("r") or (None, b"")
        assert (asking, json.loads(line)["runId"]) == (FileChangePrompt(path="a.txt"), "first")


def test_an_answer_that_breaks_the_prompts_rules_is_found_as_canceled(log: PromptLog, path: Path) -> None:
    append(path, asked("r", FORM), answered("r", response={"status": "ok", "values": {"user": 5}}))
    (answer,) = [found.answer for found in log.view.find_all(["r"]).values()]
    assert answer is not None
    assert answer.response.status == "canceled"


def test_the_history_leads_back_to_the_first_answer(log: PromptLog, path: Path) -> None:
    append(path, answered("early"), *(asked(str(number)) for number in range(7)), answered("nobody"))
    append(path, *(answered(name) for name in "2340256"))
    pages, before = list[list[str]](), None
    while page := log.view.history(before, 2):
        pages.append([each.request_id for each in page])
        before = page[0].answer_place
    assert pages == [["5", "6"], ["4", "0"], ["2", "3"]]


def test_repeats_of_a_call_are_found_by_what_their_ids_have_in_common(log: PromptLog, path: Path) -> None:
    append(path, asked("a_1_x"), asked("a_2_x"), asked("a_1_y"), asked("a_1"), asked("a_1_y_z"), answered("a_1_y"))
    assert [(each.request_id, each.is_pending) for each in log.view.repeats("a_1")] == [
        ("a_1_x", True),
        ("a_1_y", False),
    ]
    assert log.view.repeats("b") == []


def test_pending_prompts_come_in_pages_too(log: PromptLog, path: Path) -> None:
    append(path, *(asked(name) for name in "abcde"), answered("c"))
    assert [each.request_id for each in log.view.pending(limit=2)] == ["d", "e"]
    place = log.view.pending()[2].place
    assert [each.request_id for each in log.view.pending(before=place, limit=5)] == ["a", "b"]


def test_the_newest_entries_come_in_the_order_of_the_log(
    log: PromptLog, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_view, "_FIRST_LOOK_BACK", 100)
    append(path, *(asked(str(number)) for number in range(50)), "junk", answered("0"))
    assert len(log.view.entries().entries) == 51
    for limit in (0, 1, 2, 17, 51, 1000):
        page = log.view.entries(limit)
        assert [entry.request_id for entry in page.entries] == [*map(str, range(50)), "0"][max(0, 51 - limit) :]
        assert page.position == path.stat().st_size
    assert isinstance(log.view.entries(1).entries[0], ResponseEntry)


def test_a_page_continues_where_the_last_one_ended(log: PromptLog, path: Path) -> None:
    page = log.view.entries()
    assert (page.entries, page.position) == ([], 0)
    append(path, asked("a"))
    append(path, json.dumps(asked("b"))[:40], end="")
    page = log.view.since(page.position)
    assert [entry.request_id for entry in page.entries] == ["a"]
    append(path, json.dumps(asked("b"))[40:], "junk")
    page = log.view.since(page.position)
    assert [entry.request_id for entry in page.entries] == ["b"]
    assert not page.is_restart
    page = log.view.since(page.position)
    assert (page.entries, page.position) == ([], path.stat().st_size)
    path.write_text("")
    append(path, asked("c"))
    page = log.view.since(page.position)
    assert page.is_restart
    assert [entry.request_id for entry in page.entries] == ["c"]


LINES = st.one_of(
    st.sampled_from("abcd").map(lambda name: json.dumps(asked(name, {"kind": "result"}))),
    st.sampled_from("abcd").map(lambda name: json.dumps(answered(name))),
    st.sampled_from([*UNREADABLE.values()][:8]),
    st.sampled_from(["{", "}", '{"type":', '{"type":"ui_prompt"}']),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(LINES, st.booleans()), max_size=30), st.integers(1, 400))
def test_pending_is_what_a_slow_reader_finds_too(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, bool]], block: int
) -> None:
    """Line by line, whatever the blocks and whenever somebody looks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prompt_index, "_BLOCK", block)
        path = tmp_path_factory.mktemp("log") / "ui-prompts.jsonl"
        log = open_log(path)
        for line, is_looked_at in lines:
            append(path, line)
            if is_looked_at:
                log.view.pending()
        requests, responses = dict[str, None](), set[str]()
        for line, _ in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict) and entry.get("type") == "ui_prompt":
                if entry.get("action") == "request" and entry["prompt"] == {"kind": "result"}:
                    requests[entry["requestId"]] = None
                elif entry.get("action") == "response":
                    responses.add(entry["requestId"])
        assert ids(log) == ids(open_log(path)) == [each for each in requests if each not in responses]


WRITER = """
import sys
from pathlib import Path
from handrail.kernel.prompts.log import PromptLog
from handrail.stores.local.journal import JournalFile

log = PromptLog(JournalFile(Path(sys.argv[1])))
print("ready", flush=True)
sys.stdin.readline()
for number in range(50):
    name = f"{sys.argv[2]}-{number}"
    log.request({"kind": "file_change_confirm", "diff": "x" * (number * 400)}, request_id=name)
    if number % 2:
        log.respond(name, {"status": "ok"})
"""


@pytest.mark.trial("race", is_long=True)
def test_many_processes_write_at_once_and_every_line_stands(path: Path) -> None:
    processes = [start(WRITER, path, number) for number in range(8)]
    release_together(processes)
    for process in processes:
        finish(process)
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    assert len(lines) == 8 * 75
    entries = [json.loads(line) for line in lines]
    for writer in range(8):
        own = [each["requestId"] for each in entries if each["requestId"].startswith(f"{writer}-")]
        assert own == [f"{writer}-{number}" for number in range(50) for _ in range(1 + number % 2)]
    pending = ids(open_log(path))
    assert sorted(pending) == sorted(f"{writer}-{number}" for writer in range(8) for number in range(0, 50, 2))


RESPONDERS = """
import sys, threading
from pathlib import Path
from handrail.ports.errors import Conflict
from handrail.kernel.prompts.log import PromptLog
from handrail.stores.local.journal import JournalFile

def respond(remark):
    log = PromptLog(JournalFile(Path(sys.argv[1])))
    try:
        log.respond("r", {"status": "ok", "remark": remark})
        won.append(remark)
    except Conflict:
        pass

won = []
threads = [threading.Thread(target=respond, args=(f"{sys.argv[2]}-{number}",)) for number in range(4)]
print("ready", flush=True)
sys.stdin.readline()
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*won)
"""


def test_of_twenty_who_answer_at_once_one_wins(log: PromptLog, path: Path) -> None:
    log.request(PROMPT, request_id="r")
    processes = [start(RESPONDERS, path, number) for number in range(5)]
    release_together(processes)
    winners = "".join(finish(process) for process in processes).split()
    assert len(winners) == 1
    _, response = open_log(path).view.entries().entries
    assert isinstance(response, ResponseEntry)
    assert response.response.remark == winners[0]


def test_threads_that_share_a_log_take_turns(log: PromptLog, path: Path) -> None:
    def write(name: str) -> None:
        for number in range(10):
            log.respond(log.request(PROMPT, request_id=f"{name}-{number}"), OK)
            log.view.pending()

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids(log) == []
    assert len(log.view.entries().entries) == 120


KILLED = """
import os, signal, sys
from pathlib import Path
from handrail.kernel.prompts.log import PromptLog
from handrail.stores.local.journal import JournalFile

log = PromptLog(JournalFile(Path(sys.argv[1])))
for number in range(3):
    log.request({"kind": "result"}, request_id=str(number))
log.respond("1", {"status": "ok"})
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_pending_prompts_survive_kill_9(path: Path) -> None:
    finish_killed(start(KILLED, path))
    assert ids(open_log(path)) == ["0", "2"]


KILLED_WHILE_THE_DISK_WORKS = """
import os, signal, sys
from pathlib import Path
from handrail.kernel.prompts.log import PromptLog
from handrail.stores.local import private_file
from handrail.stores.local.journal import JournalFile

log = PromptLog(JournalFile(Path(sys.argv[1])))
private_file.fdatasync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "question":
    log.request({"kind": "result"}, request_id="q")
else:
    log.respond("r", {"status": "canceled"})
"""


@pytest.mark.parametrize(("victim", "left"), [("question", ["r", "q"]), ("answer", [])])
def test_killed_while_the_disk_works_a_line_is_whole_and_nobody_is_locked_out(
    log: PromptLog, path: Path, victim: str, left: list[str]
) -> None:
    log.request(PROMPT, request_id="r")
    finish_killed(start(KILLED_WHILE_THE_DISK_WORKS, path, victim))
    assert ids(log) == ids(open_log(path)) == left
    if victim == "answer":
        with pytest.raises(Conflict, match="answered before"):
            log.respond("r", OK)
    else:
        log.respond("q", OK)
    assert path.read_bytes().endswith(b"}\n")
