"""A first day at the console, on a computer and on a phone, in English and Chinese, with real MCP clients."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Agent
from tests.e2e.console_person import Browser, Person, up
from tests.effort import first_of
from tests.faces.http.running import Running
from tests.persons import without_presence

SHOWN = ".prompt:not([hidden])"
WAYS = [("zh-CN", 390), ("en-US", 1440), ("en-US", 390), ("zh-CN", 1440)]
RULE = ".rule-table [role=row]:has-text('README.md')"
REASON = "先不要改"
ENGLISH = re.compile(r"(?:\b[a-z]{2,} ){2}[a-z]{2,}\b")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Running]:
    for name in ("shop", "blog"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "README.md").write_text(f"# {name}\n\nA small {name}.\n")
    without_presence(tmp_path / "state")
    with up(tmp_path / "shop", tmp_path / "state") as rig:
        yield rig


class Editor(Agent):
    """An agent that edits the README of its project."""

    def __init__(self, rig: Running, project: str) -> None:
        self.readme = rig.project.parent / project / "README.md"
        self._number = 10
        super().__init__(self.readme.parent, rig.state)

    def edits(self, before: str, after: str) -> None:
        self._number += 1
        edit = {"oldText": before, "newText": after}
        arguments = {"path": self.readme.name, "edits": [edit]}
        self.send(self._number, "tools/call", {"name": "edit_file", "arguments": arguments})

    def lets_choose(self, *values: str) -> None:
        self._number += 1
        arguments = {"title": "?", "options": [{"value": value} for value in values]}
        self.send(self._number, "tools/call", {"name": "prompt_choices", "arguments": arguments})


def reads(person: Person) -> None:
    """The question accepts answers only after it was visible for a moment."""
    person.does("wait", f"{SHOWN} form[data-armed=true]")


def opens_the_rest(person: Person, width: int) -> None:
    """On a phone the sheet starts with the two answers."""
    if width < 600:
        person.does("click", f"{SHOWN} .more-ways")


@pytest.mark.parametrize(("locale", "width"), first_of("stories", *WAYS))
def test_from_the_first_page_to_a_revoked_permission(browser: Browser, rig: Running, locale: str, width: int) -> None:
    look: dict[str, Any] = {"locale": locale, "width": width, "at": ""}
    person = browser.person_at(rig, **look)
    person.does("wait", ".clients")  # at the first visit, "connect an agent" comes first
    shop = Editor(rig, "shop")
    shop.edits("small", "friendly")
    reads(person)
    head = person.does("text", f"{SHOWN} .head")
    assert "README.md" in head
    assert "shop" in head
    if locale == "zh-CN":
        assert (
            ENGLISH.search(person.does("text", SHOWN).replace("A small shop.", "").replace("A friendly shop.", ""))
            is None
        )
    person.does("click", f"{SHOWN} button[type=submit]")
    assert shop.result()["isError"] is False
    assert "friendly" in shop.readme.read_text()

    person.does("go", "inbox")
    elsewhere = browser.person_at(rig, **look)
    elsewhere.does("go", "inbox")
    blog = Editor(rig, "blog")
    blog.lets_choose("sqlite", "postgres")
    reads(person)
    head = person.does("text", f"{SHOWN} .head").lower()
    assert "agent" in head  # the client's own name
    assert "prompt_choices" not in head
    person.does("click", f"{SHOWN} label:has-text('postgres')")
    person.does("click", f"{SHOWN} button[type=submit]")
    assert blog.result()["structuredContent"]["selection"] == "postgres"
    elsewhere.does("click", f"{SHOWN} .settled button")

    blog.edits("small", "large")
    reads(elsewhere)
    reads(person)
    assert "blog" in person.does("text", f"{SHOWN} .head")
    opens_the_rest(person, width)
    person.does("fillIn", f"{SHOWN} .foot > input", REASON)
    person.does("click", f"{SHOWN} .no")
    denied = blog.result()
    assert denied["isError"] is True
    assert REASON in str(denied)
    assert "small" in blog.readme.read_text()
    elsewhere.does("click", f"{SHOWN} .settled button")  # answered in the other window
    elsewhere.does("gone", SHOWN)
    elsewhere.leaves()

    shop.edits("friendly", "kind")
    reads(person)
    opens_the_rest(person, width)
    person.does("click", f"{SHOWN} .scope-option:last-of-type")
    person.does("pick", f"{SHOWN} .grant-editor .field:last-child select", "day")
    person.does("wait", f"{SHOWN} .grant-preview")
    person.does("click", f"{SHOWN} button[type=submit]:not(:disabled)")
    assert shop.result()["isError"] is False
    shop.edits("kind", "good")
    assert shop.result()["isError"] is False  # there was no question

    person.does("go", "permissions")
    person.does("click", f"{RULE} button")
    person.does("gone", RULE)
    shop.edits("good", "nice")
    reads(person)
    person.does("click", f"{SHOWN} .no")
    assert shop.result()["isError"] is True
    assert "good" in shop.readme.read_text()
    shop.close()
    blog.close()
    person.leaves()
