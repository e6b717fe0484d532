import { texts } from "../../../store";
import { game, isPreviewing, openedPath, problemsByPath, text, textFailure } from "../store";
import { words } from "../words";
import { LineNote } from "./LineNote";
import { Preview } from "./Preview";
import { SceneList } from "./SceneList";
import { Source } from "./Source";

const NO_TEXT = "WG125";

/** The list of scenes, the text of one, the problems of a line, and the preview. */
export function Scenes() {
  const current = game.value;
  if (current === null || current === "unknown") return null;
  const scene = text.value;
  const isUnreadable = (problemsByPath.value.get(openedPath.value ?? "") ?? []).some(({ code }) => code === NO_TEXT);
  return (
    <div class={`workbench ${isPreviewing.value ? "with-preview" : ""}`}>
      <SceneList game={current} />
      <section class="scene-text" aria-label={openedPath.value ?? words.value.scenes}>
        {textFailure.value && <p class="problem" role="alert">{isUnreadable ? words.value.unreadable : textFailure.value}</p>}
        {scene === null && !textFailure.value && <p class="nothing">{openedPath.value ? texts.value.loading : words.value.chooseScene}</p>}
        {scene && <Source key={scene.path} scene={scene} />}
        {scene && <LineNote path={scene.path} />}
      </section>
      {isPreviewing.value && <Preview />}
    </div>
  );
}
