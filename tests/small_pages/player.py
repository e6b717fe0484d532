"""A script's access to the page: only the browser's tools."""

import html
import re
from typing import Any

from tests.small_pages.site import Reward, Site
from tests.wire.browsing import Agent, Outcome
from tests.wire.clients import Json


class Lost(Exception):
    """No tool reports what the script looks for."""


class Player:
    def __init__(self, agent: Agent, site: Site) -> None:
        self._agent = agent
        self._site = site
        self._early: Reward | None = None

    def begin(self, name: str, seed: int) -> None:
        self._early = None
        self.do("task_start", url=self._site.episode(name, seed), reuseExistingTab=True)
        self.do("browser_wait_for", text="START")
        self.click("START")

    def reward(self, patience: float = 10) -> Reward | None:
        return self._early or self._site.reward(patience)

    def peek_reward(self) -> bool:
        """Whether the episode is over; stores its reward."""
        self._early = self._early or self._site.reward(0.0)
        return self._early is not None

    def do(self, tool: str, /, **params: Any) -> Json:
        return self._told(tool, **params).result or {}

    def _told(self, tool: str, /, **params: Any) -> Outcome:
        result = self._agent.call(tool, **params)
        if result.error is not None:
            raise Lost(f"{tool} {params}: {result.error}")
        return result

    # Reading

    def query(self) -> str:
        return self.text('//*[@id="query"]')

    def text(self, xpath: str) -> str:
        return _text(self.html(xpath))

    def html(self, xpath: str) -> str:
        result = self._told("browser_get_html", xpath=xpath, limit=200_000)
        return re.sub(r"\A[^\n]*\n[^\n]*\n|\n[^\n]*\Z", "", result.text)

    def find_shape(self, tag: str) -> tuple[float, float] | None:
        match = re.search(rf"<{tag}[^>]*>", self.html("//*[@id='area']"))
        if match is None:
            return None
        place = {name: float(value) for name, value in re.findall(r'\b(c?[xy])="([\d.]+)"', match[0])}
        return place["cx"], place["cy"]

    def page(self) -> list[str]:
        return list(self.do("browser_page", scope="document", limit=50_000)["lines"])

    def elements(self, **goal: str) -> list[Json]:
        shapes_listed: list[Json] = self.do("browser_dom_index", scope="document", limit=5000)["elements"]
        return [each for each in shapes_listed if all(_matches(_held(each, key), value) for key, value in goal.items())]

    def elements_with_boxes(self) -> list[Json]:
        return list(self.do("browser_dom_index", scope="document", limit=5000, boxes=True)["elements"])

    def find(self, name: str | None = None, *, at: int = 0, **goal: str) -> str:
        params = {**goal, **({} if name is None else {"name": name})}
        matches = self.elements(**params)
        if len(matches) <= at:
            raise Lost(f"{params} is not among {[line(each) for each in self.elements()]}")
        return str(matches[at]["clickId"])

    # Acting

    def click(self, name: str | None = None, *, at: int = 0, **goal: str) -> Json:
        return self.do("browser_click", clickId=self.find(name, at=at, **goal))

    def click_id(self, click_id: str, **more: Any) -> Json:
        return self.do("browser_click", clickId=click_id, **more)

    def type(self, text: str, name: str | None = None, *, at: int = 0, **goal: str) -> Json:
        return self.do("browser_type", clickId=self.find(name, at=at, **goal), text=text)

    def press(self, key: str) -> Json:
        return self.do("browser_press_key", key=key)

    def choose(self, label: str, role: str) -> Json:
        return self.do("browser_select_option", clickId=self.find(role=role), values=[label])

    def drag(self, click_id: str, **way: Any) -> Json:
        return self.do("browser_drag", clickId=click_id, **way)


def match(pattern: str, text: str) -> re.Match[str]:
    hit = re.search(pattern, text)
    if hit is None:
        raise Lost(f"{pattern} is not in {text[:300]}")
    return hit


def line(element: Json) -> str:
    return " ".join(str(element[key]) for key in ("clickId", "role", "name", "value", "hint") if element.get(key))


def _held(element: Json, key: str) -> Any:
    return element.get("name") or element.get("text") if key == "name" else element.get(key)


def _matches(held: Any, goal: str) -> bool:
    """Returns whether it matches a pattern between slashes, or contains the words."""
    text = "" if held is None else str(held)
    if goal.startswith("/") and goal.endswith("/"):
        return re.search(goal[1:-1], text) is not None
    return text == goal


def _text(markup: str) -> str:
    words = re.sub(r"<(br|div|p|li|tr|h\d)\b[^>]*>", "\n", markup)
    return html.unescape(re.sub(r"<[^>]*>", "", words)).strip()
