"""The console as an app that a browser installs, in a real Chromium: its service worker stores nothing but a notice."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.console_person import Browser, up
from tests.faces.http.running import Running
from tests.redteam.visitor import Visitor

READY = "navigator.serviceWorker.ready.then(() => true)"
STORED = """(async () => {
  const stored = {};
  for (const name of await caches.keys()) {
    stored[name] = (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
  }
  return stored;
})()"""
# All that a worker can send: it has the cookie, and not the page's storage.
ATTEMPT = "fetch('/api/prompts', { credentials: 'include' }).then(({ status }) => status)"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("pwa")
    (folder / "project").mkdir()
    with up(folder / "project", folder / "state") as running:
        yield running


@pytest.fixture(scope="module")
def visitor(rig: Running, browser: Browser) -> Iterator[Visitor]:
    visitor = Visitor(browser.endpoint)
    visitor.does("open", "console", f"{rig.address}/#code={rig.new_code()}", ".connection.online")
    assert visitor.does("evaluate", "console", READY)
    yield visitor
    visitor.close()


def cdp(visitor: Visitor, method: str, **params: Any) -> Any:
    return visitor.does("cdp", "console", method, params)


@pytest.mark.trial("console", is_long=True)
def test_a_browser_can_install_the_console(rig: Running, visitor: Visitor) -> None:
    manifest = cdp(visitor, "Page.getAppManifest")
    assert (manifest["errors"], manifest["url"]) == ([], f"{rig.address}/manifest.webmanifest")
    assert json.loads(manifest["data"])["name"] == "handrail"
    # Playwright's contexts are incognito windows, which can't install apps: Chromium may report only that.
    errors = [each["errorId"] for each in cdp(visitor, "Page.getInstallabilityErrors")["installabilityErrors"]]
    assert set(errors) <= {"in-incognito"}


def test_the_service_worker_stores_the_offline_page_and_no_answer_of_the_server(visitor: Visitor) -> None:
    visitor.does("reload", "console", ".connection.online")
    assert visitor.does("evaluate", "console", "navigator.serviceWorker.controller !== null"), "it serves this page"
    assert visitor.does("evaluate", "console", STORED) == {
        "handrail-offline-1": ["/offline.html", "/offline.css", "/icon-192.png"]
    }
    assert visitor.does("evaluate", "console", ATTEMPT) == 401, "it has the cookie, and not the page's secret"


@pytest.mark.trial("browsers", is_long=True)  # the headless shell of `make test` shows no notifications
def test_a_push_message_becomes_a_notification(rig: Running, visitor: Visitor) -> None:
    context = cdp(visitor, "Target.getTargetInfo")["targetInfo"]["browserContextId"]
    cdp(
        visitor, "Browser.grantPermissions", permissions=["notifications"], origin=rig.address, browserContextId=context
    )
    cdp(visitor, "ServiceWorker.enable")
    message = {
        "title": "Approval needed",
        "body": "claude wants to change a.txt (shop)",
        "url": "https://evil.example/",
    }
    cdp(visitor, "ServiceWorker.deliverPushMessage", origin=rig.address, registrationId="0", data=json.dumps(message))
    result = visitor.does(
        "evaluate",
        "console",
        """(async () => {
          const registration = await navigator.serviceWorker.ready;
          for (const end = Date.now() + 30_000; Date.now() < end;) {
            const [one] = await registration.getNotifications();
            if (one) return [one.title, one.body];
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          return `none, with the permission ${Notification.permission}`;
        })()""",
    )
    assert result == [message["title"], message["body"]]


@pytest.mark.trial("console", is_long=True)
def test_without_the_server_a_page_says_what_to_do(tmp_path: Path, browser: Browser) -> None:
    (tmp_path / "project").mkdir()
    visitor = Visitor(browser.endpoint)
    try:
        with up(tmp_path / "project", tmp_path / "state") as rig:
            visitor.does("open", "console", f"{rig.address}/#code={rig.new_code()}", ".connection.online")
            assert visitor.does("evaluate", "console", READY)
            address = rig.address
        visitor.does("open", "again", f"{address}/", "h1")
        assert visitor.does("text", "again", "h1") == "handrail is not reachable"
        assert visitor.does("evaluate", "again", "document.querySelector('img').naturalWidth") == 192
    finally:
        visitor.close()
