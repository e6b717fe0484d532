"""Common mistakes are found on their lines and fixed by their hints."""

import pytest

from handrail.features.webgal.script.findings import fixed_line, is_breaking
from handrail.features.webgal.script.parser import split_lines
from tests.features.webgal.script.game import game

_BEFORE = ["setVar:score=1;", "label:home;", "雪乃:早上好;"]
_AFTER = ["雪乃:走吧;", "label:终点;", "雪乃:到了;", "雪乃:再见;", "雪乃:明天见;", "end;"]

MENDED = [
    # A command that is spelled otherwise.
    ("chaneBg:bg.png;", "WG105", "changeBg:bg.png;"),
    ("changebg:bg.png;", "WG105", "changeBg:bg.png;"),
    ("ChangeFigure:a.png -left;", "WG105", "changeFigure:a.png -left;"),
    ("changeFigrue:a.png;", "WG105", "changeFigure:a.png;"),
    ("BGM:a.mp3;", "WG105", "bgm:a.mp3;"),
    ("playBGM:a.mp3;", "WG105", "bgm:a.mp3;"),
    ("jumplabel:home;", "WG105", "jumpLabel:home;"),
    ("ｂｇｍ:a.mp3;", "WG105", "bgm:a.mp3;"),
    ("　　changeBg:bg.png;", "WG104", "changeBg:bg.png;"),
    # A colon, semicolon or comment that is none.
    ("changeBg：bg.png;", "WG103", "changeBg:bg.png;"),
    ("label：回家;", "WG103", "label:回家;"),
    ("choose：去:home|回:终点;", "WG103", "choose:去:home|回:终点;"),
    ("？？？：你是谁？;", "WG303", "？？？:你是谁？;"),
    ("雪乃：你好;", "WG303", "雪乃:你好;"),
    ("雪乃:你好；", "WG102", "雪乃:你好;"),
    ("雪乃:你好", "WG101", "雪乃:你好;"),
    ("setVar score=2;", "WG109", "setVar:score=2;"),
    ("bgm a.mp3;", "WG109", "bgm:a.mp3;"),
    ("wait 1000;", "WG109", "wait:1000;"),
    ("intro 第一章|清晨;", "WG109", "intro:第一章|清晨;"),
    ("choose 回家:home;", "WG109", "choose:回家:home;"),
    ("choose 回家:home|出发:终点;", "WG109", "choose:回家:home|出发:终点;"),
    ("changeBg:bg.png // 海边", "WG101", "changeBg:bg.png; // 海边"),
    ("setVar:score=true // 布尔值", "WG101", "setVar:score=true; // 布尔值"),
    ("雪乃:见 https://example.com", "WG101", "雪乃:见 https://example.com;"),
    ("// 第一章: 海边", "WG119", "; 第一章: 海边"),
    ("/* 海边 */", "WG119", "; 海边 */"),
    ("# 海边: 清晨", "WG119", "; 海边: 清晨"),
    # Arguments.
    ("changeFigure:a.png -lefft;", "WG108", "changeFigure:a.png -left;"),
    ("changeFigure:a.png -Left;", "WG108", "changeFigure:a.png -left;"),
    ("changeFigure:a.png -left-next;", "WG108", "changeFigure:a.png -left -next;"),
    ("changeFigure:a.png -left next;", "WG108", "changeFigure:a.png -left -next;"),
    ("unlockCg:bg.png -name 夜;", "WG108", "unlockCg:bg.png -name=夜;"),
    ("jumpLabel:home -when score>3;", "WG108", "jumpLabel:home -when=score>3;"),
    ("getUserInput:n -title=名字 -buttontext=好;", "WG108", "getUserInput:n -title=名字 -buttonText=好;"),
    ("setVar:score=2 -globel;", "WG108", "setVar:score=2 -global;"),
    ("changeFigure:a.png －left;", "WG126", "changeFigure:a.png -left;"),
    ("changeFigure:a.png—next;", "WG126", "changeFigure:a.png -next;"),
    ("changeFigure:a.png　-left;", "WG120", "changeFigure:a.png -left;"),
    ("changeFigure:a.png-left;", "WG121", "changeFigure:a.png -left;"),
    ("changeFigure:a.png left;", "WG127", "changeFigure:a.png -left;"),
    ("changeFigure:none-left;", "WG121", "changeFigure:none -left;"),
    ("changeFigure:none left;", "WG127", "changeFigure:none -left;"),
    ("changeFigure:a.png -id=x left;", "WG108", "changeFigure:a.png -id=x -left;"),
    ("bgm:a.mp3 -volume=30 next;", "WG108", "bgm:a.mp3 -volume=30 -next;"),
    ("unlockCg:bg.png -series=夜-next;", "WG108", "unlockCg:bg.png -series=夜 -next;"),
    ("unlockCg:bg.png -series=夜 —next;", "WG126", "unlockCg:bg.png -series=夜 -next;"),
    ("setVar:score=3 －global;", "WG126", "setVar:score=3 -global;"),
    ("setTextbox:on –next;", "WG126", "setTextbox:on -next;"),
    ("changeFigure:a.png -nex;", "WG108", "changeFigure:a.png -next;"),
    ("setVar:score=3 -wen=score>1;", "WG108", "setVar:score=3 -when=score>1;"),
    ("bgm:a.mp3 -volume=30%;", "WG116", "bgm:a.mp3 -volume=30;"),
    ("wait:500ms;", "WG116", "wait:500;"),
    ("wait:1.5s;", "WG116", "wait:1500;"),
    ("changeFigure:a.png -left=ture;", "WG314", "changeFigure:a.png -left=true;"),
    ("changeFigure:a.png -left=True;", "WG302", "changeFigure:a.png -left=true;"),
    ("intro:你好 -fontSize=larg;", "WG314", "intro:你好 -fontSize=large;"),
    ("pixiPerform:sonw;", "WG314", "pixiPerform:snow;"),
    ("pixiPerform:snw;", "WG314", "pixiPerform:snow;"),
    ("filmMode:disable;", "WG314", "filmMode:none;"),
    # JSON.
    ('changeBg:bg.png -transform={"scale":{"x":2};', "WG111", 'changeBg:bg.png -transform={"scale":{"x":2}};'),
    ("setTransform:{'alpha':0.5} -target=bg-main;", "WG111", 'setTransform:{"alpha":0.5} -target=bg-main;'),
    ("setTransform:{alpha:0.5} -target=bg-main;", "WG111", 'setTransform:{"alpha":0.5} -target=bg-main;'),
    ("setTransform:{“alpha”：0.5} -target=bg-main;", "WG111", 'setTransform:{"alpha":0.5} -target=bg-main;'),
    ('setTempAnimation:[{"alpha":0},];', "WG111", 'setTempAnimation:[{"alpha":0}];'),
    ('setTransform:{alpha":0.5} -target=bg-main;', "WG111", 'setTransform:{"alpha":0.5} -target=bg-main;'),
    ('setTransform:{"alpha:0.5} -target=bg-main;', "WG111", 'setTransform:{"alpha":0.5} -target=bg-main;'),
    # Variables and conditions.
    ("setVar:score+=5;", "WG129", "setVar:score=score+5;"),
    ("setVar:score-=a+1;", "WG129", "setVar:score=score-(a+1);"),
    ("setVar:score++;", "WG129", "setVar:score=score+1;"),
    ("setVar:score==5;", "WG129", "setVar:score=5;"),
    ("setVar:score＝5;", "WG130", "setVar:score=5;"),
    ("jumpLabel:home -when=score=1;", "WG115", "jumpLabel:home -when=score==1;"),
    ("jumpLabel:home -when=score=>1;", "WG115", "jumpLabel:home -when=score>=1;"),
    ("jumpLabel:home -when=（score＞1）;", "WG130", "jumpLabel:home -when=(score>1);"),
    ("choose:(score=1)->去:home|回:终点;", "WG115", "choose:(score==1)->去:home|回:终点;"),
    ("雪乃:得了{scroe}分;", "WG403", "雪乃:得了{score}分;"),
    ("{scroe}:我是数字;", "WG403", "{score}:我是数字;"),
    ('setVar:data＝[{"id":1}];', "WG130", 'setVar:data=[{"id":1}];'),
    # Files, scenes, labels, options.
    ("changeBg:beech.jpg;", "WG201", "changeBg:beach.jpg;"),
    ("changeBg:bg;", "WG201", "changeBg:bg.png;"),
    ("changeBg:beach.png;", "WG201", "changeBg:beach.jpg;"),
    ("changeBg:background/bg.png;", "WG201", "changeBg:bg.png;"),
    ('changeBg:"bg.png";', "WG201", "changeBg:bg.png;"),
    ("changeBg:BG.png;", "WG203", "changeBg:bg.png;"),
    ("雪乃:你好 -V1.wav;", "WG203", "雪乃:你好 -v1.wav;"),
    ("changeFigure:a.png -mouthOpen=b.png;", "WG201", None),
    ("changeScene:scene1;", "WG205", "changeScene:scene1.txt;"),
    ("callScene:scene/scene1.txt;", "WG205", "callScene:scene1.txt;"),
    ("setAnimation:shaek -target=bg-main;", "WG206", "setAnimation:shake -target=bg-main;"),
    ("jumpLabel:hom;", "WG204", "jumpLabel:home;"),
    ("choose:去:终占|回:home;", "WG204", "choose:去:终点|回:home;"),
    ("choose:去: 终点|回:home;", "WG208", "choose:去:终点|回:home;"),
    ("choose:去:scene1.tx|回:home;", "WG205", "choose:去:scene1.txt|回:home;"),
    ("choose:去：scene1.txt|回:home;", "WG112", "choose:去:scene1.txt|回:home;"),
    ("choose:去:终点｜回:home;", "WG128", "choose:去:终点|回:home;"),
]  # fmt: skip
ONLY_TOLD = [
    ('setVar:data[{"id":1}];', "WG114"),
    ("if(score>1)[", "WG106"),
    ("setBgAni:bg_down 1s;", "WG105"),
    ("setBgAni:shake;", "WG105"),
    ("setBgFilter:blur;", "WG105"),
    ("setVar:score;", "WG114"),
    ("setVar:score=(score+1;", "WG117"),
    ("jumpLabel:home -when=(score>1;", "WG117"),
    ("label:终点;", "WG401"),
    ("label:;", "WG122"),
    ("choose:去:选择场景文件|回:home;", "WG207"),
    ("changeFigure:选择立绘文件;", "WG207"),
    ("miniAvatar:选择小头像;", "WG207"),
    ("setAnimation:Choose animation file;", "WG207"),
    ("changeFigure:Choose Figure File -left;", "WG207"),
    ("bgm: Choose a BGM;", "WG207"),
    ("changeFigure: 立ち絵ファイルを選択;", "WG207"),
    ("changeBg:배경 이미지 선택;", "WG207"),
    ("choose: 選択肢: シーンファイルを選択;", "WG207"),
    ("changeBg:bg.png;changeFigure:a.png;", "WG134"),
    ("if:score>1;", "WG106"),
    ("changeBg;", "WG113"),
    ("choose:去海边|回:home;", "WG310"),
]


def _scene(line: str) -> str:
    return "\n".join([*_BEFORE, line, *_AFTER])


@pytest.mark.parametrize(("line", "code", "mended"), MENDED, ids=[f"{each[1]}-{each[0]}" for each in MENDED])
def test_a_mistake_is_found_on_its_line_and_cured_by_its_hint(line: str, code: str, mended: str | None) -> None:
    number = len(_BEFORE) + 1
    project = game(_scene(line), "changeScene:start.txt;")
    findings = [each for each in project.findings("start.txt") if each.code == code]
    assert [each.line for each in findings] == [number]
    assert fixed_line(findings[0], split_lines(_scene(line))) == mended
    if mended is not None:
        remaining = project.findings_of(_scene(mended), "start.txt")
        assert [each.code for each in remaining if each.code == code or is_breaking(each)] == []


@pytest.mark.parametrize(("line", "code"), ONLY_TOLD, ids=[f"{each[1]}-{each[0]}" for each in ONLY_TOLD])
def test_a_mistake_that_only_its_author_can_mend_is_found(line: str, code: str) -> None:
    lines = [each.line for each in game(_scene(line)).findings("start.txt") if each.code == code]
    assert lines == [len(_BEFORE) + (1 if code != "WG401" else 3)]
