import { useMemo, useState } from "preact/hooks";
import type { Game, Severity } from "../logic/game";
import { countsOf, listScenes, type ListedScene } from "../logic/problems";
import { openScene } from "../actions";
import { openedPath, problems, problemsByPath } from "../store";
import { words } from "../words";
import { Chunked } from "../../../ui/Chunked";
import { focusBeside } from "../../../ui/focus";
import { Visible } from "../../../ui/Visible";
import { CountMarks, SeverityFilter } from "./SeverityFilter";

const ROW = 33;

export function SceneList({ game }: { game: Game }) {
  const w = words.value;
  const [sought, setSought] = useState("");
  const [wanted, setWanted] = useState<ReadonlySet<Severity>>(new Set());
  const byPath = problemsByPath.value;
  const shown = useMemo(() => {
    const config = game.config === null ? [] : [{ path: game.config, name: "config.txt", lines: 0, isReachable: true }];
    return listScenes([...game.scenes, ...config], byPath, sought, wanted, game.entry);
  }, [game, byPath, sought, wanted]);
  const draw = useMemo(() => (scene: ListedScene) => <Row key={scene.path} scene={scene} isConfig={scene.path === game.config} />, [game]);
  return (
    <section class="scene-list" aria-label={w.scenes}>
      <input type="search" placeholder={w.findScene} aria-label={w.findScene} value={sought} onInput={(event) => setSought(event.currentTarget.value)} />
      <SeverityFilter counts={countsOf(problems.value)} wanted={wanted} choose={setWanted} />
      <div class="scene-rows" data-scroller onKeyDown={(event) => focusBeside(event, ".scene")}>
        {shown.length === 0 && <p class="nothing">{w.noScene}</p>}
        <Chunked rows={shown} rowHeight={ROW} render={draw} />
      </div>
    </section>
  );
}

function Row({ scene, isConfig }: { scene: ListedScene; isConfig: boolean }) {
  const w = words.value;
  const about = isConfig ? w.config : scene.isReachable ? w.lines(scene.lines) : w.unreached;
  return (
    <button type="button" class={`scene ${scene.isReachable ? "" : "unreached"}`} aria-pressed={openedPath.value === scene.path} title={`${scene.path} · ${about}`} onClick={() => void openScene(scene.path)}>
      <span class="scene-name mono"><Visible text={scene.name} /></span>
      <CountMarks counts={scene.counts} />
    </button>
  );
}
