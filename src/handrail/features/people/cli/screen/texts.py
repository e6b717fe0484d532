"""All texts of the full-screen view, in English and Chinese, and the choice of the language."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


def _words(words: dict[str, str]) -> Mapping[str, str]:
    return field(default_factory=lambda: words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Defaults are English."""

    waiting: Callable[[int], str] = lambda count: f"{count} waiting" if count else "nothing waiting"
    answered: str = "answered"
    nothing_waiting: str = "Nothing is waiting for you."
    nothing_waiting_hint: str = "Approvals and questions appear here."
    none_answered: str = "No answered questions yet."
    kinds: Mapping[str, str] = field(
        default_factory=lambda: {
            "kv": "form",
            "choice": "choice",
            "task_confirm": "tasks",
            "file_change_confirm": "approval",
            "result": "result",
            "unreadable": "unreadable",
        }
    )
    source: str = "from"
    posted: Callable[[str], str] = lambda by: f"{by} (not handrail)"
    claims: Callable[[str, str], str] = lambda by, source: f"{by}, which calls itself {source} (not handrail)"
    another_program: str = "another program"
    runs_later: str = "runs code later"
    would_allow: Mapping[str, str] = field(
        default_factory=lambda: {"task": "t · for this task would allow", "rule": "r · always would allow"}
    )
    offer_facts: tuple[str, str, str, str] = ("what", "where", "who", "until")
    run: str = "run"
    asked: str = "asked"
    file: str = "file"
    command: str = "command"
    folder: str = "folder"
    change: str = "change"
    picture: str = "picture"
    lines: Callable[[int, int], str] = lambda added, removed: f"+{added} −{removed} lines"
    nothing_changes: str = "nothing changes"
    skipped: Callable[[int], str] = lambda count: "1 unchanged line" if count == 1 else f"{count} unchanged lines"
    callers: Mapping[str, str] = field(
        default_factory=lambda: {
            "approval": "The agent stopped waiting. A yes lets its next try through.",
            "gone": "This program stopped waiting.",
            "unknown": "This program may no longer be waiting.",
        }
    )
    callers_short: Mapping[str, str] = field(
        default_factory=lambda: {"gone": "caller gone", "unknown": "caller unknown"}
    )
    unreadable: str = "handrail can't read this request. Here is what the program wrote; you can only cancel it."
    only_cancel: str = "This request can only be canceled: press n."
    more_below: Callable[[int], str] = lambda count: f"↓ {count} more below" if count > 1 else "↓ 1 more line below"
    hidden: str = "Contains hidden characters:"
    required: str = "required"
    secret_hint: str = "Sent only to the requester; never stored."
    secret_lost: str = "Will be discarded: no program is waiting."
    remark: str = "Tell the agent why (optional)"
    remark_of_no: str = "Deny: tell the agent why?"
    send: str = "Send"
    confirm_tasks: Callable[[int], str] = lambda count: f"Confirm {count} tasks" if count != 1 else "Confirm 1 task"
    pick_one: str = "Choose one"
    parts: str = "Take only some of it"
    parts_hint: str = "Space selects or deselects a part, e edits the file's text, and y allows what is selected."
    edit_text: Callable[[str], str] = lambda path: f"{path}, as it will be written (Esc: back to the list)"
    edited: str = "edited by you"
    pick_between: Callable[[int, int], str] = lambda least, most: (
        f"Choose {least}" if least == most else f"Choose {least} to {most}"
    )
    picked: Callable[[int], str] = lambda count: f"{count} chosen"
    no_tasks: str = "No tasks; + adds one."
    task: Callable[[int], str] = lambda at: f"Task {at}"
    task_title: str = "Title"
    details: str = "Details"
    tags: str = "Tags, separated by commas"
    priorities: Mapping[str, str] = _words({"high": "high", "medium": "medium", "low": "low"})
    statuses: Mapping[str, str] = field(
        default_factory=lambda: {"todo": "to do", "doing": "doing", "blocked": "blocked", "done": "done"}
    )
    removed: str = "Removed; u restores it."
    outcomes: Mapping[str, str] = field(
        default_factory=lambda: {"ok": "allowed", "canceled": "denied", "timeout": "timed out"}
    )
    replies: Mapping[str, str] = field(
        default_factory=lambda: {"ok": "answered", "canceled": "canceled", "timeout": "timed out"}
    )
    yours: str = "Answered by you"
    elsewhere: str = "Answered elsewhere"
    withdrawn: str = "This question is no longer in the log."
    by: str = "by"
    scope: str = "valid"
    scopes: Mapping[str, str] = field(
        default_factory=lambda: {
            "once": "once",
            "task": "for this task",
            "rule": "always, by a rule",
            "tool": "always, this tool",
            "app": "always, every tool of the app",
        }
    )
    answer: str = "answer"
    given_remark: str = "remark"
    go_on: str = "↓ or Enter continues"
    sending: str = "Sending…"
    sent: str = "Answered."
    word_title: str = "Confirm that you are here"
    type_word: Callable[[str], str] = lambda word: f"Type {word} and press Enter, or Esc to go back."
    word_missing: str = "The word wasn't typed, so nothing was sent; the question stays open."
    just_appeared: str = "This question has only just appeared: read it, then press again."
    settled_already: str = "This question is settled; your key did nothing."
    fill_in: str = "Press Enter to fill in the form, and Enter again to send it."
    only_approvals: str = "This can only be allowed once."
    unseen: str = "You can't see the target"
    changed_since: str = "changed since you allowed it"
    unseen_yes: str = "You can't see the target. Press the same key again to allow it anyway; n denies."
    only_apps: str = "Only a call of an app's tool can be allowed for the whole app."
    no_yes_by_enter: str = "y allows, n denies; Enter does neither."
    must_answer: str = "This question can't be canceled."
    fix: str = "Something is still missing."
    problems: Mapping[str, str] = field(
        default_factory=lambda: {
            "required": "Please fill this in.",
            "selection": "Please choose one.",
            "too_few": "Please choose more.",
            "too_many": "Please choose fewer.",
            "task_title": "A task needs a title.",
            "no_part": "Nothing is marked: mark a part, or press n to deny it.",
            "not_editable": "This file's text can't be edited here.",
        }
    )
    password_gone: str = "The program that asked is gone, and the password with it."
    lost_queue: str = "The queue can't be read, trying again"
    keys: Mapping[str, str] = field(
        default_factory=lambda: {
            "allow": "allow once",
            "yes": "allow",
            "task": "for this task",
            "rule": "always",
            "tool": "this tool",
            "app": "whole app",
            "deny": "deny",
            "password": "show password",
            "cancel": "cancel",
            "open": "open",
            "send": "send",
            "pick": "pick",
            "edit": "edit",
            "parts": "choose parts",
            "add": "add",
            "remove": "remove",
            "move": "move",
            "confirm": "confirm",
            "understood": "OK",
            "back": "back",
            "next": "next",
            "answered": "answered",
            "waiting": "waiting",
            "scroll": "scroll",
            "help": "keys",
            "quit": "quit",
            "field": "field",
        }
    )
    help_title: str = "Keys"
    help: tuple[tuple[str, str], ...] = (
        ("↑ ↓  j k", "move through the questions; inside a form, through its rows"),
        ("y", "allow once; confirm tasks; acknowledge a result"),
        ("t", "allow for this task (approvals only)"),
        ("r", "allow always: adds a rule (approvals only); for an app: this tool"),
        ("R", "always allow all tools of this app (calls of apps only)"),
        ("n", "deny or cancel; asks for a remark first if there can be one"),
        ("s", "show the password that would be typed (approvals only)"),
        ("Enter", "open the form; from its single-line fields and rows: send"),
        ("Ctrl S", "send from any field"),
        ("Tab", "next field, and the remark"),
        ("Esc", "back to the list; nothing typed is lost"),
        ("PgUp PgDn  Space", "scroll what is shown; J K by a line"),
        ("Space  x", "pick an option; leave out or take a part of a change"),
        ("e", "edit a task, or the proposed text of a change"),
        ("+  -  u", "add or remove a task; restore a removed one"),
        ("Alt ↑ ↓  J K", "move a task"),
        ("p  s", "a task's priority and status"),
        ("a", "answered questions, and back"),
        ("d", "light or dark"),
        ("q  Ctrl C", "quit; pending questions stay open"),
    )


ENGLISH = Texts()
CHINESE = Texts(
    waiting=lambda count: f"{count} 条待处理" if count else "没有待处理的询问",
    answered="已答复",
    nothing_waiting="没有需要你处理的事。",
    nothing_waiting_hint="智能体需要你的答复时，会在这里询问。",
    none_answered="还没有答复过的询问。",
    kinds={
        "kv": "表单",
        "choice": "选择",
        "task_confirm": "任务",
        "file_change_confirm": "审批",
        "result": "结果",
        "unreadable": "无法识别",
    },
    source="来自",
    posted=lambda by: f"{by}（不是 handrail）",
    claims=lambda by, source: f"{by}，自称 {source}（不是 handrail）",
    another_program="另一个程序",
    runs_later="之后会运行代码",
    would_allow={"task": "t · 本任务内将允许", "rule": "r · 始终将允许"},
    offer_facts=("什么", "哪里", "谁", "直到"),
    run="运行",
    asked="提问于",
    file="文件",
    command="命令",
    folder="目录",
    change="变更",
    picture="图片",
    lines=lambda added, removed: f"+{added} −{removed} 行",
    nothing_changes="没有变更",
    skipped=lambda count: f"{count} 行未变",
    callers={
        "approval": "智能体已不再等待。如果你允许，它下次尝试时会直接执行。",
        "gone": "提问的程序已不再等待。",
        "unknown": "无法得知这个程序是否仍在等待。",
    },
    callers_short={"gone": "已不再等待", "unknown": "等待状态未知"},
    unreadable="handrail 无法识别这个请求。下面是程序写入的原文，你只能取消它。",
    only_cancel="这个请求只能取消：按 n。",
    more_below=lambda count: f"↓ 下面还有 {count} 行",
    hidden="含有隐藏字符：",
    required="必填",
    secret_hint="只交给提问的程序，不会写入任何记录。",
    secret_lost="会被丢弃：没有程序在等待它。",
    remark="给智能体的备注（可选）",
    remark_of_no="拒绝：有给智能体的备注吗？",
    send="提交",
    confirm_tasks=lambda count: f"确认 {count} 个任务",
    pick_one="请选择一项",
    parts="只接受其中一部分",
    parts_hint="空格：排除或重新接受一部分；e：编辑文件内容；然后按 y 允许已标记的部分。",
    edit_text=lambda path: f"{path}：将写入的内容（Esc：返回列表）",
    edited="你已修改",
    pick_between=lambda least, most: f"请选择 {least} 项" if least == most else f"请选择 {least}–{most} 项",
    picked=lambda count: f"已选 {count} 项",
    no_tasks="列表中没有任务；按 + 添加。",
    task=lambda at: f"任务 {at}",
    task_title="标题",
    details="详情",
    tags="标签，用逗号分隔",
    priorities={"high": "高", "medium": "中", "low": "低"},
    statuses={"todo": "待办", "doing": "进行中", "blocked": "受阻", "done": "完成"},
    removed="已删除；按 u 恢复。",
    outcomes={"ok": "已允许", "canceled": "已拒绝", "timeout": "已超时"},
    replies={"ok": "已答复", "canceled": "已取消", "timeout": "已超时"},
    yours="你已答复",
    elsewhere="已在别处答复",
    withdrawn="这条询问已不在记录中。",
    by="由",
    scope="有效范围",
    scopes={
        "once": "一次",
        "task": "本任务内",
        "rule": "始终，按规则",
        "tool": "始终，此工具",
        "app": "始终，此应用的全部工具",
    },
    answer="答复",
    given_remark="备注",
    go_on="按 ↓ 或 Enter 继续",
    sending="正在提交…",
    sent="已答复。",
    word_title="确认你在场",
    type_word=lambda word: f"输入 {word} 并按 Enter；Esc 返回。",
    word_missing="没有输入该词，未提交任何内容；询问仍在等待。",
    just_appeared="这条询问刚刚出现：请先阅读，再按一次。",
    settled_already="这条询问已有结果，按键未起作用。",
    fill_in="按 Enter 进入表单，再按 Enter 提交。",
    only_approvals="只能允许这一次。",
    unseen="您看不到所指的对象",
    changed_since="您允许之后的变化",
    unseen_yes="您看不到所指的对象。再按一次同一个键即仍然允许；n 拒绝。",
    only_apps="只有应用工具的调用才能对整个应用允许。",
    no_yes_by_enter="y 允许，n 拒绝；Enter 都不是。",
    must_answer="这条询问不能取消。",
    fix="还有内容未填。",
    problems={
        "required": "请填写此项。",
        "selection": "请选择一项。",
        "too_few": "请再选一些。",
        "too_many": "选得太多了。",
        "task_title": "任务需要标题。",
        "no_part": "没有标记任何部分：请标记一部分，或按 n 拒绝。",
        "not_editable": "此文件的内容无法在这里编辑。",
    },
    password_gone="发起询问的程序已退出，密码也随之消失。",
    lost_queue="无法读取询问队列，正在重试",
    keys={
        "allow": "允许一次",
        "yes": "允许",
        "task": "本任务内",
        "rule": "始终",
        "tool": "此工具",
        "app": "整个应用",
        "deny": "拒绝",
        "password": "显示密码",
        "cancel": "取消",
        "open": "打开",
        "send": "提交",
        "pick": "选中",
        "edit": "编辑",
        "parts": "选择部分",
        "add": "添加",
        "remove": "删除",
        "move": "移动",
        "confirm": "确认",
        "understood": "知道了",
        "back": "返回",
        "next": "继续",
        "answered": "已答复",
        "waiting": "待处理",
        "scroll": "滚动",
        "help": "按键",
        "quit": "退出",
        "field": "切换",
    },
    help_title="按键",
    help=(
        ("↑ ↓  j k", "在询问之间移动；在表单中逐行移动"),
        ("y", "允许一次；确认任务；知道了结果"),
        ("t", "本任务内允许（仅审批）"),
        ("r", "始终允许：添加一条规则（仅审批）；对应用：此工具"),
        ("R", "始终允许此应用的全部工具（仅应用的调用）"),
        ("n", "拒绝或取消；可以附备注时先询问备注"),
        ("s", "显示将要输入的密码（仅审批）"),
        ("Enter", "进入表单；在单行输入框和选项上：提交"),
        ("Ctrl S", "在任意输入框中提交"),
        ("Tab", "下一个输入框，以及备注"),
        ("Esc", "返回列表；输入的内容不会丢失"),
        ("PgUp PgDn  Space", "滚动内容；J K 逐行"),
        ("Space  x", "选中选项；排除或接受更改的一部分"),
        ("e", "编辑任务，或更改中将写入的内容"),
        ("+  -  u", "添加、删除任务；恢复刚删除的"),
        ("Alt ↑ ↓  J K", "移动任务"),
        ("p  s", "任务的优先级和状态"),
        ("a", "已答复的询问，再按返回"),
        ("d", "浅色或深色"),
        ("q  Ctrl C", "退出；询问继续等待"),
    ),
)


def texts_for(environ: Mapping[str, str] = os.environ) -> Texts:
    """HANDRAIL_LANG decides; otherwise the language of the terminal's locale."""
    language = (
        environ.get("HANDRAIL_LANG") or environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG")
    )
    return CHINESE if (language or "").lower().startswith("zh") else ENGLISH
