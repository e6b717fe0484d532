"""The scripts by the name of their page."""

from collections.abc import Callable

from tests.small_pages.player import Player

Script = Callable[[Player], None]
SCRIPTS: dict[str, Script] = {}


def plays(*names: str) -> Callable[[Script], Script]:
    def noted(script: Script) -> Script:
        SCRIPTS.update(dict.fromkeys(names, script))
        return script

    return noted


from tests.small_pages.scripts import clicking, drawing, mail, writing  # noqa: E402, F401 (they note their scripts)
