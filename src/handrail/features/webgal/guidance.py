"""What an agent must know about a game before it writes: characters, resources, and how scripts are written."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from handrail.features.webgal.port import WebGal
from handrail.ports.errors import NotFound
from handrail.ports.paths import parse_path

if TYPE_CHECKING:
    from handrail.features.webgal.script.findings import Finding
    from handrail.features.webgal.script.project import Project
    from handrail.features.webgal.tools.list_project_resources import Result

_FOLDER = "scene/"
_ENDING = ".txt"


def scene_path(project: "Project", name: str) -> str:
    """The path of a scene, whether it exists or not."""
    return f"{project.around.folder}{_FOLDER}{scene_name(project, name)}"


def scene_name(project: "Project", given: str) -> str:
    """The scene's name in the game, with its extension. OutsideRoot, InvalidParams."""
    name = "/".join(parse_path(given)).removeprefix(f"{project.around.folder}{_FOLDER}")
    return name if name.endswith(_ENDING) else f"{name}{_ENDING}"


def known_scene(project: "Project", given: str) -> str:
    """The name of an existing scene. NotFound."""
    name = scene_name(project, given)
    if name not in project.scenes:
        near = get_close_matches(name, project.scenes, n=3) or sorted(project.scenes)[:5]
        hint = f"There are {', '.join(near)}." if near else "The game has no scenes yet."
        raise NotFound(f"There is no scene {name}.", hint=hint, path=scene_path(project, given))
    return name


def scene_findings(
    webgal: WebGal, project: "Project", names: Iterable[str]
) -> "Iterator[tuple[str, Finding, str, str | None]]":
    """The scene, the finding, its message and the fixed line."""
    from handrail.features.webgal.script.findings import fixed_line, message
    from handrail.features.webgal.script.parser import split_lines

    for name in names:
        lines = split_lines(project.scenes[name].text)
        for finding in project.findings(name):
            yield name, finding, message(finding, webgal.language), fixed_line(finding, lines)


_MOST_NAMES = 80
_MOST_FINDINGS = 100

WRITING = """## 写法
- 一行一句，以半角分号“;”结尾；分号之后是注释。
- 对话写“角色名:台词;”，旁白写“:文字;”。台词里的“|”换行，“{变量}”显示变量的值。
- 参数前要有一个空格和“-”：“changeBg:文件 -next;”。“-next”表示不等点击，接着执行下一句。
- 常用指令：changeBg、changeFigure（-left、-right、-id=名字）、bgm、playEffect、setVar:名=值、label、jumpLabel、\
choose:选项:标签或场景.txt|…、changeScene、callScene、end。
- 条件写“-when=变量==值”。标签只在本场景内有效。"""

CHECKING = """先用 validate_script（参数 content）检查写好的全文，按 fixHint 修改，直到 valid 为 true。"""
SAVING = """用 write_to_file 写入：先以 dryRun: true 预演，再以同样的内容、dryRun: false 写入；写入要等人批准。"""
SHOWING = """用 preview_scene 看一遍实际画面（如果有这个工具）。"""


def facts(project: "Project", listed: "Result") -> str:
    """The game in a few lines. Names are spelled exactly as scripts must spell them."""
    folder = project.around.folder
    variables = sorted({name for scene in project.scenes.values() for name in scene.sets})
    return "\n".join(
        [
            "## 这个游戏里有什么",
            _line("角色", _people(project)),
            _line(f"背景（{folder}background）", listed.backgrounds),
            _line(f"立绘（{folder}figure）", listed.figures),
            _line(f"背景音乐（{folder}bgm）", listed.bgm),
            _line(f"语音和音效（{folder}vocal）", listed.vocals),
            _line(f"场景（{folder}scene）", listed.scenes),
            _line("变量", variables),
            "只能引用上面列出的文件，文件名一字不差；缺少素材时，用现有的代替并说明。",
        ]
    )


def problems(project: "Project", names: Sequence[str], told: "Iterable[tuple[str, Finding, str, str | None]]") -> str:
    """`told` holds the scene, the finding, its message and the fixed line."""
    lines, count, current = [], 0, None
    for name, finding, message, mended in told:
        count += 1
        if count > _MOST_FINDINGS:
            continue
        if name != current:
            lines.append(f"### {project.around.folder}scene/{name}")
            current = name
        lines.append(f"- 第 {finding.line} 行：{message}")
        if mended is not None:
            lines.append(f"  建议改为：{mended}")
    if count > _MOST_FINDINGS:
        lines.append(f"……还有 {count - _MOST_FINDINGS} 个问题，改完这些后再检查一次。")
    if not count:
        lines.append(f"检查了 {len(names)} 个场景，没有发现问题。")
    return "\n".join(["## 检查结果", *lines])


def steps(*each: str) -> str:
    return "\n".join(["## 步骤", *(f"{number}. {text}" for number, text in enumerate(each, 1))])


def _people(project: "Project") -> list[str]:
    spoken: Counter[str] = Counter()
    for scene in project.scenes.values():
        spoken.update(scene.speakers)
    known = [*sorted(project.around.characters), *(name for name, _ in spoken.most_common())]
    mistyped = {name for scene in project.scenes.values() for name, _ in scene.suspects if spoken[name] == 1}
    names = [name for name in dict.fromkeys(known) if name.strip() and name not in mistyped]
    return [f"{name}（{spoken[name]} 句）" if spoken[name] else name for name in names]


def _line(what: str, names: Sequence[str]) -> str:
    shown = "、".join(names[:_MOST_NAMES]) or "（无）"
    return f"- {what}：{shown}" + (f"……共 {len(names)} 个" if len(names) > _MOST_NAMES else "")
