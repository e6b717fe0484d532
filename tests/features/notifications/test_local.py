"""Notifications of one person's `handrail up`: real receivers on loopback get the sentence, and never a secret."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.console_person import call, up
from tests.faces.http.running import Running
from tests.features.notifications.receivers import HttpReceiver, Subscriber, mail_server
from tests.waiting import PATIENCE, until

SECRET = "hunter2-hunter2"


@pytest.fixture(scope="module")
def service() -> Iterator[HttpReceiver]:
    with HttpReceiver() as service:
        yield service


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory, service: HttpReceiver) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("notifications")
    project, state = folder / "shop", folder / "state"
    project.mkdir()
    state.mkdir(mode=0o700)
    (state / "config.toml").write_text(f'notify_after_seconds = 0\npush_services = ["{service.origin}"]\n')
    with up(project, state) as running:
        yield running


@pytest.fixture
def person(rig: Running) -> Iterator[dict[str, str]]:
    """Removes all channels and browsers afterwards."""
    headers = rig.sign_in()
    yield headers
    before = shown(rig, headers)
    for channel in before["channels"]:
        rig.request("DELETE", f"/api/notifications/channels/{channel['name']}", headers=headers)
    for browser in before["browsers"]:
        rig.request("DELETE", f"/api/notifications/push/{browser['id']}", headers=headers)


def shown(rig: Running, person: dict[str, str]) -> Any:
    return rig.request("GET", "/api/notifications", headers=person).json["data"]


def add(rig: Running, person: dict[str, str], name: str, url: str) -> None:
    answer = rig.request("POST", "/api/notifications/channels", headers=person, json={"name": name, "url": url})
    assert answer.status == 200, answer


def subscribed(rig: Running, person: dict[str, str], service: HttpReceiver, name: str) -> tuple[Subscriber, str]:
    """A browser, and the key that signs its messages."""
    browser = Subscriber(service, name)
    answer = rig.request("POST", "/api/notifications/push", headers=person, json=browser.subscription)
    assert answer.status == 200, answer
    key = rig.request("GET", "/api/notifications/push/key", headers=person).json["data"]["publicKey"]
    return browser, str(key)


def write(rig: Running, name: str) -> "subprocess.Popen[str]":
    (rig.project / name).write_text("old\n")
    return call(rig, "replace_in_file", path=name, find="old", replace=SECRET)


def deny(rig: Running, person: dict[str, str], waiting: "subprocess.Popen[str]") -> None:
    entries = rig.request("GET", "/api/prompts?state=pending", headers=person).json["data"]["entries"]
    for entry in entries:
        path = f"/api/prompts/{entry['requestId']}/response"
        rig.request("POST", path, headers=person, json={"response": {"status": "canceled"}})
    waiting.communicate(timeout=PATIENCE)


def test_a_pending_approval_reaches_a_browser_a_webhook_and_a_mailbox(
    rig: Running, person: dict[str, str], service: HttpReceiver
) -> None:
    browser, key = subscribed(rig, person, service, "laptop")
    with mail_server() as (mailbox, port):
        add(rig, person, "hook", f"json://{service.origin.removeprefix('http://')}/hook/{SECRET}")
        add(
            rig, person, "mail", f"mailto://127.0.0.1:{port}?from=handrail@example.com&to=ada@example.com&mode=insecure"
        )
        waiting = write(rig, "prices.txt")
        message = until(lambda: browser.messages(key))[0]
        hook = json.loads(until(lambda: service.at(f"/hook/{SECRET}"))[0][1])
        letter = until(lambda: mailbox.letters)[0]
    assert message["title"] == "Approval needed"
    assert message["body"].endswith(" wants to change prices.txt (shop)")
    assert message["url"] == f"{rig.address}/#/inbox"
    assert message["body"] in hook["message"]
    assert "wants to change prices.txt" in letter.replace("=\r\n", "")
    for text in (json.dumps(message), json.dumps(hook), letter):
        assert SECRET not in text, "what would be written is shown in the console alone"
    deny(rig, person, waiting)
    assert (len(browser.messages(key)), len(service.at(f"/hook/{SECRET}"))) == (1, 1)


def test_an_unsubscribed_browser_is_removed(rig: Running, person: dict[str, str], service: HttpReceiver) -> None:
    gone, _ = subscribed(rig, person, service, "gone")
    here, key = subscribed(rig, person, service, "here")
    gone.answers(410)
    waiting = write(rig, "gone.txt")
    until(lambda: here.messages(key))
    until(lambda: len(shown(rig, person)["browsers"]) == 1, "the other one stays")
    deny(rig, person, waiting)
    assert gone.tries == 1


def test_an_unavailable_push_service_is_retried_a_few_times(
    rig: Running, person: dict[str, str], service: HttpReceiver
) -> None:
    browser, _ = subscribed(rig, person, service, "away")
    browser.answers(503, 201)
    id = shown(rig, person)["browsers"][0]["id"]
    assert rig.request("POST", f"/api/notifications/push/{id}/test", headers=person).status == 200
    assert browser.tries == 2
    browser.answers(400)
    refused = rig.request("POST", f"/api/notifications/push/{id}/test", headers=person)
    assert (refused.status, browser.tries) == (409, 3), "what will never be taken is not sent again"


def test_a_channels_problem_is_reported_without_its_secrets(
    rig: Running, person: dict[str, str], service: HttpReceiver
) -> None:
    where = service.origin.removeprefix("http://")
    add(rig, person, "hook", f"json://ada:{SECRET}@{where}/path-{SECRET}")
    service.statuses[f"/path-{SECRET}"] = [500]
    answer = rig.request("POST", "/api/notifications/channels/hook/test", headers=person)
    assert (answer.status >= 400, "500" in answer.body.decode(), SECRET in answer.body.decode()) == (True, True, False)
    unknown = rig.request(
        "POST", "/api/notifications/channels", headers=person, json={"name": "odd", "url": f"nosuch://{SECRET}@host"}
    )
    assert (unknown.status, SECRET in unknown.body.decode()) == (400, False)
    assert SECRET not in json.dumps(shown(rig, person))


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://127.0.0.1:6006/api/session",
        "https://169.254.169.254/latest",
        "https://fcm.googleapis.com.evil.example/x",
        "https://user@fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "file:///etc/passwd",
    ],
)
def test_nothing_is_sent_to_addresses_that_are_not_a_push_services(
    endpoint: str, rig: Running, person: dict[str, str], service: HttpReceiver
) -> None:
    keys = Subscriber(service, "x").subscription["keys"]
    answer = rig.request("POST", "/api/notifications/push", headers=person, json={"endpoint": endpoint, "keys": keys})
    assert (answer.status, shown(rig, person)["browsers"]) == (400, [])


def test_programs_and_agents_can_neither_see_nor_change_notification_channels(
    rig: Running, service: HttpReceiver
) -> None:
    tries = [
        ("GET", "/api/notifications", None),
        ("GET", "/api/notifications/push/key", None),
        ("POST", "/api/notifications/push", Subscriber(service, "spy").subscription),
        ("POST", "/api/notifications/channels", {"name": "spy", "url": "json://127.0.0.1:1/x"}),
        ("DELETE", "/api/notifications/channels/hook", None),
        ("POST", "/api/notifications/channels/hook/test", {}),
    ]
    for headers in (rig.bearer, rig.server_bearer):
        statuses = [rig.request(method, path, headers=headers, json=body).status for method, path, body in tries]
        assert statuses == [403] * len(tries)


@pytest.mark.trial("notifications", is_long=True)
def test_the_command_line_adds_tries_and_removes_a_channel(tmp_path: Path, service: HttpReceiver) -> None:
    def handrail(*words: str, input_text: str = "") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "handrail", "notify", *words, "--state", str(tmp_path / "state")],
            input=input_text, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip

    (tmp_path / "state").mkdir(mode=0o700)
    refused = handrail("add", "hook", input_text="json://127.0.0.1/x\n")
    assert (refused.returncode, "proof that a person is present" in refused.stderr) == (1, True)
    (tmp_path / "state" / "config.toml").write_text('presence = "never"\n')
    address = f"json://{service.origin.removeprefix('http://')}/from-cli"
    assert "No channels" in handrail("list").stdout
    added = handrail("add", "hook", input_text=address + "\n")
    assert added.returncode == 0, added.stderr
    assert handrail("test", "hook").returncode == 0
    assert len(service.at("/from-cli")) == 1
    listing = json.loads(handrail("list", "--json").stdout)
    assert listing == {"channels": [{"name": "hook"}]}
    assert handrail("remove", "hook").returncode == 0
    missing = handrail("test", "hook")
    assert (missing.returncode != 0, "handrail notify" in missing.stderr) == (True, True)
