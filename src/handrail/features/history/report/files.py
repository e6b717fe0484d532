"""A file of the evidence in the page: to be looked at, and to be held against its hash byte for byte.

What a browser would not give back as it was written (escaped characters, other bytes than text) goes along as base64.
"""

import base64
from collections.abc import Iterator
from html import escape

from handrail.features.history.report.texts import both
from handrail.features.history.story import ShownFile
from handrail.kernel.visible import visible

_PICTURES = {".png": "image/png", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".webp": "image/webp"}
_NAMES = 2
"""Lines of a diff that name its file."""
_OPEN = frozenset({"diff.patch"})
"""Shown without a click: what was about to happen."""


def shown_file(file: ShownFile) -> str:
    name = escape(file.name)
    if file.data is None:
        lack = file.lack or "missing"
        return f'<p class="lack {lack}"><code>{name}</code>: {both(lack)}<br><small>{file.sha256}</small></p>'
    ending = file.name[file.name.rfind(".") :]
    if ending in _PICTURES:
        source = f"data:{_PICTURES[ending]};base64,{base64.b64encode(file.data).decode()}"
        return f'<figure><img src="{source}" alt="{name}" {_hash(file)}><figcaption>{name}</figcaption></figure>'
    is_open = " open" if file.name in _OPEN else ""
    return f"<details{is_open}><summary>{name}</summary>{_text(file, file.data)}</details>"


def _text(file: ShownFile, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return f"<p>{both('file')} {len(data):,} B</p>{_bytes(file, data)}"
    shown = visible(text)
    lines = "".join(_diff_lines(shown)) if file.name.endswith(".patch") else escape(shown, quote=False)
    if shown != text:
        return f'<pre class="spelled">\n{lines}</pre>{_bytes(file, data)}'
    return f"<pre {_hash(file)}>\n{lines}</pre>"  # a browser drops the first line feed in a `pre`


def _diff_lines(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(keepends=True)):
        kind = "hunk" if number < _NAMES else {"+": "add", "-": "del", "@": "hunk"}.get(line[0])
        spelled = escape(line, quote=False)
        yield f'<span class="{kind}">{spelled}</span>' if kind else spelled


def _bytes(file: ShownFile, data: bytes) -> str:
    return f'<script type="text/plain" {_hash(file)}>{base64.b64encode(data).decode()}</script>'


def _hash(file: ShownFile) -> str:
    return f'data-name="{escape(file.name)}" data-sha256="{escape(file.sha256)}"'
