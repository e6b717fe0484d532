"""What is wrong with `config.txt`."""

import re

from handrail.core.webgal.config_file import read_config
from handrail.core.webgal.findings import Edit, Finding
from handrail.core.webgal.listing import Listing, Standing
from handrail.core.webgal.nearness import meant, nearest
from handrail.core.webgal.rules.line import Findings
from handrail.core.webgal.sentences import split_lines

FILES = {"Title_img": "background", "Title_bgm": "bgm", "Game_Logo": "background"}
KEYS = frozenset(
    [
        "Game_name",
        "Game_key",
        "Title_img",
        "Title_bgm",
        "Game_Logo",
        "Enable_Appreciation",
        "Enable_Continue",
        "Default_Language",
        "Show_panic",
        "Legacy_Expression_Blend_Mode",
        "Max_line",
        "Line_height",
        "Steam_AppID",
        "Textbox_theme",
        "Enable_flowchart",
        "Description",
        "Package_name",
    ]
)
_BLANK_COLON = re.compile(r"^[^:;]*?(?<!\s)(?P<blank>\s++):")


def check(text: str, listing: Listing, folder: str) -> Findings:
    lines = split_lines(text)
    for setting in read_config(text):
        line = lines[setting.line - 1]
        if (blank := _BLANK_COLON.match(line)) is not None:
            yield Finding("WG124", setting.line, *blank.span("blank"), edit=Edit(*blank.span("blank"), ""))
        elif setting.key not in KEYS:
            near = nearest(setting.key, KEYS)
            if near:  # other keys are those of other engines
                edit = Edit(0, len(setting.key), near[0], is_safe=False)
                values = {"name": setting.key, "near": near[0]}
                yield Finding("WG405", setting.line, 0, len(setting.key), values, edit)
        for name in setting.values if setting.key in FILES else ():
            yield from _file(setting.line, line, FILES[setting.key], name, listing, folder)


def _file(number: int, line: str, folder: str, name: str, listing: Listing, game: str) -> Findings:
    standing, path = listing.find(folder, name)
    start = max(line.rfind(name), 0)
    end = start + len(name)
    if name == "none" or "://" in name or standing in (Standing.THERE, Standing.UNKNOWN):
        return
    if standing is Standing.OTHER_CASE:
        real = path.removeprefix(f"{folder}/")
        yield Finding("WG203", number, start, end, {"near": real}, Edit(start, end, real))
    elif not listing.has_files_in(folder):
        yield Finding("WG202", number, start, end, {"path": f"{game}{folder}/"})
    else:
        near = listing.near(folder, name)
        fix = meant(name, near)
        edit = Edit(start, end, fix, is_safe=False) if fix is not None else None
        yield Finding("WG201", number, start, end, {"path": f"{game}{folder}/{name}", "near": ", ".join(near)}, edit)
