"""axe finds no problem on any page, with any kind of question, language and theme; 360 px are wide enough."""

from typing import Any

import pytest

from tests.e2e.console_person import Browser, answer_to, ask, call
from tests.faces.http.running import Running
from tests.waiting import until

DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+" + "a very long line " * 20 + "\u202e\n"
QUESTIONS: list[dict[str, Any]] = [
    {"kind": "file_change_confirm", "title": "Write a.txt?", "path": "a.txt", "diff": DIFF},
    {"kind": "file_change_confirm", "title": "Run?", "command": "npm run build", "cwd": "/home/" + "deep/" * 40},
    {
        "kind": "kv",
        "title": "需要你补充信息",
        "fields": [
            {"key": "name", "label": "姓名", "required": True, "description": "用于报告署名"},
            {"key": "more", "multiline": True, "default": "two\nlines"},
            {"key": "pw", "label": "Password", "secret": True},
        ],
    },
    {"kind": "choice", "title": "Which?", "options": [{"value": "a", "description": "the first"}, {"value": "b"}]},
    {"kind": "choice", "title": "Which ones?", "multiple": True, "options": [{"value": "a"}, {"value": "b"}]},
    {"kind": "task_confirm", "title": "Tasks", "tasks": [{"title": "Write", "tags": ["docs"]}, {"title": "Test"}]},
    {"kind": "result", "title": "Finished", "markdown": "# Done\n\n- `one`\n\n| a | b |\n|---|---|\n| c | d |"},
]
FORMS = [("light", 1280), ("light", 360), ("dark", 1280), ("dark", 360)]
SIGNS = {
    "history": ".history-task",
    "inbox": ".waiting-row",
    "browser": ".pairing .command",
    "apps": ".surface",
    "tools": ".call",
    "settings/access": ".browsers li",
}
# Parts that are collapsed in a narrow window or by the panel: what opens them, and what is visible then.
FOLDED = {"history": (".history-task a", ".step"), "inbox": (".answered-list summary", ".entry")}


@pytest.fixture(scope="module")
def busy(rig: Running) -> Running:
    """A rig with content on every page."""
    request_id = ask(rig, {"kind": "result", "title": "Answered before"}, runId="run-1")
    rig.request("POST", f"/api/prompts/{request_id}/response", json={"response": {"status": "ok"}})
    until(lambda: answer_to(rig, request_id) is not None)
    (rig.project / "b.txt").write_text("one\n")
    assert call(rig, "read_file", path="b.txt").wait(30) == 0
    for question in QUESTIONS:
        ask(rig, question)
    return rig


@pytest.mark.trial("access", is_long=True)
@pytest.mark.parametrize(
    ("locale", "forms"),
    [
        ("en-US", FORMS),
        ("zh-CN", FORMS),
    ],
)
def test_nothing_is_found(locale: str, forms: list[tuple[str, int]], browser: Browser, busy: Running) -> None:
    """One window per language, which is checked in each width and theme."""
    person = browser.person_at(busy, locale=locale, height=740, at="inbox")
    for number, question in enumerate(QUESTIONS):
        person.does("see", question["title"], ".prompt:not([hidden])")
        assert person.does("audit", forms) == [], number
        person.does("key", "ArrowRight")
    for page in ("history", "inbox", "browser", "apps", "tools", "settings/access"):
        person.does("go", page)
        person.does("key", "Escape")  # closes the panel; in the inbox, this shows the next question
        person.does("wait", SIGNS[page])
        if page in FOLDED:
            assert person.does("audit", forms) == [], page
            opener, heading = FOLDED[page]
            person.does("tabTo", opener)
            person.does("key", "Enter")
            person.does("wait", heading)
        if page == "tools":
            person.does("press", "read_file")
        assert person.does("audit", forms) == [], page
    person.leaves()
