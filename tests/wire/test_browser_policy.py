"""Rules by host on every wire: for the address of a call, and for every page that it leads to."""

import pytest

from tests.wire.browsing import Agent, Browsing
from tests.wire.scripted_browser import BLANK, Site, button

GOOD, EVIL = "http://good.test/", "http://evil.test/"
SECRET = "the secret of evil.test"
DENY_ALL = {"tool": "*", "host": "evil.test", "decision": "deny"}


@pytest.fixture(autouse=True)
def sites(browsing: Browsing) -> None:
    browsing.browser.sites |= {
        GOOD: Site([button("1", "Stay"), button("2", "Leave")], text="good", leads_to={"2": EVIL}),
        EVIL: Site([button("3", SECRET)], text=SECRET, title=SECRET),
        "http://short.test/": Site(redirect=EVIL),
    }


def only_tab(browsing: Browsing) -> int:
    (tab,) = browsing.browser.tabs
    return tab


@pytest.mark.parametrize(
    "url",
    [
        "http://good.test@evil.test/",
        "http://good.test\\@evil.test/",
        "http://good.test/\n",
        " http://good.test/",
        "data:text/html,hello",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "chrome://settings",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://ev%69l.test/",
        "http:///x",
        "evil.test",
    ],
)
def test_an_address_that_could_be_read_in_two_ways_is_refused(mcp: Agent, browsing: Browsing, url: str) -> None:
    assert mcp.code("task_start", url=url) == "BAD_REQUEST"
    assert browsing.browser.actions == []


@pytest.mark.parametrize(
    ("spelling", "tab_url"),
    [
        ("HTTP://EVIL.TEST/", "http://evil.test/"),
        ("http://evil.test./", "http://evil.test/"),
        ("http://evil.test:8080/x?y#z", "http://evil.test:8080/x?y#z"),
        ("http://evil\u3002test/", "http://evil.test/"),
    ],
)
def test_all_spellings_of_a_host_are_treated_as_one(
    mcp: Agent, browsing: Browsing, spelling: str, tab_url: str
) -> None:
    mcp.ok("task_start", url=spelling)
    assert browsing.browser.params_of("task_start")[-1]["url"] == tab_url
    browsing.put_user_rules(DENY_ALL)
    assert mcp.code("task_start", url=spelling) == "FORBIDDEN"


def test_an_international_name_and_its_xn_form_are_one(mcp: Agent, browsing: Browsing) -> None:
    browsing.put_user_rules({"tool": "*", "host": "*.bücher.test", "decision": "deny"})
    assert mcp.code("task_start", url="http://www.bücher.test/") == "FORBIDDEN"
    assert mcp.code("task_start", url="http://www.xn--bcher-kva.test/") == "FORBIDDEN"
    assert mcp.ok("task_start", url="http://www.bucher.test/").result is not None


def test_an_ipv6_host_is_matched_without_its_brackets(mcp: Agent, browsing: Browsing) -> None:
    browsing.put_user_rules({"tool": "*", "host": "::1", "decision": "deny"})
    assert mcp.code("task_start", url="http://[0:0::1]:8000/") == "FORBIDDEN"
    assert mcp.ok("task_start", url="http://[::2]/").result is not None


@pytest.mark.also_cli
def test_a_denied_host_is_never_asked_for(agent: Agent, browsing: Browsing) -> None:
    browsing.put_user_rules(DENY_ALL)
    agent.ok("task_start", url=GOOD)
    for tool in ("task_start", "browser_tab_open", "browser_navigate"):
        assert agent.code(tool, url=EVIL) == "FORBIDDEN"
    assert list(browsing.browser.tabs.values()) == [GOOD]


@pytest.mark.parametrize("tool", ["task_start", "browser_tab_open", "browser_navigate"])
def test_a_redirect_to_a_denied_host_ends_on_a_blank_page(agent: Agent, browsing: Browsing, tool: str) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.put_user_rules(DENY_ALL)
    result = agent.call(tool, url="http://short.test/")
    assert result.code == "FORBIDDEN"
    assert SECRET not in f"{result.error} {result.text}"
    assert EVIL not in browsing.browser.tabs.values()
    assert BLANK in browsing.browser.tabs.values()


@pytest.mark.parametrize("tool", ["task_start", "browser_tab_open", "browser_navigate"])
def test_a_denied_host_in_the_middle_of_a_chain_ends_it(agent: Agent, browsing: Browsing, tool: str) -> None:
    by = ["http://short.test/", "http://EVIL.test./x", "http://other.test/"]
    browsing.browser.sites["http://short.test/"] = Site(redirect=GOOD, by=by)
    agent.ok("task_start", url=GOOD)
    result = agent.ok(tool, url="http://short.test/")
    assert (result.result or {})["hops"] == by
    browsing.put_user_rules(DENY_ALL)
    assert agent.code(tool, url="http://short.test/") == "FORBIDDEN"
    assert BLANK in browsing.browser.tabs.values()


def test_a_click_that_passes_a_denied_host_on_its_way_is_denied(agent: Agent, browsing: Browsing) -> None:
    browsing.browser.sites[EVIL] = Site(redirect="http://other.test/", by=[EVIL])
    agent.ok("task_start", url=GOOD)
    browsing.put_user_rules(DENY_ALL)
    assert agent.code("browser_click", clickId="2") == "FORBIDDEN"
    assert browsing.browser.tabs[only_tab(browsing)] == BLANK


@pytest.mark.also_cli
def test_a_click_that_leads_to_a_denied_host_reveals_nothing_about_it(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.put_user_rules(DENY_ALL)
    assert agent.code("browser_click", clickId="2") == "FORBIDDEN"
    assert browsing.browser.tabs[only_tab(browsing)] == BLANK


def test_a_rule_about_reading_applies_to_the_page_an_action_led_to(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.put_user_rules({"effect": "READ", "host": "evil.test", "decision": "deny"})
    assert agent.code("browser_click", clickId="2") == "FORBIDDEN"


@pytest.mark.parametrize("tells_address", [True, False])
def test_a_page_that_navigated_to_a_denied_host_is_not_read(
    agent: Agent, browsing: Browsing, tells_address: bool
) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.browser.move(only_tab(browsing), EVIL)
    browsing.browser.tells_address = tells_address
    browsing.put_user_rules(DENY_ALL)
    for tool in ("browser_dom_index", "browser_readability_extract", "browser_screenshot", "browser_get_html"):
        result = agent.call(tool)
        assert result.code == "FORBIDDEN"
        assert SECRET not in f"{result.error} {result.text}"
    assert agent.code("browser_click", clickId="3") == "FORBIDDEN"
    assert browsing.browser.params_of("browser_click") == []


def test_a_page_replaced_while_it_is_read_is_not_reported(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.put_user_rules(DENY_ALL)
    browsing.browser.answers["browser_dom_index"] = lambda params: {
        "elements": [button("3", SECRET)], "total": 1, "pageUrl": EVIL
    }  # fmt: skip
    result = agent.call("browser_dom_index")
    assert result.code == "FORBIDDEN"
    assert SECRET not in f"{result.error} {result.text}"


def test_a_reading_across_two_pages_is_to_be_done_again(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.browser.answers["browser_find_text"] = lambda params: {
        "matches": [], "total": 0, "pageUrl": GOOD, "pageChanged": True
    }  # fmt: skip
    result = agent.call("browser_find_text", text="x")
    assert result.error is not None
    assert result.error["details"]["retryable"] is True


def test_of_a_tab_at_a_denied_host_only_its_number_is_listed(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=EVIL)
    browsing.put_user_rules(DENY_ALL)
    (tab,) = (agent.ok("browser_tabs").result or {})["tabs"]
    assert {"url", "title"} & set(tab) == set()


def test_a_page_with_an_unknown_address_is_treated_as_any_host(agent: Agent, browsing: Browsing) -> None:
    browsing.browser.tells_address = False
    agent.ok("task_start", url=GOOD)
    assert agent.ok("browser_dom_index").result is not None
    browsing.put_user_rules(DENY_ALL)
    assert agent.code("browser_dom_index") == "FORBIDDEN"


def test_local_files_in_a_tab_are_denied(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.browser.move(only_tab(browsing), "file:///home/ada/letters.txt")
    assert agent.code("browser_readability_extract") == "FORBIDDEN"
    assert agent.code("browser_click", clickId="1") == "FORBIDDEN"


def test_navigating_away_from_a_denied_page_is_allowed(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.browser.move(only_tab(browsing), EVIL)
    browsing.put_user_rules(DENY_ALL)
    assert (agent.ok("browser_navigate", url=GOOD).result or {})["url"] == GOOD


def test_rules_about_paths_apply_to_uploads(agent: Agent, browsing: Browsing) -> None:
    agent.ok("task_start", url=GOOD)
    browsing.put_user_rules({"effect": "READ", "path": "notes.md", "decision": "deny"})
    assert agent.code("browser_upload", clickId="1", paths=["notes.md"]) == "FORBIDDEN"
