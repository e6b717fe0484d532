"""Notifications of a team: once, by one of its servers, and only to those who may answer."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.features.notifications.receivers import HttpReceiver, Subscriber
from tests.features.team.servers import Agent, Person, Team, edit, prompt_about
from tests.team_engines import S3, Nats, Postgres, nats, postgres, s3
from tests.waiting import until

__all__ = ["nats", "postgres", "s3"]


@pytest.fixture
def team(tmp_path: Path, postgres: Postgres, nats: Nats, s3: S3) -> Iterator[Team]:
    own = Team(tmp_path, postgres, nats, s3)
    yield own
    own.stop()


def subscribe(person: Person, service: HttpReceiver, name: str) -> tuple[Subscriber, str]:
    browser = Subscriber(service, name)
    answer = person.http.post("/api/notifications/push", json=browser.subscription)
    assert answer.status_code == 200, answer.text
    return browser, str(person.http.get("/api/notifications/push/key").json()["data"]["publicKey"])


@pytest.mark.trial("team", is_long=True)
def test_only_one_server_notifies_the_channel_and_the_members_who_may_approve(team: Team) -> None:
    with HttpReceiver() as service:
        for number in range(2):
            (team.where / f"state-{number}").mkdir(mode=0o700)
            settings = f'notify_after_seconds = 0\nmetrics = true\npush_services = ["{service.origin}"]\n'
            (team.where / f"state-{number}" / "config.toml").write_text(settings)
        (team.where / "channels").write_text(
            f"# of the whole team\nhook json://{service.origin.removeprefix('http://')}/hook\n"
        )
        team.run("push-key", "push.pem")
        assert (team.where / "push.pem").stat().st_mode & 0o777 == 0o600
        team.run("push-key", "push.pem", status=2)
        first, second = team.start(2, "--channels", "channels", "--push-key", "push.pem")
        ada = Person(first.url, team.token("ada", "administrator"))
        bo = Person(first.url, team.token("bo", "approver"))
        vi = Person(first.url, team.token("vi", "viewer"))
        agent = Agent(team.token("claude", "agent", owner="ada"))
        browsers = {name: subscribe(person, service, name) for name, person in (("ada", ada), ("bo", bo), ("vi", vi))}

        waiting = edit(team, agent, "prices.txt", server=1)
        browser, key = browsers["bo"]
        message = until(lambda: browser.messages(key))[0]
        assert message["body"] == "claude wants to change prices.txt (project)"
        hook = until(lambda: service.at("/hook"))
        assert "prices.txt" in json.loads(hook[0][1])["message"]
        assert bo.at(second.url).answer(prompt_about(bo, "prices.txt")).status_code == 200
        assert waiting.wait()["isError"] is False

        counts = (len(service.at("/hook")), browser.tries, browsers["ada"][0].tries, browsers["vi"][0].tries)
        assert counts == (1, 1, 0, 0), "one server told it; ada's own agent asked, and vi may not approve"
        response = bo.http.get("/api/notifications").json()["data"]
        assert [len(response["browsers"]), response["hasOwnChannels"], response["canPush"]] == [1, False, True]
        refused = ada.http.post("/api/notifications/channels", json={"name": "x", "url": "json://h/x"})
        assert refused.status_code == 409

        scraper = team.token("prometheus", "viewer")
        headers = {"authorization": f"Bearer {scraper}", "host": f"handrail-1:{first.port}"}
        metrics = httpx2.get(f"{first.url}/metrics", headers=headers).text
        assert 'handrail_engine_up{engine="database"} 1.0' in metrics
        assert (
            httpx2.get(f"{first.url}/metrics", headers={**headers, "origin": "http://evil.example"}).status_code == 403
        )
        team.revoke("bo")
        edit(team, agent, "later.txt", server=0, breaks=True)
        until(lambda: len(service.at("/hook")) == 2)
        assert browser.tries == 1, "who was revoked is told nothing"
