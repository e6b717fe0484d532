"""The engine's commands as data: their content and arguments.

They cover every released engine: an argument that only newer engines know isn't a mistake.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

SAY = "say"


class Content(StrEnum):
    """The kind of a command's content."""

    TEXT = "text"
    FILE = "file"
    SCENE = "scene"
    CHOICE = "choice"
    LABEL = "label"
    JUMP = "jump"
    ASSIGNMENT = "assignment"
    VARIABLE = "variable"
    ANIMATION = "animation"
    FRAMES = "frames"
    TRANSFORM = "transform"
    MILLISECONDS = "milliseconds"
    NAME = "name"
    OPTIONAL = "optional"


class Kind(StrEnum):
    """The kind of an argument's value. FILE is in the command's folder unless `Argument.folder` names another."""

    FLAG = "flag"
    NUMBER = "number"
    TEXT = "text"
    JSON = "json"
    FILE = "file"
    ANIMATION = "animation"
    CONDITION = "condition"


class Argument(msgspec.Struct, frozen=True):
    kind: Kind
    choices: tuple[str, ...] = ()
    folder: str | None = None
    is_transform: bool = False
    """JSON with the keys of a transform."""


class Command(msgspec.Struct, frozen=True):
    """`type` is the parser's name. `goes_on` means that the next statement runs without a click."""

    name: str
    type: str
    content: Content
    arguments: Mapping[str, Argument]
    folder: str | None = None
    goes_on: bool = False
    is_run: bool = True
    takes_any: bool = False
    choices: tuple[str, ...] = ()


_EASES = (
    "linear anticipate easeIn easeOut easeInOut circIn circOut circInOut backIn backOut backInOut "
    "bounceIn bounceOut bounceInOut"
)
_PLACES = "left right center left13 right13 left14 right14"
_GENERAL = "when:condition next continue"
_FADING = "duration:number enterDuration:number exitDuration:number transform:json ease enter:animation exit:animation"
_ON_STAGE = "target:text writeDefault keep parallel ignoreDefault"
_FACE = "mouthOpen:file mouthHalfOpen:file mouthClose:file eyesOpen:file eyesClose:file"
_CHOICES: dict[tuple[str, str], str] = {
    ("", "ease"): _EASES,
    ("changeFigure", "blendMode"): "normal add multiply screen",
    ("intro", "fontSize"): "small medium large",
    ("say", "fontSize"): "small medium large default",
    ("intro", "animation"): "fadeIn slideIn typingEffect pixelateEffect revealAnimation",
}
_OTHER_FOLDERS = {"vocal": "vocal", "backgroundImage": "background"}


def _arguments(command: str, text: str) -> dict[str, Argument]:
    arguments = {}
    for item in f"{_GENERAL} {text}".split():
        name, _, kind = item.partition(":")
        choices = _CHOICES.get((command, name)) or _CHOICES.get(("", name), "")
        arguments[name] = Argument(
            Kind(kind) if kind else Kind.TEXT if choices else Kind.FLAG,
            tuple(choices.split()),
            _OTHER_FOLDERS.get(name),
            name == "transform",
        )
    return arguments


def _command(
    name: str, content: Content, arguments: str = "", *, type: str | None = None, choices: str = "", **others: Any
) -> Command:
    parsed = _arguments(name, arguments)
    return Command(name, type or name, content, parsed, choices=tuple(choices.split()), **others)


_ALL = (
    _command(
        SAY,
        Content.TEXT,
        "speaker:text vocal:file volume:number fontSize notend concat clear figureId:text id:text " + _PLACES,
    ),
    _command(
        "changeBg",
        Content.FILE,
        f"{_FADING} unlockname:text series:text order:number ignoreDefault",
        folder="background",
    ),
    _command(
        "changeFigure",
        Content.FILE,
        f"{_FADING} {_PLACES} {_FACE} id:text clear zIndex:number blendMode motion:text expression:text skin:text "
        "bounds:text blink:json focus:json animationFlag:text ignoreDefault",
        folder="figure",
    ),
    _command("miniAvatar", Content.FILE, folder="figure", goes_on=True),
    _command("bgm", Content.FILE, "volume:number enter:number unlockname:text series:text", folder="bgm", goes_on=True),
    _command("playEffect", Content.FILE, "volume:number id:text", folder="vocal", goes_on=True),
    _command("playVideo", Content.FILE, "skipOff", type="video", folder="video"),
    _command("pixiPerform", Content.NAME, type="pixi", goes_on=True, choices="rain snow heavySnow cherryBlossoms"),
    _command("pixiInit", Content.OPTIONAL, goes_on=True),
    _command(
        "intro",
        Content.TEXT,
        "fontSize fontColor:text backgroundColor:text backgroundImage:file animation delayTime:number hold userForward",
    ),
    _command("changeScene", Content.SCENE, folder="scene"),
    _command("callScene", Content.SCENE, "writeReturnTo:text", folder="scene", takes_any=True),
    _command("choose", Content.CHOICE, "defaultChoose:number"),
    _command("label", Content.LABEL, goes_on=True),
    _command("jumpLabel", Content.JUMP),
    _command("setVar", Content.ASSIGNMENT, "global local", goes_on=True),
    _command(
        "getUserInput",
        Content.VARIABLE,
        "title:text buttonText:text defaultValue:text rule:text ruleFlag:text ruleText:text ruleButtonText:text",
    ),
    _command("showVars", Content.OPTIONAL),
    _command("unlockCg", Content.FILE, "name:text series:text order:number", folder="background", goes_on=True),
    _command("unlockBgm", Content.FILE, "name:text series:text", folder="bgm", goes_on=True),
    _command("filmMode", Content.OPTIONAL, goes_on=True),
    _command("setTextbox", Content.OPTIONAL),
    _command("setAnimation", Content.ANIMATION, _ON_STAGE),
    _command("setTempAnimation", Content.FRAMES, _ON_STAGE),
    _command("setTransform", Content.TRANSFORM, f"{_ON_STAGE} duration:number ease"),
    _command(
        "setTransition",
        Content.OPTIONAL,
        "target:text enter:animation exit:animation ignoreDefault",
        goes_on=True,
    ),
    _command(
        "setComplexAnimation",
        Content.NAME,
        "target:text duration:number",
        choices="universalSoftIn universalSoftOff testblur",
    ),
    _command("setFilter", Content.OPTIONAL, takes_any=True),
    _command("applyStyle", Content.NAME, goes_on=True),
    _command("wait", Content.MILLISECONDS, "nobreak"),
    _command("callSteam", Content.OPTIONAL, "achievementId:text", goes_on=True),
    _command("end", Content.OPTIONAL),
    _command("if", Content.OPTIONAL, goes_on=True, is_run=False, takes_any=True),
    _command("chooseLabel", Content.OPTIONAL, is_run=False, takes_any=True),
)

COMMANDS: Mapping[str, Command] = {command.name: command for command in _ALL}
"""By the name in a script: exactly the names that the parser knows."""

BY_TYPE: Mapping[str, Command] = {command.type: command for command in _ALL}

LATER = {"return": "4.6.3"}
"""Commands of newer engines, which this parser reads as speakers."""

_STOCK = (
    "enter exit enter-from-left enter-from-right enter-from-bottom shake move-front-and-back blur oldFilm dotFilm "
    "reflectionFilm glitchFilm rgbFilm godrayFilm removeFilm shockwaveIn shockwaveOut"
)
STOCK_ANIMATIONS = frozenset(_STOCK.split())
