"""Similar approvals are answered together, and a yes covers exactly those that were shown.

An approval that came later, one whose content is not what was shown, or another agent's is never covered.
"""

import json
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import httpx2
import pytest

from tests.redteam.agents_rig import Rig, rig_in
from tests.wire.clients import run

Entry = dict[str, Any]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp("bundles")
    (folder / "state").mkdir(mode=0o700)
    (folder / "state/config.toml").write_text(
        "questions_per_minute = 1000\n"
    )  # these tests ask faster than an agent may
    with rig_in(folder) as result:
        yield result


@pytest.fixture
def rig(shared: Rig) -> Iterator[Rig]:
    """Without pending questions, and with one file in its project."""
    yield shared
    person = shared.sign_in()
    while pending := shared.pending():  # denying one call may let another one ask
        for entry in pending:
            path = f"/api/prompts/{entry['requestId']}/response"
            shared.ask("POST", path, headers=person, json={"response": {"status": "canceled"}})
    for file in shared.project.glob("[!.]*.*"):
        file.unlink()
    (shared.project / "a.txt").write_text("one\n")


def writing(rig: Rig, token: str, path: str, content: str = "new\n", **headers: str) -> "Future[httpx2.Response]":
    params = {"path": path, "content": content}
    dry = rig.call(token, "write_to_file", {**params, "dryRun": True}, **headers)
    assert dry.status_code == 200, dry.text
    return rig.calling(token, "write_to_file", {**params, "dryRun": False}, **headers)


def asked_about(rig: Rig, *paths: str) -> list[Entry]:
    """Waits for questions about all paths; returns them in the paths' order."""
    matches = {entry["prompt"]["path"]: entry for entry in rig.asked(len(paths))}
    assert set(matches) == set(paths)
    return [matches[path] for path in paths]


def items(entries: list[Entry]) -> list[dict[str, str]]:
    return [{"requestId": entry["requestId"], "digest": entry["digest"]} for entry in entries]


def allow(rig: Rig, shown: list[dict[str, str]], **response: str) -> httpx2.Response:
    body = {"items": shown, "response": {"status": "ok", **response}}
    return rig.ask("POST", "/api/prompts/responses", headers=rig.sign_in(), json=body)


def answers(answer: httpx2.Response) -> list[bool]:
    assert answer.status_code == 200, answer.text
    return [each["ok"] for each in answer.json()["data"]["answers"]]


def test_concurrent_calls_form_one_bundle_that_one_answer_allows(rig: Rig) -> None:
    token, names = rig.issue("ada"), ["a.txt", "b.txt", "c.txt"]
    calls = [writing(rig, token, name) for name in names]
    entries = asked_about(rig, *names)
    assert len({entry["bundle"] for entry in entries}) == 1
    assert len({entry["requestId"] for entry in entries}) == len({entry["digest"] for entry in entries}) == 3
    assert answers(allow(rig, items(entries))) == [True, True, True]
    assert [call.result().status_code for call in calls] == [200, 200, 200]
    assert [(rig.project / name).read_text() for name in names] == ["new\n"] * 3
    ends = [json.loads(line) for line in (rig.state / "audit/log.jsonl").read_text().splitlines()]
    ran = [record for record in ends if record["event"] == "end" and record.get("answer")]
    assert len({record["answer"]["by"] for record in ran}) == 3  # each names its own prompt


def test_an_approval_added_between_display_and_answer_is_not_covered(rig: Rig) -> None:
    token = rig.issue("ada")
    first, second = writing(rig, token, "a.txt"), writing(rig, token, "b.txt")
    shown = items(asked_about(rig, "a.txt", "b.txt"))
    late = writing(rig, token, "late.txt")
    asked_about(rig, "a.txt", "b.txt", "late.txt")
    assert answers(allow(rig, shown)) == [True, True]
    assert [first.result().status_code, second.result().status_code] == [200, 200]
    (left,) = rig.pending()
    assert left["prompt"]["path"] == "late.txt"
    assert not late.done()
    assert not (rig.project / "late.txt").exists()


def test_an_approval_changed_after_it_was_posted_is_not_covered(rig: Rig) -> None:
    """A program changes the log: the terminal then shows something other than what the agent asked for."""
    token = rig.issue("ada")
    calls = [writing(rig, token, name) for name in ("a.txt", "b.txt")]
    _, changed = asked_about(rig, "a.txt", "b.txt")
    log = rig.state / "ui-prompts.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(line.replace("+new", "+bad") if '"path":"b.txt"' in line else line for line in lines))
    (bundle,) = json.loads(run("prompts", "list", "--json", "--state", rig.state).stdout)["bundles"]
    result = run("prompts", "answer", bundle["bundleId"], "--ok", "--state", rig.state)
    assert result.returncode == 1
    assert calls[0].result().status_code == 200
    alone = run("prompts", "answer", changed["requestId"], "--ok", "--state", rig.state)
    assert alone.returncode != 0
    assert "changed after it was asked" in alone.stderr
    rig.answer(changed["requestId"], "--cancel")
    assert calls[1].result().status_code == 403
    assert not (rig.project / "b.txt").exists()


def test_a_made_up_digest_or_id_answers_nothing(rig: Rig) -> None:
    token = rig.issue("ada")
    calls = [writing(rig, token, name) for name in ("a.txt", "b.txt")]
    shown = items(asked_about(rig, "a.txt", "b.txt"))
    swapped = [{**shown[0], "digest": shown[1]["digest"]}, {"requestId": "approval_made_up", "digest": "0" * 64}]
    assert answers(allow(rig, swapped)) == [False, False]
    assert len(rig.pending()) == 2
    assert not any(call.done() for call in calls)


@pytest.mark.parametrize("other", ["another agent", "another tool", "another task"])
def test_a_dissimilar_call_does_not_join_the_bundle(rig: Rig, other: str) -> None:
    token = rig.issue("ada")
    stranger = rig.issue("mallory") if other == "another agent" else token
    calls = [writing(rig, token, name) for name in ("a.txt", "b.txt")]
    mine = asked_about(rig, "a.txt", "b.txt")
    (rig.project / "x.txt").write_text("one\n")
    if other == "another tool":
        replacing = {"path": "x.txt", "find": "one", "replace": "two"}
        joined = rig.calling(stranger, "replace_in_file", replacing)
    else:
        headers = {"x-task-id": "01J00000000000000000000000"} if other == "another task" else {}
        joined = writing(rig, stranger, "x.txt", **headers)
    foreign = asked_about(rig, "a.txt", "b.txt", "x.txt")[2]
    assert foreign["bundle"] != mine[0]["bundle"]
    refusal = allow(rig, items([*mine, foreign]))
    assert refusal.status_code == 400
    assert len(rig.pending()) == 3
    assert not any(call.done() for call in (*calls, joined))


def test_a_prompt_of_another_program_does_not_join_the_bundle(rig: Rig) -> None:
    token = rig.issue("ada")
    _ = [writing(rig, token, name) for name in ("a.txt", "b.txt")]
    mine = asked_about(rig, "a.txt", "b.txt")
    prompt = {"kind": "file_change_confirm", "path": "evil.txt", "bundle": mine[0]["bundle"]}
    posted = rig.ask("POST", "/api/prompts", rig.server["token"], json={"prompt": prompt})
    assert posted.status_code == 400
    entry = {"ts": "2026-01-01T00:00:00.000Z", "type": "ui_prompt", "action": "request", "requestId": "approval_x_y"}
    with (rig.state / "ui-prompts.jsonl").open("a") as log:
        log.write(json.dumps({**entry, "prompt": prompt}) + "\n")
    written = next(each for each in rig.asked(3) if each["requestId"] == "approval_x_y")
    assert "digest" not in written
    listing = json.loads(run("prompts", "list", "--json", "--state", rig.state).stdout)["bundles"]
    assert [each["requestIds"] for each in listing] == [[entry["requestId"] for entry in mine]]
    assert allow(rig, [*items(mine), {"requestId": "approval_x_y", "digest": "0" * 64}]).status_code == 400


@pytest.mark.parametrize("reach", [{"scope": "rule"}, {"scope": "task"}])
def test_an_answer_to_a_bundle_allows_nothing_else(rig: Rig, reach: dict[str, str]) -> None:
    token = rig.issue("ada")
    _ = [writing(rig, token, name) for name in ("a.txt", "b.txt")]
    shown = items(asked_about(rig, "a.txt", "b.txt"))
    assert allow(rig, shown, **reach).status_code == 400
    assert len(rig.pending()) == 2


def test_only_a_person_can_answer_a_bundle(rig: Rig) -> None:
    token = rig.issue("ada")
    _ = [writing(rig, token, name) for name in ("a.txt", "b.txt")]
    body = {"items": items(asked_about(rig, "a.txt", "b.txt")), "response": {"status": "ok"}}
    for key in (token, rig.server["token"]):
        assert rig.ask("POST", "/api/prompts/responses", key, json=body).status_code in (401, 403)
    assert len(rig.pending()) == 2


def test_files_that_run_later_and_critical_rules_are_asked_about_separately(rig: Rig) -> None:
    rule = '[[rules]]\neffect = "WRITE"\npath = "vault/**"\ndecision = "ask"\ncritical = true\n'
    with (rig.state / "config.toml").open("a") as config:
        config.write(rule)
    token = rig.issue("ada")
    _ = [writing(rig, token, name) for name in ("a.txt", "package.json", "vault/x")]
    plain, later, critical = asked_about(rig, "a.txt", "package.json", "vault/x")
    assert "bundle" in plain
    assert "bundle" not in later
    assert "bundle" not in critical


def test_the_terminal_answers_exactly_the_bundle_that_it_listed(rig: Rig) -> None:
    token = rig.issue("ada")
    calls = [writing(rig, token, name) for name in ("a.txt", "b.txt")]
    asked_about(rig, "a.txt", "b.txt")
    (bundle,) = json.loads(run("prompts", "list", "--json", "--state", rig.state).stdout)["bundles"]
    late = writing(rig, token, "late.txt")
    asked_about(rig, "a.txt", "b.txt", "late.txt")
    shown = run("prompts", "show", bundle["bundleId"], "--state", rig.state).stdout
    assert "a.txt" in shown
    assert "late.txt" not in shown
    assert "card:" not in shown
    result = run("prompts", "answer", bundle["bundleId"], "--ok", "--state", rig.state)
    assert result.returncode == 0, result.stderr
    assert [call.result().status_code for call in calls] == [200, 200]
    assert not late.done()
    again = run("prompts", "answer", bundle["bundleId"], "--ok", "--state", rig.state)
    assert again.returncode != 0
    assert len(rig.pending()) == 1


def test_a_denied_bundle_writes_nothing(rig: Rig) -> None:
    token = rig.issue("ada")
    calls = [writing(rig, token, name) for name in ("b.txt", "c.txt")]
    shown = items(asked_about(rig, "b.txt", "c.txt"))
    body = {"items": shown, "response": {"status": "canceled", "remark": "not these"}}
    assert answers(rig.ask("POST", "/api/prompts/responses", headers=rig.sign_in(), json=body)) == [True, True]
    for call in calls:
        assert call.result().status_code == 403
        assert "not these" in call.result().text
    assert not (rig.project / "b.txt").exists()


def test_a_file_that_changes_between_its_approval_and_its_write_needs_a_new_one(rig: Rig) -> None:
    token = rig.issue("ada")
    first, second = writing(rig, token, "a.txt"), writing(rig, token, "b.txt")
    _, ahead = asked_about(rig, "a.txt", "b.txt")
    rig.answer(ahead["requestId"])
    (rig.project / "b.txt").write_text("somebody else's\n")
    (entry,) = rig.pending()
    rig.answer(entry["requestId"])
    assert first.result().status_code == 200
    assert second.result().status_code == 409  # its dry run saw another file
    assert (rig.project / "b.txt").read_text() == "somebody else's\n"
