"""The contracts' JSON Schemas, kept byte for byte as published."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def schema(contract: str, name: str) -> dict[str, Any]:
    text = files(__name__).joinpath(contract, f"{name}.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed
