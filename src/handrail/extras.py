"""The optional parts of handrail: whether each one's packages are installed, and how to install them.

The names are those of `[project.optional-dependencies]` in pyproject.toml.
"""

from importlib.machinery import PathFinder

_MODULES = {
    "browser": (),
    "desktop": ("mss", "Xlib", "zlib_ng"),
    "webgal": ("lsprotocol", "pygls"),
    "agent": ("pydantic_ai", "anthropic", "openai"),
    "tui": ("textual",),
}
EXTRAS = tuple(_MODULES)


def is_installed(feature: str) -> bool:
    """True as well for a feature that has no extra. Nothing is imported to find out."""
    return all(PathFinder.find_spec(module) is not None for module in _MODULES.get(feature, ()))


def how_to_install(extra: str) -> str:
    return f"Install it with: pip install 'handrail[{extra}]'"
