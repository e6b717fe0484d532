"""Prompts as contract 5 has them, and as it forbids them: for the rules themselves and for every wire."""

from typing import Any

FIELD = {"key": "name"}
OPTIONS = [{"value": "a"}, {"value": "b"}, {"value": "c"}]


def kv(*fields: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "kv", "fields": list(fields), **more}


def choice(**more: Any) -> dict[str, Any]:
    return {"kind": "choice", "options": OPTIONS, **more}


def several(**more: Any) -> dict[str, Any]:
    return choice(multiple=True, **more)


def tasks(*each: Any) -> dict[str, Any]:
    return {"kind": "task_confirm", "tasks": list(each)}


# The examples of the contract, to the letter.
EXAMPLES: dict[str, dict[str, Any]] = {
    "§5.1": {
        "kind": "kv",
        "title": "需要你补充信息",
        "message": "请填写表单后继续。",
        "source": "com.example.plugin:my-app",
        "allowCancel": True,
        "fields": [
            {
                "key": "name",
                "label": "姓名",
                "description": "用于报告署名",
                "placeholder": "请输入",
                "default": "",
                "required": True,
                "multiline": False,
                "secret": False,
            }
        ],
    },
    "§6.1, with limits beyond a single choice": {
        "kind": "choice",
        "title": "需要你做出选择",
        "message": "请选择一项。",
        "source": "com.example.plugin:my-app",
        "allowCancel": True,
        "multiple": False,
        "options": [
            {"value": "alpha", "label": "Alpha", "description": "选项说明"},
            {"value": "beta", "label": "Beta", "description": ""},
        ],
        "default": "alpha",
        "minSelections": 0,
        "maxSelections": 2,
    },
    "§6.2": {
        "kind": "choice",
        "title": "需要你做出选择（多选）",
        "message": "请选择 1-2 项。",
        "allowCancel": True,
        "multiple": True,
        "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}, {"value": "c", "label": "C"}],
        "default": ["a"],
        "minSelections": 1,
        "maxSelections": 2,
    },
    "§7.1": {
        "kind": "task_confirm",
        "title": "任务创建确认",
        "message": "请确认任务列表。",
        "allowCancel": True,
        "source": "main",
        "tasks": [
            {
                "draftId": "uuid",
                "title": "写文档",
                "details": "补齐 UI Prompts 协议",
                "priority": "high",
                "status": "todo",
                "tags": ["docs", "ui-prompts"],
            }
        ],
        "defaultRemark": "",
    },
    "§8.1": {
        "kind": "file_change_confirm",
        "title": "文件变更确认",
        "message": "即将写入文件。",
        "allowCancel": True,
        "source": "filesystem/write_file",
        "path": "src/app.js",
        "command": "node scripts/generate.js",
        "cwd": "C:\\project\\aide",
        "diff": "--- a/src/app.js\n+++ b/src/app.js\n@@ ...",
        "defaultRemark": "",
    },
    "the fifth kind": {"kind": "result", "markdown": "# Done"},
    "a change that allows one deed": {
        "kind": "file_change_confirm",
        "scope": {"method": "desktop.click", "paramsDigest": "a1b2"},
    },
    "a call of an app's tool": {
        "kind": "file_change_confirm",
        "consent": {"app": "com.example.mail", "appName": "Mail", "tool": "send_email"},
    },
    "pictures": {"kind": "result", "images": [{"path": "before.png", "alt": "Before"}, {"path": "after.png"}]},
}

# What it is, the prompt, the field that is named.
REFUSED: list[tuple[str, Any, str]] = [
    ("no object", [], "prompt"),
    ("nothing", None, "prompt"),
    ("no kind", {}, "kind"),
    ("an unknown kind", {"kind": "slider"}, "kind"),
    ("a kind that is no text", {"kind": ["kv"]}, "kind"),
    ("a title that is no text", {"kind": "result", "title": 5}, "title"),
    ("an empty kind", {"kind": ""}, "kind"),
    ("null for a kind", {"kind": None}, "kind"),
    ("a source that is no text", {"kind": "result", "source": {}}, "source"),
    ("a flag that is a text", {"kind": "result", "allowCancel": "no"}, "allowCancel"),
    ("a flag that is a number", {"kind": "result", "allowCancel": 0}, "allowCancel"),
    ("half a character", {"kind": "result", "title": "\ud800"}, "title"),
    ("a deed that is no object", {"kind": "file_change_confirm", "scope": "once"}, "scope"),
    ("a deed without a digest", {"kind": "file_change_confirm", "scope": {"method": "x"}}, "scope.paramsDigest"),
    (
        "a consent to no tool",
        {"kind": "file_change_confirm", "consent": {"app": "a.b", "appName": "A"}},
        "consent.tool",
    ),
    ("pictures that are no list", {"kind": "result", "images": {}}, "images"),
    ("a picture without a path", {"kind": "result", "images": [{"alt": "x"}]}, "images.0.path"),
    ("a picture with an odd alt", {"kind": "result", "images": [{"path": "x", "alt": 1}]}, "images.0.alt"),
    ("markdown that is no text", {"kind": "result", "markdown": 1}, "markdown"),
    ("no fields", {"kind": "kv"}, "fields"),
    ("fields that are no list", {"kind": "kv", "fields": FIELD}, "fields"),
    ("an empty list of fields", kv(), "fields"),
    ("51 fields", kv(*({"key": str(number)} for number in range(51))), "fields"),
    ("a field that is no object", kv(FIELD, "name"), "fields.1"),
    ("a field without a key", kv({}), "fields.0.key"),
    ("an empty key", kv({"key": ""}), "fields.0.key"),
    ("a blank key", kv({"key": " \t"}), "fields.0.key"),
    ("a key that is no text", kv({"key": 1}), "fields.0.key"),
    ("a key that stands twice", kv(FIELD, {"key": "b"}, FIELD), "fields.2.key"),
    ("a label that is no text", kv({"key": "a", "label": 1}), "fields.0.label"),
    ("a description that is no text", kv({"key": "a", "description": []}), "fields.0.description"),
    ("a placeholder that is no text", kv({"key": "a", "placeholder": 1}), "fields.0.placeholder"),
    ("a default that is no text", kv({"key": "a", "default": 1}), "fields.0.default"),
    ("required that is no flag", kv({"key": "a", "required": "yes"}), "fields.0.required"),
    ("multiline that is no flag", kv({"key": "a", "multiline": 1}), "fields.0.multiline"),
    ("secret that is no flag", kv({"key": "a", "secret": "true"}), "fields.0.secret"),
    ("no options", {"kind": "choice"}, "options"),
    ("an empty list of options", choice(options=[]), "options"),
    ("61 options", choice(options=[{"value": str(number)} for number in range(61)]), "options"),
    ("an option that is a text", choice(options=["a"]), "options.0"),
    ("an option without a value", choice(options=[{"label": "A"}]), "options.0.value"),
    ("an empty value", choice(options=[{"value": ""}]), "options.0.value"),
    ("a value that is a number", choice(options=[{"value": 1}]), "options.0.value"),
    ("a value that stands twice", choice(options=[*OPTIONS, {"value": "b"}]), "options.3.value"),
    ("an option's odd label", choice(options=[{"value": "a", "label": 1}]), "options.0.label"),
    ("an option's odd description", choice(options=[{"value": "a", "description": 1}]), "options.0.description"),
    ("multiple that is no flag", choice(multiple="yes"), "multiple"),
    ("a default that is no option", choice(default="d"), "default"),
    ("a list as the default of one", choice(default=["a"]), "default"),
    ("a text as the default of several", several(default="a"), "default"),
    ("one default that is no option", several(default=["a", "d"]), "default.1"),
    ("a default that stands twice", several(default=["a", "a"]), "default.1"),
    ("a default that is no text", several(default=["a", 1]), "default.1"),
    ("a minimum below 0", several(minSelections=-1), "minSelections"),
    ("a minimum above the options", several(minSelections=4), "minSelections"),
    ("a maximum of 0", several(maxSelections=0), "maxSelections"),
    ("a maximum above the options", several(maxSelections=4), "maxSelections"),
    ("a minimum above the maximum", several(minSelections=3, maxSelections=2), "minSelections"),
    ("a minimum that is a text", several(minSelections="1"), "minSelections"),
    ("a minimum that is a flag", several(minSelections=True), "minSelections"),
    ("half a maximum", several(maxSelections=1.5), "maxSelections"),
    ("a limit that is no number, of one", choice(maxSelections="2"), "maxSelections"),
    ("tasks that are no list", {"kind": "task_confirm", "tasks": {}}, "tasks"),
    ("a task that is a text", tasks("write"), "tasks.0"),
    ("an odd draftId", tasks({"draftId": 1}), "tasks.0.draftId"),
    ("a draftId that stands twice", tasks({"draftId": "x"}, {"draftId": "x"}), "tasks.1.draftId"),
    ("an odd title", tasks({"title": 1}), "tasks.0.title"),
    ("odd details", tasks({"details": 1}), "tasks.0.details"),
    ("an unknown priority", tasks({"priority": "urgent"}), "tasks.0.priority"),
    ("an unknown status", tasks({"title": "x"}, {"status": "ready"}), "tasks.1.status"),
    ("tags that are a text", tasks({"tags": "docs"}), "tasks.0.tags"),
    ("a tag that is no text", tasks({"tags": ["docs", 1]}), "tasks.0.tags.1"),
    ("an odd remark", {"kind": "task_confirm", "defaultRemark": 1}, "defaultRemark"),
    ("an odd path", {"kind": "file_change_confirm", "path": 1}, "path"),
    ("an odd command", {"kind": "file_change_confirm", "command": ["ls"]}, "command"),
    ("an odd cwd", {"kind": "file_change_confirm", "cwd": 1}, "cwd"),
    ("an odd diff", {"kind": "file_change_confirm", "diff": []}, "diff"),
    ("an odd remark to start from", {"kind": "file_change_confirm", "defaultRemark": 1}, "defaultRemark"),
]

ACCEPTED: dict[str, Any] = {
    "one field": kv(FIELD),
    "50 fields": kv(*({"key": str(number)} for number in range(50))),
    "one option": choice(options=[{"value": "a"}]),
    "60 options": choice(options=[{"value": str(number)} for number in range(60)]),
    "no default among several": several(default=[]),
    "the widest limits": several(minSelections=0, maxSelections=3),
    "a limit of exactly all": several(minSelections=3, maxSelections=3),
    "limits out of range where they don't count": choice(minSelections=9, maxSelections=-1),
    "nothing at all to show": {"kind": "file_change_confirm"},
    "a line separator in a text": {"kind": "result", "title": "a\u2028b"},
}
