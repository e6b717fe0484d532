import { useEffect, useState } from "preact/hooks";
import { takeSnapshot, readSnapshot, readState } from "../actions";
import { messageOf } from "../../../shell/failure";
import type { DesktopSnapshot } from "../logic/desktop";
import { announcement, texts } from "../../../store";
import { picturesOf } from "../../history/logic/calls";
import { calls } from "../../history/store";
import { PageHead } from "../../../ui/PageHead";
import { useLoaded } from "../../../ui/useLoaded";
import { LastAction } from "./LastAction";
import { DesktopHealth } from "./DesktopHealth";
import { DesktopView } from "./DesktopView";
import { WindowChooser } from "./WindowChooser";
import "../desktop.css";
import { words } from "../words";

/** What agents see of the desktop: the last picture, the window as text beside it, and what is missing. */
export function Desktop() {
  const t = texts.value;
  const { data: state, error: stateError, again: readStateAgain } = useLoaded(readState);
  const [sight, setSight] = useState<DesktopSnapshot | null | "unknown">("unknown");
  const [isLooking, setIsLooking] = useState(false);
  const [problem, setProblem] = useState("");
  const lastSeen = calls.value.find(({ tool, state: ended }) => tool === "desktop_observe" && ended === "done")?.executionId;

  async function take(work: Promise<DesktopSnapshot | null>): Promise<void> {
    setProblem("");
    await work.then(setSight, (failure: unknown) => {
      setProblem(messageOf(failure));
      setSight((known) => (known === "unknown" ? null : known));
    });
  }
  useEffect(() => void take(readSnapshot()), [lastSeen]);

  async function lookNow(window: { app?: string; title?: string } = {}): Promise<void> {
    setIsLooking(true);
    await take(takeSnapshot(window));
    setIsLooking(false);
    readStateAgain();
    announcement.value = words.value.seen;
  }

  // A window can be read without a picture of it.
  const isBlind = state !== null && ["accessibility", "screenRecording"].every((name) => state.permissions[name]?.granted === false);
  const seen = sight === "unknown" ? null : sight;
  const after = calls.value.find((call) => call.tool?.startsWith("desktop_") && call.state === "done" && call.effect === "UI_CONTROL" && picturesOf(call).length > 0);
  const isLater = after !== undefined && (!seen || after.startedAt > seen.takenAt);
  return (
    <>
      <PageHead title={t.pages.desktop} sub={state ? (state.healthy ? words.value.well(state.session) : words.value.unwell) : undefined}>
        {seen && <WindowChooser sight={seen} isDisabled={isLooking} choose={(window) => void lookNow(window)} />}
        <button type="button" class="primary" disabled={isLooking || isBlind} onClick={() => void lookNow()}>{isLooking ? words.value.looking : words.value.look}</button>
      </PageHead>
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={t.pages.desktop}>
        {problem && <p class="problem" role="alert">{problem}</p>}
        {stateError && <p class="problem" role="alert">{stateError}</p>}
        {state && !(state.healthy && state.fixes.length === 0) && <DesktopHealth state={state} />}
        {sight === "unknown" && <p class="nothing">{t.loading}</p>}
        {sight === null && <p class="nothing">{words.value.nothingSeen}{t.betweenSentences}{words.value.nothingSeenHint}</p>}
        {isLater && after && <LastAction call={after} />}
        {isLater && seen && <p class="sub stale-note">{words.value.stale}</p>}
        {seen && <DesktopView key={seen.executionId} sight={seen} />}
      </div>
    </>
  );
}
