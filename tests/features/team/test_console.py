"""The console of a team, in a real browser: it shows what the team's server has, and nothing else."""

from collections.abc import Iterator

import httpx2 as httpx
import pytest

from tests.e2e.console_person import Browser
from tests.features.team.servers import Team, code_in
from tests.waiting import PATIENCE


@pytest.fixture
def browser() -> Iterator[Browser]:
    opened = Browser()
    yield opened
    opened.close()


def test_a_team_s_console_has_pages_of_what_its_server_serves_alone(shared: Team, browser: Browser) -> None:
    url, token = shared.servers[0].url, shared.token("sees-pages", "viewer")
    signed_in = httpx.post(f"{url}/team/sign-in", content=f"token={token}", headers={"origin": url}, timeout=PATIENCE)
    code = code_in(signed_in.headers["location"])
    browser.step("team", "open", f"{url}/#code={code}/desktop", {"at": ""})
    browser.step("team", "wait", ".rail a.inbox[aria-current=page]")
    assert browser.step("team", "count", ".rail a.history, .rail a.permissions, .rail a.settings") > 1
    assert browser.step("team", "count", ".rail a.browser, .rail a.chat") == 2
    assert browser.step("team", "count", ".rail a.desktop, .rail a.apps, .rail a.webgal") == 0
    assert browser.step("team", "count", ".rail a.connect, .rail a.review") == 0
