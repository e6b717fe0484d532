import { useEffect, useState } from "preact/hooks";
import { texts } from "../../../store";
import { followLine, leavePreview, showPreview } from "../actions";
import { frame, game, line, openedPath, previewFailure, stamp } from "../store";
import { words } from "../words";
import { visible } from "../../../logic/visible";
import { Icon } from "../../../ui/Icon";

/**
 * The game in its own engine, at the selected line. It has another origin than the console, so neither can read the
 * other.
 */
export function Preview() {
  const w = words.value;
  const [round, setRound] = useState(0);
  const current = game.value;
  const path = openedPath.value;
  const isScene = path !== null && current !== null && current !== "unknown" && path !== current.config;
  // Loads a scene that was written in the meantime again with the same request.
  useEffect(() => {
    if (isScene) void followLine(path, line.value);
  }, [path, isScene, line.value, stamp.value]);
  useEffect(() => leavePreview, []);
  const shown = frame.value;
  return (
    <section class="preview" aria-label={w.preview}>
      <div class="preview-bar">
        <span class="sub mono">{path !== null && isScene ? w.previewAt(visible(path.slice(path.lastIndexOf("/") + 1)), line.value) : ""}</span>
        {shown && <button type="button" class="plain" onClick={() => setRound(round + 1)}>{w.reloadPreview}</button>}
        <button type="button" class="icon-button" aria-label={w.closePreview} title={w.closePreview} onClick={() => showPreview(false)}><Icon name="remove" /></button>
      </div>
      {previewFailure.value && <p class="problem" role="alert">{w.noPreview} {previewFailure.value} <button type="button" class="plain" onClick={() => path !== null && void followLine(path, line.value)}>{texts.value.retry}</button></p>}
      {!shown && !previewFailure.value && <p class="nothing">{w.starting}</p>}
      {shown && <iframe key={`${shown.screen} ${round}`} src={withConsoleHost(shown.address)} title={w.preview} sandbox="allow-scripts allow-same-origin" allow="autoplay" />}
      {shown && <p class="sub follows">{w.follows}</p>}
    </section>
  );
}

/** Uses the same host name as the console: browsers treat the other one as third-party and deny it storage. */
function withConsoleHost(address: string): string {
  const url = new URL(address);
  if (location.hostname === "localhost") url.hostname = "localhost";
  return url.href;
}
