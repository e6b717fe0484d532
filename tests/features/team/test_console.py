"""The console of a team in a real browser: it shows what the team's server has, and nothing else."""

from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

import handrail
from tests.e2e.console_person import Browser
from tests.features.team.nodes import join
from tests.features.team.servers import Person, Team, code_in
from tests.waiting import PATIENCE, until


@pytest.mark.trial("console", is_long=True)
def test_a_teams_console_has_only_pages_for_what_its_server_offers(shared: Team, browser: Browser) -> None:
    code = code_in(signed_in(shared, "sees-pages").headers["location"])
    browser.step("team", "open", f"{shared.servers[0].url}/#code={code}/desktop", {"at": ""})
    browser.step("team", "wait", ".rail a.inbox[aria-current=page]")
    assert browser.step("team", "count", ".rail a.history, .rail a.permissions, .rail a.settings") > 1
    assert browser.step("team", "count", ".rail a.browser, .rail a.chat") == 2
    assert browser.step("team", "count", ".rail a.desktop, .rail a.apps, .rail a.webgal") == 0
    assert browser.step("team", "count", ".rail a.connect, .rail a.review") == 0


def test_a_member_signs_in_with_a_token_in_a_browser(shared: Team, browser: Browser) -> None:
    token = shared.token("types-token", "viewer")
    browser.step("member", "open", f"{shared.servers[0].url}/team/sign-in", {"until": "input[name=token]", "at": ""})
    browser.step("member", "fillIn", "input[name=token]", token)
    browser.step("member", "click", "button")
    browser.step("member", "wait", ".rail a.inbox[aria-current=page]")


@pytest.mark.trial("console", is_long=True)
def test_a_signed_out_person_is_sent_to_the_teams_sign_in_page(shared: Team, browser: Browser) -> None:
    browser.step("stranger", "open", f"{shared.servers[0].url}/", {"until": "input[name=token]", "at": ""})


@pytest.mark.trial("console", is_long=True)
def test_the_machines_of_a_team_are_listed_with_when_they_were_there(
    shared: Team, browser: Browser, tmp_path: Path
) -> None:
    shared.token("nell", "operator")
    shared.token("desk-unused", "node", owner="nell")
    node = join(shared, tmp_path, "nells-laptop", owner="nell")
    viewer = Person(shared.servers[1].url, shared.token("sees-machines", "viewer"))

    def listed() -> dict[str, Any]:
        answer = viewer.http.get("/api/nodes").json()["data"]
        return {each["name"]: each | {"isCurrent": each.get("policy") == answer["policy"]} for each in answer["nodes"]}

    until(lambda: listed()["nells-laptop"].get("isConnected") and listed()["nells-laptop"]["isCurrent"])
    node.stop()
    assert listed()["nells-laptop"]["version"] == handrail.__version__
    assert "lastSeen" not in listed()["desk-unused"]
    code = code_in(signed_in(shared, "sees-cards").headers["location"])
    browser.step("machines", "open", f"{shared.servers[0].url}/#code={code}/machines", {"at": ""})
    browser.step("machines", "wait", "text=nells-laptop")
    browser.step("machines", "wait", "text=never connected")


def signed_in(team: Team, name: str) -> httpx.Response:
    url, token = team.servers[0].url, team.token(name, "viewer")
    return httpx.post(f"{url}/team/sign-in", content=f"token={token}", headers={"origin": url}, timeout=PATIENCE)
