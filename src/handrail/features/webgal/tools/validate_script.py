"""validate_script of contract 3 §2.2."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.webgal.port import WebGal
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import Damaged, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge
from handrail.ports.paths import parse_path
from handrail.ports.schemas import schema


class Params(msgspec.Struct, frozen=True):
    path: str | None = None
    content: str | None = None


class Diagnostic(msgspec.Struct, frozen=True, rename="camel"):
    line: int
    kind: Literal["syntax", "resource", "style"]
    message: str
    fix_hint: str | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True):
    valid: bool
    diagnostics: list[Diagnostic]


async def validate_script(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Result:
    """Check a WebGAL scene, by `path` or as unsaved `content`: lines that the engine misreads, missing files, labels
    and scenes, likely mistakes. `fixHint` is the whole corrected line; `;nolint CODE` on a line silences a rule. Also
    checks `game/config.txt`.
    """
    return await in_thread(call, lambda: _validate(webgal, call, params))


def _validate(webgal: WebGal, call: Call, params: Params) -> Result:
    from handrail.features.webgal.script.findings import fixed_line, is_breaking, kind_of, message, once_per_file
    from handrail.features.webgal.script.parser import split_lines

    path = None if params.path is None else "/".join(parse_path(params.path))
    text = webgal.games.text_of(path) if path is not None else params.content or ""
    findings = webgal.games.check_text(text, path, call.checkpoint)
    lines = split_lines(text)
    diagnostics = [
        Diagnostic(each.line, kind_of(each), message(each, webgal.language), fixed if fixed is not None else UNSET)
        for each in once_per_file(findings)
        for fixed in (fixed_line(each, lines),)
    ]
    return Result(not any(map(is_breaking, findings)), diagnostics)


def target(params: Params) -> Target:
    return Target() if params.path is None else Target(path="/".join(parse_path(params.path)) or ".")


TOOL = Tool(
    name="validate_script",
    title="Check a script",
    params=Params,
    input_schema=schema("webgal", "validate_script.request"),
    output_schema=schema("webgal", "validate_script.response"),
    errors=(Damaged, NotFound, OutsideRoot, TooLarge, InputOutput, InvalidParams),
    is_idempotent=True,
    target=target,
    run=validate_script,
)
