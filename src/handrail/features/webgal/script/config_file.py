"""`config.txt`: how the engine reads it, and what is wrong with it."""

import re

import msgspec

from handrail.features.webgal.script.findings import Edit, Finding
from handrail.features.webgal.script.line import Findings
from handrail.features.webgal.script.listing import FileStatus, Listing
from handrail.features.webgal.script.parser import BLANKS, SEPARATOR, Argument, read_arguments, split_lines
from handrail.features.webgal.script.similar_names import nearest, plausible_correction

_BLANK = f"[{BLANKS}]"
_COLON = re.compile(f"(?<!{_BLANK}){_BLANK}*+:")


class Setting(msgspec.Struct, frozen=True):
    line: int
    key: str
    values: tuple[str, ...]
    options: tuple[Argument, ...] = ()


def read_config(text: str) -> list[Setting]:
    lines = enumerate(split_lines(text), start=1)
    return [setting for number, line in lines if (setting := _setting(number, line)) is not None]


def _setting(number: int, line: str) -> Setting | None:
    statement = line.partition(";")[0]
    colon = _COLON.search(statement)
    if colon is None or colon.start() == 0:
        return None
    # The engine drops one character after the key, even if there are blanks before the colon: `Key : v` gives ": v".
    body = statement[colon.start() + 1 :]
    at = body.find(SEPARATOR)
    options = read_arguments(body[at:], resolve=str) if at >= 0 else ()
    values = (value.strip(BLANKS) for value in (body[:at] if at >= 0 else body).split("|"))
    return Setting(number, statement[: colon.start()], tuple(value for value in values if value), tuple(options))


FILES = {"Title_img": "background", "Title_bgm": "bgm", "Game_Logo": "background"}
_OTHER_KEYS = """
    Game_name Game_key Enable_Appreciation Enable_Continue Default_Language Show_panic Legacy_Expression_Blend_Mode
    Max_line Line_height Steam_AppID Textbox_theme Enable_flowchart Description Package_name
"""
KEYS = frozenset([*FILES, *_OTHER_KEYS.split()])
_BLANK_COLON = re.compile(r"^[^:;]*?(?<!\s)(?P<blank>\s++):")


def check_config(text: str, listing: Listing, folder: str) -> Findings:
    lines = split_lines(text)
    for setting in read_config(text):
        line = lines[setting.line - 1]
        if (blank := _BLANK_COLON.match(line)) is not None:
            yield Finding("WG124", setting.line, *blank.span("blank"), edit=Edit(*blank.span("blank"), ""))
        elif setting.key not in KEYS:
            near = nearest(setting.key, KEYS)
            if near:  # other unknown keys belong to other engines
                edit = Edit(0, len(setting.key), near[0], is_safe=False)
                values = {"name": setting.key, "near": near[0]}
                yield Finding("WG405", setting.line, 0, len(setting.key), values, edit)
        for name in setting.values if setting.key in FILES else ():
            yield from _file(setting.line, line, FILES[setting.key], name, listing, folder)


def _file(number: int, line: str, folder: str, name: str, listing: Listing, game: str) -> Findings:
    status, path = listing.find(folder, name)
    start = max(line.rfind(name), 0)
    end = start + len(name)
    if name == "none" or "://" in name or status in (FileStatus.EXISTS, FileStatus.UNKNOWN):
        return
    if status is FileStatus.OTHER_CASE:
        real = path.removeprefix(f"{folder}/")
        yield Finding("WG203", number, start, end, {"near": real}, Edit(start, end, real))
    elif not listing.has_files_in(folder):
        yield Finding("WG202", number, start, end, {"path": f"{game}{folder}/"})
    else:
        near = listing.near(folder, name)
        fix = plausible_correction(name, near)
        edit = Edit(start, end, fix, is_safe=False) if fix is not None else None
        yield Finding("WG201", number, start, end, {"path": f"{game}{folder}/{name}", "near": ", ".join(near)}, edit)
