"""Runs `handrail up`, but first writes its routes to the file named by its first argument, one JSON line each."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route

import handrail.faces.http.site
from handrail.__main__ import main


def lines(routes: Sequence[BaseRoute], prefix: str = "") -> list[str]:
    texts = list[str]()
    for route in routes:
        if isinstance(route, Mount):
            texts += lines(route.routes, prefix + route.path)
        elif isinstance(route, Route):
            texts.append(json.dumps({"path": prefix + route.path, "methods": sorted(route.methods or [])}))
    return texts


def _written(file: Path) -> type[Starlette]:
    class Noting(Starlette):
        def __init__(self, *, routes: Sequence[BaseRoute], **options: Any) -> None:
            file.write_text("\n".join(lines(routes)))
            super().__init__(routes=routes, **options)

    return Noting


if __name__ == "__main__":
    vars(handrail.faces.http.site)["Starlette"] = _written(Path(sys.argv.pop(1)))
    main()
