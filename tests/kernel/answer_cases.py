"""Answers to prompts that fit, and that do not: for the rules themselves and for every wire."""

from typing import Any

FORM = {
    "kind": "kv",
    "fields": [{"key": "name", "required": True}, {"key": "note"}, {"key": "token", "secret": True}],
}
OPTIONS = [{"value": "a"}, {"value": "b"}, {"value": "c"}]
ONE = {"kind": "choice", "options": OPTIONS, "minSelections": 0, "maxSelections": 2}
SOME = {"kind": "choice", "options": OPTIONS, "multiple": True, "minSelections": 1, "maxSelections": 2}
ANY = {"kind": "choice", "options": OPTIONS, "multiple": True}
TASKS = {"kind": "task_confirm", "tasks": []}
CHANGE = {"kind": "file_change_confirm", "path": "a.txt"}
RESULT = {"kind": "result"}
PROMPTS = (FORM, ONE, SOME, TASKS, CHANGE, RESULT)

TASK = {"draftId": "d", "title": "t", "details": "", "priority": "high", "status": "done", "tags": ["x"]}


def ok(**more: Any) -> dict[str, Any]:
    return {"status": "ok", **more}


ACCEPTED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (FORM, ok(values={"name": "Alice"})),
    (FORM, ok(values={"name": "Alice", "note": "", "token": "s"})),
    (ONE, ok(selection="a")),
    (SOME, ok(selection=["a"])),
    (SOME, ok(selection=["c", "a"])),
    (ANY, ok(selection=[])),
    (ANY, ok(selection=["a", "b", "c"])),
    (TASKS, ok(tasks=[])),
    (TASKS, ok(tasks=[TASK], remark="按这个列表创建即可")),
    (CHANGE, ok()),
    (CHANGE, ok(remark="继续执行", scope="once")),
    (CHANGE, ok(scope="task")),
    (CHANGE, ok(scope="rule")),
    (CHANGE, {"status": "canceled", "remark": "not like this"}),
    (TASKS, {"status": "canceled", "remark": "too many"}),
    (RESULT, ok()),
    *((prompt, {"status": status}) for prompt in PROMPTS for status in ("canceled", "timeout")),
]

# What it is, the prompt, the answer, the field that is named.
REFUSED: list[tuple[str, dict[str, Any], Any, str]] = [
    ("no object", CHANGE, "ok", "response"),
    ("nothing", CHANGE, None, "response"),
    ("no status", CHANGE, {"remark": "x"}, "status"),
    ("an unknown status", CHANGE, {"status": "cancelled"}, "status"),
    ("an empty status", CHANGE, {"status": ""}, "status"),
    ("a status that is a flag", CHANGE, {"status": True}, "status"),
    ("no values", FORM, ok(), "values"),
    ("values that are a list", FORM, ok(values=["Alice"]), "values"),
    ("a value that is a number", FORM, ok(values={"name": "A", "note": 5}), "values.note"),
    ("a value that is null", FORM, ok(values={"name": "A", "note": None}), "values.note"),
    ("a required field left out", FORM, ok(values={}), "values.name"),
    ("a required field that is a number", FORM, ok(values={"name": 5}), "values.name"),
    ("a required field left empty", FORM, ok(values={"name": ""}), "values.name"),
    ("an unknown key", FORM, ok(values={"name": "A", "nam": "B"}), "values.nam"),
    ("half a character", FORM, ok(values={"name": "A", "note": "\udc00"}), "values.note"),
    ("no selection", ONE, ok(), "selection"),
    ("a selection that isn't an option", ONE, ok(selection="d"), "selection"),
    ("an empty selection", ONE, ok(selection=""), "selection"),
    ("a list where one is asked for", ONE, ok(selection=["a"]), "selection"),
    ("one where a list is asked for", SOME, ok(selection="a"), "selection"),
    ("no selections", SOME, ok(), "selection"),
    ("too few", SOME, ok(selection=[]), "selection"),
    ("too many", SOME, ok(selection=["a", "b", "c"]), "selection"),
    ("a stranger", SOME, ok(selection=["a", "d"]), "selection.1"),
    ("one twice", SOME, ok(selection=["a", "a"]), "selection.1"),
    ("a selection that is a number", SOME, ok(selection=["a", 1]), "selection.1"),
    ("no tasks", TASKS, ok(), "tasks"),
    ("tasks that are an object", TASKS, ok(tasks={}), "tasks"),
    ("a task with an unknown priority", TASKS, ok(tasks=[{"priority": "p1"}]), "tasks.0.priority"),
    ("a remark that isn't text", TASKS, ok(tasks=[], remark=1), "remark"),
    ("a remark that isn't text, canceled", CHANGE, {"status": "canceled", "remark": 1}, "remark"),
    ("a coverage where no app is called", CHANGE, ok(scope="rule", covers="app"), "covers"),
    ("an unknown scope", CHANGE, ok(scope="always"), "scope"),
    ("a remark where none belongs", FORM, ok(values={"name": "A"}, remark="x"), "remark"),
    ("a scope where none belongs", ONE, ok(selection="a", scope="rule"), "scope"),
    ("another kind's answer", CHANGE, ok(values={}), "values"),
    ("an answer where none is asked for", RESULT, ok(selection="a"), "selection"),
]
