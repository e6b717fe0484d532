"""Texts of the language server other than the rules' messages, in two languages."""

from handrail.features.webgal.script.findings import Language

_PHRASES: dict[str, tuple[str, str]] = {
    "no game": (
        "{where} 中没有 WebGAL 游戏：找不到 game/scene 文件夹",
        "There is no WebGAL game in {where}: no folder game/scene.",
    ),
    "no folder": (
        "编辑器没有打开文件夹，handrail 只检查文件夹中的游戏",
        "No folder is open in the editor, and handrail checks games in folders.",
    ),
    "more": ("还有 {count} 个问题未列出", "{count} more problems are not listed."),
    "fix": ("改为 {text}", "Change to {text}"),
    "fix all": ("修复全部可安全修复的问题", "Fix all safely fixable problems"),
    "silence": ("忽略此处的 {code}（;nolint）", "Silence {code} here (;nolint)"),
    "silence file": ("忽略整个文件的 {code}（;nolint-file）", "Silence {code} in this file (;nolint-file)"),
    "exists": ("文件存在，{size}", "Exists, {size}"),
    "other case": ("实际文件名是 {name}", "The file's real name is {name}"),
    "missing": ("文件不存在", "File not found"),
    "unknown": ("无法确定：位于链接之后或项目之外", "Unknown: it is behind a link or outside the project"),
    "used": ("使用 {count} 处：{places}", "Used in {count} places: {places}"),
    "unused": ("没有其他地方使用", "Used nowhere else"),
    "label": ("标签 **{name}**：第 {lines} 行", "Label **{name}**: line {lines}"),
    "no label": ("本文件没有标签 **{name}**", "This file has no label **{name}**"),
    "jumps": ("跳转 {count} 处：第 {lines} 行", "Jumped to {count} times: line {lines}"),
    "no jumps": ("没有跳转到这里", "Nothing jumps here"),
    "variable": ("变量 **{name}**", "Variable **{name}**"),
    "set": ("设置 {count} 处：{places}", "Set in {count} places: {places}"),
    "never set": ("从未设置", "Never set"),
    "read": ("读取 {count} 处：{places}", "Read in {count} places: {places}"),
    "never read": ("从未读取", "Never read"),
    "character": ("角色 **{name}**：{lines} 句，{scenes} 个场景", "**{name}** speaks {lines} lines in {scenes} scenes"),
    "defined": ("定义于 {path}", "Defined in {path}"),
    "not defined": ("未在 characters.json 中定义", "Not defined in characters.json"),
    "animation": ("动画 **{name}**", "Animation **{name}**"),
    "stock": ("引擎自带", "built in"),
    "no animation": ("没有这个动画", "there is no such animation"),
    "lines": ("{count} 行", "{count} lines"),
    "speaker": ("角色", "character"),
    "only names": ("只能重命名标签和角色", "Only labels and characters can be renamed."),
    "bad label": (
        "标签名不能为空或为 none，首尾不能有空白，也不能含有 : ; | . {{ \\ 或“空格加 -”",
        "A label can't be empty or none, start or end with a blank, or contain : ; | . {{ \\ or a blank followed by -.",
    ),
    "bad name": (
        "角色名不能为空，首尾不能有空白，不能是指令名，也不能含有 : ; \\ 或“空格加 -”",
        "A name can't be empty, a command, start or end with a blank, or contain : ; \\ or a blank followed by -.",
    ),
    "taken label": ("本文件已有标签 {name}", "This file already has a label {name}."),
    "taken name": (
        "已有角色 {name}，合并后无法分开",
        "There is already a character {name}; the two could no longer be separated.",
    ),
    "goes on": ("沿用上一句的角色名", "Same speaker as before"),
    "not reached": (
        "没有路径能到达第 {line} 行，因此在它之前的各行之后显示",
        "Line {line} can't be reached, so it is shown after the lines before it.",
    ),
    "no scene": ("这不是游戏中的场景文件", "This is not a scene of a game."),
    "leads to": ("→ 第 {line} 行", "→ line {line}"),
    "mend characters": ("无法在 {path} 中只改这个名字", "Can't change only this name in {path}."),
}


def phrase(which: str, language: Language, /, **values: object) -> str:
    return _PHRASES[which][0 if language == "zh" else 1].format(**values)
