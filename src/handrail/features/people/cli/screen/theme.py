"""The console's colours for dark and light terminals; the terminal's own colours if it has few or NO_COLOR is set."""

from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="handrail-dark",
    dark=True,
    primary="#e79a3c",
    secondary="#6cc3b8",
    accent="#e79a3c",
    warning="#ffd66b",
    error="#f08c80",
    success="#6fc48f",
    foreground="#f0ede6",
    background="#161512",
    surface="#1e1c19",
    panel="#26231f",
    variables={
        "muted": "#a29c8f",
        "line": "#322f2a",
        "field": "#12110f",
        "added": "#16301f",
        "added-ink": "#a9e0bb",
        "removed": "#3a1b17",
        "removed-ink": "#f3b3a9",
        "escape": "#4d3a08",
        "escape-ink": "#ffd66b",
        "chosen": "#3a2a12",
    },
)

LIGHT = Theme(
    name="handrail-light",
    dark=False,
    primary="#a05a08",
    secondary="#1f6d65",
    accent="#a05a08",
    warning="#6b3d00",
    error="#ab362a",
    success="#27704a",
    foreground="#1f1d1a",
    background="#f7f6f3",
    surface="#ffffff",
    panel="#efede8",
    variables={
        "muted": "#6b655b",
        "line": "#cbc6bb",
        "field": "#efede8",
        "added": "#e3f3e6",
        "added-ink": "#17552f",
        "removed": "#fbe6e2",
        "removed-ink": "#8a2b20",
        "escape": "#ffe9a8",
        "escape-ink": "#6b3d00",
        "chosen": "#f8ead6",
    },
)

PLAIN = Theme(
    name="handrail-plain",
    ansi=True,
    primary="ansi_yellow",
    secondary="ansi_cyan",
    accent="ansi_yellow",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        **BUILTIN_THEMES["ansi-dark"].variables,
        "muted": "ansi_default",
        "line": "ansi_bright_black",
        "field": "ansi_default",
        "added": "ansi_default",
        "added-ink": "ansi_green",
        "removed": "ansi_default",
        "removed-ink": "ansi_red",
        "escape": "ansi_default",
        "escape-ink": "ansi_yellow",
        "chosen": "ansi_default",
        "input-cursor-text-style": "reverse",
    },
)

_LIGHT_GROUNDS = {"7", "15"}
_FEW_COLOURS = {"standard", None}


def theme_of(environ: Mapping[str, str], colours: str | None) -> Theme:
    """`colours` is rich's name of the colour system. COLORFGBG tells whether the background is light; default dark."""
    if environ.get("NO_COLOR") or colours in _FEW_COLOURS:
        return PLAIN
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if ground in _LIGHT_GROUNDS else DARK
