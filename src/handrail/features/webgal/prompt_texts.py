"""The texts of prompts for agents, in Chinese and in English. Values are filled in by `str.format`."""

from collections.abc import Mapping

from handrail.ports.language import Language

Texts = Mapping[str, str]

_ZH: Texts = {
    "writing": (
        "## 写法\n"
        "- 一行一句，以半角分号“;”结尾；分号之后是注释。\n"
        "- 对话写“角色名:台词;”，旁白写“:文字;”。台词里的“|”换行，“{变量}”显示变量的值。\n"
        "- 参数前要有一个空格和“-”：“changeBg:文件 -next;”。“-next”表示不等点击，接着执行下一句。\n"
        "- 常用指令：changeBg、changeFigure（-left、-right、-id=名字）、bgm、playEffect、setVar:名=值、"
        "label、jumpLabel、choose:选项:标签或场景.txt|…、changeScene、callScene、end。\n"
        "- 条件写“-when=变量==值”。标签只在本场景内有效。"
    ),
    "checking": "先用 validate_script（参数 content）检查写好的全文，按 fixHint 修改，直到 valid 为 true。",
    "saving": "用 write_to_file 写入：先以 dryRun: true 预演，再以同样的内容、dryRun: false 写入；写入要等人批准。",
    "saving few": "只改一两处时，用 edit_file 更稳。",
    "showing": "用 preview_scene 看一遍实际画面（如果有这个工具）。",
    "steps": "## 步骤",
    "facts": "## 这个游戏里有什么",
    "characters": "角色",
    "backgrounds": "背景（{folder}background）",
    "figures": "立绘（{folder}figure）",
    "bgm": "背景音乐（{folder}bgm）",
    "vocals": "语音和音效（{folder}vocal）",
    "scenes": "场景（{folder}scene）",
    "variables": "变量",
    "only these": "只能引用上面列出的文件，文件名一字不差；缺少素材时，用现有的代替并说明。",
    "comma": "、",
    "colon": "：",
    "none": "（无）",
    "in all": "……共 {count} 个",
    "lines spoken": "{name}（{count} 句）",
    "results": "## 检查结果",
    "at line": "- 第 {line} 行：{message}",
    "better": "  建议改为：{text}",
    "more problems": "……还有 {count} 个问题，改完这些后再检查一次。",
    "no problems": "检查了 {count} 个场景，没有发现问题。",
    "create": "请为这个 WebGAL 游戏写一个新场景：{path}。",
    "outline": "梗概：{text}",
    "any outline": "由你来想，和已有的场景衔接得上。",
    "cast": "出场角色：{text}",
    "any cast": "从下面的角色里选。",
    "read some": "用 read_file 读一两个已有的场景，跟上它们的语气和习惯。",
    "lead there": "让故事走得到它：在合适的场景里用 changeScene 或 choose 指向 {name}。",
    "fix": "请修正{what}的检查结果里的问题。",
    "one scene": "场景 {path}（全文见附上的资源）",
    "whole game": "整个游戏",
    "judge": "逐条判断：建议合适就照改；建议是猜测（例如相近的文件名）时，看上下文再定；剧情上拿不准的，问人。",
    "only wrong lines": "只改有问题的行，不动别的内容。用 edit_file 一次改好一个场景；改动很多时用 write_to_file。",
    "check again": "改完用 validate_script 检查每个改过的场景，直到 valid 为 true。",
    "on purpose": "确实是有意写成那样的，在行尾用“;nolint 代码”让检查不再提它，并说明理由。",
    "refactor": "请改写这个 WebGAL 场景：{path}（全文见附上的资源）。",
    "goal": "目标：{text}",
    "any goal": "不改变剧情和分支，让台词更自然、指令更整齐，去掉重复。",
    "plan first": "先用几句话说明打算怎么改，再动手。",
    "neighbours": "## 它和别的场景",
    "from": "- 从哪里来：{names}",
    "from nowhere": "（没有场景指向它）",
    "to": "- 到哪里去：{names}",
    "to nowhere": "（不去别的场景）",
    "keep these": "这些去向、标签和变量要保持可用，除非目标要求改变。",
    "create title": "新建场景",
    "create about": "新建一个 WebGAL 场景：带上本游戏的角色、素材、变量和写法，并说明检查、写入和预览的步骤。",
    "create name": "场景的文件名，例如 beach_date；可以带子文件夹。",
    "create outline": "这一场发生什么。",
    "create characters": "出场的角色。",
    "fix title": "修正问题",
    "fix about": "修正检查出的问题：一个场景的，或整个游戏的；带上每个问题、建议的写法和可以引用的素材。",
    "fix path": "场景的路径或名字；不写就是整个游戏。",
    "refactor title": "改写场景",
    "refactor about": (
        "改写一个已有的场景：带上它的全文、谁会走到它、检查结果和本游戏的素材，并说明检查、写入和预览的步骤。"
    ),
    "refactor path": "场景的路径或名字，例如 game/scene/start.txt 或 start。",
    "refactor goal": "想改成什么样。",
}
_EN: Texts = {
    "writing": (
        "## How scripts are written\n"
        "- One statement per line, ending in `;`. What follows the semicolon is a comment.\n"
        "- Dialogue is `Name:text;`, narration is `:text;`. `|` in a text breaks the line, `{variable}` "
        "shows a variable's value.\n"
        "- An argument needs a space and `-` before it: `changeBg:file -next;`. `-next` runs the next line "
        "without waiting for a click.\n"
        "- Common commands: changeBg, changeFigure (-left, -right, -id=name), bgm, playEffect, "
        "setVar:name=value, label, jumpLabel, choose:option:label or scene.txt|…, changeScene, callScene, "
        "end.\n"
        "- A condition is `-when=variable==value`. Labels are known in their own scene only."
    ),
    "checking": (
        "First check the whole text with validate_script (`content`) and apply each fixHint, until valid is true."
    ),
    "saving": (
        "Write it with write_to_file: first with dryRun: true, then the same content with dryRun: false. A "
        "person approves the write."
    ),
    "saving few": " For one or two changes, edit_file is safer.",
    "showing": "Look at the result with preview_scene, if that tool is there.",
    "steps": "## Steps",
    "facts": "## What this game has",
    "characters": "Characters",
    "backgrounds": "Backgrounds ({folder}background)",
    "figures": "Figures ({folder}figure)",
    "bgm": "Music ({folder}bgm)",
    "vocals": "Voices and sounds ({folder}vocal)",
    "scenes": "Scenes ({folder}scene)",
    "variables": "Variables",
    "only these": (
        "Use only the files listed above, with exactly these names. If something is missing, use what is "
        "there and say so."
    ),
    "comma": ", ",
    "colon": ": ",
    "none": "(none)",
    "in all": " … {count} in all",
    "lines spoken": "{name} (lines: {count})",
    "results": "## Check results",
    "at line": "- line {line}: {message}",
    "better": "  suggested: {text}",
    "more problems": "… and {count} more problems. Fix these first and check again.",
    "no problems": "Checked {count} scenes and found no problems.",
    "create": "Write a new scene for this WebGAL game: {path}.",
    "outline": "Outline: {text}",
    "any outline": "Make one up that fits the existing scenes.",
    "cast": "Characters: {text}",
    "any cast": "Choose from those below.",
    "read some": "Read one or two existing scenes with read_file and follow their tone and habits.",
    "lead there": "Let the story reach it: in a suitable scene, point to {name} with changeScene or choose.",
    "fix": "Fix the problems that the check found in {what}.",
    "one scene": "the scene {path} (its full text is attached)",
    "whole game": "the whole game",
    "judge": (
        "Judge each one: apply a suggestion that fits; where it is a guess (such as a similar file name), "
        "decide by the context; where the story is in question, ask the person."
    ),
    "only wrong lines": (
        "Change only the lines with problems. Use edit_file to fix a scene in one call, and write_to_file "
        "for large changes."
    ),
    "check again": "Then check each changed scene with validate_script until valid is true.",
    "on purpose": "If something is meant that way, end the line with `;nolint CODE` and say why.",
    "refactor": "Rework this WebGAL scene: {path} (its full text is attached).",
    "goal": "Goal: {text}",
    "any goal": (
        "Keep the story and its branches; make the dialogue more natural and the commands tidier, and remove "
        "repetition."
    ),
    "plan first": "First say in a few sentences what you plan to change.",
    "neighbours": "## This scene and others",
    "from": "- Reached from: {names}",
    "from nowhere": "(no scene leads here)",
    "to": "- Leads to: {names}",
    "to nowhere": "(no other scene)",
    "keep these": "Keep these ways, labels and variables working unless the goal says otherwise.",
    "create title": "New scene",
    "create about": (
        "Write a new WebGAL scene, with this game's characters, files, variables and conventions, and the "
        "steps to check, write and preview it."
    ),
    "create name": "The scene's file name, such as beach_date; may be in a subfolder.",
    "create outline": "What happens in it.",
    "create characters": "Who appears.",
    "fix title": "Fix problems",
    "fix about": (
        "Fix the problems of one scene or of the whole game, with each problem, the suggested line and the "
        "files that can be used."
    ),
    "fix path": "The scene's path or name; leave it out for the whole game.",
    "refactor title": "Rework a scene",
    "refactor about": (
        "Rework an existing scene, with its full text, the scenes around it, check results and this game's "
        "files, and the steps to check, write and preview it."
    ),
    "refactor path": "The scene's path or name, such as game/scene/start.txt or start.",
    "refactor goal": "What it should become.",
}


def texts_in(language: Language) -> Texts:
    return _ZH if language == "zh" else _EN
