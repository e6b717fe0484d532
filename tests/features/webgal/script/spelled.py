"""What our parser reads, spelled as the engine's own spells it."""

import math
from typing import Any

from handrail.features.webgal.script.config_file import Setting
from handrail.features.webgal.script.parser import Sentence


def sentence(read: Sentence) -> dict[str, Any]:
    return {
        "command": read.command,
        "commandRaw": read.raw,
        "content": read.content,
        "args": [{"key": key, "value": _value(value)} for key, value in read.args],
        "assets": [{"url": address, "dir": folder} for address, folder in read.assets],
        "subScene": list(read.sub_scenes),
        "inlineComment": read.comment,
    }


def setting(read: Setting) -> dict[str, Any]:
    options = [{"key": key, "value": _value(value)} for key, value in read.options]
    return {"command": read.key, "args": list(read.values), "options": options}


def _value(value: Any) -> Any:
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
