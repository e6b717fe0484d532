import { type DesktopState, distinct } from "../logic/desktop";
import { translateServerText } from "../../../logic/serverText";
import { Visible } from "../../../ui/Visible";
import { words } from "../words";

/** What works and what doesn't on this machine, and how to turn it on. */
export function DesktopHealth({ state }: { state: DesktopState }) {
  const t = words.value;
  const capabilities = (["accessibility", "screenRecording", "input"] as const).filter((name) => name in state.permissions);
  return (
    <section class="card condition" aria-label={t.state}>
      <ul class="tags" aria-label={t.state}>
        {capabilities.map((name) => {
          const isThere = state.permissions[name]?.granted === true;
          return <li key={name} class={`chip ${isThere ? "good" : "bad"}`}><span class="chip-label">{t.permissions[name]}</span> {isThere ? t.granted : t.missing}</li>;
        })}
      </ul>
      {distinct(state.fixes).map(({ issue, fix }) => (
        <div key={issue}>
          <p><Visible text={translateServerText(issue)} /></p>
          {fix && <p class="sub">{t.howTo}: <Visible text={translateServerText(fix)} /></p>}
        </div>
      ))}
    </section>
  );
}
