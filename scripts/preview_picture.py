"""A scene of the example game as `preview_scene` shows it: the picture is the call's own evidence."""

import json
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def take(handrail: str, folder: Path, env: dict[str, str], picture: Path) -> None:
    game = folder / "webgal-demo"
    shutil.copytree(ROOT / "examples" / "webgal-demo", game)
    wanted = json.dumps({"scenePath": "game/scene/lighthouse.txt"})
    own = {**env, "HANDRAIL_TERRE": "off"}
    subprocess.run([handrail, "call", "preview_scene", wanted], cwd=game, env=own, check=True)
    (found,) = (game / ".handrail" / "artifacts").rglob("picture-1.png")
    shutil.copy(found, picture)
