"""Plugins that send no more than contract 2's examples do, and tabs that close during a task."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.wire.browsing import Agent, Browsing
from tests.wire.scripted_browser import PIXEL, Site, button

HOME = "http://home.test/"


@pytest.fixture
def tab_id(agent: Agent, browsing: Browsing) -> Iterator[int]:
    site = browsing.browser.sites[HOME] = Site([{"clickId": 12, "tag": "button", "name": "Save"}], title="Home")
    yield int((agent.ok("task_start", url=HOME).result or {})["tabId"])
    site.elements = [button("12", "Save")]
    agent.call("browser_dom_index")  # from now on this plugin writes texts again


def test_a_number_for_an_element_is_accepted_and_sent_back_as_the_plugin_wrote_it(
    agent: Agent, browsing: Browsing, tab_id: int
) -> None:
    elements = (agent.ok("browser_dom_index").result or {})["elements"]
    assert [each["clickId"] for each in elements] == ["12"]
    agent.ok("browser_click", clickId=elements[0]["clickId"])
    assert [params["clickId"] for params in browsing.browser.params_of("browser_click")] == [12]


def test_a_click_needs_no_strategy(agent: Agent, browsing: Browsing, tab_id: int) -> None:
    browsing.browser.answers["browser_click"] = lambda params: {"clicked": True}
    assert agent.ok("browser_click", clickId="12").result == {"clicked": True}


def test_a_picture_in_the_issued_slot_needs_no_name(
    agent: Agent, browsing: Browsing, tab_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def plain(params: Any, message: Any) -> Any:
        await browsing.browser._upload(message["screenshotPresignedUrl"], PIXEL)
        return {"screenshotUploaded": True, "markdown": ""}

    monkeypatch.setattr(browsing.browser, "_browser_screenshot", plain, raising=False)
    result = agent.ok("browser_screenshot").result or {}
    assert result["screenshotUploaded"] is True
    assert result["artifactId"].startswith("art-")


def test_without_an_upload_there_is_no_picture(agent: Agent, browsing: Browsing, tab_id: int) -> None:
    browsing.browser.answers["browser_screenshot"] = lambda params: {"screenshotUploaded": True, "markdown": ""}
    assert agent.code("browser_screenshot") == "SCHEMA_VALIDATION_FAILED"


def test_a_tab_that_the_person_closed_is_named_and_no_other_is_used_in_its_place(
    agent: Agent, browsing: Browsing, tab_id: int
) -> None:
    other = int((agent.ok("browser_tab_open", url=HOME).result or {})["tabId"])
    browsing.browser.shut(other)
    browsing.browser.answers["browser_click"] = lambda params: {"clicked": True}
    for params in ({}, {"tabId": other}):
        result = agent.call("browser_click", clickId="12", **params)
        assert result.error is not None
        assert result.code == "TASK_TAB_CLOSED"
        assert result.error["message"] == f"Tab {other} was closed by the person."
    assert browsing.browser.params_of("browser_click") == []
    agent.ok("browser_click", clickId="12")
    assert [params["tabId"] for params in browsing.browser.params_of("browser_click")] == [tab_id]


def test_a_tab_closed_by_the_agent_does_not_count_as_closed_by_the_person(
    agent: Agent, browsing: Browsing, tab_id: int
) -> None:
    other = int((agent.ok("browser_tab_open", url=HOME).result or {})["tabId"])
    browsing.browser.answers["browser_tab_close"] = lambda params: {"closed": True}
    agent.ok("browser_tab_close", tabId=other)
    browsing.browser.shut(other)
    result = agent.call("browser_click", clickId="12", tabId=other)
    assert (result.error or {})["message"] == f"Tab {other} was closed by browser_tab_close."
