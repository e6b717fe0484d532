"""The extension's window as proof of presence, against everyone else who wants to press Allow.

The person's browser is a real Chromium with the real extension, enrolled as at a terminal. CDP acts as the person's
mouse.
"""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest

from handrail.features.browser.launching import EXTENSION_FOLDER
from handrail.ports.browser import EXTENSION_ORIGIN
from tests.credentials import agent_token, browser_token
from tests.e2e.console_person import answer_to, call, cancel_all, up
from tests.faces.http.running import Answer, Running
from tests.persons import Person
from tests.redteam.visitor import LocalServer, Visitor
from tests.waiting import until
from tests.wire.scripted_browser import ScriptedBrowser

RULE = {"status": "ok", "scope": "rule"}
WINDOW = {"kind": "window"}
NUMBERS = count()
PRESS = "[...document.querySelectorAll('button')].at(-1).click()"
STORED = "chrome.storage.session.get('confirm').then((kept) => kept.confirm)"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("window")
    (folder / "project").mkdir()
    with up(folder / "project", folder / "state") as running:
        (running.state / "config.toml").write_text('[[rules]]\neffect = "UI_CONTROL"\ndecision = "allow"\n')
        yield running


def persons(rig: Running) -> dict[str, str]:
    """The headers that the person's own commands send."""
    return {**rig.bearer, **rig.console_key}


def pair(rig: Running, visitor: Visitor, how: str = "pair") -> str:
    """Pairs with a code that the person types into the extension's settings; returns the browser's id."""
    before = {each["clientId"] for each in paired(rig)}
    code = rig.request("POST", f"/api/extension/{how}-code", headers=persons(rig)).json["data"]["code"]
    visitor.does("open", "options", f"{EXTENSION_ORIGIN}/options.html", "form")
    visitor.does("evaluate", "options", _send({"type": "ui/pair", "server": rig.address, "code": code}))
    new: list[str] = until(
        lambda: [each["clientId"] for each in paired(rig) if each["clientId"] not in before and each["socketConnected"]]
    )
    return new[0]


def _send(message: dict[str, str]) -> str:
    return f"chrome.runtime.sendMessage({json.dumps(message)})"


def paired(rig: Running) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = rig.request("GET", "/api/extension/tokens", headers=persons(rig)).json["data"]
    return result


def enroll(rig: Running, client_id: str, **headers: str) -> Answer:
    given = headers or persons(rig)
    return rig.request("POST", "/api/extension/enrolled", headers=given, json={"clientId": client_id})


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    visitor = Visitor(EXTENSION_FOLDER)
    yield visitor
    visitor.close()


@pytest.fixture(scope="module")
def browser(rig: Running, visitor: Visitor) -> str:
    """The person's enrolled browser."""
    client_id = pair(rig, visitor)
    assert enroll(rig, client_id).status == 200
    return client_id


@pytest.fixture
def asked(rig: Running) -> Iterator[str]:
    """An agent's write that waits for approval, each of a separate file, because approvals may become rules."""
    name = f"{next(NUMBERS)}.txt"
    (rig.project / name).write_text("one\n")
    calling = call(rig, "replace_in_file", path=name, find="one", replace="two")
    yield Person(rig.state).sees()["requestId"]
    cancel_all(rig)
    calling.wait(60)


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


class Card:
    """The person's answer in the console, which waits for the window."""

    def __init__(self, rig: Running, visitor: Visitor, pool: ThreadPoolExecutor, asked: str) -> None:
        self._rig, self._visitor, self._asked = rig, visitor, asked
        self._sent: Future[Answer] = pool.submit(answer, rig, asked, RULE, WINDOW)
        visitor.does("find", "window", "/confirm.html")
        visitor.does("wait", "window", "button.primary")

    def allows(self) -> Answer:
        self._visitor.does("wait", "window", "button.primary:enabled")
        self._visitor.does("press", "window", "Allow")
        return self._sent.result(30)

    def denies(self) -> Answer:
        self._visitor.does("press", "window", "Deny")
        return self._sent.result(30)

    def closes(self) -> Answer:
        self._visitor.does("close", "window")
        return self._sent.result(30)

    def is_unanswered(self) -> bool:
        return not self._sent.done() and answer_to(self._rig, self._asked) is None


@pytest.fixture
def card(rig: Running, visitor: Visitor, browser: str, pool: ThreadPoolExecutor, asked: str) -> Card:
    return Card(rig, visitor, pool, asked)


def session(rig: Running) -> dict[str, str]:
    return rig.sign_in()


def answer(rig: Running, request_id: str, response: Any, presence: Any = None, **headers: str) -> Answer:
    body = {"response": response} if presence is None else {"response": response, "presence": presence}
    path = f"/api/prompts/{request_id}/response"
    return rig.request("POST", path, headers=headers or session(rig), json=body)


def refused(rig: Running, request_id: str, given: Answer) -> dict[str, Any]:
    assert (given.status, given.code) == (403, "FORBIDDEN"), given
    assert answer_to(rig, request_id) is None
    details: dict[str, Any] = given.json["error"]["details"]["context"]
    return details


def test_the_window_shows_exactly_what_is_granted_and_its_approval_counts(
    rig: Running, visitor: Visitor, card: Card, asked: str
) -> None:
    shown = visitor.does("text", "window", "main")
    prompt = next(each for each in Person(rig.state).pending() if each["requestId"] == asked)["prompt"]
    offer = next(each for each in prompt["offers"] if each["scope"] == "rule")
    for part in (prompt["title"], offer["what"], offer["where"], offer["who"], "two"):
        assert part in shown
    assert card.allows().status == 200
    assert answer_to(rig, asked)["scope"] == "rule"

    def proof() -> Any:
        lines = (rig.state / "audit" / "log.jsonl").read_text().splitlines()
        matches = [json.loads(line).get("answer", {}).get("presence") for line in lines if line[:1] == "{"]
        return next((one for one in matches if one), None)

    assert until(proof)["kind"] == "window"


@pytest.mark.trial("presence", is_long=True)
def test_denying_in_the_window_denies_and_closing_it_keeps_the_question(
    rig: Running, visitor: Visitor, pool: ThreadPoolExecutor, card: Card, asked: str
) -> None:
    assert refused(rig, asked, card.closes())["reason"] == "presence"
    assert Card(rig, visitor, pool, asked).denies().status == 200
    assert answer_to(rig, asked)["status"] == "canceled"


def test_only_real_input_counts_and_only_after_time_to_read(
    rig: Running, visitor: Visitor, card: Card, asked: str
) -> None:
    assert visitor.does("evaluate", "window", f"{PRESS}, document.querySelector('button.primary').disabled")
    visitor.does("wait", "window", "button.primary:enabled")
    visitor.does("evaluate", "window", f"void {PRESS}")
    made_up = "dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window }))"
    visitor.does("evaluate", "window", f"void document.querySelector('button.primary').{made_up}")
    visitor.does("evaluate", "window", "void dispatchEvent(new Event('blur'))")
    assert card.is_unanswered()
    card.closes()


def test_a_page_that_offers_to_pair_can_not_lead_a_click_or_a_key_to_the_yes(visitor: Visitor) -> None:
    """Its server imitates handrail. Accepted, it would drive this browser."""
    offer = "postMessage({ type: 'mimo/pair', requestId: 1, server: location.origin, code: 'x' }, location.origin)"
    page = f'<!doctype html><button onclick="{offer}">Play</button>'
    with LocalServer({"/": ("text/html", page), "/health": ("application/json", '{"name": "handrail"}')}) as site:
        visitor.does("open", "game", f"http://127.0.0.1:{site.port}/", "button")
        visitor.does("press", "game", "Play")
        visitor.does("find", "asking", "/pair.html")
        visitor.does("wait", "asking", "button.primary:enabled")
        is_disabled = "document.querySelector('button.primary').disabled"
        drawn = f"new Promise((resolve) => setTimeout(() => resolve({is_disabled})))"
        assert visitor.does("evaluate", "asking", f"dispatchEvent(new Event('focus')) && {drawn}")
        visitor.does("close", "asking")
        assert not [path for path in site.paths if path.startswith("/api")]


@pytest.mark.trial("presence", is_long=True)
def test_no_other_page_of_the_extension_answers_for_the_window(visitor: Visitor, card: Card) -> None:
    asked = visitor.does("evaluate", "window", STORED)
    message = {"type": "ui/answer_confirm", "confirmId": asked["confirmId"], "answer": "allow"}
    visitor.does("open", "another", f"{EXTENSION_ORIGIN}/confirm.html")
    for page in ("options", "another"):
        assert visitor.does("evaluate", page, _send(message))["ok"] is False
    visitor.does("close", "another")
    assert card.is_unanswered()
    card.closes()


@pytest.mark.trial("presence", is_long=True)
def test_the_agents_browser_tools_reach_no_part_of_the_window(rig: Running, visitor: Visitor, card: Card) -> None:
    """The agent may do everything in this browser, and knows the window's tab."""
    agent = {"authorization": f"Bearer {agent_token(rig.state, 'attacker')}"}

    def use(tool: str, **params: Any) -> Answer:
        return rig.request("POST", f"/api/tools/{tool}", headers=agent, json=params)

    window = visitor.does("evaluate", "window", "chrome.tabs.getCurrent().then((tab) => tab.id)")
    with LocalServer() as site:
        task = use("task_start", url=f"http://127.0.0.1:{site.port}/").json["data"]
        assert task["tabId"] != window
        tries = {
            "browser_tab_switch": {},
            "browser_dom_index": {},
            "browser_screenshot": {},
            "browser_get_html": {},
            "browser_click": {"xpath": "//button[2]"},
            "browser_press_key": {"key": "Enter"},
            "browser_navigate": {"url": f"http://127.0.0.1:{site.port}/"},
            "browser_tab_close": {},
        }
        for tool, params in tries.items():
            assert use(tool, tabId=window, **params).status in (403, 404), tool
        for tool in ("browser_navigate", "browser_tab_open"):
            assert use(tool, url=f"{EXTENSION_ORIGIN}/confirm.html").status in (400, 403), tool
        use("browser_press_key", tabId=task["tabId"], key="Enter")
        assert card.is_unanswered()
        use("task_stop", closeTab=True)
    card.closes()


@pytest.mark.trial("presence", is_long=True)
def test_a_web_page_can_not_open_frame_or_speak_to_the_window(visitor: Visitor, card: Card) -> None:
    address = f"{EXTENSION_ORIGIN}/confirm.html"
    tries = {
        "frame": f"""new Promise((done) => {{
            const frame = document.createElement('iframe'); frame.src = '{address}';
            const look = () => frame.contentDocument?.querySelector('button') ? 'reached' : 'blocked';
            frame.onload = frame.onerror = () => {{ try {{ done(look()); }} catch {{ done('blocked'); }} }};
            document.body.append(frame); }})""",
        "fetch": f"fetch('{address}').then(() => 'reached', () => 'blocked')",
        "message": "(async () => { try { await chrome.runtime.sendMessage("
        f"'{EXTENSION_ORIGIN.removeprefix('chrome-extension://')}', {{ type: 'ui/answer_confirm', answer: 'allow' }});"
        " return 'reached'; } catch { return 'blocked'; } })()",
        "bridge": "(postMessage({ type: 'ui/answer_confirm', answer: 'allow' }, '*'),"
        " postMessage({ type: 'mimo/answer_confirm', answer: 'allow' }, '*'), 'blocked')",
    }
    with LocalServer() as site:
        visitor.does("open", "hostile", f"http://127.0.0.1:{site.port}/")
        for name, code in tries.items():
            assert visitor.does("evaluate", "hostile", code) == "blocked", name
        read = "try { return other?.document.body.innerText ?? ''; } catch { return ''; }"
        opened = f"(() => {{ const other = open('{address}'); {read} }})()"
        assert "Allow" not in visitor.does("evaluate", "hostile", opened)
        visitor.does("close", "hostile")
    assert card.is_unanswered()
    card.closes()


class OtherBrowser(ScriptedBrowser):
    """Another browser of the person, paired with its own token, which an attacker has."""

    def says(self, **message: Any) -> dict[str, Any]:
        sent = {"v": 1, "id": "x", **message}
        response: dict[str, Any] = self._wait(self._client.call("plugin_message", sent, namespace="/mimo"))
        return response


def test_another_browsers_token_answers_nothing(rig: Running, visitor: Visitor, card: Card) -> None:
    asked = visitor.does("evaluate", "window", STORED)
    other = OtherBrowser(rig.address, browser_token(rig.state, "another"), client_id="another")
    message = {name: asked[name] for name in ("confirmId", "digest", "requestId")}
    said = other.says(type="confirm_answer", **message, answer="allow")
    other.close()
    assert said["ok"] is False
    assert card.is_unanswered()
    card.closes()


def test_an_answer_counts_for_its_own_question_digest_and_once(
    rig: Running, visitor: Visitor, pool: ThreadPoolExecutor, browser: str, card: Card, asked: str
) -> None:
    """The enrolled browser itself repeats an earlier answer for something else."""
    first = visitor.does("evaluate", "window", STORED)
    card.closes()
    second = Card(rig, visitor, pool, asked)
    now = visitor.does("evaluate", "window", STORED)
    assert first["digest"] == now["digest"], "the same answer to the same question has the same digest"
    assert first["confirmId"] != now["confirmId"]
    for wrong in (
        {"confirmId": first["confirmId"]},
        {"digest": "0" * 64},
        {"digest": now["digest"][:16]},
        {"requestId": "approval_another"},
        {"requestId": None},
    ):
        forged = {**now, **wrong}
        keep(visitor, forged)
        message = {"type": "ui/answer_confirm", "confirmId": forged["confirmId"], "answer": "allow"}
        assert visitor.does("evaluate", "window", _send(message))["ok"] is False, wrong
    assert second.is_unanswered()
    keep(visitor, now)
    second.closes()


def keep(visitor: Visitor, asked: dict[str, Any]) -> None:
    """Replaces the stored request that the worker answers with."""
    visitor.does("evaluate", "window", f"chrome.storage.session.set({{ confirm: {json.dumps(asked)} }})")


def test_neither_an_agents_nor_the_servers_token_opens_a_window_or_enrolls_a_browser(
    rig: Running, visitor: Visitor, browser: str, asked: str
) -> None:
    agents = {"authorization": f"Bearer {agent_token(rig.state, 'attacker')}"}
    for headers in (agents, rig.bearer, {**rig.bearer, "origin": EXTENSION_ORIGIN}):
        assert answer(rig, asked, RULE, WINDOW, **headers).status == 403
        assert enroll(rig, browser, **headers).status == 403
    assert answer_to(rig, asked) is None
    assert visitor.does("isOpen", "/confirm.html") is False


def test_a_signed_in_page_enrolls_no_browser_without_presence(rig: Running, browser: str) -> None:
    """Other proofs of presence can confirm it, but a browser's own window can't confirm itself."""
    other = browser_token(rig.state, "of-another-extension")
    assert other
    assert enroll(rig, "of-another-extension").json["error"]["details"]["context"]["reason"] == "extension"
    rig.request("DELETE", f"/api/extension/enrolled/{browser}", headers=session(rig))
    given = enroll(rig, browser, **session(rig))
    assert (given.status, given.json["error"]["details"]["context"]["reason"]) == (403, "presence")
    assert "window" not in given.json["error"]["details"]["context"]
    assert enroll(rig, browser).status == 200


@pytest.mark.trial("browsers", is_long=True)
def test_a_browser_that_handrail_or_a_program_drives_confirms_nothing(
    rig: Running, pool: ThreadPoolExecutor, browser: str, visitor: Visitor, asked: str
) -> None:
    rig.request("DELETE", f"/api/extension/enrolled/{browser}", headers=session(rig))
    driven = Visitor(EXTENSION_FOLDER, is_automated=True)
    try:
        launched = pair(rig, driven, "launch")
        assert enroll(rig, launched).json["error"]["details"]["context"]["reason"] == "launched"
        driven.does("evaluate", "options", _send({"type": "ui/unpair"}))
        by_hand = pair_again(rig, driven)
        assert enroll(rig, by_hand).status == 200
        message = answer(rig, asked, RULE, WINDOW)
        assert "program drives" in message.json["error"]["message"]
        refused(rig, asked, message)
    finally:
        driven.close()
    assert enroll(rig, browser).status == 200


def pair_again(rig: Running, visitor: Visitor) -> str:
    """As another browser would: the same browser is paired again, this time by hand."""
    until(lambda: not any(each["socketConnected"] and each["isLaunched"] for each in paired(rig)))
    code = rig.request("POST", "/api/extension/pair-code", headers=persons(rig)).json["data"]["code"]
    visitor.does("evaluate", "options", _send({"type": "ui/pair", "server": rig.address, "code": code}))
    matches: list[dict[str, Any]] = until(
        lambda: [
            each
            for each in paired(rig)
            if each["socketConnected"] and not each["isLaunched"] and not each["isEnrolled"]
            and each["extensionId"] in EXTENSION_ORIGIN
        ]
    )  # fmt: skip
    return str(matches[-1]["clientId"])
