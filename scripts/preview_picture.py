"""Takes a picture of a scene of the example game: it is the evidence of a `preview_scene` call."""

import json
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


def take(handrail: str, folder: Path, env: dict[str, str], picture: Path) -> None:
    game = folder / "webgal-demo"
    shutil.copytree(ROOT / "examples" / "webgal-demo", game)
    params = json.dumps({"scenePath": "game/scene/lighthouse.txt"})
    preview_env = {**env, "HANDRAIL_TERRE": "off"}
    subprocess.run([handrail, "call", "preview_scene", params], cwd=game, env=preview_env, check=True)
    (evidence,) = (game / ".handrail" / "artifacts").rglob("picture-1.png")
    shutil.copy(evidence, picture)
