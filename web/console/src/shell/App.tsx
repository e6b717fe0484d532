import { useEffect, useState } from "preact/hooks";
import { announcement, connection, page, session, texts } from "../store";
import { Boundary } from "../ui/Boundary";
import { InlineCode } from "../ui/InlineCode";
import { yieldToBrowser } from "./yielding";
import { Commands, Shortcuts } from "./Commands";
import { isCommandsOpen, isHelpOpen } from "./commands";
import { installed, pages } from "./installed";
import { Rail } from "./Rail";
import { SignIn } from "./SignIn";

/** Loads the page's code while the session is still being checked. */
export function prepare(name: string): void {
  const view = pages().find((one) => one.name === name)?.View;
  if (view && "prepare" in view) view.prepare();
}

let wasDrawn = false;

/** The first page is drawn after its surroundings, which avoids one long task. */
function Page() {
  const [isNext, setIsNext] = useState(wasDrawn);
  useEffect(() => {
    if (!isNext) void yieldToBrowser().then(() => setIsNext((wasDrawn = true)));
  }, []);
  const { View } = pages().find(({ name }) => name === page.value)!;
  return isNext ? <View /> : null;
}

export function App() {
  const t = texts.value;
  if (session.value === "signedOut") return <SignIn />;
  if (session.value === "unknown") return <main class="lonely"><p role="status">{connection.value === "offline" ? t.connection.offline : t.loading}</p></main>;
  const overlays = installed().flatMap((feature) => feature.overlays ?? []);
  return (
    <div class={`app at-${page.value}`}>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>{t.skip}</a>
      <Rail />
      <main id="main" tabIndex={-1} key={page.value}>
        {connection.value === "offline" && <p class="stopped"><InlineCode text={t.stopped} /></p>}
        <Boundary><Page /></Boundary>
      </main>
      {overlays.map(({ View: Overlay, isShown }, at) => (!isShown || isShown()) && <Boundary key={at}><Overlay /></Boundary>)}
      {isCommandsOpen.value && <Commands />}
      {isHelpOpen.value && <Shortcuts />}
      <div class="unseen" aria-live="polite" role="status">{announcement.value}</div>
    </div>
  );
}
