import { texts } from "../../../store";

export function Keyboard() {
  const t = texts.value;
  return (
    <section class="card">
      <h2>{t.keyboard}</h2>
      <dl class="keys">
        {t.keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}
      </dl>
    </section>
  );
}
