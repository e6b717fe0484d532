import { useEffect } from "preact/hooks";
import { calls } from "../../history/store";
import { language, texts } from "../../../store";
import { visible } from "../../../logic/visible";
import "../webgal.css";
import { lookForChanges, readGame, showPreview } from "../actions";
import { failure, game, isPreviewing, fixTarget, tab } from "../store";
import { words } from "../words";
import { PageHead } from "../../../ui/PageHead";
import { FixDialog } from "./FixDialog";
import { NoGame } from "./NoGame";
import { Problems } from "./Problems";
import { Resources } from "./Resources";
import { SceneGraph } from "./SceneGraph";
import { Scenes } from "./Scenes";
import { Tabs } from "./Tabs";
import { LastWrite } from "./LastWrite";

const EVERY_MS = 2000;
const SHARE = 15;
const VIEWS = { scenes: Scenes, problems: Problems, graph: SceneGraph, resources: Resources };

/** The project's game: its scenes with their problems, their connections, its files, and a preview. */
export function WebGal() {
  const t = texts.value;
  const w = words.value;
  useEffect(() => void readGame(), [language.value]);
  useEffect(followDisk, []);
  // An agent's write doesn't have to wait for the next check.
  const lastWrite = calls.value.find(({ effect, state }) => effect === "WRITE" && state === "done")?.executionId;
  useEffect(() => void lookForChanges(), [lastWrite]);

  const current = game.value;
  const isThere = current !== null && current !== "unknown";
  const View = VIEWS[tab.value];
  return (
    <>
      <PageHead title={t.pages.webgal} sub={isThere ? [visible(current.title), w.summary(current.scenes.length, current.lines)].filter(Boolean).join(" · ") : undefined}>
        {isThere && (
          <>
            <Tabs />
            {tab.value === "scenes" && (
              <button type="button" class="plain preview-toggle" aria-pressed={isPreviewing.value} onClick={() => showPreview(!isPreviewing.value)}>{w.preview}</button>
            )}
          </>
        )}
      </PageHead>
      {failure.value && <p class="problem webgal-failure" role="alert">{failure.value} <button type="button" class="plain" onClick={() => void readGame()}>{t.retry}</button></p>}
      {current === "unknown" && !failure.value && <p class="nothing webgal-failure">{t.loading}</p>}
      {current === null && <NoGame />}
      {isThere && (
        <div class="game" id={`view-${tab.value}`} role="tabpanel" aria-labelledby={`tab-${tab.value}`}>
          <LastWrite />
          <View />
        </div>
      )}
      {fixTarget.value && <FixDialog key={JSON.stringify(fixTarget.value)} wish={fixTarget.value} />}
    </>
  );
}

/** There are no events for changed files, so the open page polls, less often if a check takes long. */
function followDisk(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    const began = performance.now();
    if (document.visibilityState === "visible") await lookForChanges();
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(() => void look(), Math.max(EVERY_MS, SHARE * (performance.now() - began)));
  };
  const onVisible = (): void => void look();
  timer = setTimeout(onVisible, EVERY_MS);
  document.addEventListener("visibilitychange", onVisible);
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onVisible);
  };
}
