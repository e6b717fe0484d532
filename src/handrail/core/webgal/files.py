"""Where the files that a statement names lie, as the engine resolves them."""

GAME = "./game"
FOLDERS = ("background", "figure", "bgm", "vocal", "video")
"""In which authors keep what scenes name."""


def is_address(name: str) -> bool:
    """What stands elsewhere in the net is left as it is."""
    return "http://" in name or "https://" in name


def in_folder(folder: str, name: str) -> str:
    return name if is_address(name) else f"{GAME}/{folder}/{name}"
