"""Parses and checks every scene of a folder in a process of its own, and prints the CPU time of three passes."""

import json
import sys
import time
from pathlib import Path

from handrail.features.webgal.script.listing import GameAssets, Listing
from handrail.features.webgal.script.project import Project
from handrail.features.webgal.script.scene import clear_caches


def main() -> None:
    texts = {file.name: file.read_text(encoding="utf-8") for file in sorted(Path(sys.argv[1]).glob("*.txt"))}
    files = ("background/place{}.jpg", "figure/hero{}.png", "vocal/v{}.wav")
    listing = Listing.of([*(f"scene/{name}" for name in texts), *(f.format(n) for f in files for n in range(200))])
    passes, project = [], Project(GameAssets(listing))
    for _ in range(3):
        clear_caches()
        started = time.process_time()
        project = Project(GameAssets(listing))
        for name, text in texts.items():
            project.update(name, text)
        project.everything()
        passes.append((time.process_time() - started) * 1000)
    name = sorted(texts)[len(texts) // 2]
    again = []
    for number in range(9):
        started = time.process_time()
        project.update(name, f"{texts[name]}\n雪乃:改了第{number}次;")
        project.everything()
        again.append((time.process_time() - started) * 1000)
    print(json.dumps({"passes": passes, "again": sorted(again)[len(again) // 2]}))


main()
