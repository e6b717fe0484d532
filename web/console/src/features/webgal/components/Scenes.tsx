import { texts } from "../../../store";
import { game, isPreviewing, opened, problemsByPath, text, textFailure } from "../store";
import { words } from "../words";
import { LineNote } from "./LineNote";
import { Preview } from "./Preview";
import { SceneList } from "./SceneList";
import { Source } from "./Source";

const NO_TEXT = "WG125";

/** The scenes, the text of one, what is wrong with a line of it, and how it looks when it is played. */
export function Scenes() {
  const known = game.value;
  if (known === null || known === "unknown") return null;
  const scene = text.value;
  const isUnreadable = (problemsByPath.value.get(opened.value ?? "") ?? []).some(({ code }) => code === NO_TEXT);
  return (
    <div class={`workbench ${isPreviewing.value ? "with-preview" : ""}`}>
      <SceneList game={known} />
      <section class="scene-text" aria-label={opened.value ?? words.value.scenes}>
        {textFailure.value && <p class="problem" role="alert">{isUnreadable ? words.value.unreadable : textFailure.value}</p>}
        {scene === null && !textFailure.value && <p class="nothing">{opened.value ? texts.value.loading : words.value.chooseScene}</p>}
        {scene && <Source key={scene.path} scene={scene} />}
        {scene && <LineNote path={scene.path} />}
      </section>
      {isPreviewing.value && <Preview />}
    </div>
  );
}
