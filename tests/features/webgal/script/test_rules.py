"""What each rule finds in a line, how it would fix it, and what it accepts."""

import json
from pathlib import Path
from typing import Any

import pytest

from handrail.features.webgal.script.engine import Engine
from handrail.features.webgal.script.findings import fixed_line, kind_of, message, rule_catalogue, with_safe_fixes
from handrail.features.webgal.script.parser import split_lines
from tests.features.webgal.script.game import findings, game, told

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS["lines"], ids=lambda vector: vector["id"])
def test_a_recorded_line_is_judged_as_suggested(vector: dict[str, Any]) -> None:
    expected = (vector["suggested"] or {}).get("kind")
    problems = {kind_of(finding) for finding in findings(vector["input"], files=("background/other.png",))}
    assert expected in problems if expected else problems <= {"resource"}  # which files there are is another matter


MISTAKES = [
    ("雪乃:你好", "WG101", "雪乃:你好;"),
    ("雪乃:你好  ", "WG101", "雪乃:你好;  "),
    ("雪乃:你好；", "WG102", "雪乃:你好;"),
    ("changeBg：bg.png;", "WG103", "changeBg:bg.png;"),
    ("changeBG：bg.png;", "WG103", "changeBg:bg.png;"),
    ("\tchangeBg:bg.png;", "WG104", "changeBg:bg.png;"),
    ("changeBg :bg.png;", "WG104", "changeBg:bg.png;"),
    ("CHANGEBG:bg.png;", "WG105", "changeBg:bg.png;"),
    ("chagneBg:bg.png;", "WG105", "changeBg:bg.png;"),
    ("unknownCmd: test;", "WG105", None),
    ("playBgm:a.mp3;", "WG105", "bgm:a.mp3;"),
    ("if:a>1;", "WG106", None),
    ("\ufeffchangeBg:bg.png;", "WG107", "changeBg:bg.png;"),
    ("changeFigure:a.png -left-next;", "WG108", "changeFigure:a.png -left -next;"),
    ("changeFigure:a.png --left;", "WG108", "changeFigure:a.png -left;"),
    ("bgm:a.mp3 -volum=30;", "WG108", "bgm:a.mp3 -volume=30;"),
    ("changeBg bg.png;", "WG109", "changeBg:bg.png;"),
    ("setVar:a=b -1;", "WG110", None),
    ('setTransform:{"position":{"x": -5}} -target=fig-left;', "WG110", None),
    ('setTransform:{"alpha":0.5,} -target=fig-left;', "WG111", 'setTransform:{"alpha":0.5} -target=fig-left;'),
    ("changeFigure:a.png -transform={alpha};", "WG111", None),
    ("choose:去：start.txt|回:end;\nlabel:end;", "WG112", "choose:去:start.txt|回:end;"),
    ("changeBg;", "WG113", None),
    ("setVar:a;", "WG114", None),
    ("setVar:a=1;\njumpLabel:x -when=a=1;\nlabel:x;", "WG115", "jumpLabel:x -when=a==1;"),
    ("wait:abc;", "WG116", None),
    ("bgm:a.mp3 -volume=loud;", "WG116", None),
    ("setVar:a=1;\njumpLabel:x -when=(a>1;\nlabel:x;", "WG117", None),
    ("changeFigure:a.png\n -left;", "WG118", None),
    ("// 注释", "WG119", "; 注释"),
    ("changeFigure:a.png\u3000-left;", "WG120", "changeFigure:a.png -left;"),
    ("changeFigure:a.png-left;", "WG121", "changeFigure:a.png -left;"),
    ("label:;", "WG122", None),
    ("label:a;\nsetVar:x=1;\njumpLabel:a;", "WG123", None),
    ("changeFigure:a.png —left;", "WG126", "changeFigure:a.png -left;"),
    ("changeFigure:a.png left next;", "WG127", "changeFigure:a.png -left -next;"),
    ("choose:去:start.txt｜回:end;\nlabel:end;", "WG128", "choose:去:start.txt|回:end;"),
    ("setVar:a+=1;", "WG129", "setVar:a=a+1;"),
    ("setVar:a=1;\njumpLabel:x -when=a＞1;\nlabel:x;", "WG130", "jumpLabel:x -when=a>1;"),
    ("end ;", "WG104", "end;"),
    (" end;", "WG104", "end;"),
    ("showVars ;", "WG104", "showVars;"),
    ("End;", "WG105", "end;"),
    ("choose:A - x:start.txt|B:start.txt;", "WG110", "choose:A — x:start.txt|B:start.txt;"),
    ("setVar:a=1;\njumpLabel:x -when=a>1&&;\nlabel:x;", "WG131", None),
    ("setVar:a=1+;", "WG131", None),
    ("setVar:a=*2;", "WG131", None),
    ("setVar:a=1;\njumpLabel:x -when=a>1&a<3;\nlabel:x;", "WG131", "jumpLabel:x -when=a>1&&a<3;"),
    ("setVar:a=1;\njumpLabel:x -when=a>1 a<3;\nlabel:x;", "WG131", None),
    ("setVar:a=1;\njumpLabel:x -when=a>1 and a<3;\nlabel:x;", "WG131", "jumpLabel:x -when=a>1 && a<3;"),
    ("setVar:a=random(1,6)+1;", "WG131", None),
    ("setVar:a=New York (east);", "WG131", None),
    ("setVar:a=b>=1;", "WG129", None),
    ("setVar:a=b>1;", "WG129", None),
    ("setVar:好感=1;\njumpLabel:x -when=好感>0;\nlabel:x;", "WG135", None),
    ("setVar:a=1;\njumpLabel:x -when=a==雪乃;\nlabel:x;", "WG135", None),
    ("setVar:好感=好感+1;", "WG135", None),
    ("setVar:地点=东京-大阪;", "WG135", None),
    ("setVar:a=1;\nsetVar:b=1;\njumpLabel:x -when=a!=b;\nlabel:x;", "WG136", "jumpLabel:x -when=!(a==b);"),
    ("setVar:a=1;\njumpLabel:x -when=a%2==0;\nlabel:x;", "WG136", None),
    ("setVar:a=1;\nsetVar:b=random(a,6);", "WG136", None),
    ("setVar:a=1;\nsetVar:b=(a>1);", "WG136", None),
    (
        "setVar:a=1;\nsetVar:b=1;\njumpLabel:x -when=a>=b&&b>0;\nlabel:x;",
        "WG136",
        "jumpLabel:x -when=!(a<b)&&b>0;",
    ),
    ("changeFigure:a.png -id=;", "WG132", None),
    ('setTransform:{"positon":{"x":1}};', "WG133", 'setTransform:{"position":{"x":1}};'),
    ('changeBg:bg.png -transform={"scale":{"Y":2}};', "WG133", 'changeBg:bg.png -transform={"scale":{"y":2}};'),
    ('changeBg:bg.png -transform={"position":{"x":1,"z":2}};', "WG133", None),
    ("雪乃:你好;雪乃:再见;", "WG134", None),
    ("setAnimation:shake -target=fig-lef;", "WG211", "setAnimation:shake -target=fig-left;"),
    ("setAnimation:shake -target=nobody;", "WG211", None),
    ("雪乃:温度 -10 度;", "WG309", "雪乃:温度-10 度;"),
    ("雪乃:It was -10 degrees;", "WG309", "雪乃:It was −10 degrees;"),
    ("choose:a>1->去:x|回:x;\nlabel:x;", "WG137", "choose:(a>1)->去:x|回:x;"),
    ("choose:(a>1->去:x|回:x;\nlabel:x;", "WG137", "choose:(a>1)->去:x|回:x;"),
    ("choose:(a>1)-去:x|回:x;\nlabel:x;", "WG137", "choose:(a>1)->去:x|回:x;"),
    ("choose:（a>1）->去:x|回:x;\nlabel:x;", "WG137", "choose:(a>1)->去:x|回:x;"),
    ("choose:[a>1]=>去:x|回:x;\nlabel:x;", "WG137", "choose:[a>1]->去:x|回:x;"),
    ("choose:;", "WG138", None),
    ("choose:去:x|;\nlabel:x;", "WG138", None),
    ("choose:(a>1)->:x|回:x;\nlabel:x;", "WG138", None),
    ("applyStyle:TextBox_main;", "WG139", None),
    ("applyStyle:a->b,c-d;", "WG139", None),
    ('setTempAnimation:{"alpha":1} -target=bg-main;', "WG140", 'setTempAnimation:[{"alpha":1}] -target=bg-main;'),
    ('setTransform:[{"alpha":1}] -target=bg-main;', "WG140", 'setTransform:{"alpha":1} -target=bg-main;'),
    ('changeBg:bg.png -transform=[{"alpha":1},{"alpha":0}];', "WG140", None),
    ("setTransform:5 -target=bg-main;", "WG140", None),
    ("setTextbox:off;", "WG314", "setTextbox:hide;"),
    ("setComplexAnimation:softIn -target=fig-left;", "WG314", None),
    ("setVar:a=rand(1,6);", "WG314", "setVar:a=random(1,6);"),
    ("choose:去:start|回:x;\nlabel:x;", "WG204", "choose:去:start.txt|回:x;"),
    ("changeBg:beech.jpg;", "WG201", "changeBg:beach.jpg;"),
    ("changeBg:beach.png;", "WG201", "changeBg:beach.jpg;"),
    ("playEffect:a.mp3;", "WG201", "playEffect:../bgm/a.mp3;"),
    ("changeBg:night.png;", "WG203", "changeBg:Night.PNG;"),
    ("jumpLabel:ending;\nlabel:endings;", "WG204", "jumpLabel:endings;"),
    ("changeScene:start;", "WG205", "changeScene:start.txt;"),
    ("choose:去:start.txt,B:start.txt;", "WG205", None),
    ("setAnimation:shak -target=fig-left;", "WG206", "setAnimation:shake -target=fig-left;"),
    ("changeFigure:选择立绘文件;", "WG207", None),
    ("choose:去: start.txt|回:end;\nlabel:end;", "WG208", "choose:去:start.txt|回:end;"),
    ("雪乃:none;", "WG301", None),
    ("changeFigure:a.png -left=TRUE;", "WG302", "changeFigure:a.png -left=true;"),
    ("雪乃：你好;", "WG303", "雪乃:你好;"),
    ("getUserInput:n -title=a;b -buttonText=c;", "WG304", "getUserInput:n -title=a\\;b -buttonText=c;"),
    ("[红](style=color:red; font-size:2em)字;", "WG304", "[红](style=color:red\\; font-size:2em)字;"),
    ("changeFigure:a.png -id=x -id=y;", "WG305", None),
    ("10:30 出发;", "WG306", ":10:30 出发;"),
    ("changeBg:50%.png;", "WG307", None),
    ("bgm:a.mp3 -colour=red;", "WG308", None),
    ("雪乃:他说 -嗯;", "WG309", "雪乃:他说 —嗯;"),
    ("choose:去海边|回家;", "WG310", None),
    ("雪乃:走吧 -next;\nchangeScene:start.txt;", "WG311", None),
    ("雪乃:你好 -v1.m4a;", "WG312", "雪乃:你好 -vocal=v1.m4a;"),
    ("你好 -title=a:b;", "WG313", None),
    ("changeBg:bg.png -ease=easeout;", "WG314", "changeBg:bg.png -ease=easeOut;"),
    ("\n".join(["Kawakami:a;"] * 5 + ["Kawakani:b;"]), "WG315", "Kawakami:b;"),
    ("label:a;\nlabel:a;", "WG401", None),
    ("雪乃:{scoer};\nsetVar:score=1;", "WG403", "雪乃:{score};"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "code", "fixed"), MISTAKES, ids=[f"{m[1]}-{m[0]}" for m in MISTAKES])
def test_a_mistake_is_found_and_mended_by_its_hint(script: str, code: str, fixed: str | None) -> None:
    problems = [finding for finding in findings(script) if finding.code == code]
    assert problems
    assert fixed_line(problems[0], split_lines(script)) == fixed


def test_every_rule_has_a_mistake_that_shows_it() -> None:
    of_the_whole = {"WG124", "WG125", "WG202", "WG209", "WG210", "WG402", "WG404", "WG405", "WG406", "WG407"}
    # test_project.py has these
    assert {code for _, code, _ in MISTAKES} | of_the_whole == set(rule_catalogue())


LEGAL = [
    "雪乃:海风真舒服呢; 一个注释",
    "; 注释\n;\n\n雪乃:第一行|第二行;",
    ":旁白文字;\n:;\n继续上一位说话;",
    "他说：“我们走吧。”;",
    "webgal:你好 -hold;\nwebgal:再见 -id;",
    "Logan:hi;\n???:谁;\nA&B:好;",
    "雪乃:等等——什么-不-是;",
    "changeBg:none;\nchangeBg:;\nchangeFigure: -left -clear;\nplayEffect:none -id=x;",
    "changeBg:https://example.com/a.png;\nchangeBg:{bg};\nsetVar:bg=1;",
    "changeBg:cg/my bg-1.png;\nchangeBg:cg\\my bg-1.png;\nchangeBg:../figure/a.png;",
    "changeFigure:hero.json?type=spine;\nchangeFigure:hero.skel -motion=walk -skin=red;",
    "雪乃:你好 -v1.wav;\n雪乃:你好 -vocal=v1.wav -volume=30 -fontSize=large -center;",
    "playVideo:op.mp4 -skipOff;\nbgm:a.mp3 -volume=1e2 -enter=3000;",
    "label: 起点 ;\nchoose: 去:起点 | 回:终点 -defaultChoose=1;\nlabel:终点;\nend;",
    "setVar:a=random(1,10);\nsetVar:b=a-1;\nsetVar: c = a + b ;\nchoose:(a>1)[b>2]->去:x|(c==1)->回:x;\nlabel:x;",
    "callScene:start.txt -hp=100 -name=雪乃 -writeReturnTo=r;\n雪乃:{hp}{name}{r};",
    "return:1;",
    "jumpLabel:a -when=name=='雪乃';\nsetVar:name=x;\nlabel:a;",
    "label:a;\nsetVar:x=1;\njumpLabel:b -when=x>3;\njumpLabel:a;\nlabel:b;",
    'setTempAnimation:[{"duration":0}, {"alpha":0,"duration":500}] -target=bg-main -keep;',
    'setTransform:{"position":{"x":-5}} -target=fig-left -duration=0 -ease=easeInOut -writeDefault;',
    "setTransition: -target=fig-center -enter=enter -exit=wave;",
    "intro:一|二 -fontSize=medium -backgroundColor=rgba(0, 0, 0, 1) -animation=fadeIn -delayTime=1500 -hold;",
    "filmMode:enable;\nsetTextbox:hide;\npixiInit;\npixiPerform:rain;\nshowVars;\nwait:1000 -nobreak;",
    "pixiPerform:fireflies;\napplyStyle:TextBox_main->Mine,a->b;\ncallSteam: -achievementId=first;",
    "雪乃:{$stage.bgm.volume} 与 \\{转义\\};",
    "guard1:a;\nguard1:a;\nguard1:a;\nguard1:a;\nguard1:a;\nguard2:b;\nguard2:b;",
    "[你好](style=color:#fff\\; font-size:2em)吗;",
    "提示：按空格继续;\n我的进度：一半;\n现在的问题：没有;\n　 -clear;\n用户名：{name}|已登录;\nsetVar:name=雪乃;",
    "选项:a;\nJavaScript:我也会说话;\na-b:c;\n{n}:好;\nsetVar:n=1;",
    "雪乃:你好 -v1.wav -fontSize=default -left -notend;\n雪乃:嗯 -id -figureId=1 -animationFlag=on;",
    "changeBg:bg.png -transform={} -enterDuration=300;\nsetAnimation:enter -target=0 -next;\n: -notend;\nintro: -hold;",
    "choose: 去:a | 回:b;\nlabel:a;\nlabel: b;",
    "choose:(叹气!)走:a|(>_<)等:a|【A】回:a|[=_=]睡:a;\nlabel:a;",
    "setVar:a=a * 2 ;\nsetVar:b= $stage.bgm.volume * 2 ;\nsetVar:c=random();",
    "温馨提示：请先存档;\n作者：某人;\n特别感谢：大家;\n好感度：三;\nBGM：夜;",
    "雪乃:走吧;\n -sayPlaceHolder;\n雪乃:好;",
    "setVar:a=1 -next;\nchangeScene:start.txt;",
    "unlockCg:;\ngetUserInput:;\nsetTransition:;\ncallSteam: -achievementId=;\nsetTransform: -duration=0;\nintro:;",
    "78:走吧;\n78:等等;\n他在 12 点出发;",
    'setVar:data={"id":"a-b","list":[1,2]};\nsetVar:more=[{kind:"room",icon:"a:exit-to"}, {kind:"x"}];',
    "setVar: quest=start - global;\nchangeFigure:a.png -id=girl-left -left;\nunlockCg:bg.png -name=What comes next;",
    "choose:[抱住她]:x;\nlabel:x;\nchoose wisely: the door is shut;\nif (and only if) you dare;",
    "changeFigure:a.png -id=girl;\nsetAnimation:shake -target=girl;\nsetAnimation:shake -target=fig-left13;",
    "雪乃:你好;注意:这里要改\n雪乃:嗯; TODO: later\nThe end;\nEndless;\nsetVar:a=-5;\nsetVar:b=2*-a;",
    "changeFigure:none;\nfilmMode:on;\nfilmMode:none;\nwait 5 minutes;\nbgm is on.;\nlabel the box, please.;",
]


@pytest.mark.parametrize("script", LEGAL)
def test_patterns_of_real_games_cause_no_findings(script: str) -> None:
    assert told(script) == []


@pytest.mark.parametrize(
    ("script", "remaining"),
    [
        ("雪乃:你好;nolint\nchangeBg:none.png;nolint WG201", []),
        (";nolint WG201\nchangeBg:gone.png;", []),
        (";nolint WG201, WG301\n;\n\n雪乃:none;", []),
        ("changeBg:gone.png; nolint: wg201", []),
        (";nolint-file WG201\nchangeBg:gone.png;\nchangeBg:gone2.png;\n雪乃:none;", ["WG301"]),
        (";nolint WG201\n雪乃:none;\nchangeBg:gone.png;", ["WG301", "WG201"]),
        ("changeBg:gone.png; nolints", ["WG201"]),
    ],
)
def test_a_comment_silences_rules_on_its_line_the_next_statement_or_the_file(script: str, remaining: list[str]) -> None:
    assert told(script) == remaining


def test_the_policy_silences_rules_everywhere() -> None:
    assert told("雪乃:none;\nwait:x;", silenced=("WG301",)) == ["WG116"]


def test_messages_are_chinese_or_english_and_end_in_their_code() -> None:
    (finding,) = findings("chagneBg:bg.png;")
    assert message(finding, "zh") == "未知指令“chagneBg”，是否想写 changeBg？ [WG105]"
    assert message(finding, "en") == "unknown command 'chagneBg'; did you mean changeBg? [WG105]"


def test_a_lower_case_word_is_a_speaker_once_it_speaks_twice_or_is_a_character() -> None:
    assert told("marcus:hi;") == ["WG105"]
    assert told("marcus:hi;\nmarcus:hello;") == []
    assert told("marcus:hi;", characters=frozenset({"marcus"})) == []
    assert told("setThing:a;\nsetThing:b;") == ["WG105", "WG105"]


def test_a_number_is_a_speaker_once_it_speaks_twice_but_a_time_never_is() -> None:
    assert told("78:走吧;") == ["WG306"]
    assert told("78:走吧;\n78:好;") == []
    assert told("10:30 出发;\n10:45 到达;") == ["WG306", "WG306"]


def test_options_without_any_target_are_reported_once() -> None:
    assert told("choose:看海|看山|回家;") == ["WG310"]
    assert told("choose:看海|看山|回家:x;\nlabel:x;") == ["WG310", "WG310"]


def test_text_hidden_by_a_blank_and_hyphen_is_reported_once_per_line_but_not_in_a_false_comment() -> None:
    assert told("雪乃:去吧 -甲 -乙 -丙;") == ["WG309"]
    assert told("// 第一章 - 海边") == ["WG119"]


def test_targets_of_one_choice_have_their_own_positions() -> None:
    script = "choose:gone:gone|再来:gone;"
    assert [(each.start, each.end) for each in findings(script)] == [(12, 16), (20, 24)]


@pytest.mark.parametrize(
    ("script", "codes"),
    [
        ("changeBg:bg.png；", ["WG102"]),
        ("changeFigure:a.png -left；", ["WG102"]),
        ("wait:100；", ["WG102"]),
        ("changeFigure:a.png—next;", ["WG126"]),
        ("changeFigure:a.png　-left -id=x;", ["WG120"]),
        ("changeFigure:a.png left;", ["WG127"]),
        ("changeFigrue:none;", ["WG105"]),
        ("  label:x;\njumpLabel:x;", ["WG104"]),
        ("label：x;\njumpLabel:x;", ["WG103"]),
        ("setVar:a＝1;\nsetVar:b=1;\n雪乃:{a};", ["WG130"]),
        ("choose:去:x｜回:y;\nlabel:x;\nlabel:y;", ["WG128"]),
        ("  changeBg:gone.png；", ["WG104", "WG201", "WG102"]),
    ],
)
def test_a_typo_is_one_problem_and_the_rest_of_its_line_is_checked_as_intended(script: str, codes: list[str]) -> None:
    assert told(script) == codes


def test_a_line_full_of_slips_is_judged_like_any_other() -> None:
    assert "WG101" in told("changeBg:bg.png\\ // 海边")
    assert set(told("changeFigure:a.png" + " －left" * 2000)) >= {"WG126"}


def test_problems_behind_a_slip_point_at_the_line_as_it_is_written() -> None:
    script = "  changeBg:beech.jpg-next -ease=easeout"
    lines = {each.code: script[each.start : each.end] for each in findings(script)}
    assert lines == {"WG104": "  changeBg", "WG121": "-next", "WG201": "beech.jpg", "WG314": "easeout", "WG101": ""}
    assert [(each.start, each.end) for each in findings("\u3000label：x") if each.code == "WG101"] == [(8, 8)]
    project = game(script)
    assert with_safe_fixes(script, lambda text: project.findings_of(text, "start.txt")) == (
        "changeBg:beech.jpg -next -ease=easeout;"
    )


def test_continued_statements_are_read_as_one_and_allowed_since_4_6_3() -> None:
    script = "choose:\n  |去:start.txt\n  |回:gone.txt;\nchangeFigure:a.png\n -left\n -next;"
    assert told(script) == ["WG205", "WG118", "WG118"]
    assert told(script, engine=Engine("4.6.4")) == ["WG205"]
    assert told("雪乃:a;\n -next;", engine=Engine("4.5.18")) == ["WG118"]


def test_of_a_statement_over_several_lines_no_line_is_mended() -> None:
    problems = findings("choose:\n  |去:strat.txt\n  |回:start.txt;\nchangeFigure:a.png\n -mouthOpen=b.png;")
    assert [(each.code, each.line, each.end <= len("changeFigure:a.png"), each.edit) for each in problems] == [
        ("WG205", 1, True, None),
        ("WG118", 2, True, None),
        ("WG201", 4, True, None),
        ("WG118", 5, True, None),
    ]


def test_safe_fixes_are_applied_together_and_guesses_are_not() -> None:
    script = "\ufeff  changeFigure:a.png -left-next\r\n雪乃:你好；\r\nchangeBg:beech.jpg\r\njumpLabel:x -when=a=1"
    project = game(script)
    after = with_safe_fixes(script, lambda text: project.findings_of(text, "start.txt"))
    assert after == ("changeFigure:a.png -left -next;\r\n雪乃:你好;\r\nchangeBg:beech.jpg;\r\njumpLabel:x -when=a==1;")
    assert with_safe_fixes(after, lambda text: project.findings_of(text, "start.txt")) == after
