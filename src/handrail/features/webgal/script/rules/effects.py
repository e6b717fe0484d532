"""Rules for transforms and animation frames: keys that the engine doesn't know."""

import json
from collections.abc import Iterator
from typing import Any

from handrail.features.webgal.script.findings import Finding
from handrail.features.webgal.script.line import Findings, Line
from handrail.features.webgal.script.similar_names import nearest

_TRANSFORM = """
    alpha rotation blur brightness contrast saturation gamma colorRed colorGreen colorBlue
    bloom bloomBrightness bloomBlur bloomThreshold
    bevel bevelThickness bevelRotation bevelSoftness bevelRed bevelGreen bevelBlue
    oldFilm dotFilm reflectionFilm glitchFilm rgbFilm godrayFilm shockwaveFilter radiusAlphaFilter
    position scale
"""
_FRAME = frozenset({*_TRANSFORM.split(), "duration", "ease"})
_POINT = frozenset({"x", "y"})
_POINTS = frozenset({"position", "scale"})
_LIST, _OBJECT = "[{…}, …]", "{…}"


def unknown_keys(value: Any) -> Iterator[tuple[str, frozenset[str]]]:
    """Yields each unknown key of a transform, a frame or a list of frames, with the valid ones it may mean."""
    for frame in value if isinstance(value, list) else [value]:
        if not isinstance(frame, dict):
            continue
        yield from ((key, _FRAME - frame.keys()) for key in frame if key not in _FRAME)
        for name in _POINTS & frame.keys():
            if isinstance(frame[name], dict):
                yield from ((key, _POINT - frame[name].keys()) for key in frame[name] if key not in _POINT)


def near_key(key: str, known: frozenset[str]) -> str | None:
    near = nearest(key, known, 1 if known <= _POINT and len(key) > 1 else None)
    return near[0] if near else None


def check_effect(line: Line, text: str, *, is_list: bool = False) -> Findings:
    """Checks valid JSON: a list of frames, or a transform."""
    value = json.loads(text)
    if isinstance(value, list) != is_list or not isinstance(value, list | dict):
        fix = f"[{text}]" if isinstance(value, dict) else text.strip()[1:-1].strip() if _is_one(value) else None
        yield line.at(text, "WG140", fix, is_safe=False, name=line.command.name, form=_LIST if is_list else _OBJECT)
    for key, known in unknown_keys(value):
        near = near_key(key, known)
        fix = None if near is None else f'"{near}"'
        yield line.at(f'"{key}"', "WG133", fix, is_safe=False, is_grave=near is not None, name=key, near=near or "")


def _is_one(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)


def check_animation(text: str) -> Findings:
    """Checks a file in the game's folder of animations."""
    try:
        frames = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        yield Finding("WG111", line, values={"why": str(error)})
        return
    if not isinstance(frames, list):
        yield Finding("WG140", 1, values={"name": "setAnimation", "form": _LIST})
    for key, known in unknown_keys(frames):
        near = near_key(key, known)
        line = text.count("\n", 0, max(text.find(f'"{key}"'), 0)) + 1
        yield Finding("WG133", line, values={"name": key, "near": near or ""}, is_grave=near is not None)
