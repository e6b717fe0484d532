import { type DesktopState, distinct } from "../logic/desktop";
import { said } from "../../../logic/said";
import { Visible } from "../../../ui/Visible";
import { words } from "../words";

/** What works here and what does not, and how a person turns it on. */
export function Condition({ state }: { state: DesktopState }) {
  const t = words.value;
  const known = (["accessibility", "screenRecording", "input"] as const).filter((name) => name in state.permissions);
  return (
    <section class="card condition" aria-label={t.state}>
      <ul class="tags" aria-label={t.state}>
        {known.map((name) => {
          const isThere = state.permissions[name]?.granted === true;
          return <li key={name} class={`chip ${isThere ? "good" : "bad"}`}><span class="chip-label">{t.permissions[name]}</span> {isThere ? t.granted : t.missing}</li>;
        })}
      </ul>
      {distinct(state.fixes).map(({ issue, fix }) => (
        <div key={issue}>
          <p><Visible text={said(issue)} /></p>
          {fix && <p class="sub">{t.howTo}: <Visible text={said(fix)} /></p>}
        </div>
      ))}
    </section>
  );
}
