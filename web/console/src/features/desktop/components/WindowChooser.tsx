import type { DesktopSnapshot, DesktopWindow } from "../logic/desktop";
import { visible } from "../../../logic/visible";
import { words } from "../words";

interface WindowChooserProps {
  sight: DesktopSnapshot;
  isDisabled: boolean;
  choose: (window: { app?: string; title?: string }) => void;
}

/** The windows of the last look; choosing one takes a picture of it. */
export function WindowChooser({ sight, isDisabled, choose }: WindowChooserProps) {
  const t = words.value;
  const shown = sight.windows.findIndex(({ title, app }) => title === sight.route.windowTitle && app === sight.route.frontmostBundleId);
  const label = ({ title, app }: DesktopWindow): string => visible(`${title || t.untitled} – ${app}`);
  return (
    <select
      class="window-chooser"
      aria-label={t.window}
      disabled={isDisabled}
      value={String(shown)}
      onChange={(event) => {
        const window = sight.windows[Number(event.currentTarget.value)];
        choose(window ? { app: window.app, title: window.title } : {});
      }}
    >
      <option value="-1">{t.inFront}</option>
      {sight.windows.map((window, at) => <option key={at} value={String(at)}>{label(window)}</option>)}
    </select>
  );
}
